//! From a request to a genetic search: what it is begun with, how a request differs from that, and its plan.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use smelt_testgen::search::evolution::{Evolution, Settings, Variant};

use super::coverage::Provider;
use super::state::{GeneticRecord, State};
use super::{Plan, common_weights};
use crate::configure::error::RequestError;
use crate::configure::values::Word;
use crate::configure::{DEFAULT_TIME, HuntRequest};
use crate::prepare::{NamedCommand, PrepareError, ReadySolver};

/// Processor time for each run if nothing is given, as in the paper.
const DEFAULT_TIMEOUT_SECS: f64 = 5.0;
const DEFAULT_CONFIRM_SECS: f64 = 20.0;
/// How many formulas a preview shows.
const PREVIEWED: usize = 2;
/// The folder of a search that no option names, and its name in earlier releases.
const FOLDER: &str = "smelt-genetic";
const OLD_FOLDER: &str = "smelt-evolution";

/// The folder of a search that is begun or resumed.
pub fn folder(request: &HuntRequest, is_resumed: bool) -> PathBuf {
    let is_old = is_resumed && !State::exists(Path::new(FOLDER)) && State::exists(Path::new(OLD_FOLDER));
    let default = if is_old { OLD_FOLDER } else { FOLDER };
    request.dir.clone().unwrap_or_else(|| PathBuf::from(default))
}

/// What a new search is begun with; how its solvers are started is left open.
pub fn record(request: &HuntRequest) -> GeneticRecord {
    GeneticRecord {
        given: request.solver.clone(),
        solvers: Vec::new(),
        variant: request.variant.unwrap_or_default().name.to_owned(),
        population: request.population.map_or(Settings::default().population, |count| count as usize),
        random_seed: request.seed.unwrap_or_default(),
        timeout_secs: request.timeout.unwrap_or(DEFAULT_TIMEOUT_SECS),
        confirm_secs: request.confirm.unwrap_or(DEFAULT_CONFIRM_SECS),
        coverage: request.coverage.clone().unwrap_or_default().text(),
        traces: request.traces.unwrap_or_default(),
    }
}

/// An option that is not as in the search that is continued.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the search was begun with {option} {value}; leave {option} out, or start another one with --dir")]
pub struct GeneticDifference {
    option: &'static str,
    value: String,
}

/// Whether a request asks for what a search was begun with.
pub fn check_same(request: &HuntRequest, before: &GeneticRecord) -> Result<(), GeneticDifference> {
    let wanted = record(request);
    let given = [
        ("--solver", !request.solver.is_empty(), wanted.given.join(" "), before.given.join(" ")),
        ("--variant", request.variant.is_some(), wanted.variant, before.variant.clone()),
        (
            "--population",
            request.population.is_some(),
            wanted.population.to_string(),
            before.population.to_string(),
        ),
        ("--seed", request.seed.is_some(), wanted.random_seed.to_string(), before.random_seed.to_string()),
        (
            "--timeout",
            request.timeout.is_some(),
            wanted.timeout_secs.to_string(),
            before.timeout_secs.to_string(),
        ),
        (
            "--confirm",
            request.confirm.is_some(),
            wanted.confirm_secs.to_string(),
            before.confirm_secs.to_string(),
        ),
        ("--coverage", request.coverage.is_some(), wanted.coverage, before.coverage.clone()),
        (
            "--traces",
            request.traces.is_some(),
            wanted.traces.word().to_owned(),
            before.traces.word().to_owned(),
        ),
    ];
    match given.into_iter().find(|(_, is_given, wanted, before)| *is_given && wanted != before) {
        Some((option, _, _, value)) => Err(GeneticDifference { option, value }),
        None => Ok(()),
    }
}

