//! Before a study: what it is asked to be, its formulas, its solvers probed and recorded.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::slice;

use smelt_runner::cache::Cache;
use smelt_runner::installation::Installation;
use smelt_runner::parallel;
use smelt_store::error::StoreError;
use smelt_store::study::{FormulaRecord, SolverRecord, StudyConfiguration, StudyStore, TheoryRecord};
use smelt_testgen::enumeration::Parameters;
use smelt_testgen::enumeration::built_in::BuiltIn;
use smelt_trial::target::{Mode, Target};

use super::selection::{FormulaSelection, select};
use super::{ReleaseStudy, StudySubject};
use crate::configure::profiles::Chosen;
use crate::configure::values::parse_seconds;
use crate::dialogue::Dialogue;
use crate::find_solvers::{find_or_install_chosen, releases_named};
use crate::grammars::{GrammarError, read_grammar};
use crate::solvers::{NotReady, working};

/// What a study is asked to be. What is not given is as recorded, or else usual.
#[derive(Debug, Clone, clap::Args)]
pub struct StudyRequest {
    /// Releases: NAME@VERSION, NAME@FROM..TO, NAME, or NAME=COMMAND LINE; repeatable, missing ones are installed
    #[arg(short, long = "solver", value_name = "SOLVER")]
    pub solvers: Vec<String>,
    /// Theories by the names of their grammars, or files with grammars [default: core,ints,bitvectors,strings]
    #[arg(long = "theory", value_name = "LIST", value_delimiter = ',')]
    pub theories: Vec<String>,
    /// Number of formulas of each theory [default: 1000]
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub formulas: Option<u32>,
    /// The largest size of sampled formulas [default: 12]
    #[arg(long, value_name = "SIZE", value_parser = clap::value_parser!(u32).range(..=1000))]
    pub max_size: Option<u32>,
    /// Number of declared variables [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub variables: Option<u32>,
    /// Number of assertions in a formula [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub asserts: Option<u32>,
    /// Random seed; the same seed samples the same formulas [default: 0]
    #[arg(long, value_name = "SEED")]
    pub seed: Option<u64>,
    /// The largest time limit: processor time for each run, in seconds [default: 1]
    #[arg(short, long, value_name = "SECS", value_parser = parse_seconds)]
    pub timeout: Option<f64>,
    /// Solvers whose answers others are compared with [default: z3@latest,cvc5@latest,smelt]
    #[arg(short, long = "reference", value_name = "LIST", value_delimiter = ',')]
    pub references: Vec<String>,
    /// Processor time for each run of a reference, in seconds [default: four times --timeout]
    #[arg(long, value_name = "SECS", value_parser = parse_seconds)]
    pub reference_timeout: Option<f64>,
    /// `warm` keeps solvers running from formula to formula, `cold` starts one for each, so that start-up counts
    /// [default: warm]
    #[arg(long, value_name = "MODE", value_parser = ["warm", "cold"])]
    pub mode: Option<String>,
}

/// Theories that are studied if the user names none.
const USUAL_THEORIES: [&str; 4] = ["core", "ints", "bitvectors", "strings"];

impl StudyRequest {
    /// The configuration that is asked for.
    pub fn configuration(&self, recorded: Option<&StudyConfiguration>) -> StudyConfiguration {
        let usual = StudyConfiguration {
            formulas: 1000,
            random_seed: 0,
            max_size: 12,
            variables: 2,
            asserts: 1,
            timeout_secs: self.timeout.unwrap_or(1.0),
            reference_timeout_secs: self.timeout.unwrap_or(1.0) * 4.0,
            mode: "warm".to_owned(),
            references: ["z3@latest", "cvc5@latest", "smelt"].map(str::to_owned).to_vec(),
        };
        let before = recorded.cloned().unwrap_or(usual);
        StudyConfiguration {
            formulas: self.formulas.unwrap_or(before.formulas),
            random_seed: self.seed.unwrap_or(before.random_seed),
            max_size: self.max_size.unwrap_or(before.max_size),
            variables: self.variables.unwrap_or(before.variables),
            asserts: self.asserts.unwrap_or(before.asserts),
            timeout_secs: self.timeout.unwrap_or(before.timeout_secs),
            reference_timeout_secs: self.reference_timeout.unwrap_or(before.reference_timeout_secs),
            mode: self.mode.clone().unwrap_or(before.mode),
            references: match self.references.is_empty() {
                true => before.references,
                false => self.references.clone(),
            },
        }
    }

