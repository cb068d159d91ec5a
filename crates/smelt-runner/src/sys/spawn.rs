//! Starting a process with its limits in force before the program runs.
//!
//! What `posix_spawn` does, plus what it cannot do: a child that shares our memory sets its limits, joins its group and
//! becomes the program, while the thread that started it waits. Nothing is copied, so it costs the same however large
//! smelt has become. The environment is prepared once and not again for every process.

use std::ffi::{CStr, CString, OsStr, OsString, c_void};
use std::io::{self, PipeReader, PipeWriter};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};

use super::namespaces::Namespaces;
use super::rlimit::Resource;
use crate::solver::Invocation;

/// A process that was started, the leader of a group of its own. Whoever has it must reap it.
#[derive(Debug)]
pub(crate) struct Child {
    pub pid: u32,
    /// Becomes readable when the process ends.
    pub ended: OwnedFd,
    pub stdin: PipeWriter,
    pub stdout: PipeReader,
    pub stderr: PipeReader,
}

/// What a process is given before its program runs.
#[derive(Debug)]
pub(crate) struct Setup<'s> {
    pub limits: &'s [(Resource, u64)],
    /// The file that takes the process into its control group.
    pub group: Option<&'s CStr>,
    /// The namespaces that it enters.
    pub namespaces: Option<&'s Namespaces>,
    /// The environment that it begins with, before what the invocation sets; none if it is ours.
    pub environment: Option<&'s [(OsString, OsString)]>,
}

/// Starts the process of an invocation. A limit that cannot be set is an error, and the program does not run.
pub(crate) fn spawn(invocation: &Invocation, setup: &Setup<'_>) -> io::Result<Child> {
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
    let given: Option<Vec<Variable>> = setup.environment.map(variables).transpose()?;
    let inherited = given.as_deref().unwrap_or_else(|| environment()).iter();
    let inherited = inherited.filter(|inherited| !is_changed(inherited));
    let envp = pointers(inherited.map(|inherited| &inherited.0).chain(&changes));

    let (their_stdin, stdin) = io::pipe()?;
    let (stdout, their_stdout) = io::pipe()?;
    let (stderr, their_stderr) = io::pipe()?;
    let plan = Plan {
        program: &program,
        argv: &argv,
        envp: &envp,
        files: [their_stdin.as_raw_fd(), their_stdout.as_raw_fd(), their_stderr.as_raw_fd()],
        setup,
        step: AtomicI32::new(Stage::Start as i32),
        error: AtomicI32::new(0),
    };
    let (pid, ended) = plan.carry_out()?;
    Ok(Child { pid, ended, stdin, stdout, stderr })
}

/// All that a child needs to become the program, made before it exists: it must not allocate.
struct Plan<'p> {
    program: &'p CStr,
    argv: &'p [*mut libc::c_char],
    envp: &'p [*mut libc::c_char],
    /// What becomes its standard input, output and error.
    files: [RawFd; 3],
    setup: &'p Setup<'p>,
    /// Where the child failed, and with which error; zero if it became the program.
    step: AtomicI32,
    error: AtomicI32,
}

/// What a child does, one after the other. Limits are counted from `Limits` on.
#[derive(Debug, Clone, Copy)]
#[repr(i32)]
enum Stage {
    Start,
    Group,
    Files,
    Sandbox,
    Execute,
    Limits,
}

/// The stack of a child until it has become the program.
pub(super) const STACK: usize = 1 << 16;

