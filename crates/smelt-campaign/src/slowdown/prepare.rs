//! From a request to a search for slowdowns: its plan, what counts as slow, and what the record keeps.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use smelt_oracle::slowness::Threshold;
use smelt_runner::solver::Solver;
use smelt_store::configuration::{Budget, Configuration};
use smelt_store::store::Campaign as Recorded;
use smelt_store::totals::Totals;
use smelt_testgen::random::Random;
use smelt_testgen::search::bandit::{Maker, Settings, Variant};
use smelt_trial::target::Target;

use super::calibrate::Noise;
use super::maker::FormulaMaker;
use super::measure::SEEDS;
use super::{Plan, listening, slowdowns};
use crate::configure::HuntRequest;
use crate::configure::error::RequestError;
use crate::configure::values::Alpha;
use crate::prepare::{NamedCommand, PrepareError, ReadySolver, SlowdownRecord, timeout};
use crate::record::Findings;

/// Processor time for each run if nothing is given.
const DEFAULT_TIMEOUT_SECS: f64 = 3.0;
const DEFAULT_BEST: usize = 3;
const DEFAULT_CALIBRATION: usize = 5;
/// How many formulas a preview shows.
const PREVIEWED: usize = 2;

/// How many formulas are measured before the search.
pub fn calibration(request: &HuntRequest) -> usize {
    request.calibrate.unwrap_or(DEFAULT_CALIBRATION)
}

/// The plan of a search with these solvers. What the request leaves open comes from the campaign that is resumed;
/// its budget is left open.
pub fn plan(
    request: &HuntRequest,
    resumed: Option<&Recorded>,
    solvers: &[ReadySolver],
    own: Option<Solver>,
) -> Result<Plan, PrepareError> {
    let recorded = resumed.map(|recorded| &recorded.configuration);
    let targets: Vec<Target> = solvers.iter().map(|ready| ready.target.clone()).collect();
    let maker = FormulaMaker::new(&targets).ok_or(PrepareError::NothingInCommon)?;
    let timeout_secs = timeout(request, recorded, DEFAULT_TIMEOUT_SECS);
    let variant = match request.search()? {
        Some(variant) => variant,
        None => recorded.and_then(recorded_search).unwrap_or(Variant::Full),
    };
    Ok(Plan {
        targets,
        maker,
        search: Settings::new(variant, timeout_secs),
        threshold: threshold(request.alpha, timeout_secs),
        random_seed: request.seed.or(recorded.map(|recorded| recorded.random_seed)).unwrap_or_default(),
        budget: Budget::default(),
        timeout_secs,
        seeds: request.random_seeds.unwrap_or(SEEDS),
        tried: request.best.unwrap_or(DEFAULT_BEST),
        opinion: own,
    })
}

fn recorded_search(recorded: &Configuration) -> Option<Variant> {
    Variant::named(&recorded.techniques.first()?.name)
}

/// What the record keeps of a plan.
pub fn configuration(solvers: &[ReadySolver], plan: &Plan) -> Configuration {
    let record = SlowdownRecord {
        solvers,
        search: plan.search.variant.name(),
        judges: listening().iter().map(|judge| judge.name().to_owned()).collect(),
        random_seed: plan.random_seed,
        timeout_secs: plan.timeout_secs,
        threshold: plan.threshold,
    };
    record.configuration()
}

/// What is slow: as asked, or half the limit, as in the paper.
fn threshold(alpha: Option<Alpha>, timeout_secs: f64) -> Threshold {
    match alpha {
        None => Threshold::difference(timeout_secs / 2.0),
        Some(Alpha::Seconds(seconds)) => Threshold::difference(seconds),
        Some(Alpha::Times(ratio)) => Threshold { difference_ms: 0.0, ratio },
    }
}

/// Whether the threshold of a campaign is the one that is asked for, perhaps raised above noise.
pub fn is_as_wanted(known: &Threshold, request: &HuntRequest, wanted: &Threshold) -> bool {
    request.alpha.is_none() || (known.ratio == wanted.ratio && known.difference_ms >= wanted.difference_ms)
}

/// Raises a threshold above noise; what users should know of that, in lines.
pub fn raise(threshold: &mut Threshold, noise: &Noise) -> String {
    let floor_ms = noise.floor_ms().ceil();
    let is_raised = threshold.difference_ms < floor_ms;
    let is_noticed = is_raised && threshold.difference_ms > 0.0;
    if is_raised {
        threshold.difference_ms = floor_ms;
    }
    if is_noticed {
        format!("times vary too much for less than {:.1} s\n", floor_ms / 1e3)
    } else {
        String::new()
    }
}

fn threshold_text(threshold: &Threshold) -> String {
    let seconds = threshold.difference_ms / 1e3;
    match threshold.ratio > 1.0 {
        true => format!("{} times as long and {seconds} s more", threshold.ratio),
        false => format!("{seconds} s more"),
    }
}

