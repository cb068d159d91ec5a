//! Starting a process by `posix_spawn`.
//!
//! What the standard library does, minus what it does again for every process: it copies and sorts the environment each
//! time, which costs more than all else that a run costs us.

use std::ffi::{CString, OsStr};
use std::io::{self, PipeReader, PipeWriter};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::ptr;
use std::sync::OnceLock;

use crate::orphans::OWNER;
use crate::solver::Invocation;

/// A process that was started, the leader of a group of its own. Whoever has it must reap it.
#[derive(Debug)]
pub(crate) struct Child {
    pub pid: u32,
    pub stdin: PipeWriter,
    pub stdout: PipeReader,
    /// None if what it says there is thrown away.
    pub stderr: Option<PipeReader>,
}

/// What becomes of standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stderr {
    Piped,
    Discarded,
}

/// Starts the process of an invocation.
pub(crate) fn spawn(invocation: &Invocation, stderr: Stderr) -> io::Result<Child> {
    let program = c_string(invocation.program.as_os_str())?;
    let args: Vec<CString> = invocation.args.iter().map(|arg| c_string(arg)).collect::<io::Result<_>>()?;
    let argv = pointers([&program].into_iter().chain(&args));
    let changes: Vec<CString> = invocation
        .environment
        .iter()
        .map(|(name, value)| variable(name, value))
        .collect::<io::Result<_>>()?;
    let is_changed = |inherited: &&Variable| {
        invocation.environment.iter().any(|(name, _)| name.as_bytes() == inherited.name())
    };
    let inherited = environment().iter().filter(|inherited| !is_changed(inherited));
    let envp = pointers(inherited.map(|inherited| &inherited.0).chain(&changes));

    let (their_stdin, stdin) = io::pipe()?;
    let (stdout, their_stdout) = io::pipe()?;
    let mut actions = Actions::new()?;
    actions.duplicate(their_stdin.as_raw_fd(), libc::STDIN_FILENO)?;
    actions.duplicate(their_stdout.as_raw_fd(), libc::STDOUT_FILENO)?;
    let (stderr, _their_stderr) = match stderr {
        Stderr::Piped => {
            let (ours, theirs) = io::pipe()?;
            actions.duplicate(theirs.as_raw_fd(), libc::STDERR_FILENO)?;
            (Some(ours), Some(theirs))
        }
        Stderr::Discarded => {
            actions.open_null(libc::STDERR_FILENO)?;
            (None, None)
        }
    };
    let attributes = Attributes::new()?;
    let mut pid = 0;
    // SAFETY: all pointers are to live values; both lists end with a null pointer.
    succeed(unsafe {
        libc::posix_spawn(
            &mut pid,
            program.as_ptr(),
            actions.0.as_ptr(),
            attributes.0.as_ptr(),
            argv.as_ptr(),
            envp.as_ptr(),
        )
    })?;
    Ok(Child { pid: pid as u32, stdin, stdout, stderr })
}

/// A variable of the environment, as `name=value`.
struct Variable(CString);

impl Variable {
    fn name(&self) -> &[u8] {
        let bytes = self.0.as_bytes();
        &bytes[..memchr::memchr(b'=', bytes).unwrap_or(bytes.len())]
    }
}

/// What every process inherits: our environment as it was when the first one was started, and whose they are.
fn environment() -> &'static [Variable] {
    static ENVIRONMENT: OnceLock<Vec<Variable>> = OnceLock::new();
    ENVIRONMENT.get_or_init(|| {
        let inherited = std::env::vars_os().filter(|(name, _)| name != OWNER);
        let owner = (OWNER.into(), std::process::id().to_string().into());
        // The system hands out no variable that holds a zero byte.
        inherited
            .chain([owner])
            .filter_map(|(name, value)| variable(&name, &value).ok())
            .map(Variable)
            .collect()
    })
}

fn variable(name: &OsStr, value: &OsStr) -> io::Result<CString> {
    Ok(CString::new([name.as_bytes(), b"=", value.as_bytes()].concat())?)
}

fn c_string(text: &OsStr) -> io::Result<CString> {
    Ok(CString::new(text.as_bytes())?)
}

/// Pointers to some strings, ended by a null pointer.
fn pointers<'s>(strings: impl Iterator<Item = &'s CString>) -> Vec<*mut libc::c_char> {
    strings.map(|string| string.as_ptr().cast_mut()).chain([ptr::null_mut()]).collect()
}

/// What a new process does with its files.
struct Actions(MaybeUninit<libc::posix_spawn_file_actions_t>);

impl Actions {
    fn new() -> io::Result<Self> {
        let mut actions = MaybeUninit::uninit();
        // SAFETY: the pointer is valid for writes.
        succeed(unsafe { libc::posix_spawn_file_actions_init(actions.as_mut_ptr()) })?;
        Ok(Actions(actions))
    }

    fn duplicate(&mut self, from: RawFd, to: RawFd) -> io::Result<()> {
        // SAFETY: the actions are initialised.
        succeed(unsafe { libc::posix_spawn_file_actions_adddup2(self.0.as_mut_ptr(), from, to) })
    }

    fn open_null(&mut self, to: RawFd) -> io::Result<()> {
        let path = c"/dev/null".as_ptr();
        // SAFETY: the actions are initialised, and the path is copied.
        succeed(unsafe {
            libc::posix_spawn_file_actions_addopen(self.0.as_mut_ptr(), to, path, libc::O_WRONLY, 0)
        })
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: the actions are initialised and not used again.
        unsafe { libc::posix_spawn_file_actions_destroy(self.0.as_mut_ptr()) };
    }
}

/// A group of its own, no signal blocked, and the end of a pipe ends the process, which it does not in ours.
struct Attributes(MaybeUninit<libc::posix_spawnattr_t>);

impl Attributes {
    fn new() -> io::Result<Self> {
        let mut attributes = MaybeUninit::uninit();
        // SAFETY: the pointer is valid for writes.
        succeed(unsafe { libc::posix_spawnattr_init(attributes.as_mut_ptr()) })?;
        let mut attributes = Attributes(attributes);
        let flags = libc::POSIX_SPAWN_SETPGROUP | libc::POSIX_SPAWN_SETSIGMASK | libc::POSIX_SPAWN_SETSIGDEF;
        let mut signals = MaybeUninit::uninit();
        let target = attributes.0.as_mut_ptr();
        // SAFETY: the attributes are initialised, and so is the set of signals before it is read.
        unsafe {
            succeed(libc::posix_spawnattr_setflags(target, flags as libc::c_short))?;
            succeed(libc::posix_spawnattr_setpgroup(target, 0))?;
            libc::sigemptyset(signals.as_mut_ptr());
            succeed(libc::posix_spawnattr_setsigmask(target, signals.as_ptr()))?;
            libc::sigaddset(signals.as_mut_ptr(), libc::SIGPIPE);
            succeed(libc::posix_spawnattr_setsigdefault(target, signals.as_ptr()))?;
        }
        Ok(attributes)
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: the attributes are initialised and not used again.
        unsafe { libc::posix_spawnattr_destroy(self.0.as_mut_ptr()) };
    }
}

/// These functions return the error instead of setting it.
fn succeed(code: libc::c_int) -> io::Result<()> {
    if code == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(code)) }
}