impl Plan<'_> {
    fn carry_out(&self) -> io::Result<(u32, OwnedFd)> {
        // Not touched before it is used, so its size costs nothing.
        let mut stack: Vec<MaybeUninit<u128>> = Vec::with_capacity(STACK / size_of::<u128>());
        let top = stack.spare_capacity_mut().as_mut_ptr_range().end;
        let plan = ptr::from_ref(self).cast_mut().cast::<c_void>();
        let mut ended: libc::c_int = -1;
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD | libc::SIGCHLD;
        let mask = BlockedSignals::new();
        // SAFETY: the stack is aligned, grows down from its end and, like the plan, outlives the child's use of them,
        // because this thread sleeps until the child has become the program or ended. The child runs with all signals
        // blocked, so no handler of ours runs in it, and calls only what is allowed between `vfork` and `exec`.
        let pid = unsafe { libc::clone(become_program, top.cast(), flags, plan, &mut ended) };
        let cloned = if pid < 0 { Err(io::Error::last_os_error()) } else { Ok(()) };
        drop(mask);
        cloned?;
        // SAFETY: the kernel has just given us this descriptor, and nobody else owns it.
        let ended = unsafe { OwnedFd::from_raw_fd(ended) };
        match self.error.load(Ordering::Relaxed) {
            0 => Ok((pid as u32, ended)),
            error => {
                // It has ended already; only how it failed is of interest.
                let _ = super::wait(pid as u32);
                Err(self.failure(io::Error::from_raw_os_error(error)))
            }
        }
    }

    /// What went wrong, for people; the kind of the error stays.
    fn failure(&self, error: io::Error) -> io::Error {
        let step = self.step.load(Ordering::Relaxed);
        let text = match step - Stage::Limits as i32 {
            limit @ 0.. => match self.setup.limits.get(limit as usize) {
                Some((resource, _)) => format!("cannot limit {}: {error}", resource.name()),
                None => error.to_string(),
            },
            _ if step == Stage::Sandbox as i32 => format!("cannot enter the sandbox: {error}"),
            _ if step == Stage::Group as i32 => format!("cannot join its control group: {error}"),
            _ => return error,
        };
        io::Error::new(error.kind(), text)
    }

    /// Does all steps; returns only if one fails.
    ///
    /// # Safety
    ///
    /// Only for the child, whose memory is ours.
    unsafe fn execute(&self) -> Option<()> {
        let at = |step: i32| self.step.store(step, Ordering::Relaxed);
        let done = |result: libc::c_int| (result >= 0).then_some(());
        // SAFETY: these calls are allowed in a child that shares our memory; all pointers are to values that outlive
        // it, both lists end with a null pointer. Handlers belong to the child alone.
        unsafe {
            done(libc::setpgid(0, 0))?;
            at(Stage::Group as i32);
            if let Some(path) = self.setup.group {
                let file = libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
                done(file)?;
                // Zero stands for the process that writes it.
                done(libc::write(file, c"0".as_ptr().cast(), 1) as libc::c_int)?;
            }
            at(Stage::Files as i32);
            for (target, file) in (0..).zip(self.files) {
                if file == target {
                    done(libc::fcntl(file, libc::F_SETFD, 0))?;
                } else {
                    done(libc::dup2(file, target))?;
                }
            }
            for (number, (resource, most)) in (0..).zip(self.setup.limits) {
                at(Stage::Limits as i32 + number);
                done(resource.set(*most))?;
            }
            at(Stage::Sandbox as i32);
            if let Some(namespaces) = self.setup.namespaces {
                namespaces.enter()?;
            }
            at(Stage::Execute as i32);
            restore_signals();
            libc::execve(self.program.as_ptr(), self.argv.as_ptr().cast(), self.envp.as_ptr().cast());
        }
        None
    }
}

extern "C" fn become_program(plan: *mut c_void) -> libc::c_int {
    // SAFETY: the pointer is to the plan of a thread that waits for us.
    let plan = unsafe { &*plan.cast::<Plan<'_>>() };
    // SAFETY: this is the child.
    unsafe {
        plan.execute();
        plan.error.store(*libc::__errno_location(), Ordering::Relaxed);
        libc::_exit(127)
    }
}

/// Gives the program the usual signals: none blocked, no handler of ours, and the end of a pipe ends it.
///
/// # Safety
///
/// Only for a child that has handlers of its own.
unsafe fn restore_signals() {
    // SAFETY: all structures are valid when zeroed and outlive the calls.
    unsafe {
        let usual: libc::sigaction = MaybeUninit::zeroed().assume_init();
        let mut action = usual;
        for signal in 1..=libc::SIGSYS {
            let is_known = libc::sigaction(signal, ptr::null(), &mut action) == 0;
            let is_ignored = action.sa_sigaction == libc::SIG_IGN && signal != libc::SIGPIPE;
            if is_known && action.sa_sigaction != libc::SIG_DFL && !is_ignored {
                libc::sigaction(signal, &usual, ptr::null_mut());
            }
        }
        let mut none = MaybeUninit::uninit();
        libc::sigemptyset(none.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut());
    }
}

/// All signals are blocked for this thread until this is dropped.
pub(super) struct BlockedSignals(libc::sigset_t);

impl BlockedSignals {
    pub(super) fn new() -> Self {
        let mut all = MaybeUninit::uninit();
        let mut before = MaybeUninit::uninit();
        // SAFETY: the sets are valid for writes, and initialised before they are read.
        unsafe {
            libc::sigfillset(all.as_mut_ptr());
            libc::sigemptyset(before.as_mut_ptr());
            libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
            BlockedSignals(before.assume_init())
        }
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        // SAFETY: the set is initialised.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.0, ptr::null_mut()) };
    }
}

/// A variable of the environment, as `name=value`.
struct Variable(CString);

impl Variable {
    fn name(&self) -> &[u8] {
        let bytes = self.0.as_bytes();
        &bytes[..memchr::memchr(b'=', bytes).unwrap_or(bytes.len())]
    }
}

/// What every process inherits: our environment as it was when the first one was started.
fn environment() -> &'static [Variable] {
    static ENVIRONMENT: OnceLock<Vec<Variable>> = OnceLock::new();
    ENVIRONMENT.get_or_init(|| {
        // The system hands out no variable that holds a zero byte.
        let variables = std::env::vars_os().filter_map(|(name, value)| variable(&name, &value).ok());
        variables.map(Variable).collect()
    })
}

fn variables(variables: &[(OsString, OsString)]) -> io::Result<Vec<Variable>> {
    variables.iter().map(|(name, value)| variable(name, value).map(Variable)).collect()
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