/// How much times vary, for people; nothing if nothing was measured.
pub fn noise_text(plan: &Plan, noise: &Noise) -> String {
    let Some(suspect) = plan.targets.last().filter(|_| noise.formulas > 0) else { return String::new() };
    format!(
        "times of {}: {:.0} ms on average, vary by {:.0} ms on average and {:.0} ms at most ({} formulas)\n",
        suspect.solver.name,
        noise.mean_ms,
        noise.mean_difference_ms,
        noise.greatest_difference_ms,
        noise.formulas
    )
}

/// What is about to be done, in lines.
pub fn announcement(plan: &Plan, dir: &str, before: Option<&Totals>) -> String {
    let names: Vec<&str> = plan.targets.iter().map(|target| target.solver.name.as_str()).collect();
    let Some((suspect, others)) = names.split_last() else { return String::new() };
    let mut text = format!(
        "{}: {suspect} against {}, slow is {}, findings to {dir}\n",
        plan.search.variant.name(),
        others.join(" "),
        threshold_text(&plan.threshold),
    );
    if plan.seeds > 0 && plan.tried > 0 {
        let _ = writeln!(
            text,
            "when the time is over, up to {} findings are tried with {} random seeds",
            plan.tried, plan.seeds
        );
    }
    if let Some(totals) = before {
        let _ = writeln!(
            text,
            "resuming after {} cases and {} findings in {:.0} s",
            totals.cases,
            totals.all_findings(),
            totals.elapsed.as_secs_f64()
        );
    }
    text
}

/// What would be run and the first formulas, over all operators; nothing is started.
pub fn preview(request: &HuntRequest, solvers: &[NamedCommand]) -> Result<String, RequestError> {
    if solvers.len() < 2 {
        return Err(RequestError::TooFewSolvers);
    }
    let timeout_secs = timeout(request, None, DEFAULT_TIMEOUT_SECS);
    let search = Settings::new(request.search()?.unwrap_or(Variant::Full), timeout_secs);
    let mut random = Random::new(request.seed.unwrap_or_default());
    let names: Vec<&str> = solvers.iter().map(|solver| solver.name.as_str()).collect();
    let mut text = format!(
        "technique: {}\nsolvers: {}; the last one is under test\nslow is {}\n",
        search.variant.name(),
        names.join(" "),
        threshold_text(&threshold(request.alpha, timeout_secs))
    );
    if let Some(mut maker) = FormulaMaker::new(&[]) {
        for _ in 0..PREVIEWED {
            let _ = writeln!(text, "\n{}", maker.fresh(&search.start, &mut random).trim_end());
        }
    }
    Ok(text)
}

/// The slowdowns, the slowest first, with the times of all solvers; empty if there are none.
pub fn slowdown_table(findings: &Findings) -> String {
    let slow = slowdowns(findings);
    let Some(first) = slow.first() else { return String::new() };
    let names: Vec<&str> = first.measured.iter().map(|one| one.solver.as_str()).collect();
    let width = names.iter().map(|name| name.len()).max().unwrap_or(0).max(8);
    let mut text = format!("\n{:<22}", "finding");
    for name in &names {
        let _ = write!(text, " {name:>width$}");
    }
    let _ = writeln!(text, " {:>7} {:>6} {:>7}  first slow", "ratio", "seeds", "pattern");
    for one in &slow {
        let seeds = findings.added(&one.id).seeds;
        let _ = write!(text, "{:<22}", one.id);
        for measured in &one.measured {
            let _ = write!(text, " {:>width$}", format!("{:.0} ms", measured.median_ms()));
        }
        let seeds = seeds.map_or("-".to_owned(), |seeds| format!("{}/{}", seeds.shown, seeds.tried));
        let _ = writeln!(text, " {:>7.1} {seeds:>6} {:>7}  {}", one.ratio, one.pattern + 1, one.first_bad);
    }
    let unique: BTreeSet<usize> = slow.iter().map(|one| one.pattern).collect();
    let _ = writeln!(text, "slowdowns: {}, patterns of times: {}", slow.len(), unique.len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_is_half_the_limit_unless_it_is_given() {
        assert_eq!(threshold(None, 3.0), Threshold::difference(1.5));
        assert_eq!(threshold(Some(Alpha::Seconds(1.0)), 3.0), Threshold::difference(1.0));
        let ratio = threshold(Some(Alpha::Times(5.0)), 3.0);
        assert_eq!(ratio, Threshold { difference_ms: 0.0, ratio: 5.0 });
    }

    #[test]
    fn a_threshold_that_was_raised_is_still_the_same() {
        let wanted = Threshold::difference(0.1);
        let raised = Threshold::difference(0.3);
        let request = |alpha| HuntRequest { alpha, ..HuntRequest::default() };
        assert!(is_as_wanted(&raised, &request(Some(Alpha::Seconds(0.1))), &wanted));
        assert!(is_as_wanted(&wanted, &request(None), &raised));
        assert!(!is_as_wanted(&wanted, &request(Some(Alpha::Seconds(0.3))), &raised));
    }

    #[test]
    fn thresholds_are_told_in_words() {
        assert_eq!(threshold_text(&Threshold::difference(1.5)), "1.5 s more");
        let ratio = Threshold { difference_ms: 100.0, ratio: 5.0 };
        assert_eq!(threshold_text(&ratio), "5 times as long and 0.1 s more");
    }
}