/// The plan of a search with these solvers, with files of single runs in a folder.
pub fn plan(
    request: &HuntRequest,
    before: Option<&GeneticRecord>,
    solvers: Vec<ReadySolver>,
    scratch: &Path,
) -> Result<Plan, PrepareError> {
    let about = before.cloned().unwrap_or_else(|| GeneticRecord {
        solvers: solvers.iter().map(ReadySolver::configuration).collect(),
        ..record(request)
    });
    let (Some(variant), Ok(coverage)) = (Variant::named(&about.variant), Provider::from_str(&about.coverage))
    else {
        return Err(PrepareError::OtherRelease);
    };
    let targets: Vec<_> = solvers.into_iter().map(|ready| ready.with_default_options().target).collect();
    let mut search = Settings { variant, population: about.population, ..Settings::default() };
    search.knobs.weights = common_weights(&targets);
    if search.knobs.weights.ops().next().is_none() {
        return Err(PrepareError::NothingInCommon);
    }
    Ok(Plan {
        targets,
        search,
        random_seed: about.random_seed,
        time: request.time.unwrap_or(DEFAULT_TIME),
        timeout_secs: about.timeout_secs,
        confirm_secs: about.confirm_secs,
        coverage,
        traces: about.traces,
        scratch: scratch.to_owned(),
        about,
    })
}

/// What would be run and the first formulas, over all operators; nothing is started.
pub fn preview(request: &HuntRequest, dir: &Path, solvers: &[NamedCommand]) -> Result<String, RequestError> {
    if solvers.len() < 2 {
        return Err(RequestError::TooFewSolvers);
    }
    let about = record(request);
    let state = if State::exists(dir) { "which has a genetic search" } else { "a new genetic search" };
    let mut text = format!("folder      {}, {state}\n", dir.display());
    for (number, NamedCommand { name, command }) in (1..).zip(solvers) {
        let role = if number == solvers.len() { "target" } else { "reference" };
        let _ = writeln!(text, "{role:<11} {name}: {command}");
    }
    let _ = write!(
        text,
        "search      variant {}, {} formulas a generation, {} s, {} s a run, coverage {}\n\
         afterwards  up to {} formulas of the front again, {} s a run\n\
         operators   those that all solvers take; below, all there are\n",
        about.variant,
        about.population,
        request.time.unwrap_or(DEFAULT_TIME).as_secs_f64(),
        about.timeout_secs,
        about.coverage,
        about.population,
        about.confirm_secs
    );
    let variant = request.variant.unwrap_or_default();
    let search = Settings { variant, population: about.population, ..Settings::default() };
    let mut evolution = Evolution::new(search, about.random_seed);
    for _ in 0..PREVIEWED.min(about.population) {
        if let Some(candidate) = evolution.ask() {
            let _ = write!(text, "\n; formula {}\n{}", candidate.number, candidate.text);
        }
    }
    Ok(text)
}

/// What a search is about to do, and what it has done before.
pub fn announcement(plan: &Plan, before: Option<&State>) -> String {
    let mut text = String::new();
    if let Some(state) = before {
        let _ = writeln!(
            text,
            "continuing after {} generations and {} formulas in {:.0} s",
            state.search.history.len(),
            state.search.evaluated,
            state.elapsed_secs
        );
    }
    let _ = writeln!(
        text,
        "searching with {} formulas for {:.0} s, variant {}, {} s a run; target {}, operators {}",
        plan.search.population,
        plan.time.as_secs_f64(),
        plan.search.variant.name,
        plan.timeout_secs,
        plan.targets.last().map_or("", |target| target.solver.name.as_str()),
        plan.search.knobs.weights.ops().count(),
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_options_that_are_given_differ() {
        let before = record(&HuntRequest { population: Some(3), ..HuntRequest::default() });
        assert_eq!(check_same(&HuntRequest::default(), &before), Ok(()));
        let other = HuntRequest { population: Some(4), ..HuntRequest::default() };
        let error = check_same(&other, &before).unwrap_err().to_string();
        assert!(error.starts_with("the search was begun with --population 3; leave"), "{error}");
    }
}
