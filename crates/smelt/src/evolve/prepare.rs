//! Before a study: what it is about, its formulas, its solvers found, installed and probed.

use std::io::Write;

use smelt_campaign::release_study::selection::{Selection, select};
use smelt_campaign::release_study::{Study, Subject};
use smelt_runner::installation::Installation;
use smelt_runner::parallel;
use smelt_store::error::StoreError;
use smelt_store::study::{SolverRecord, StudyConfiguration, StudyStore};
use smelt_testgen::enumeration::Parameters;
use smelt_testgen::enumeration::built_in::BuiltIn;
use smelt_trial::target::{Mode, Target};

use super::{Args, configuration};
use crate::error::{CliError, Exit};
use crate::grammars::read_grammar;
use crate::profiles::Chosen;
use crate::solvers::{NotReady, find_or_install_chosen, installation, releases_named, working};
use crate::streams::Streams;

/// Theories that are studied if the user names none.
const USUAL_THEORIES: &[&str] = &["core", "ints", "bitvectors", "strings"];

/// What the record of the study says.
fn checked<T>(result: Result<T, StoreError>) -> Result<T, CliError> {
    result.map_err(|error| CliError::environment(error.to_string()))
}

/// Records what is new and gives the study as it shall be run.
pub(super) fn prepare(args: &Args, store: &mut StudyStore, streams: &mut Streams) -> Result<Study, CliError> {
    let recorded = checked(store.configuration())?;
    if let Some(recorded) = &recorded {
        let differences = recorded.differences(&configuration(args, Some(recorded)));
        if !differences.is_empty() {
            return Err(CliError::usage(format!(
                "the study in `{}` is another one: {}; use another folder with --dir, or leave the options away to go on",
                args.dir.display(),
                differences.join(", ")
            )));
        }
    } else if args.solvers.is_empty() {
        return Err(CliError::usage("evolve needs releases, as in `--solver z3@4.8.5..4.12.0`"));
    }
    let configuration = configuration(args, recorded.as_ref());
    let lists = choose_formulas(args, &configuration, store)?;
    let place = installation();
    let mut subjects = find_subjects(args, &configuration, store, &place, streams)?;
    if recorded.is_none() {
        checked(store.begin(&configuration))?;
    }
    for (name, formulas) in &lists {
        checked(store.add_theory(name, formulas))?;
    }
    for (subject, record) in &mut subjects {
        subject.id = checked(store.add_solver(record))?;
    }
    let theories = checked(store.theories())?;
    Ok(Study {
        configuration,
        theories,
        subjects: subjects.into_iter().map(|(subject, _)| subject).collect(),
        jobs: args.jobs.unwrap_or_else(parallel::whole_cores),
    })
}

/// A theory and its formulas.
type List = (String, Vec<smelt_store::study::FormulaRecord>);

/// The lists of formulas of theories that are not recorded.
fn choose_formulas(
    args: &Args,
    configuration: &StudyConfiguration,
    store: &StudyStore,
) -> Result<Vec<List>, CliError> {
    let recorded = checked(store.theories())?;
    let parameters = Parameters {
        variables: configuration.variables,
        asserts: configuration.asserts,
        ..Parameters::default()
    };
    let selection = Selection {
        formulas: configuration.formulas,
        max_size: configuration.max_size,
        random_seed: configuration.random_seed,
    };
    let names = match (args.theories.is_empty(), recorded.is_empty()) {
        (false, _) => args.theories.clone(),
        (true, true) => USUAL_THEORIES.iter().map(|name| (*name).to_owned()).collect(),
        (true, false) => Vec::new(),
    };
    let mut lists: Vec<List> = Vec::new();
    for name in names.iter().map(|name| name.trim()) {
        let is_there = |other: &str| other.eq_ignore_ascii_case(name);
        if recorded.iter().any(|theory| is_there(&theory.name))
            || lists.iter().any(|(other, _)| is_there(other))
        {
            continue;
        }
        let mut enumeration = read_grammar(name, &parameters)?;
        let name = BuiltIn::named(name).map_or(name, |built_in| built_in.name);
        lists.push((name.to_owned(), select(&mut enumeration, &selection)));
    }
    Ok(lists)
}

/// What a solver is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Roles {
    is_release: bool,
    is_reference: bool,
}