    /// The theories to add to those that are recorded.
    fn theories(&self, has_recorded: bool) -> Vec<String> {
        match (self.theories.is_empty(), has_recorded) {
            (false, _) => self.theories.clone(),
            (true, false) => USUAL_THEORIES.map(str::to_owned).to_vec(),
            (true, true) => Vec::new(),
        }
    }

    /// What would be run with these releases; what is recorded already is not looked at.
    pub fn preview(&self, releases: &[String]) -> String {
        let configuration = self.configuration(None);
        let theories = self.theories(false);
        let formulas = theories.len() as u64 * u64::from(configuration.formulas);
        let mut text = format!("{} releases: {}\n", releases.len(), releases.join(" "));
        let _ = writeln!(text, "{} theories: {}", theories.len(), theories.join(" "));
        let _ = writeln!(text, "references: {}", configuration.references.join(" "));
        let _ = writeln!(
            text,
            "{} {} runs of at most {} s, and {} runs of references",
            releases.len() as u64 * formulas,
            configuration.mode,
            configuration.timeout_secs,
            configuration.references.len() as u64 * formulas
        );
        text
    }
}

/// A theory that is new to a study.
#[derive(Debug)]
pub struct NewTheory {
    /// Its name.
    pub name: String,
    /// Its formulas.
    pub formulas: Vec<FormulaRecord>,
}

/// The theories of a request that are not recorded, with their formulas.
fn new_theories(
    request: &StudyRequest,
    configuration: &StudyConfiguration,
    recorded: &[TheoryRecord],
) -> Result<Vec<NewTheory>, GrammarError> {
    let StudyConfiguration { variables, asserts, .. } = *configuration;
    let parameters = Parameters { variables, asserts, ..Parameters::default() };
    let selection = FormulaSelection {
        formulas: configuration.formulas,
        max_size: configuration.max_size,
        random_seed: configuration.random_seed,
    };
    let mut theories: Vec<NewTheory> = Vec::new();
    for name in request.theories(!recorded.is_empty()).iter().map(|name| name.trim()) {
        let is_there = |other: &str| other.eq_ignore_ascii_case(name);
        let mut known = recorded.iter().map(|theory| &theory.name);
        if known.any(|other| is_there(other)) || theories.iter().any(|theory| is_there(&theory.name)) {
            continue;
        }
        let mut enumeration = read_grammar(name, &parameters)?;
        let name = BuiltIn::named(name).map_or(name, |built_in| built_in.name);
        theories.push(NewTheory { name: name.to_owned(), formulas: select(&mut enumeration, &selection) });
    }
    Ok(theories)
}

/// What a solver is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Roles {
    /// Whether it is under test.
    pub is_release: bool,
    /// Whether others are compared with it.
    pub is_reference: bool,
}

/// A solver that a study wants, by its name.
#[derive(Debug, Clone)]
pub struct WantedSolver {
    /// As the user writes it.
    pub given: String,
    /// What it is for.
    pub roles: Roles,
}

/// The solvers that are recorded, releases with these names, and references if none are recorded: what `latest` stands
/// for is decided once.
pub fn wanted_solvers(
    recorded: &[SolverRecord],
    releases: Vec<String>,
    configuration: &StudyConfiguration,
) -> Vec<WantedSolver> {
    let wanted = |given: &str, is_release, is_reference| WantedSolver {
        given: given.to_owned(),
        roles: Roles { is_release, is_reference },
    };
    let mut all: Vec<WantedSolver> =
        recorded.iter().map(|solver| wanted(&solver.given, solver.is_release, solver.is_reference)).collect();
    all.extend(releases.iter().map(|name| wanted(name, true, false)));
    if !recorded.iter().any(|solver| solver.is_reference) {
        all.extend(configuration.references.iter().map(|name| wanted(name.trim(), false, true)));
    }
    all
}

/// A solver of a study that was found.
#[derive(Debug, Clone)]
pub struct FoundSolver {
    /// The solver.
    pub chosen: Chosen,
    /// As it is recorded, so that it is found again.
    given: String,
    roles: Roles,
}

