//! Solvers with options: more configurations of a solver under test.
//!
//! Which sets of options a solver gets is drawn by the random seed of the hunt. Each is a target of its own with a name
//! that tells the options, so that a finding names them and can be replayed. Of the configurations of one solver a
//! chain is run on the plain one and on one other.

use std::io;

use smelt_oracle::run::Answer;
use smelt_runner::cache::Cache;
use smelt_runner::clock;
use smelt_runner::limits::Limits;
use smelt_runner::options::{SAFE, option_sets};
use smelt_runner::probe::PROBE_TIME;
use smelt_runner::solver::Solver;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::read_script_as;
use smelt_smtlib::term::Terms;

use crate::schedule::mix;
use smelt_trial::drift;
use smelt_trial::target::Target;

/// A formula that everybody takes, so that whoever does not refuses the options.
const QUESTION: &str = "(declare-const p Bool)(assert (not p))(check-sat)";
/// What answering it may take.
const QUESTION_SECS: f64 = 5.0;
/// What draws the configuration of a chain from its random numbers, apart from what else does.
const OPTIONS_DRAW: u64 = u64::MAX - 2;

/// So many configurations of a target with drawn options, or fewer if it takes no more.
pub fn draw(target: &Target, count: usize, random_seed: u64, cache: &Cache) -> io::Result<Vec<Target>> {
    let mut sets: Vec<(u64, &str)> = option_sets(target.solver.family)
        .iter()
        .enumerate()
        .map(|(number, set)| (mix(random_seed, number as u64), *set))
        .collect();
    sets.sort_unstable();
    let mut drawn = Vec::new();
    for (_, set) in sets {
        if drawn.len() == count {
            break;
        }
        drawn.extend(with_options(target, set, cache)?);
    }
    Ok(drawn)
}

/// A target with more options; none if it refuses them. With a set that is taken in safe mode it stays there.
fn with_options(target: &Target, set: &str, cache: &Cache) -> io::Result<Option<Target>> {
    let words: Vec<&str> = set.split(' ').collect();
    let first: &[&[&str]] = if target.probe.safe_mode.is_some() { &[&[SAFE], &[]] } else { &[&[]] };
    for first in first {
        let mut solver = target.solver.clone();
        solver.name = format!("{}+{}", solver.name, words.join("+"));
        solver.invocation.args.extend(first.iter().chain(&words).map(Into::into));
        let asked = with_command_line(target, solver);
        let mut terms = Terms::new();
        let reading = read_script_as(&mut terms, QUESTION, Dialect::V26);
        let text = asked.text(&mut terms, &reading.script);
        let run = asked.run_cold(&text, &Limits::for_seconds(QUESTION_SECS))?;
        if run.answer == Answer::Sat {
            return configured(target, asked.solver, cache).map(Some);
        }
    }
    Ok(None)
}

/// A target started with more options. What the program takes is known; with other options it may mean something else.
pub fn configured(target: &Target, solver: Solver, cache: &Cache) -> io::Result<Target> {
    let options_of = Some(target.solver.name.clone());
    let mut found = Target { options_of, ..with_command_line(target, solver) };
    found.meanings = drift::find_cached(&found, cache, clock::now() + PROBE_TIME)?;
    Ok(found)
}

/// A target started with a command line that has options: these say whether it is in safe mode, and no script does.
fn with_command_line(target: &Target, solver: Solver) -> Target {
    let mut probe = target.probe.clone();
    let safe_mode = probe.safe_mode.take();
    if solver.invocation.args.iter().any(|arg| arg == SAFE) {
        probe.capabilities = safe_mode.unwrap_or(probe.capabilities);
    }
    Target { solver, probe, ..target.clone() }
}

/// Which targets a chain with this random seed is not run on.
pub fn left_out(targets: &[Target], random_seed: u64) -> Vec<bool> {
    let draw = mix(random_seed, OPTIONS_DRAW);
    let is_left_out = |target: &Target| {
        let Some(base) = &target.options_of else { return false };
        let rivals: Vec<&str> = targets
            .iter()
            .filter(|other| other.options_of.as_ref() == Some(base))
            .map(|other| other.solver.name.as_str())
            .collect();
        rivals[(draw % rivals.len() as u64) as usize] != target.solver.name
    };
    targets.iter().map(is_left_out).collect()
}
