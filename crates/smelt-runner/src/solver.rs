//! Solvers as users name them, and how to start them.
//!
//! A name with a slash is the path of a program. `NAME` is the program of this name on the PATH; the name of a family,
//! and nothing else, may also be the newest installed release. `NAME@VERSION` is an installed release, `NAME=COMMAND
//! LINE` anything at all, also a release with options: `z3str3=z3@4.8.7 smt.string_solver=z3str3`.
//!
//! A program without options gets those that its family needs to read standard input. Its family shows in its own name,
//! else in what it prints for `--version`.

use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::answer::text_of;
use crate::cold;
use crate::family::Family;
use crate::limits::Limits;
use crate::versions::{Installed, Store};

/// How to start a solver that reads a script from standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// Absolute path of the program: a bare name would make starting it slower.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Environment variables to set.
    pub environment: Vec<(OsString, OsString)>,
    /// Whether it runs in the sandbox, if there is one. True of all solvers.
    pub is_confined: bool,
}

/// Memory in large pieces, and none given back: most of a short run of a solver is spent in the kernel, on page faults.
const ALLOCATION: &str = "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864:\
    glibc.malloc.trim_threshold=1073741824:glibc.malloc.mmap_threshold=33554432";

impl Invocation {
    /// The program and its arguments, for people.
    pub fn command_line(&self) -> String {
        let words = [self.program.as_os_str()].into_iter().chain(self.args.iter().map(OsString::as_os_str));
        words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
    }

    /// The same program with settings of its memory allocator that make short runs cheaper. What it finds must show
    /// without them too before it counts: memory errors depend on such settings.
    pub fn quick(&self) -> Invocation {
        let mut quick = self.clone();
        let name = OsStr::new("GLIBC_TUNABLES");
        let is_taken =
            quick.environment.iter().any(|(taken, _)| taken == name) || std::env::var_os(name).is_some();
        if !is_taken {
            quick.environment.push((name.to_owned(), ALLOCATION.into()));
        }
        quick
    }
}

/// A solver that can be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solver {
    /// The name that users give it.
    pub name: String,
    /// What kind of solver it is.
    pub family: Family,
    /// How to start it.
    pub invocation: Invocation,
}

/// Why a name stands for no solver.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownSolver {
    /// Neither installed nor on the PATH.
    #[error("solver `{name}` is neither installed nor on the PATH")]
    NotFound {
        /// The name.
        name: String,
        /// Whether `smelt solvers install` knows it.
        is_installable: bool,
    },
    /// There is no file at a path.
    #[error("solver `{name}`: there is no file `{path}`")]
    NoFile {
        /// The name.
        name: String,
        /// The path.
        path: String,
    },
    /// The file at a path cannot be started.
    #[error("solver `{name}`: `{path}` is not an executable file")]
    NotExecutable {
        /// The name.
        name: String,
        /// The path.
        path: String,
    },
    /// The release is not installed.
    #[error("solver `{name}` is not installed")]
    NotInstalled {
        /// The name with its version.
        name: String,
    },
    /// The release is not what was installed or locked.
    #[error("{problem}")]
    Unverified {
        /// What is wrong, and what to do.
        problem: String,
    },
    /// The command line names no program.
    #[error("solver `{name}` has no command")]
    EmptyCommand {
        /// The name.
        name: String,
    },
    /// The program of a command line does not exist.
    #[error("solver `{name}`: there is no program `{program}`")]
    NoProgram {
        /// The name.
        name: String,
        /// The program.
        program: String,
    },
}

/// Where to look for solvers.
#[derive(Debug, Clone)]
pub struct Finder<'s> {
    /// Installed releases.
    pub store: &'s Store,
    /// The folders of the PATH.
    pub path: Vec<PathBuf>,
    /// The program whose own solver is called `smelt`.
    pub own: Option<PathBuf>,
}

