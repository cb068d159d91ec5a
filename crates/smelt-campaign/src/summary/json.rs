//! What came of a hunt, as one JSON object.

use std::collections::BTreeMap;

use serde::Serialize;
use smelt_store::totals::Totals;

use super::vacuities;
use crate::hunt::{Hunted, Plan};

/// The result of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
pub struct HuntLine<'l> {
    cases: u64,
    /// Formulas that were sent to no solver, by the reason.
    not_sent: &'l BTreeMap<String, u64>,
    runs: u64,
    /// Runs that were repeated because the clock had ended them, and those that it ended again.
    repeated: u64,
    starved: u64,
    seconds: f64,
    solvers: Vec<SolverLine<'l>>,
    techniques: Vec<TechniqueLine<'l>>,
    findings: Vec<&'l str>,
    /// Why the hunt does not say that solvers are right; the exit status is then 3.
    hardly_tested: Vec<String>,
}

#[derive(Debug, Serialize)]
struct SolverLine<'l> {
    name: &'l str,
    /// The formulas that it was or could have been asked about, had it taken them.
    formulas: u64,
    runs: u64,
    /// Runs that it refused or failed on, and what it said most often then.
    refused: u64,
    message: Option<&'l str>,
    /// Whether it refuses or fails on more than a fifth.
    refuses_often: bool,
}

#[derive(Debug, Serialize)]
struct TechniqueLine<'l> {
    name: &'l str,
    cases: u64,
    claims: u64,
    shapes: u64,
    findings: u64,
}

impl<'l> HuntLine<'l> {
    /// What came of a hunt with solvers of these names.
    pub fn of(plan: &'l Plan, hunted: &'l Hunted, names: &'l [String]) -> Self {
        let totals = &hunted.totals;
        let techniques =
            plan.techniques.iter().zip(&hunted.yields).map(|((technique, _), found)| TechniqueLine {
                name: technique.name(),
                cases: found.cases,
                claims: found.claims,
                shapes: found.shapes,
                findings: found.findings,
            });
        HuntLine {
            cases: totals.cases,
            not_sent: &totals.not_sent,
            runs: totals.runs,
            repeated: totals.repeated,
            starved: totals.starved,
            seconds: totals.elapsed.as_secs_f64(),
            solvers: names
                .iter()
                .enumerate()
                .map(|(position, name)| solver_line(totals, position, name))
                .collect(),
            techniques: techniques.collect(),
            findings: hunted.findings.all().into_iter().map(|finding| finding.id.as_str()).collect(),
            hardly_tested: vacuities(totals, names),
        }
    }
}

fn solver_line<'l>(totals: &'l Totals, position: usize, name: &'l str) -> SolverLine<'l> {
    let refusals = totals.refusals.get(&position);
    SolverLine {
        name,
        formulas: totals.meant_for(position),
        runs: refusals.map_or(0, |refusals| refusals.runs),
        refused: refusals.map_or(0, |refusals| refusals.refused),
        message: refusals.and_then(|refusals| Some(refusals.most_common()?.0)),
        refuses_often: refusals.is_some_and(|refusals| refusals.is_frequent()),
    }
}
