//! `smelt.toml`: solvers and hunts under names that users choose.
//!
//! Every command that takes `--solver` knows its solvers; hunts are known to `smelt hunt`. A name that smelt itself knows,
//! such as `z3` or `z3@4.8.7`, cannot be given to another program. A file of the current folder that starts programs must
//! be agreed to once before anything of it is used, see [`crate::trust`]; a file that the user names is agreed to.
//!
//! ```toml
//! [solvers.z3str3]
//! solver = "z3@4.8.7"                          # or: command = "path/to/z3 -in"
//! options = ["smt.string_solver=z3str3"]
//! dialect = "2.6"
//! mode = "cold"
//! environment = { LANG = "C" }
//!
//! [hunts.nightly]
//! seeds = ["benchmarks"]
//! solver = ["z3str3", "cvc5@latest"]
//! technique = "operator=3,generative=1"
//! time = "8h"
//! ```

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use smelt_campaign::campaign::command_of;
use smelt_runner::family::Family;
use smelt_runner::installation::Installation;
use smelt_runner::solver::{Solver, UnknownSolver};
use smelt_triage::bisect::releases::Selection;
use smelt_trial::target::{self, Target};

use crate::error::CliError;
use crate::solvers::find_or_install_one;
use crate::streams::Streams;
use crate::trust::{self, Item};

/// The file that is read if no other is named.
const DEFAULT_FILE: &str = "smelt.toml";

/// All that a file says.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profiles {
    #[serde(default)]
    solvers: BTreeMap<String, SolverProfile>,
    #[serde(default)]
    hunts: BTreeMap<String, HuntProfile>,
    /// What the user must agree to before anything of it is used.
    #[serde(skip)]
    item: Option<Item>,
}

/// A solver with a name of its own.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SolverProfile {
    solver: Option<String>,
    command: Option<String>,
    #[serde(default)]
    options: Vec<String>,
    dialect: Option<DialectWord>,
    mode: Option<Mode>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
enum DialectWord {
    #[serde(rename = "2.5")]
    V25,
    #[serde(rename = "2.6")]
    V26,
}

/// How a solver is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Warm,
    Cold,
    Incremental,
}

/// The options of `smelt hunt` by name.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HuntProfile {
    pub seeds: Option<Vec<PathBuf>>,
    pub solver: Option<Vec<String>>,
    pub time: Option<String>,
    pub cases: Option<u64>,
    pub findings: Option<u64>,
    pub timeout: Option<f64>,
    pub steps: Option<u32>,
    pub goal: Option<String>,
    pub alpha: Option<String>,
    pub technique: Option<String>,
    pub sharing: Option<String>,
    pub options: Option<usize>,
    #[serde(rename = "plain-options")]
    pub plain_options: Option<bool>,
    pub triples: Option<PathBuf>,
    pub judge: Option<String>,
    pub seed: Option<u64>,
    pub jobs: Option<std::num::NonZeroUsize>,
    pub dir: Option<PathBuf>,
}

/// A solver together with what a profile demands of its use.
#[derive(Debug, Clone)]
pub(crate) struct Chosen {
    pub solver: Solver,
    pub dialect: Option<String>,
    pub mode: Option<String>,
    /// The solver that it is with drawn options, if it is.
    pub options_of: Option<String>,
}

impl Chosen {
    /// A solver of which nothing is demanded.
    pub(crate) fn plain(solver: Solver) -> Self {
        Chosen { solver, dialect: None, mode: None, options_of: None }
    }

    /// Makes a target do what is demanded instead of what probing advises.
    pub(crate) fn demand_of(&self, target: &mut Target) {
        match self.dialect.as_deref() {
            Some("2.5") => (target.probe.takes_old_names, target.probe.takes_new_names) = (true, false),
            Some(_) => (target.probe.takes_old_names, target.probe.takes_new_names) = (false, true),
            None => {}
        }
        target.options_of = self.options_of.clone();
        match self.mode.as_deref() {
            Some("cold") => target.mode = target::Mode::Cold,
            Some("warm") => target.mode = target::Mode::Warm,
            Some("incremental") => target.mode = target::Mode::Incremental,
            Some(_) | None => {}
        }
    }
}

impl Profiles {
    /// Reads a file, or the default one if it exists.
    pub(crate) fn read(file: Option<&Path>) -> Result<Profiles, CliError> {
        let path = file.unwrap_or(Path::new(DEFAULT_FILE));
        if file.is_none() && !path.exists() {
            return Ok(Profiles::default());
        }
        let text = fs::read_to_string(path).map_err(|error| CliError::unreadable(path.display(), &error))?;
        let mut profiles =
            parse(&text).map_err(|error| error.context(format_args!("cannot use `{}`", path.display())))?;
        if file.is_none() && profiles.starts_programs() {
            profiles.item = Some(Item::configuration(path, &text).starting(&profiles.programs()));
        }
        Ok(profiles)
    }

