//! Control groups (version 2) around runs, where the kernel lets us make them.
//!
//! A group bounds the memory and the number of processes of a run exactly, counts its processor time exactly and ends it
//! at once. That needs a part of the hierarchy that is ours alone, as `systemd-run --user --scope -p Delegate=yes smelt
//! ..` gives; elsewhere this module says that there is none, and runs are looked at from outside.
//!
//! All is done by reading and writing files, so tests use folders that look like a hierarchy.

use std::ffi::{CStr, CString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use smelt_oracle::run::Limit;

use crate::limits::Limits;

/// What a hierarchy must control to be of use.
const CONTROLLERS: [&str; 2] = ["memory", "pids"];

/// How long a group whose processes were killed may take to become empty.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(1);

/// A part of the hierarchy that is ours.
#[derive(Debug)]
pub(crate) struct Hierarchy {
    folder: PathBuf,
}

/// The group of one run.
#[derive(Debug)]
pub(crate) struct Group {
    folder: PathBuf,
    processes: CString,
}

impl Hierarchy {
    /// That of this process, if it was given one. The first call moves this process into a group of its own.
    pub(crate) fn own() -> Option<&'static Hierarchy> {
        static OWN: OnceLock<Option<Hierarchy>> = OnceLock::new();
        let find = || {
            let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
            let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
            Hierarchy::take_over(&folder_of(&mounts, &groups)?)
        };
        OWN.get_or_init(find).as_ref()
    }

    /// Makes a folder ours if nobody else uses it: a group with processes cannot have limited groups below it.
    fn take_over(folder: &Path) -> Option<Hierarchy> {
        let controllers = fs::read_to_string(folder.join("cgroup.controllers")).ok()?;
        let is_controlled = |name: &&str| controllers.split_whitespace().any(|known| known == *name);
        if !CONTROLLERS.iter().all(is_controlled) {
            return None;
        }
        let processes = fs::read_to_string(folder.join("cgroup.procs")).ok()?;
        let own = std::process::id();
        let is_ours =
            |pid: &str| pid.parse().is_ok_and(|pid: u32| pid == own || crate::sys::parent(pid) == Some(own));
        if !processes.lines().all(is_ours) {
            return None;
        }
        let leaf = folder.join(format!("smelt-{own}"));
        fs::create_dir(&leaf).ok()?;
        let take = || -> io::Result<()> {
            for pid in processes.lines() {
                fs::write(leaf.join("cgroup.procs"), pid)?;
            }
            let wanted = CONTROLLERS.map(|name| format!("+{name}")).join(" ");
            fs::write(folder.join("cgroup.subtree_control"), wanted)
        };
        take().ok()?;
        Some(Hierarchy { folder: folder.to_owned() })
    }

    /// A group for one run with its limits.
    pub(crate) fn group(&self, limits: &Limits) -> io::Result<Group> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = self.folder.join(format!("run-{}-{number}", std::process::id()));
        fs::create_dir(&folder)?;
        let processes = CString::new(folder.join("cgroup.procs").as_os_str().as_bytes())?;
        let group = Group { folder, processes };
        if let Some(memory) = limits.memory {
            group.write("memory.max", &memory.to_string())?;
            // What is killed for its memory is killed as a whole.
            group.write("memory.oom.group", "1")?;
            // Where there is swap, it would be used first; where there is none, there is no such file.
            let _ = group.write("memory.swap.max", "0");
        }
        if limits.processes < usize::MAX {
            group.write("pids.max", &limits.processes.to_string())?;
        }
        Ok(group)
    }
}

/// The folder of the group that a process is in, by the lists of what is mounted and of its groups.
fn folder_of(mounts: &str, groups: &str) -> Option<PathBuf> {
    let mount = mounts.lines().find_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        let (place, kind) = (words.next()?, words.next()?);
        (kind == "cgroup2").then_some(place)
    })?;
    let group = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    // The root is nobody's.
    (!group.is_empty()).then(|| Path::new(mount).join(group))
}

impl Group {
    /// The file by which a process joins it.
    pub(crate) fn processes(&self) -> &CStr {
        &self.processes
    }

    /// Kills all its processes at once, also those that are just being forked.
    pub(crate) fn kill(&self) -> io::Result<()> {
        self.write("cgroup.kill", "1")
    }

    /// The processor time of all processes that were ever in it.
    pub(crate) fn cpu(&self) -> Option<Duration> {
        self.number("cpu.stat", "usage_usec").map(Duration::from_micros)
    }

