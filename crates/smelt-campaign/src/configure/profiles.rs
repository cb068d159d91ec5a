//! `smelt.toml`: solvers and hunts under names that users choose.
//!
//! Every command that takes `--solver` knows its solvers; hunts are known to `smelt hunt`. A name that smelt itself knows,
//! such as `z3` or `z3@4.8.7`, cannot be given to another program.
//!
//! ```toml
//! [solvers.z3str3]
//! solver = "z3@4.8.7"                          # or: command = "path/to/z3 -in"
//! options = ["smt.string_solver=z3str3"]
//! dialect = "2.6"
//! mode = "cold"
//! environment = { LANG = "C" }
//!
//! [solvers.nightly]                            # built from a git repository
//! git = "src/z3"
//! build = "cmake -B build && make -C build"    # in a checkout of its HEAD, or of `revision`
//! command = "build/z3 -in"                     # in the checkout too
//!
//! [hunts.nightly]                              # all long options of `smelt hunt`
//! seeds = ["benchmarks"]
//! solver = ["z3str3", "cvc5@latest"]
//! technique = "operator=3,generative=1"
//! time = "8h"
//! ```

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use smelt_runner::family::Family;
use smelt_runner::solver::Solver;
use smelt_store::configuration::{DialectDemand, SessionMode, SolverConfiguration};
use smelt_trial::target::{self, Target};

use super::{HuntRequest, NamedProfile};
use crate::campaign::{command_of_target, recorded_solver};

/// The file that is read if no other is named.
pub const DEFAULT_FILE: &str = "smelt.toml";

/// All that a file says.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProfileFile {
    solvers: BTreeMap<String, SolverProfile>,
    hunts: BTreeMap<String, HuntRequest>,
}

/// A solver under a name that the user chose.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SolverProfile {
    solver: Option<String>,
    command: Option<String>,
    options: Vec<String>,
    dialect: Option<DialectDemand>,
    #[serde(deserialize_with = "super::values::word")]
    mode: Option<SessionMode>,
    environment: BTreeMap<String, String>,
    git: Option<PathBuf>,
    revision: Option<String>,
    build: Option<String>,
}

/// A solver that is built from a commit of a git repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sources<'p> {
    /// The repository.
    pub git: &'p Path,
    /// The commit, by any name that it has.
    pub revision: &'p str,
    /// What builds it, in a checkout.
    pub build: &'p str,
    /// The program and its arguments, from there.
    pub command: &'p str,
}

/// Why a profile cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// The file cannot be read.
    #[error("cannot read `{path}`: {error}")]
    Unreadable {
        /// The file.
        path: String,
        /// What the system says.
        error: io::Error,
    },
    /// The file cannot be used.
    #[error("cannot use `{path}`: {error}")]
    File {
        /// The file.
        path: String,
        /// Why not.
        error: Box<ProfileError>,
    },
    /// The file is not what it should be.
    #[error(transparent)]
    Syntax(#[from] toml::de::Error),
    /// A solver that is two.
    #[error("solver `{0}` has both `solver` and `command`; one of them is enough")]
    TwoPrograms(String),
    /// A repository without what makes a solver of it, or the other way round.
    #[error(
        "solver `{0}` is built from a git repository by `git`, `build` and `command` together, without `solver`"
    )]
    IncompleteSources(String),
    /// A name that is taken.
    #[error(
        "solver `{0}` has a name that means something else on the command line; choose another, such as `my-z3`"
    )]
    TakenName(String),
    /// A profile that is not in the file.
    #[error("unknown profile `{name}`{}", known_profiles(known))]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The hunts of the file.
        known: Vec<String>,
    },
    /// A solver whose other releases cannot be asked.
    #[error("solver `{name}` of `{DEFAULT_FILE}` {why}")]
    NoRelease {
        /// The solver.
        name: String,
        /// Why not.
        why: &'static str,
    },
}

fn known_profiles(known: &[String]) -> String {
    if known.is_empty() {
        return format!("; `{DEFAULT_FILE}` describes hunts in tables [hunts.NAME]");
    }
    format!(" (expected one of: {})", known.join(", "))
}