impl Finder<'_> {
    /// The solver that a name stands for.
    pub fn find(&self, name: &str) -> Result<Solver, UnknownSolver> {
        // A path may hold any character.
        if let Some((name, command)) = name.split_once('=').filter(|(name, _)| !name.contains('/')) {
            return self.command(name, command);
        }
        if name.contains('/') {
            let program = self.program_at(name, name)?;
            return Ok(with_family_options(name, program, Vec::new()));
        }
        if let Some((family, version)) = name.split_once('@') {
            let not_installed = || UnknownSolver::NotInstalled { name: name.to_owned() };
            let family = Family::named(family)
                .ok_or_else(|| UnknownSolver::NotFound { name: name.to_owned(), is_installable: false })?;
            let installed = self.store.find(family, version).ok_or_else(not_installed)?;
            return self.verified(name, &installed);
        }
        if name == Family::Smelt.name()
            && let Some(own) = self.own()
        {
            return Ok(own);
        }
        if let Some(program) = self.on_path(name) {
            return Ok(with_family_options(name, program, Vec::new()));
        }
        let family = Family::named(name);
        if let Some(family) = family
            && let Some(program) = family.program().and_then(|program| self.on_path(program))
        {
            return Ok(plain(name, family, program));
        }
        match family.and_then(|family| self.store.newest(family)) {
            Some(installed) => self.verified(name, &installed),
            None => Err(UnknownSolver::NotFound {
                name: name.to_owned(),
                is_installable: family.is_some_and(|family| family.package().is_some()),
            }),
        }
    }

    /// The solver that smelt has itself.
    pub fn own(&self) -> Option<Solver> {
        let program = self.own.clone()?;
        Some(plain(Family::Smelt.name(), Family::Smelt, program))
    }

    /// Every solver there is besides our own: on the PATH and installed, the newest first in each family. Whether releases
    /// are what was installed is not looked at.
    pub fn all(&self) -> Vec<Solver> {
        let mut solvers = Vec::new();
        for family in Family::ALL {
            if let Some(program) = family.program().and_then(|program| self.on_path(program)) {
                solvers.push(plain(family.name(), family, program));
            }
            for installed in self.store.releases(family) {
                solvers.push(self.installed(&installed.name(), &installed));
            }
        }
        solvers
    }

    /// An installed release, if it is still what was installed.
    fn verified(&self, name: &str, installed: &Installed) -> Result<Solver, UnknownSolver> {
        match self.store.verify(installed) {
            Ok(()) => Ok(self.installed(name, installed)),
            Err(error) => Err(UnknownSolver::Unverified { problem: error.to_string() }),
        }
    }

    fn installed(&self, name: &str, installed: &Installed) -> Solver {
        Solver {
            name: name.to_owned(),
            family: installed.family,
            invocation: installed.invocation(&self.path),
        }
    }

    fn command(&self, name: &str, command: &str) -> Result<Solver, UnknownSolver> {
        let words = split_words(command);
        let (program, args) =
            words.split_first().ok_or_else(|| UnknownSolver::EmptyCommand { name: name.to_owned() })?;
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        if program.contains('@') && !program.contains('/') {
            let mut solver = self.find(program)?;
            solver.name = name.to_owned();
            solver.invocation.args.extend(args);
            return Ok(solver);
        }
        let program = if program.contains('/') {
            self.program_at(name, program)?
        } else {
            self.on_path(program)
                .ok_or_else(|| UnknownSolver::NoProgram { name: name.to_owned(), program: program.clone() })?
        };
        let mut solver = with_family_options(name, program, args);
        if solver.family == Family::Generic {
            solver.family = Family::of_name(name);
        }
        Ok(solver)
    }

    /// The program at a path that a solver with this name has.
    fn program_at(&self, name: &str, path: &str) -> Result<PathBuf, UnknownSolver> {
        let (name, path) = (name.to_owned(), path.to_owned());
        match Path::new(&path).metadata() {
            Err(_) => Err(UnknownSolver::NoFile { name, path }),
            Ok(metadata) if !is_executable(&metadata) => Err(UnknownSolver::NotExecutable { name, path }),
            Ok(_) => Ok(std::path::absolute(&path).unwrap_or_else(|_| PathBuf::from(path))),
        }
    }

    fn on_path(&self, program: &str) -> Option<PathBuf> {
        find_program(&self.path, program)
    }
}

/// A program by its name, on the PATH of smelt.
pub fn program_on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    find_program(&std::env::split_paths(&path).collect::<Vec<_>>(), name)
}

/// A program in the folders of a PATH.
pub(crate) fn find_program(path: &[PathBuf], program: &str) -> Option<PathBuf> {
    path.iter()
        .map(|folder| folder.join(program))
        .find(|candidate| candidate.metadata().is_ok_and(|metadata| is_executable(&metadata)))
}