/// The solvers that the user names and those that are recorded, each with its record.
fn find_subjects(
    args: &Args,
    configuration: &StudyConfiguration,
    store: &StudyStore,
    place: &Installation,
    streams: &mut Streams,
) -> Result<Vec<(Subject, SolverRecord)>, CliError> {
    let recorded = checked(store.solvers())?;
    let mut wanted: Vec<(String, Roles)> = Vec::new();
    for solver in &recorded {
        let roles = Roles { is_release: solver.is_release, is_reference: solver.is_reference };
        wanted.push((solver.given.clone(), roles));
    }
    for name in &args.solvers {
        for name in releases_named(place, name, streams)? {
            wanted.push((name, Roles { is_release: true, is_reference: false }));
        }
    }
    // What `latest` stands for is decided once.
    if !recorded.iter().any(|solver| solver.is_reference) {
        for name in &configuration.references {
            wanted.push((name.trim().to_owned(), Roles { is_release: false, is_reference: true }));
        }
    }
    let mut solvers: Vec<(Chosen, String, Roles)> = Vec::new();
    for (given, roles) in wanted {
        let found = find_or_install_chosen(place, std::slice::from_ref(&given), streams)?;
        for chosen in found {
            let solver = &chosen.solver;
            // Two names of one release are one solver.
            let same = solvers.iter_mut().find(|(other, _, _)| {
                other.solver.name == solver.name
                    || (other.solver.invocation == solver.invocation && other.solver.family == solver.family)
            });
            match same {
                Some((_, _, known)) => {
                    known.is_release |= roles.is_release;
                    known.is_reference |= roles.is_reference;
                }
                None => {
                    let given = if given.ends_with("@latest") { solver.name.clone() } else { given.clone() };
                    solvers.push((chosen, given, roles));
                }
            }
        }
    }
    let mut subjects = Vec::new();
    for (target, given, roles) in probe(args, solvers, configuration, place, streams)? {
        let fingerprint = match place.cache().fingerprint(&target.solver) {
            Ok(fingerprint) => fingerprint,
            Err(error) => {
                return Err(CliError::environment(format!(
                    "cannot read solver `{}`: {error}",
                    target.solver.name
                )));
            }
        };
        let name = target.solver.name.clone();
        if recorded.iter().any(|solver| solver.name == name && solver.fingerprint != fingerprint) {
            return Err(CliError::usage(format!(
                "solver `{name}` is not the program that the study in `{}` was begun with; use another name for it, or \
                 another folder with --dir",
                args.dir.display()
            )));
        }
        let record = SolverRecord {
            id: 0,
            name,
            given,
            family: target.solver.family.name().to_owned(),
            version: target.probe.version.clone(),
            fingerprint,
            is_release: roles.is_release,
            is_reference: roles.is_reference,
        };
        let Roles { is_release, is_reference } = roles;
        subjects.push((Subject { id: 0, target, is_release, is_reference }, record));
    }
    Ok(subjects)
}

type Probed = (Target, String, Roles);

/// Asks solvers what they can do. A release that does not work is left out, a reference must work.
fn probe(
    args: &Args,
    solvers: Vec<(Chosen, String, Roles)>,
    configuration: &StudyConfiguration,
    place: &Installation,
    streams: &mut Streams,
) -> Result<Vec<Probed>, CliError> {
    streams.message(&format!("looking at {} solvers\n", solvers.len()))?;
    streams.flush()?;
    let cache = place.cache();
    let mode = if configuration.mode == "cold" { Mode::Cold } else { Mode::Warm };
    let jobs = args.jobs.unwrap_or_else(parallel::whole_cores);
    let mut probed = Vec::new();
    let mut failed = None;
    let work = |(chosen, given, roles): &(Chosen, String, Roles)| {
        let solver = &chosen.solver;
        let target = Target::cached(solver.clone(), &cache).map_err(NotReady::Probing);
        match target.and_then(working) {
            Ok(mut target) => {
                chosen.demand_of(&mut target);
                // A study runs all of its solvers in the same way.
                target.mode = mode;
                target.leave_safe_mode();
                Ok((target, given.clone(), *roles))
            }
            Err(problem) => Err((solver.name.clone(), problem, *roles)),
        }
    };
    parallel::in_order(&solvers, jobs, work, |result| -> Result<(), CliError> {
        match result {
            Ok(target) => probed.push(target),
            Err((name, problem, roles)) if roles.is_reference => {
                failed = Some(format!("cannot use reference `{name}`: {problem}"));
            }
            Err((name, problem, _)) => streams.message(&format!("leaving out `{name}`: {problem}\n"))?,
        }
        Ok(())
    })?;
    if failed.is_none() && !probed.iter().any(|(_, _, roles)| roles.is_release) {
        failed = Some("none of the releases can be run".to_owned());
    }
    if let Some(message) = failed {
        return Err(CliError::environment(message));
    }
    Ok(probed)
}

/// Says what would be run, as the user puts it; what is recorded already is not looked at.
pub(super) fn preview(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let configuration = configuration(args, None);
    let place = installation();
    let mut releases = Vec::new();
    for name in &args.solvers {
        releases.extend(releases_named(&place, name, streams)?);
    }
    let theories: Vec<&str> = match args.theories.is_empty() {
        true => USUAL_THEORIES.to_vec(),
        false => args.theories.iter().map(String::as_str).collect(),
    };
    let runs = releases.len() as u64 * theories.len() as u64 * u64::from(configuration.formulas);
    let results = streams.results();
    writeln!(results, "{} releases: {}", releases.len(), releases.join(" "))?;
    writeln!(results, "{} theories: {}", theories.len(), theories.join(" "))?;
    writeln!(results, "references: {}", configuration.references.join(" "))?;
    writeln!(
        results,
        "{runs} {} runs of at most {} s, and {} runs of references",
        configuration.mode,
        configuration.timeout_secs,
        configuration.references.len() as u64 * theories.len() as u64 * u64::from(configuration.formulas)
    )?;
    Ok(Exit::Done)
}
