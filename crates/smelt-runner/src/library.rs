//! Solvers that come as libraries, made into programs.
//!
//! cvc5 from 1.2.0 on and Boolector have interfaces for C: a small program of ours, the host, loads them out of the
//! package (`bin/solver-host.rs`, carried in smelt). Older releases of cvc5, and Bitwuzla, are loaded by the interpreter
//! of Python that they were installed with, which runs a driver of ours. Host and driver lie in the folder of the release,
//! are smelt's own and are written anew by every build of smelt. Why so is in `docs/design/hosts.md`.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cold::{self, End};
use crate::family::Family;
use crate::files::write_whole;
use crate::limits::Limits;
use crate::release_record::{DRIVER_NAME, HOST_FOLDER, Record};
use crate::solver::{Invocation, find_program};
use crate::versions::{Installed, version_key};

const HOST: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/solver-host"));

/// Runs Python isolated, without the modules of its site, which take longer to load than a library, and without writing
/// what it has compiled into the folder of the release.
const PYTHON_OPTIONS: &str = "-ISB";

/// The first release of cvc5 with an interface for C.
const CVC5_WITH_C: [u64; 2] = [1, 2];

/// Whether a family comes as a library.
pub(crate) fn is_library(family: Family) -> bool {
    library_name(family).is_some()
}

/// What the name of the library of a family begins with; none if it comes as a program.
fn library_name(family: Family) -> Option<&'static str> {
    match family {
        Family::Cvc5 | Family::Cvc5Gpl => Some("libcvc5-"),
        Family::Bitwuzla => Some("bitwuzla."),
        Family::Boolector => Some("libboolector-"),
        Family::Z3 | Family::Cvc4 | Family::Yices | Family::Smelt | Family::Generic => None,
    }
}

/// The script with which Python makes a program of a family.
fn driver(family: Family) -> Option<&'static str> {
    match family {
        Family::Cvc5 | Family::Cvc5Gpl => Some(include_str!("cvc5_driver.py")),
        Family::Bitwuzla => Some(include_str!("bitwuzla_driver.py")),
        _ => None,
    }
}

/// The library of a family among the files of its package.
pub(crate) fn library_among(family: Family, files: &[PathBuf]) -> Option<&PathBuf> {
    let start = library_name(family)?;
    files.iter().find(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(start) && name.contains(".so")
    })
}

/// Whether the library of a release has an interface for C.
fn has_c_interface(release: &Installed) -> bool {
    match release.family {
        Family::Boolector => true,
        Family::Cvc5 | Family::Cvc5Gpl => version_key(&release.version).as_slice() >= &CVC5_WITH_C[..],
        _ => false,
    }
}

/// How to run a release that comes as a library. `path` are the folders in which an interpreter is looked for if the one
/// that it was installed with is gone.
pub(crate) fn invocation(release: &Installed, folder: &Path, path: &[PathBuf]) -> Invocation {
    let usual = release.family.stdin_args().iter().map(OsString::from);
    let host = folder.join(HOST_FOLDER).join(release.family.name());
    let driver = driver(release.family);
    if has_c_interface(release) && (refresh_host(&host) || driver.is_none()) {
        return Invocation {
            program: host,
            args: usual.collect(),
            environment: Vec::new(),
            is_confined: true,
        };
    }
    let recorded = Record::read(folder).ok().and_then(|record| record.interpreter);
    let python = recorded
        .filter(|program| program.is_file())
        .or_else(|| find_program(path, "python3"))
        .unwrap_or_else(|| PathBuf::from("/usr/bin/python3"));
    let script = folder.join(DRIVER_NAME);
    refresh(&script, driver.unwrap_or_default().as_bytes());
    let args = [PYTHON_OPTIONS.into(), script.into()].into_iter().chain(usual).collect();
    Invocation { program: python, args, environment: Vec::new(), is_confined: true }
}

/// Writes a driver of this build of smelt over that of an earlier one. Where that is not allowed the old one stays.
fn refresh(path: &Path, content: &[u8]) {
    if fs::read(path).is_ok_and(|found| found == content) {
        return;
    }
    let _ = write_whole(path, content);
}