/// Adds a solver to those that were found; two names of one release are one solver.
pub fn add_found(found: &mut Vec<FoundSolver>, chosen: Chosen, wanted: &WantedSolver) {
    let WantedSolver { given, roles } = wanted;
    let solver = &chosen.solver;
    let is_same = |other: &&mut FoundSolver| {
        let other = &other.chosen.solver;
        other.name == solver.name || (other.invocation == solver.invocation && other.family == solver.family)
    };
    match found.iter_mut().find(is_same) {
        Some(FoundSolver { roles: known, .. }) => {
            known.is_release |= roles.is_release;
            known.is_reference |= roles.is_reference;
        }
        None => {
            let given = if given.ends_with("@latest") { solver.name.clone() } else { given.clone() };
            found.push(FoundSolver { chosen, given, roles: *roles });
        }
    }
}

/// Why the solvers of a study cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SubjectsError {
    /// A reference does not work.
    #[error("cannot use reference `{name}`: {problem}")]
    Reference {
        /// Its name.
        name: String,
        /// Why.
        problem: NotReady,
    },
    /// No release works.
    #[error("none of the releases can be run")]
    NoRelease,
    /// A program cannot be read.
    #[error("cannot read solver `{name}`: {error}")]
    Unreadable {
        /// Its name.
        name: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// The program of a recorded solver has changed.
    #[error(
        "solver `{0}` is not the program that the study was begun with; use another name for it, or another folder with \
         --dir"
    )]
    Changed(String),
}

/// The solvers of a study, ready to be run and to be recorded.
pub struct Subjects {
    /// Each solver with its record; their numbers are still to be given.
    pub subjects: Vec<(StudySubject, SolverRecord)>,
    /// Releases that are left out, and why.
    pub left_out: Vec<String>,
}

/// Probes solvers. A release that does not work is left out, a reference must work.
pub fn probe(
    found: &[FoundSolver],
    recorded: &[SolverRecord],
    configuration: &StudyConfiguration,
    cache: &Cache,
    jobs: NonZeroUsize,
) -> Result<Subjects, SubjectsError> {
    let mode = if configuration.mode == "cold" { Mode::Cold } else { Mode::Warm };
    let work = |found: &FoundSolver| {
        let target = Target::cached(found.chosen.solver.clone(), cache).map_err(NotReady::Probing);
        target.and_then(working).map(|mut target| {
            found.chosen.demand_of(&mut target);
            // A study runs all of its solvers in the same way.
            target.mode = mode;
            target.leave_safe_mode();
            target
        })
    };
    let mut subjects = Vec::new();
    let mut left_out = Vec::new();
    let mut all = found.iter();
    let mut failure = None;
    parallel::in_order(found, jobs, work, |target| -> Result<(), SubjectsError> {
        let found = all.next().expect("there is a result for each solver");
        let name = found.chosen.solver.name.clone();
        match target {
            Ok(target) => subjects.push(subject(found, target, recorded, cache)?),
            Err(problem) if found.roles.is_reference => {
                failure = Some(SubjectsError::Reference { name, problem });
            }
            Err(problem) => left_out.push(format!("leaving out `{name}`: {problem}")),
        }
        Ok(())
    })?;
    match failure {
        Some(failure) => Err(failure),
        None if !subjects.iter().any(|(subject, _)| subject.is_release) => Err(SubjectsError::NoRelease),
        None => Ok(Subjects { subjects, left_out }),
    }
}

/// A solver with its record.
fn subject(
    found: &FoundSolver,
    target: Target,
    recorded: &[SolverRecord],
    cache: &Cache,
) -> Result<(StudySubject, SolverRecord), SubjectsError> {
    let name = target.solver.name.clone();
    let fingerprint = cache
        .fingerprint(&target.solver)
        .map_err(|error| SubjectsError::Unreadable { name: name.clone(), error })?;
    if recorded.iter().any(|solver| solver.name == name && solver.fingerprint != fingerprint) {
        return Err(SubjectsError::Changed(name));
    }
    let Roles { is_release, is_reference } = found.roles;
    let record = SolverRecord {
        id: 0,
        name,
        given: found.given.clone(),
        family: target.solver.family.name().to_owned(),
        version: target.probe.version.clone(),
        fingerprint,
        is_release,
        is_reference,
    };
    Ok((StudySubject { id: 0, target, is_release, is_reference }, record))
}

