//! Solvers as users name them, and how to start them.
//!
//! `NAME` is a program on the PATH or the newest installed release, `NAME@VERSION` an installed release,
//! `NAME=COMMAND LINE` anything at all, also a release with options: `z3str3=z3@4.8.7 smt.string_solver=z3str3`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::family::Family;
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
}

/// Memory in large pieces, and none given back: most of a short run of a solver is spent in the kernel, on page faults.
const ALLOCATION: &str = "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864:\
    glibc.malloc.trim_threshold=1073741824:glibc.malloc.mmap_threshold=33554432";

impl Invocation {
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
    /// The release is not installed.
    #[error("solver `{name}` is not installed")]
    NotInstalled {
        /// The name with its version.
        name: String,
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
        if let Some((name, command)) = name.split_once('=') {
            return self.command(name, command);
        }
        if let Some((family, version)) = name.split_once('@') {
            let family = Family::of_name(family);
            let not_installed = || UnknownSolver::NotInstalled { name: name.to_owned() };
            let installed = self.store.find(family, version).ok_or_else(not_installed)?;
            return Ok(self.installed(name, &installed));
        }
        if name == Family::Smelt.name()
            && let Some(own) = self.own()
        {
            return Ok(own);
        }
        let family = Family::of_name(name);
        if let Some(program) = self.on_path(family.program().unwrap_or(name)) {
            return Ok(plain(name, family, program));
        }
        match self.store.newest(family) {
            Some(installed) => Ok(self.installed(name, &installed)),
            None => Err(UnknownSolver::NotFound {
                name: name.to_owned(),
                is_installable: family.package().is_some(),
            }),
        }
    }

    /// The solver that smelt has itself.
    pub fn own(&self) -> Option<Solver> {
        let program = self.own.clone()?;
        Some(plain(Family::Smelt.name(), Family::Smelt, program))
    }

    /// Every solver there is besides our own: on the PATH and installed, the newest first in each family.
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
        let args = args.iter().map(OsString::from);
        if program.contains('@') && !program.contains('/') {
            let mut solver = self.find(program)?;
            solver.name = name.to_owned();
            solver.invocation.args.extend(args);
            return Ok(solver);
        }
        let found = if program.contains('/') {
            let path = Path::new(program);
            path.is_file().then(|| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
        } else {
            self.on_path(program)
        };
        let program = found
            .ok_or_else(|| UnknownSolver::NoProgram { name: name.to_owned(), program: program.clone() })?;
        let family = match Family::of_name(name) {
            Family::Generic => Family::of_name(&program.to_string_lossy()),
            family => family,
        };
        Ok(Solver {
            name: name.to_owned(),
            family,
            invocation: Invocation { program, args: args.collect(), environment: Vec::new() },
        })
    }

    fn on_path(&self, program: &str) -> Option<PathBuf> {
        find_program(&self.path, program)
    }
}

/// A program in the folders of a PATH.
pub(crate) fn find_program(path: &[PathBuf], program: &str) -> Option<PathBuf> {
    path.iter().map(|folder| folder.join(program)).find(|candidate| candidate.is_file())
}

fn plain(name: &str, family: Family, program: PathBuf) -> Solver {
    let args = family.stdin_args().iter().map(OsString::from).collect();
    Solver {
        name: name.to_owned(),
        family,
        invocation: Invocation { program, args, environment: Vec::new() },
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