    /// Whether it says more than which releases are used: programs, options that may make a solver write files, folders
    /// elsewhere.
    fn starts_programs(&self) -> bool {
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
        self.solvers.values().any(is_solver_active)
            || self.hunts.values().any(|hunt| {
                hunt.solver.iter().flatten().any(is_program) || hunt.dir.as_ref().is_some_and(is_elsewhere)
            })
    }

    /// What its solvers and hunts start, in words.
    fn programs(&self) -> String {
        let solver = |(name, profile): (&String, &SolverProfile)| {
            let variables = profile.environment.iter().map(|(name, value)| format!("{name}={value} "));
            let options = profile.options.iter().map(|option| format!(" {option}"));
            let command = profile.command.clone().unwrap_or_else(|| profile.described(name));
            format!("{name}: {}{command}{}", variables.collect::<String>(), options.collect::<String>())
        };
        let hunt = |(name, hunt): (&String, &HuntProfile)| {
            let solvers = hunt.solver.as_ref().map_or_else(String::new, |solvers| solvers.join(" "));
            let dir = hunt.dir.as_ref().map_or_else(String::new, |dir| format!(" in {}", dir.display()));
            format!("hunt {name}: {solvers}{dir}")
        };
        let (solvers, hunts) = (self.solvers.iter().map(solver), self.hunts.iter().map(hunt));
        solvers.chain(hunts).collect::<Vec<_>>().join("; ")
    }

    /// Asks the user to agree to what the file of the current folder starts, if that was not done before.
    pub(crate) fn agree(&self, streams: &mut Streams) -> Result<(), CliError> {
        match &self.item {
            Some(item) => {
                trust::ask(&format!("`{DEFAULT_FILE}` of this folder"), std::slice::from_ref(item), streams)
            }
            None => Ok(()),
        }
    }

    /// Whether a name is one of the file.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.solvers.contains_key(name)
    }

    /// All solvers that it names, as they would be written on the command line.
    pub(crate) fn named(&self) -> impl Iterator<Item = &String> {
        let solvers = self.solvers.values().filter_map(|profile| profile.solver.as_ref());
        solvers.chain(self.hunts.values().flat_map(|hunt| hunt.solver.iter().flatten()))
    }

    /// The hunt with this name.
    pub(crate) fn hunt(&self, name: &str) -> Result<HuntProfile, CliError> {
        self.hunts.get(name).cloned().ok_or_else(|| {
            let known: Vec<&str> = self.hunts.keys().map(String::as_str).collect();
            CliError::Usage(if known.is_empty() {
                format!("unknown profile `{name}`; `{DEFAULT_FILE}` describes hunts in tables [hunts.NAME]")
            } else {
                format!("unknown profile `{name}`; there are {}", known.join(", "))
            })
        })
    }

    /// What a name would stand for, in words; nothing is installed.
    pub(crate) fn describe(&self, place: &Installation, name: &str) -> String {
        let is_open = self.item.as_ref().is_some_and(|item| !trust::is_trusted(std::slice::from_ref(item)));
        if let Some(profile) = self.solvers.get(name).filter(|_| is_open) {
            return profile.described(name);
        }
        match self.installed(place, name) {
            Ok(solver) => {
                let command = command_of(&solver);
                [vec![command.program], command.args].concat().join(" ")
            }
            Err(error) => error.to_string(),
        }
    }

    /// The solver that a name stands for, by a profile or as it is; nothing is installed.
    pub(crate) fn installed(&self, place: &Installation, name: &str) -> Result<Solver, UnknownSolver> {
        match self.solvers.get(name) {
            None => place.finder().find(name),
            Some(profile) => {
                let found = place.finder().find(&profile.described(name))?;
                Ok(profile.applied(name, found).solver)
            }
        }
    }

    /// The solver that a name stands for, by a profile or as it is; a release that is missing is installed.
    pub(crate) fn find(
        &self,
        place: &Installation,
        name: &str,
        streams: &mut Streams,
    ) -> Result<Chosen, CliError> {
        let Some(profile) = self.solvers.get(name) else {
            return Ok(Chosen::plain(find_or_install_one(place, name, streams)?));
        };
        let described = profile.described(name);
        self.agree(streams)?;
        streams.message(&format!("solver {name} of {DEFAULT_FILE}: {described}\n"))?;
        Ok(profile.applied(name, find_or_install_one(place, &described, streams)?))
    }

    /// Releases to ask: such as `z3@4.8.5..5.4`, or a solver of the file that is a release with options.
    pub(crate) fn selection(&self, text: &str) -> Result<Selection, CliError> {
        let Some(profile) = self.release_of(text) else { return Ok(Selection::read(text)?) };
        let (described, options) = profile?;
        let mut selection = Selection::read(&described)?;
        // The profile names one release; which ones are asked is another matter.
        selection.request = None;
        selection.options.extend(options);
        Ok(selection)
    }

    /// The release that a name of a profile stands for, and its options; none if there is no such profile.
    fn release_of(&self, name: &str) -> Option<Result<(String, Vec<String>), CliError>> {
        let profile = self.solvers.get(name)?;
        let refused =
            |what: &str| Err(CliError::Usage(format!("solver `{name}` of `{DEFAULT_FILE}` {what}")));
        Some(match &profile.solver {
            None => refused("is a command line, which has no releases"),
            Some(_) if !profile.environment.is_empty() => {
                refused("has an environment, which other releases are not run with")
            }
            Some(solver) => Ok((solver.clone(), profile.options.clone())),
        })
    }
}

