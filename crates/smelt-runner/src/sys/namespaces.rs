//! Namespaces in which programs have no network and can write to no file of ours.
//!
//! They are made once. A process that is started enters them, which costs a few system calls, and gets a temporary folder
//! of its own. Programs in them have no privileges there, so they cannot undo any of it.

use std::ffi::{CStr, CString, c_void};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

use super::spawn::{BlockedSignals, STACK};

/// The folder that is empty, private and writable for every process. It is there on every system, and no program is.
pub(crate) const PRIVATE: &CStr = c"/dev/shm";

/// At most so much may be written there.
const PRIVATE_OPTIONS: &CStr = c"size=1g,mode=0700";

/// What is separated, the owner of all others first, and the names of these in `/proc`.
const KINDS: [(libc::c_int, &CStr); 4] = [
    (libc::CLONE_NEWUSER, c"/proc/self/ns/user"),
    (libc::CLONE_NEWNET, c"/proc/self/ns/net"),
    (libc::CLONE_NEWIPC, c"/proc/self/ns/ipc"),
    (libc::CLONE_NEWNS, c"/proc/self/ns/mnt"),
];

/// Namespaces that processes can enter.
#[derive(Debug)]
pub(crate) struct Namespaces {
    files: [OwnedFd; KINDS.len()],
    /// Where we are, which is where they shall be: entering leads to the root.
    folder: CString,
}

impl Namespaces {
    /// Makes them; an error says at which step the system refused.
    pub(crate) fn create() -> io::Result<Namespaces> {
        // SAFETY: these calls always succeed.
        let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
        let template = Template {
            user_map: id_map(user)?,
            group_map: id_map(group)?,
            files: [const { AtomicI32::new(-1) }; KINDS.len()],
            failure: Failure::default(),
        };
        let flags = KINDS.iter().fold(libc::CLONE_FILES, |flags, (kind, _)| flags | kind);
        run_child(set_up_template, ptr::from_ref(&template).cast_mut().cast(), flags)
            .map_err(|error| named("create namespaces", &error))?;
        // SAFETY: the child shared our table of files, has ended, and left these to us; what it did not open is not used.
        let files = template.files.map(|file| match file.into_inner() {
            -1 => None,
            file => Some(unsafe { OwnedFd::from_raw_fd(file) }),
        });
        template.failure.result()?;
        let [Some(user), Some(net), Some(ipc), Some(mount)] = files else {
            return Err(io::Error::other("cannot open the namespaces"));
        };
        let folder = CString::new(std::env::current_dir()?.into_os_string().into_vec())?;
        let namespaces = Namespaces { files: [user, net, ipc, mount], folder };
        namespaces.try_out()?;
        Ok(namespaces)
    }

    /// Enters them in a child that does nothing else.
    fn try_out(&self) -> io::Result<()> {
        let trial = Trial { namespaces: self, failure: Failure::default() };
        run_child(enter_and_exit, ptr::from_ref(&trial).cast_mut().cast(), 0)?;
        trial.failure.result()
    }

    /// Enters them; none if that failed, and `errno` says why.
    ///
    /// # Safety
    ///
    /// Only for a child that becomes another program, between `clone` and `exec`.
    pub(super) unsafe fn enter(&self) -> Option<()> {
        let done = |result: libc::c_int| (result >= 0).then_some(());
        // SAFETY: all descriptors are open, all strings end with a zero byte; nothing is allocated.
        unsafe {
            for (file, (kind, _)) in self.files.iter().zip(KINDS) {
                done(libc::setns(file.as_raw_fd(), kind))?;
            }
            // A copy for this process alone, so that its temporary folder is.
            done(libc::unshare(libc::CLONE_NEWNS))?;
            mount_private()?;
            done(libc::chdir(self.folder.as_ptr()))?;
            done(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        }
    }
}

/// Puts an empty folder in the place of the private one.
///
/// # Safety
///
/// Only for a child in namespaces of its own.
unsafe fn mount_private() -> Option<()> {
    // SAFETY: all strings end with a zero byte.
    let result = unsafe {
        libc::mount(
            c"tmpfs".as_ptr(),
            PRIVATE.as_ptr(),
            c"tmpfs".as_ptr(),
            libc::MS_NOSUID | libc::MS_NODEV,
            PRIVATE_OPTIONS.as_ptr().cast(),
        )
    };
    (result >= 0).then_some(())
}

/// Ourselves under the same number, or under one without privileges if we have some.
fn id_map(id: u32) -> io::Result<CString> {
    const NOBODY: u32 = 65534;
    Ok(CString::new(format!("{} {id} 1", if id == 0 { NOBODY } else { id }))?)
}

/// Where a child failed, which shares our memory, and with which error.
#[derive(Debug, Default)]
struct Failure {
    step: AtomicUsize,
    error: AtomicI32,
}

/// The steps of children, for people.
const STEPS: [&str; 7] = [
    "enter the namespaces",
    "map our user",
    "map our group",
    "detach the file system",
    "make the file system read-only",
    "make a temporary folder",
    "open the namespaces",
];

impl Failure {
    fn at(&self, step: usize) {
        self.step.store(step, Ordering::Relaxed);
    }