/// A release with options, as a profile names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfiledRelease {
    /// The release, as on the command line.
    pub solver: String,
    /// Its options.
    pub options: Vec<String>,
}

impl ProfileFile {
    /// Reads the text of a file.
    pub fn parse(text: &str) -> Result<ProfileFile, ProfileError> {
        let file: ProfileFile = toml::from_str(text)?;
        for (name, profile) in &file.solvers {
            if profile.solver.is_some() && profile.command.is_some() {
                return Err(ProfileError::TwoPrograms(name.clone()));
            }
            let is_built = profile.git.is_some() || profile.build.is_some() || profile.revision.is_some();
            if is_built && profile.sources().is_none() {
                return Err(ProfileError::IncompleteSources(name.clone()));
            }
            let is_known = Family::ALL.into_iter().any(|family| family.name() == name);
            if is_known || name.contains(['@', '=', '/', ' ']) {
                return Err(ProfileError::TakenName(name.clone()));
            }
        }
        Ok(file)
    }

    /// Whether it says more than which releases are used: programs, options that may make a solver write files, folders
    /// elsewhere.
    pub fn starts_programs(&self) -> bool {
        let is_program = |name: &String| name.contains(['=', '/']);
        let is_elsewhere = |folder: &PathBuf| {
            folder.components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir))
        };
        let is_solver_active = |profile: &SolverProfile| {
            profile.command.is_some()
                || profile.solver.iter().any(is_program)
                || !profile.options.is_empty()
                || !profile.environment.is_empty()
        };
        // A provider of coverage deletes files of its folder, or starts a program.
        let is_hunt_active = |hunt: &HuntRequest| {
            hunt.solver.iter().any(is_program)
                || hunt.dir.as_ref().is_some_and(is_elsewhere)
                || hunt.coverage.as_ref().is_some_and(|coverage| !coverage.is_harmless())
        };
        self.solvers.values().any(is_solver_active) || self.hunts.values().any(is_hunt_active)
    }

    /// What its solvers and hunts start, in words.
    pub fn programs(&self) -> String {
        let solver = |(name, profile): (&String, &SolverProfile)| {
            let variables = profile.environment.iter().map(|(name, value)| format!("{name}={value} "));
            let options = profile.options.iter().map(|option| format!(" {option}"));
            let command = profile.command.clone().unwrap_or_else(|| profile.described(name));
            let build = profile.sources().map_or_else(String::new, |sources| {
                format!("`{}` in {} of {}, then ", sources.build, sources.revision, sources.git.display())
            });
            format!(
                "{name}: {build}{}{command}{}",
                variables.collect::<String>(),
                options.collect::<String>()
            )
        };
        let hunt = |(name, hunt): (&String, &HuntRequest)| {
            let dir = hunt.dir.as_ref().map_or_else(String::new, |dir| format!(" in {}", dir.display()));
            let active = hunt.coverage.as_ref().filter(|coverage| !coverage.is_harmless());
            let coverage = active.map_or_else(String::new, |coverage| format!(" with {}", coverage.text()));
            format!("hunt {name}: {}{dir}{coverage}", hunt.solver.join(" "))
        };
        let (solvers, hunts) = (self.solvers.iter().map(solver), self.hunts.iter().map(hunt));
        solvers.chain(hunts).collect::<Vec<_>>().join("; ")
    }

    /// The solver with this name.
    pub fn solver(&self, name: &str) -> Option<&SolverProfile> {
        self.solvers.get(name)
    }

    /// All solvers that it names, as they would be written on the command line.
    pub fn named(&self) -> impl Iterator<Item = &String> {
        let solvers = self.solvers.values().filter_map(|profile| profile.solver.as_ref());
        solvers.chain(self.hunts.values().flat_map(|hunt| &hunt.solver))
    }

    /// The hunt with this name.
    pub fn hunt(&self, name: &str) -> Result<NamedProfile, ProfileError> {
        match self.hunts.get(name) {
            Some(request) => Ok(NamedProfile { name: name.to_owned(), request: request.clone() }),
            None => {
                let known = self.hunts.keys().cloned().collect();
                Err(ProfileError::Unknown { name: name.to_owned(), known })
            }
        }
    }

    /// The release that a name of a profile stands for; none if there is no such profile.
    pub fn release_of(&self, name: &str) -> Result<Option<ProfiledRelease>, ProfileError> {
        let Some(profile) = self.solvers.get(name) else { return Ok(None) };
        let refused = |why| Err(ProfileError::NoRelease { name: name.to_owned(), why });
        match &profile.solver {
            None => refused("is a command line, which has no releases"),
            Some(_) if !profile.environment.is_empty() => {
                refused("has an environment, which other releases are not run with")
            }
            Some(solver) => {
                Ok(Some(ProfiledRelease { solver: solver.clone(), options: profile.options.clone() }))
            }
        }
    }
}