/// What is said if there is nothing to study.
pub const NO_RELEASES: &str = "a study needs releases, as in `--solver z3@4.8.5..4.12.0`";

/// Why a study cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum BeginningError {
    /// The folder has a study with other options.
    #[error(
        "the study in `{}` is another one: {differences}; use another folder with --dir, or leave the options away to resume it",
        dir.display()
    )]
    Different {
        /// The folder.
        dir: PathBuf,
        /// How the options differ.
        differences: String,
    },
    /// No release is named.
    #[error("{NO_RELEASES}")]
    NoReleases,
    /// A theory has no formulas.
    #[error(transparent)]
    Grammar(#[from] GrammarError),
    /// Its record cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its solvers cannot be run.
    #[error(transparent)]
    Subjects(#[from] SubjectsError),
}

/// What a study is to be, where, and how many runs there are at once.
#[derive(Debug, Clone, Copy)]
pub struct StudyBeginning<'b> {
    /// What is asked for.
    pub request: &'b StudyRequest,
    /// The folder of the study.
    pub dir: &'b Path,
    /// Runs at once; none for one per core.
    pub jobs: Option<NonZeroUsize>,
}

impl StudyBeginning<'_> {
    /// Records what is new and gives the study as it shall be run.
    pub fn prepare<D: Dialogue<Failure: From<BeginningError>>>(
        &self,
        place: &Installation,
        store: &mut StudyStore,
        dialogue: &mut D,
    ) -> Result<ReleaseStudy, D::Failure> {
        let (recorded, configuration) = self.configuration(store)?;
        let new = self.new_theories(&configuration, store)?;
        let jobs = self.jobs.unwrap_or_else(parallel::whole_cores);
        let known = store.solvers().map_err(BeginningError::from)?;
        let mut found = Vec::new();
        let releases = releases_named(place, &self.request.solvers, dialogue)?;
        for wanted in wanted_solvers(&known, releases, &configuration) {
            for chosen in find_or_install_chosen(place, slice::from_ref(&wanted.given), dialogue)? {
                add_found(&mut found, chosen, &wanted);
            }
        }
        dialogue.message(&format!("probing {} solvers\n", found.len()))?;
        dialogue.flush()?;
        let Subjects { subjects, left_out } =
            probe(&found, &known, &configuration, &place.cache(), jobs).map_err(BeginningError::from)?;
        left_out.iter().try_for_each(|line| dialogue.message(&format!("{line}\n")))?;
        if recorded.is_none() {
            store.begin(&configuration).map_err(BeginningError::from)?;
        }
        let (theories, subjects) = record(store, &new, subjects)?;
        Ok(ReleaseStudy { configuration, theories, subjects, jobs })
    }

    /// What is recorded, and what the study is about.
    fn configuration(
        &self,
        store: &StudyStore,
    ) -> Result<(Option<StudyConfiguration>, StudyConfiguration), BeginningError> {
        let recorded = store.configuration()?;
        let configuration = self.request.configuration(recorded.as_ref());
        let differences = recorded.iter().flat_map(|recorded| recorded.differences(&configuration));
        let differences: Vec<String> = differences.collect();
        if !differences.is_empty() {
            let (dir, differences) = (self.dir.to_owned(), differences.join(", "));
            return Err(BeginningError::Different { dir, differences });
        }
        if recorded.is_none() && self.request.solvers.is_empty() {
            return Err(BeginningError::NoReleases);
        }
        Ok((recorded, configuration))
    }

    fn new_theories(
        &self,
        configuration: &StudyConfiguration,
        store: &StudyStore,
    ) -> Result<Vec<NewTheory>, BeginningError> {
        Ok(new_theories(self.request, configuration, &store.theories()?)?)
    }
}

/// Records theories and solvers; all theories of the study, and the solvers with their numbers.
fn record(
    store: &mut StudyStore,
    new: &[NewTheory],
    mut subjects: Vec<(StudySubject, SolverRecord)>,
) -> Result<(Vec<TheoryRecord>, Vec<StudySubject>), BeginningError> {
    for theory in new {
        store.add_theory(&theory.name, &theory.formulas)?;
    }
    for (subject, record) in &mut subjects {
        subject.id = store.add_solver(record)?;
    }
    Ok((store.theories()?, subjects.into_iter().map(|(subject, _)| subject).collect()))
}