    /// Notes the error of the last call.
    fn note(&self) {
        // SAFETY: the pointer to the error of this thread is always valid.
        self.error.store(unsafe { *libc::__errno_location() }, Ordering::Relaxed);
    }

    fn result(&self) -> io::Result<()> {
        match self.error.load(Ordering::Relaxed) {
            0 => Ok(()),
            error => {
                let step = STEPS.get(self.step.load(Ordering::Relaxed)).unwrap_or(&STEPS[0]);
                Err(named(step, &io::Error::from_raw_os_error(error)))
            }
        }
    }
}

fn named(step: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot {step}: {error}"))
}

/// What the child needs that sets the namespaces up, made before it exists: it must not allocate.
struct Template {
    user_map: CString,
    group_map: CString,
    files: [AtomicI32; KINDS.len()],
    failure: Failure,
}

impl Template {
    /// Sets everything up and opens the namespaces.
    ///
    /// # Safety
    ///
    /// Only for a child in new namespaces, whose memory is ours.
    unsafe fn set_up(&self) -> Option<()> {
        let done = |result: libc::c_int| (result >= 0).then_some(());
        let read_only =
            MountAttributes { set: MOUNT_ATTR_RDONLY, clear: 0, propagation: 0, user_namespace: 0 };
        // SAFETY: all strings end with a zero byte, the attributes outlive the call and have the size that is told, and
        // nothing is allocated.
        unsafe {
            self.failure.at(1);
            // Old kernels do not have this file and need it not.
            write_file(c"/proc/self/setgroups", c"deny");
            write_file(c"/proc/self/uid_map", &self.user_map)?;
            self.failure.at(2);
            write_file(c"/proc/self/gid_map", &self.group_map)?;
            self.failure.at(3);
            let everywhere = libc::MS_REC | libc::MS_PRIVATE;
            done(libc::mount(ptr::null(), c"/".as_ptr(), ptr::null(), everywhere, ptr::null()))?;
            self.failure.at(4);
            let result = libc::syscall(
                libc::SYS_mount_setattr,
                libc::AT_FDCWD,
                c"/".as_ptr(),
                AT_RECURSIVE,
                &raw const read_only,
                size_of::<MountAttributes>(),
            );
            done(result as libc::c_int)?;
            self.failure.at(6);
            for (file, (_, path)) in self.files.iter().zip(KINDS) {
                let opened = libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
                done(opened)?;
                file.store(opened, Ordering::Relaxed);
            }
        }
        Some(())
    }
}

/// Writes a file in one piece.
///
/// # Safety
///
/// Allowed between `clone` and `exec`, like the calls it makes.
unsafe fn write_file(path: &CStr, text: &CStr) -> Option<()> {
    // SAFETY: both strings end with a zero byte.
    unsafe {
        let file = libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if file < 0 {
            return None;
        }
        let written = libc::write(file, text.as_ptr().cast(), text.count_bytes());
        let error = *libc::__errno_location();
        libc::close(file);
        *libc::__errno_location() = error;
        (written >= 0).then_some(())
    }
}

/// `struct mount_attr` of the kernel.
#[repr(C)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

const MOUNT_ATTR_RDONLY: u64 = 1;
const AT_RECURSIVE: libc::c_uint = 0x8000;

/// A child that only tries.
struct Trial<'n> {
    namespaces: &'n Namespaces,
    failure: Failure,
}

extern "C" fn set_up_template(template: *mut c_void) -> libc::c_int {
    // SAFETY: the pointer is to the template of a thread that waits for us.
    let template = unsafe { &*template.cast::<Template>() };
    // SAFETY: this is the child.
    if unsafe { template.set_up() }.is_none() {
        template.failure.note();
    }
    // SAFETY: ends the child without touching what is ours.
    unsafe { libc::_exit(0) }
}

extern "C" fn enter_and_exit(trial: *mut c_void) -> libc::c_int {
    // SAFETY: the pointer is to the trial of a thread that waits for us.
    let trial = unsafe { &*trial.cast::<Trial<'_>>() };
    // SAFETY: this is the child.
    if unsafe { trial.namespaces.enter() }.is_none() {
        trial.failure.note();
    }
    // SAFETY: ends the child without touching what is ours.
    unsafe { libc::_exit(0) }
}

/// Runs a function in a child that shares our memory, until it has ended.
fn run_child(
    function: extern "C" fn(*mut c_void) -> libc::c_int,
    data: *mut c_void,
    flags: libc::c_int,
) -> io::Result<()> {
    let mut stack: Vec<MaybeUninit<u128>> = Vec::with_capacity(STACK / size_of::<u128>());
    let top = stack.spare_capacity_mut().as_mut_ptr_range().end;
    let flags = flags | libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    let mask = BlockedSignals::new();
    // SAFETY: the stack is aligned, grows down from its end and, like the data, outlives the child, because this thread
    // sleeps until the child has ended. The child runs with all signals blocked, so no handler of ours runs in it.
    let pid = unsafe { libc::clone(function, top.cast(), flags, data) };
    let cloned = if pid < 0 { Err(io::Error::last_os_error()) } else { Ok(()) };
    drop(mask);
    cloned?;
    super::wait(pid as u32).map(|_| ())
}