impl SolverProfile {
    /// The solver as it would be written on the command line, without options.
    fn described(&self, name: &str) -> String {
        match (&self.solver, &self.command) {
            (Some(solver), _) => solver.clone(),
            (None, Some(command)) => format!("{name}={command}"),
            (None, None) => name.to_owned(),
        }
    }

    /// The solver with all that the profile demands.
    fn applied(&self, name: &str, mut solver: Solver) -> Chosen {
        name.clone_into(&mut solver.name);
        solver.invocation.args.extend(self.options.iter().map(OsString::from));
        let variables = self.environment.iter();
        solver
            .invocation
            .environment
            .extend(variables.map(|(name, value)| (OsString::from(name), OsString::from(value))));
        let dialect = self.dialect.map(|dialect| match dialect {
            DialectWord::V25 => "2.5".to_owned(),
            DialectWord::V26 => "2.6".to_owned(),
        });
        let mode = self.mode.map(|mode| match mode {
            Mode::Warm => "warm".to_owned(),
            Mode::Cold => "cold".to_owned(),
            Mode::Incremental => "incremental".to_owned(),
        });
        Chosen { solver, dialect, mode, options_of: None }
    }
}

fn parse(text: &str) -> Result<Profiles, CliError> {
    let profiles: Profiles = toml::from_str(text).map_err(|error| CliError::input(error.to_string()))?;
    for (name, profile) in &profiles.solvers {
        if profile.solver.is_some() && profile.command.is_some() {
            let message = format!("solver `{name}` has both `solver` and `command`; one of them is enough");
            return Err(CliError::Input(message));
        }
        let is_known = Family::ALL.into_iter().any(|family| family.name() == name);
        if is_known || name.contains(['@', '=', '/', ' ']) {
            return Err(CliError::Input(format!(
                "solver `{name}` has a name that means something else on the command line; choose another, such as `my-z3`"
            )));
        }
    }
    Ok(profiles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solvers_and_hunts_are_read() {
        let profiles = parse(
            "[solvers.mine]\ncommand = \"cat -u\"\noptions = [\"-n\"]\ndialect = \"2.5\"\nmode = \"cold\"\n\
            environment = { A = \"b\" }\n[hunts.nightly]\nsolver = [\"mine\"]\ntime = \"8h\"\ncases = 5\n",
        )
        .unwrap();
        let mine = &profiles.solvers["mine"];
        assert_eq!((mine.dialect, mine.mode), (Some(DialectWord::V25), Some(Mode::Cold)));
        let nightly = profiles.hunt("nightly").unwrap();
        assert_eq!((nightly.time.as_deref(), nightly.cases), (Some("8h"), Some(5)));
        assert!(profiles.hunt("daily").unwrap_err().to_string().contains("there are nightly"));
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
        assert!(!starts("[hunts.a]\ndir = \"campaigns/a\"\n"));
        for text in [
            "[solvers.a]\ncommand = \"./a\"\n",
            "[solvers.a]\nsolver = \"./a\"\n",
            "[solvers.a]\nsolver = \"z3\"\noptions = [\"trace=true\"]\n",
            "[solvers.a]\nsolver = \"z3\"\nenvironment = { LD_PRELOAD = \"x\" }\n",
            "[hunts.a]\nsolver = [\"b=./a\"]\n",
            "[hunts.a]\ndir = \"../elsewhere\"\n",
            "[hunts.a]\ndir = \"/elsewhere\"\n",
        ] {
            assert!(starts(text), "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        assert!(parse("[solvers.mine]\nspeed = 3\n").unwrap_err().to_string().contains("speed"));
        assert!(parse("[hunts.a]\ntimes = \"8h\"\n").unwrap_err().to_string().contains("times"));
        assert!(parse("[solvers.mine]\nmode = \"hot\"\n").unwrap_err().to_string().contains("hot"));
        let both = "[solvers.mine]\nsolver = \"z3\"\ncommand = \"z3\"\n";
        assert!(parse(both).unwrap_err().to_string().contains("both"));
    }
}