impl SolverProfile {
    /// The sources that the solver is built from, if it is.
    pub fn sources(&self) -> Option<Sources<'_>> {
        Some(Sources {
            git: self.git.as_deref()?,
            revision: self.revision.as_deref().unwrap_or("HEAD"),
            build: self.build.as_deref()?,
            command: self.command.as_deref()?,
        })
    }

    /// The solver as it would be written on the command line, without options.
    pub fn described(&self, name: &str) -> String {
        match (&self.solver, &self.command) {
            (Some(solver), _) => solver.clone(),
            (None, Some(command)) => format!("{name}={command}"),
            (None, None) => name.to_owned(),
        }
    }

    /// The solver with all that the profile demands.
    pub fn applied(&self, name: &str, mut solver: Solver) -> Chosen {
        name.clone_into(&mut solver.name);
        solver.invocation.args.extend(self.options.iter().map(OsString::from));
        let variables = self.environment.iter();
        solver
            .invocation
            .environment
            .extend(variables.map(|(name, value)| (OsString::from(name), OsString::from(value))));
        Chosen { solver, dialect: self.dialect, mode: self.mode, options_of: None }
    }
}

/// A solver together with what a profile demands of its use.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// The solver.
    pub solver: Solver,
    /// The dialect that is demanded.
    pub dialect: Option<DialectDemand>,
    /// How it must be run.
    pub mode: Option<SessionMode>,
    /// The solver that it is with drawn options, if it is.
    pub options_of: Option<String>,
}

impl Chosen {
    /// A solver of which nothing is demanded.
    pub fn plain(solver: Solver) -> Self {
        Chosen { solver, dialect: None, mode: None, options_of: None }
    }

    /// A solver of a campaign.
    pub fn recorded(recorded: &SolverConfiguration) -> Chosen {
        Chosen {
            solver: recorded_solver(recorded),
            dialect: recorded.dialect,
            mode: recorded.mode,
            options_of: recorded.options_of.clone(),
        }
    }

    /// How it is recorded, started as this target.
    pub fn configuration(&self, target: &Target) -> SolverConfiguration {
        SolverConfiguration {
            command: command_of_target(target),
            family: target.solver.family.name().to_owned(),
            dialect: self.dialect,
            mode: self.mode,
            options_of: self.options_of.clone(),
        }
    }