/// Makes sure that the host of this build of smelt is there and can load its library on this machine; false if there is
/// none. One that is there was tried before.
fn refresh_host(host: &Path) -> bool {
    if fs::read(host).is_ok_and(|found| found == HOST) {
        return true;
    }
    // Where it may not be written, an earlier one does.
    place_host(host).unwrap_or_else(|_| host.is_file())
}

/// Puts a host into its place if it works, and nothing if it does not. Others may start the one that is there meanwhile.
fn place_host(host: &Path) -> io::Result<bool> {
    let folder = host.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().permissions(Permissions::from_mode(0o755)).tempfile_in(folder)?;
    file.write_all(HOST)?;
    // A program that is open for writing cannot be started.
    let path = file.into_temp_path();
    if tell_version(&path)? != End::Exited(0) {
        return Ok(false);
    }
    path.persist(host)?;
    Ok(true)
}

/// Lets a host load its library and say which version that is.
fn tell_version(host: &Path) -> io::Result<End> {
    let args = vec!["--version".into()];
    let invocation =
        Invocation { program: host.to_owned(), args, environment: Vec::new(), is_confined: false };
    let limits = Limits { wall: Duration::from_secs(10), ..Limits::for_seconds(5.0) };
    Ok(cold::run(&invocation, "", &limits)?.end)
}

/// The folder of the release whose library an invocation loads, if it loads one.
pub(crate) fn loading_release(invocation: &Invocation) -> Option<PathBuf> {
    let named = |path: &Path, name: &str| path.file_name().is_some_and(|file| file == name);
    let beside = invocation.program.parent()?;
    if named(beside, HOST_FOLDER) {
        return beside.parent().map(Path::to_owned);
    }
    let driver = Path::new(invocation.args.get(driver_position(&invocation.args)?)?);
    driver.parent().filter(|_| named(driver, DRIVER_NAME)).map(Path::to_owned)
}

/// The library that an invocation loads, if it is a release that comes as a library.
pub(crate) fn loaded_library(invocation: &Invocation) -> Option<PathBuf> {
    let folder = loading_release(invocation)?;
    Some(folder.join(Record::read(&folder).ok()?.file))
}

/// Where the script is among arguments that an interpreter gets, if there is one.
pub fn driver_position(args: &[impl AsRef<OsStr>]) -> Option<usize> {
    args.iter().take(2).position(|arg| arg.as_ref().as_encoded_bytes().ends_with(b".py"))
}

/// The arguments that a solver gets, without those that make a program of it: the options of an interpreter and a script.
pub fn solver_args<A: AsRef<OsStr>>(args: &[A]) -> &[A] {
    &args[driver_position(args).map_or(0, |position| position + 1)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_of_an_interpreter_are_not_those_of_a_solver() {
        assert_eq!(solver_args(&["-ISB", "/a/driver.py", "--fmf-bound"]), ["--fmf-bound"]);
        assert_eq!(solver_args(&["/a/driver.py"]), [""; 0]);
        assert_eq!(solver_args(&["-in", "-smt2", "x.py"]), ["-in", "-smt2", "x.py"]);
    }

    #[test]
    fn the_library_is_found_among_the_files_of_a_package() {
        let files = [
            "lib/cvc5/cvc5_python_base.so",
            "lib/cvc5.libs/libcvc5-1.so.1",
            "lib/cvc5.libs/libcvc5parser-2.so.1",
        ]
        .map(PathBuf::from);
        assert_eq!(library_among(Family::Cvc5, &files), Some(&files[1]));
        assert_eq!(library_among(Family::Boolector, &files), None);
        assert_eq!(library_among(Family::Z3, &files), None);
    }

    #[test]
    fn a_host_that_cannot_load_its_library_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let host = folder.path().join("host/cvc5");
        assert!(!refresh_host(&host));
        assert!(!host.exists());
        let release = Installed::at(Family::Cvc5, "1.4.2", folder.path().to_owned());
        let invocation = invocation(&release, folder.path(), &[]);
        assert!(invocation.args[1].to_string_lossy().ends_with(DRIVER_NAME), "{invocation:?}");
        assert_eq!(loading_release(&invocation), Some(folder.path().to_owned()));
    }
}