fn is_executable(metadata: &Metadata) -> bool {
    metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
}

/// A program with the options that users gave it, and those that its family needs besides.
fn with_family_options(name: &str, program: PathBuf, given: Vec<OsString>) -> Solver {
    let family = match Family::of_name(&program.to_string_lossy()) {
        // Whoever gives options knows the program.
        Family::Generic if given.is_empty() => family_asked_for(&program),
        family => family,
    };
    let mut args: Vec<OsString> = match (family, given.is_empty()) {
        (_, true) => family.stdin_args().iter().map(OsString::from).collect(),
        (Family::Z3, false) if lacks_input(&given) => vec!["-in".into()],
        _ => Vec::new(),
    };
    args.extend(given);
    Solver {
        name: name.to_owned(),
        family,
        invocation: Invocation { program, args, environment: Vec::new(), is_confined: true },
    }
}

/// Whether options of Z3 do not say what it reads: neither standard input nor anything that may be a file.
fn lacks_input(args: &[OsString]) -> bool {
    args.iter().all(|arg| {
        let text = arg.to_string_lossy();
        text != "-in" && text != "/in" && (text.starts_with('-') || text.contains('='))
    })
}

/// The family that a program shows by what it prints for `--version`.
fn family_asked_for(program: &Path) -> Family {
    let invocation = Invocation {
        program: program.to_owned(),
        args: vec!["--version".into()],
        environment: Vec::new(),
        is_confined: true,
    };
    let second = Duration::from_secs(1);
    let limits = Limits { wall: second, cpu: second * 2, output: 1 << 16, ..Limits::default() };
    let printed = cold::run(&invocation, "", &limits).map(|raw| raw.stdout).unwrap_or_default();
    Family::of_version(&text_of(&printed))
}

fn plain(name: &str, family: Family, program: PathBuf) -> Solver {
    let args = family.stdin_args().iter().map(OsString::from).collect();
    Solver {
        name: name.to_owned(),
        family,
        invocation: Invocation { program, args, environment: Vec::new(), is_confined: true },
    }
}