    /// The limit at which the kernel has ended or refused something.
    pub(crate) fn reached(&self) -> Option<Limit> {
        if self.number("memory.events", "oom_kill").is_some_and(|count| count > 0) {
            return Some(Limit::Memory);
        }
        self.number("pids.events", "max").filter(|count| *count > 0).map(|_| Limit::Processes)
    }

    /// Removes the group, whose processes have ended. One that does not become empty stays, and does no harm.
    pub(crate) fn remove(self) {
        let started = Instant::now();
        while fs::remove_dir(&self.folder).is_err() && started.elapsed() < PATIENCE {
            thread::sleep(PAUSE);
        }
    }

    fn write(&self, file: &str, text: &str) -> io::Result<()> {
        let path = self.folder.join(file);
        fs::write(&path, text).map_err(|error| {
            io::Error::new(error.kind(), format!("cannot write {}: {error}", path.display()))
        })
    }

    /// A number in a file of lines with a name and a number each.
    fn number(&self, file: &str, name: &str) -> Option<u64> {
        let text = fs::read_to_string(self.folder.join(file)).ok()?;
        text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that looks like a group with these controllers and processes.
    fn made_up(controllers: &str, processes: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("cgroup.controllers"), controllers).unwrap();
        fs::write(folder.path().join("cgroup.procs"), processes).unwrap();
        folder
    }

    fn own() -> String {
        format!("{}\n", std::process::id())
    }

    fn read(path: &Path) -> String {
        fs::read_to_string(path).unwrap()
    }

    #[test]
    fn the_folder_of_a_group_follows_from_mounts_and_groups() {
        let mounts = "tmpfs /tmp tmpfs rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n";
        let folder = folder_of(mounts, "0::/user.slice/run-7.scope\n");
        assert_eq!(folder, Some(PathBuf::from("/sys/fs/cgroup/user.slice/run-7.scope")));
        assert_eq!(folder_of(mounts, "0::/\n"), None, "the root is nobody's");
        assert_eq!(folder_of(mounts, "4:memory:/a\n"), None, "version 1");
        assert_eq!(folder_of("tmpfs /tmp tmpfs rw 0 0\n", "0::/a\n"), None);
    }

    #[test]
    fn a_hierarchy_that_is_ours_alone_is_taken_over() {
        let folder = made_up("cpu memory pids\n", &own());
        Hierarchy::take_over(folder.path()).unwrap();
        let leaf = folder.path().join(format!("smelt-{}", std::process::id()));
        assert_eq!(read(&leaf.join("cgroup.procs")), own().trim());
        assert_eq!(read(&folder.path().join("cgroup.subtree_control")), "+memory +pids");
    }

    #[test]
    fn a_hierarchy_with_other_processes_or_without_controllers_is_left_alone() {
        for (controllers, processes) in [("memory pids\n", format!("{}1\n", own())), ("cpu pids\n", own())] {
            let folder = made_up(controllers, &processes);
            assert!(Hierarchy::take_over(folder.path()).is_none(), "{controllers} {processes}");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing was made");
        }
    }

    #[test]
    fn a_group_has_the_limits_of_its_run_and_tells_what_it_reached() {
        let folder = made_up("memory pids\n", &own());
        let hierarchy = Hierarchy::take_over(folder.path()).unwrap();
        let limits = Limits { memory: Some(1 << 30), processes: 7, ..Limits::default() };
        let group = hierarchy.group(&limits).unwrap();
        assert_eq!(read(&group.folder.join("memory.max")), "1073741824");
        assert_eq!(read(&group.folder.join("memory.oom.group")), "1");
        assert_eq!(read(&group.folder.join("pids.max")), "7");
        group.kill().unwrap();
        assert_eq!(read(&group.folder.join("cgroup.kill")), "1");
        assert_eq!((group.cpu(), group.reached()), (None, None));
        fs::write(group.folder.join("cpu.stat"), "usage_usec 1500000\nuser_usec 7\n").unwrap();
        fs::write(group.folder.join("memory.events"), "max 12\noom 1\noom_kill 0\n").unwrap();
        fs::write(group.folder.join("pids.events"), "max 3\n").unwrap();
        assert_eq!(group.cpu(), Some(Duration::from_millis(1500)));
        assert_eq!(group.reached(), Some(Limit::Processes));
        fs::write(group.folder.join("memory.events"), "max 12\noom 1\noom_kill 1\n").unwrap();
        assert_eq!(group.reached(), Some(Limit::Memory));
        let unlimited = hierarchy.group(&Limits::none()).unwrap();
        assert_eq!(fs::read_dir(&unlimited.folder).unwrap().count(), 0);
        let gone = unlimited.folder.clone();
        unlimited.remove();
        assert!(!gone.exists());
    }
}