    /// Makes a target do what is demanded instead of what probing advises.
    pub fn demand_of(&self, target: &mut Target) {
        if let Some(dialect) = self.dialect {
            target.probe.takes_old_names = dialect == DialectDemand::V25;
            target.probe.takes_new_names = dialect == DialectDemand::V26;
        }
        target.options_of = self.options_of.clone();
        match self.mode {
            Some(SessionMode::Cold) => target.mode = target::Mode::Cold,
            Some(SessionMode::Warm) => target.mode = target::Mode::Warm,
            Some(SessionMode::Incremental) => target.mode = target::Mode::Incremental,
            Some(SessionMode::Auto) | None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn parse(text: &str) -> Result<ProfileFile, ProfileError> {
        ProfileFile::parse(text)
    }

    #[test]
    fn solvers_and_hunts_are_read() {
        let profiles = parse(
            "[solvers.mine]\ncommand = \"cat -u\"\noptions = [\"-n\"]\ndialect = \"2.5\"\nmode = \"cold\"\n\
            environment = { A = \"b\" }\n[hunts.nightly]\nsolver = [\"mine\"]\ntime = \"8h\"\ncases = 5\n",
        )
        .unwrap();
        let mine = &profiles.solvers["mine"];
        assert_eq!((mine.dialect, mine.mode), (Some(DialectDemand::V25), Some(SessionMode::Cold)));
        let nightly = profiles.hunt("nightly").unwrap().request;
        assert_eq!((nightly.time, nightly.cases), (Some(Duration::from_secs(8 * 3600)), Some(5)));
        let error = profiles.hunt("daily").unwrap_err().to_string();
        assert_eq!(error, "unknown profile `daily` (expected one of: nightly)");
    }

    #[test]
    fn a_hunt_may_have_every_option() {
        let text = "[hunts.all]\nseeds = [\"a\"]\nsolver = [\"z3\"]\ntime = \"1m\"\ntriage = \"1m\"\nno-triage = false\n\
            cases = 1\nfindings = 1\nsteps = 1\ntimeout = 1.5\nmemory = 4096\ntechnique = \"all\"\nsharing = \"fixed\"\n\
            options = 1\nplain-options = true\ntriples = \"a\"\ngoal = \"slowdown\"\nalpha = \"5x\"\nrandom-seeds = 1\n\
            best = 1\ncalibrate = 1\njudge = \"crash\"\nseed = 1\njobs = 1\nmode = \"incremental\"\ndir = \"a\"\n\
            variant = \"only-time\"\npopulation = 2\ncoverage = \"gcov=a\"\ntraces = \"statistics\"\nconfirm = 1\n";
        assert_eq!(parse(text).unwrap().hunt("all").unwrap().request.best, Some(1));
    }

    #[test]
    fn a_profile_cannot_pass_for_a_solver_that_smelt_knows() {
        for name in ["z3", "cvc5", "smelt", "\"z3@5.4.0\"", "\"a=b\"", "\"./z3\""] {
            let text = format!("[solvers.{name}]\ncommand = \"./other.sh\"\n");
            assert!(parse(&text).unwrap_err().to_string().contains("choose another"), "{name}");
        }
        assert!(parse("[solvers.z3-nightly]\ncommand = \"./z3\"\n").is_ok());
    }

    #[test]
    fn a_file_that_only_names_releases_starts_no_programs() {
        let starts = |text: &str| parse(text).unwrap().starts_programs();
        assert!(!starts(
            "[solvers.old]\nsolver = \"z3@4.8.7\"\nmode = \"cold\"\n[hunts.a]\nsolver = [\"old\"]\n"
        ));
        assert!(!starts("[hunts.a]\ndir = \"campaigns/a\"\ncoverage = \"statistics\"\n"));
        for text in [
            "[solvers.a]\ncommand = \"./a\"\n",
            "[solvers.a]\nsolver = \"./a\"\n",
            "[solvers.a]\nsolver = \"z3\"\noptions = [\"trace=true\"]\n",
            "[solvers.a]\nsolver = \"z3\"\nenvironment = { LD_PRELOAD = \"x\" }\n",
            "[hunts.a]\nsolver = [\"b=./a\"]\n",
            "[hunts.a]\ndir = \"../elsewhere\"\n",
            "[hunts.a]\ndir = \"/elsewhere\"\n",
            "[hunts.a]\ncoverage = \"llvm=./a\"\n",
            "[hunts.a]\ncoverage = \"gcov=a\"\n",
        ] {
            assert!(starts(text), "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for (text, part) in [
            ("[solvers.mine]\nspeed = 3\n", "speed"),
            ("[hunts.a]\ntimes = \"8h\"\n", "times"),
            ("[solvers.mine]\nmode = \"hot\"\n", "unknown mode `hot` (expected one of: auto, warm"),
            ("[hunts.a]\ngoal = \"speed\"\n", "unknown goal `speed` (expected one of: bugs, slowdown)"),
            ("[hunts.a]\ntime = \"8 days\"\n", "--time cannot be `8 days`"),
            ("[solvers.mine]\nsolver = \"z3\"\ncommand = \"z3\"\n", "both"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