/// The words of a command line; quotes keep blanks together.
fn split_words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for character in command.chars() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(character),
            (None, '"' | '\'') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, _) if character.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release_record::{Record, Unpacked};

    #[test]
    fn quotes_keep_blanks_together() {
        assert_eq!(split_words(r#"z3 -in "a b" 'c "d"' """#), ["z3", "-in", "a b", "c \"d\"", ""]);
    }

    #[test]
    fn a_release_in_a_command_line_must_be_installed() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().to_owned());
        assert_eq!(
            finder(&store).find("z3str3=z3@4.8.7 smt.string_solver=z3str3"),
            Err(UnknownSolver::NotInstalled { name: "z3@4.8.7".to_owned() })
        );
    }

    fn finder(store: &Store) -> Finder<'_> {
        Finder { store, path: vec![PathBuf::from("/bin"), PathBuf::from("/usr/bin")], own: None }
    }

    #[test]
    fn a_command_line_is_a_solver() {
        let store = Store::new(PathBuf::from("/nonexistent"));
        let solver = finder(&store).find("mine=cat -u").unwrap();
        assert_eq!(solver.family, Family::Generic);
        assert!(solver.invocation.program.is_absolute());
        assert_eq!(solver.invocation.args, ["-u"]);
    }

    /// A program that does what a shell script says.
    fn program(folder: &Path, name: &str, script: &str) -> PathBuf {
        let path = folder.join(name);
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        path
    }

    /// A store in which a release of Z3 is installed.
    fn store_with_z3(folder: &Path) -> Store {
        let release = folder.join("store/z3/5.4.0.0");
        program(&release.join("bin"), "z3", "echo unknown");
        let file = PathBuf::from("bin/z3");
        let unpacked = Unpacked { family: Family::Z3, version: "5.4.0.0", folder: &release, file };
        let record = Record::of_new(unpacked, None).unwrap();
        record.write(&release).unwrap();
        Store::new(folder.join("store"))
    }

    #[test]
    fn a_solver_given_by_path_is_the_program_that_runs() {
        let folder = tempfile::tempdir().unwrap();
        let store = store_with_z3(folder.path());
        let path = program(folder.path(), "z3", "echo unknown");
        let solver = finder(&store).find(path.to_str().unwrap()).unwrap();
        assert_eq!((solver.invocation.program, solver.family), (path.clone(), Family::Z3));
        assert_eq!(solver.invocation.args, Family::Z3.stdin_args());
        let missing = folder.path().join("no/z3").display().to_string();
        assert_eq!(
            finder(&store).find(&missing),
            Err(UnknownSolver::NoFile { name: missing.clone(), path: missing })
        );
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
        let plain = path.display().to_string();
        assert_eq!(
            finder(&store).find(&plain),
            Err(UnknownSolver::NotExecutable { name: plain.clone(), path: plain })
        );
    }

    #[test]
    fn the_exact_name_on_the_path_comes_before_the_family() {
        let folder = tempfile::tempdir().unwrap();
        let store = store_with_z3(folder.path());
        let path = program(folder.path(), "z3-debug", "echo unknown");
        let finder = Finder { store: &store, path: vec![folder.path().to_owned()], own: None };
        assert_eq!(finder.find("z3-debug").unwrap().invocation.program, path);
        assert!(matches!(finder.find("z3-nightly"), Err(UnknownSolver::NotFound { .. })));
        assert!(matches!(finder.find("z3-nightly@5.4.0"), Err(UnknownSolver::NotFound { .. })));
        let newest = finder.find("z3").unwrap().invocation.program;
        assert!(newest.starts_with(folder.path().join("store/z3/5.4.0.0")), "{newest:?}");
    }

    #[test]
    fn a_release_that_has_changed_is_not_run() {
        let folder = tempfile::tempdir().unwrap();
        let store = store_with_z3(folder.path());
        assert!(finder(&store).find("z3@5.4.0").is_ok());
        program(&folder.path().join("store/z3/5.4.0.0/bin"), "z3", "echo sat");
        for name in ["z3@5.4.0", "z3@latest", "mine=z3@5.4.0 -v:1"] {
            let error = finder(&store).find(name).unwrap_err().to_string();
            assert!(error.contains("z3@5.4.0.0 is not what was installed"), "{name}: {error}");
            assert!(error.contains("smelt solvers install --force z3@5.4.0.0"), "{name}: {error}");
        }
    }

    #[test]
    fn a_program_whose_name_says_nothing_is_asked_for_its_family() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(PathBuf::from("/nonexistent"));
        let path = program(folder.path(), "nightly", "echo 'Z3 version 4.13.0 - 64 bit'");
        let solver = finder(&store).find(&format!("new={}", path.display())).unwrap();
        assert_eq!((solver.name.as_str(), solver.family), ("new", Family::Z3));
        assert_eq!(solver.invocation.args, Family::Z3.stdin_args());
    }

    #[test]
    fn options_that_a_user_gives_are_kept_and_completed() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(PathBuf::from("/nonexistent"));
        let path = program(folder.path(), "z3", "echo unknown").display().to_string();
        let args =
            |options: &str| finder(&store).find(&format!("n={path} {options}")).unwrap().invocation.args;
        assert_eq!(args("smt.seq.split_w_len=false"), ["-in", "smt.seq.split_w_len=false"]);
        assert_eq!(args("-in"), ["-in"]);
        assert_eq!(args("-smt2 file"), ["-smt2", "file"]);
    }

    #[test]
    fn smelt_is_a_solver_itself() {
        let store = Store::new(PathBuf::from("/nonexistent"));
        let own = Some(PathBuf::from("/somewhere/smelt"));
        let solver = Finder { own, ..finder(&store) }.find("smelt").unwrap();
        assert_eq!(solver.family, Family::Smelt);
        assert_eq!(solver.invocation.args, ["solve", "-"]);
        assert!(finder(&store).find("smelt").is_err());
    }

    #[test]
    fn what_is_not_there_is_explained() {
        let store = Store::new(PathBuf::from("/nonexistent"));
        let error = |name: &str| finder(&store).find(name).unwrap_err().to_string();
        assert_eq!(error("z3@9.9"), "solver `z3@9.9` is not installed");
        assert_eq!(error("nothing"), "solver `nothing` is neither installed nor on the PATH");
        assert_eq!(
            error("mine=no-such-program-at-all"),
            "solver `mine`: there is no program `no-such-program-at-all`"
        );
        assert_eq!(error("mine="), "solver `mine` has no command");
    }
}
