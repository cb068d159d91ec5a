//! Limits that the kernel keeps for a process and all its descendants.

use std::ptr;

/// Something that is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resource {
    /// Seconds of processor time of one process.
    Cpu,
    /// Bytes of a core file.
    Core,
    /// Bytes of a file that is written.
    File,
    /// Locks on files, which no kernel since 2.4 limits: it is a number that descendants inherit and nothing else.
    Locks,
}

impl Resource {
    /// What it is, for people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Resource::Cpu => "processor time",
            Resource::Core => "core files",
            Resource::File => "the size of files",
            Resource::Locks => "the number of file locks",
        }
    }

    fn number(self) -> libc::__rlimit_resource_t {
        match self {
            Resource::Cpu => libc::RLIMIT_CPU,
            Resource::Core => libc::RLIMIT_CORE,
            Resource::File => libc::RLIMIT_FSIZE,
            Resource::Locks => libc::RLIMIT_LOCKS,
        }
    }

    /// Limits this process; negative if that fails. May be called between `vfork` and `exec`.
    pub(super) fn set(self, most: u64) -> libc::c_int {
        let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
        // SAFETY: the pointer is to a live value.
        unsafe { libc::setrlimit(self.number(), &limit) }
    }

    /// The most that a process may ever have, also one that has ended and was not reaped; none if there is no such
    /// process or it is none of ours to ask. Zero stands for this process.
    pub(crate) fn most_of(self, pid: u32) -> Option<u64> {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the kernel reads nothing through a null pointer, and the other is to a live value.
        let result = unsafe { libc::prlimit(pid as libc::pid_t, self.number(), ptr::null(), &mut limit) };
        (result == 0).then_some(limit.rlim_max)
    }
}
