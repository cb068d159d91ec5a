//! `smelt hunt --goal slowdown`: the search for formulas on which the last solver is slow.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use smelt_campaign::campaign::Campaign;
use smelt_campaign::hunt::HuntError;
use smelt_campaign::record::Findings;
use smelt_campaign::slowdown::calibrate::Noise;
use smelt_campaign::slowdown::maker::FormulaMaker;
use smelt_campaign::slowdown::{self, Plan, listening, noise, seed_records, slowdowns};
use smelt_oracle::slowness::Threshold;
use smelt_runner::installation::Installation;
use smelt_runner::timing::Timing;
use smelt_store::configuration::{Configuration, Sharing, WeightedTechnique};
use smelt_store::store::Campaign as Recorded;
use smelt_testgen::random::Random;
use smelt_testgen::search::bandit::{Maker, Settings as Search, Variant};
use smelt_trial::target::Target;

use super::prepare::{
    Probing, chosen_before, find_solvers, probe, solver_configuration, with_default_options,
};
use super::progress::Progress;
use super::settings::{Alpha, Settings};
use super::{About, begin, budget, summary};
use crate::error::{CliError, Exit};
use crate::profiles::{Chosen, Profiles};
use crate::solvers::probing_ends;
use crate::streams::Streams;

/// Processor time for each run if nothing is said.
const DEFAULT_TIMEOUT_SECS: f64 = 3.0;

/// How many formulas a preview shows.
const PREVIEWED: usize = 2;

/// A search for slowness that the user wants.
pub(super) struct Wanted<'w> {
    pub settings: &'w Settings,
    pub is_resumed: bool,
    pub profiles: &'w Profiles,
}

impl Wanted<'_> {
    /// Searches, in the campaign that was opened, if there was one.
    pub(super) fn run(
        &self,
        place: &Installation,
        (campaign, recorded): (Option<Campaign>, Option<Recorded>),
        stop: &AtomicBool,
        streams: &mut Streams,
    ) -> Result<Exit, CliError> {
        let settings = self.settings;
        let resumed = recorded.as_ref().filter(|_| self.is_resumed);
        let targets = self.targets(resumed, place, streams)?;
        let before = recorded.as_ref().map(|recorded| recorded.totals.clone()).unwrap_or_default();
        let configured = resumed.map(|recorded| &recorded.configuration);
        let timeout_secs = settings
            .timeout_secs
            .or(configured.map(|configured| configured.timeout_secs))
            .unwrap_or(DEFAULT_TIMEOUT_SECS);
        let variant = self.variant(configured);
        let plain: Vec<Target> = targets.iter().map(|(_, target)| target.clone()).collect();
        let Some(maker) = FormulaMaker::new(&plain) else {
            return Err(CliError::usage("these solvers have no operators of strings in common"));
        };
        let mut plan = Plan {
            targets: plain,
            maker,
            search: Search::new(variant, timeout_secs),
            threshold: threshold(settings.alpha, timeout_secs),
            random_seed: settings
                .random_seed
                .or(configured.map(|configured| configured.random_seed))
                .unwrap_or_default(),
            budget: budget(&settings.budget, resumed, &before),
            timeout_secs,
            seeds: settings.random_seeds,
            tried: settings.best,
            opinion: place.finder().own(),
        };
        if settings.calibrate > 0 {
            match slowdown::leave_out_unknown(&mut plan, &place.cache()) {
                Ok(left_out) if left_out.is_empty() => {}
                Ok(left_out) => {
                    let names: Vec<&str> = left_out.iter().map(|op| op.info().name).collect();
                    streams.message(&format!("left out, because solvers give up: {}\n", names.join(" ")))?;
                }
                Err(error) => return Err(CliError::environment(error.to_string())),
            }
        }
        match recorded.as_ref().and_then(|recorded| recorded.configuration.slowdown) {
            Some(known) if is_as_wanted(&known, settings.alpha, &plan.threshold) => plan.threshold = known,
            Some(_) => {}
            None => {
                let noise = self.calibrate(&plan, streams)?;
                raise(&mut plan.threshold, &noise, streams)?;
            }
        }
        let configuration = configuration(&targets, &plan);
        let seeds = seed_records();
        let about = About { configuration: &configuration, seeds: &seeds, budget: &plan.budget };
        let campaign = begin(campaign, recorded.as_ref(), &about, settings, self.is_resumed)?;
        self.announce(&plan, recorded.as_ref(), streams)?;
        let progress = Progress::new(before, plan.budget);
        let timing = Timing::begin(1);
        let result = slowdown::run(&plan, campaign, stop, &|totals| progress.show(totals));
        progress.finish();
        if let Some(warning) = timing.conditions().warning() {
            streams.message(&format!("{warning}\n"))?;
        }
        match result {
            Ok((totals, findings)) => {
                if stop.load(Ordering::Relaxed) {
                    streams.message(&super::stopped(&settings.dir))?;
                }
                let exit = summary::print(&settings.dir, &totals, &findings, streams)?;
                print_slowdowns(&findings, streams)?;
                Ok(exit)
            }
            Err(error) => Err(CliError::environment(error.to_string())),
        }
    }

    /// The solvers, all of which must work, because each has its part.
    #[allow(clippy::type_complexity)]
    fn targets(
        &self,
        resumed: Option<&Recorded>,
        place: &Installation,
        streams: &mut Streams,
    ) -> Result<Vec<(Chosen, Target)>, CliError> {
        let names = &self.settings.solvers;
        let chosen: Vec<Chosen> = match resumed {
            Some(recorded) if names.is_empty() => {
                recorded.configuration.solvers.iter().map(chosen_before).collect()
            }
            _ if names.len() < 2 => {
                let advice = "name two solvers or more with --solver; the last one is under test";
                return Err(CliError::usage(advice));
            }
            _ => find_solvers(names, self.profiles, place, streams)?,
        };
        let probing = Probing {
            cache: &place.cache(),
            is_resumed: resumed.is_some(),
            until: probing_ends(self.settings.budget.time_secs),
        };
        let targets = probe(&chosen, &probing, streams)?;
        let targets: Vec<_> =
            targets.into_iter().map(|(chosen, target)| (chosen, with_default_options(target))).collect();
        if targets.len() < chosen.len() {
            return Err(CliError::environment("a search for slowdowns needs all its solvers"));
        }
        Ok(targets)
    }

    fn variant(&self, configured: Option<&Configuration>) -> Variant {
        let before = configured.and_then(|configured| configured.techniques.first());
        let before = before.and_then(|technique| Variant::named(&technique.name));
        self.settings.variant.or(before).unwrap_or(Variant::Full)
    }

    fn calibrate(&self, plan: &Plan, streams: &mut Streams) -> Result<Noise, CliError> {
        let formulas = self.settings.calibrate;
        match noise(plan, formulas) {
            Ok(noise) => {
                let Some(suspect) = plan.targets.last() else { return Ok(noise) };
                if noise.formulas > 0 {
                    streams.message(&format!(
                        "times of {}: {:.0} ms on average, vary by {:.0} ms on average and {:.0} ms at most ({} formulas)\n",
                        suspect.solver.name,
                        noise.mean_ms,
                        noise.mean_difference_ms,
                        noise.greatest_difference_ms,
                        noise.formulas
                    ))?;
                }
                Ok(noise)
            }
            Err(error @ HuntError::NoSeeds) => Err(CliError::usage(error.to_string())),
            Err(error) => Err(CliError::environment(error.to_string())),
        }
    }

    fn announce(
        &self,
        plan: &Plan,
        recorded: Option<&Recorded>,
        streams: &mut Streams,
    ) -> Result<(), CliError> {
        let names: Vec<&str> = plan.targets.iter().map(|target| target.solver.name.as_str()).collect();
        let Some((suspect, others)) = names.split_last() else { return Ok(()) };
        streams.message(&format!(
            "{}: {suspect} against {}, slow is {}, findings to {}\n",
            plan.search.variant.name(),
            others.join(" "),
            threshold_text(&plan.threshold),
            self.settings.dir.display()
        ))?;
        if plan.seeds > 0 && plan.tried > 0 {
            streams.message(&format!(
                "when the time is over, up to {} findings are tried with {} random seeds\n",
                plan.tried, plan.seeds
            ))?;
        }
        if let Some(recorded) = recorded {
            streams.message(&format!(
                "going on after {} cases and {} findings in {:.0} s\n",
                recorded.totals.cases,
                recorded.totals.all_findings(),
                recorded.totals.elapsed.as_secs_f64()
            ))?;
        }
        Ok(())
    }
}

/// Shows what would be run and the first formulas, over all operators, and does nothing.
pub(super) fn preview(settings: &Settings, streams: &mut Streams) -> Result<Exit, CliError> {
    let timeout_secs = settings.timeout_secs.unwrap_or(DEFAULT_TIMEOUT_SECS);
    let search = Search::new(settings.variant.unwrap_or(Variant::Full), timeout_secs);
    let mut random = Random::new(settings.random_seed.unwrap_or_default());
    let out = streams.results();
    writeln!(out, "technique: {}", search.variant.name())?;
    writeln!(out, "solvers: {}; the last one is under test", settings.solvers.join(" "))?;
    writeln!(out, "slow is {}", threshold_text(&threshold(settings.alpha, timeout_secs)))?;
    if let Some(mut maker) = FormulaMaker::new(&[]) {
        for _ in 0..PREVIEWED {
            writeln!(out, "\n{}", maker.fresh(&search.start, &mut random).trim_end())?;
        }
    }
    Ok(Exit::Done)
}

fn configuration(targets: &[(Chosen, Target)], plan: &Plan) -> Configuration {
    Configuration {
        solvers: targets.iter().map(|(chosen, target)| solver_configuration(chosen, target)).collect(),
        techniques: vec![WeightedTechnique { name: plan.search.variant.name().to_owned(), weight: 1 }],
        judges: listening().iter().map(|judge| judge.name().to_owned()).collect(),
        random_seed: plan.random_seed,
        timeout_secs: plan.timeout_secs,
        chain_length: 1,
        sharing: Sharing::Fixed,
        triples: None,
        slowdown: Some(plan.threshold),
    }
}

/// What is slow, as the user says, or half the limit, as in the paper.
fn threshold(alpha: Option<Alpha>, timeout_secs: f64) -> Threshold {
    match alpha {
        None => Threshold::difference(timeout_secs / 2.0),
        Some(Alpha::Seconds(seconds)) => Threshold::difference(seconds),
        Some(Alpha::Times(ratio)) => Threshold { difference_ms: 0.0, ratio },
    }
}

/// Whether the threshold of a campaign is the wanted one, perhaps raised above noise.
fn is_as_wanted(known: &Threshold, alpha: Option<Alpha>, wanted: &Threshold) -> bool {
    alpha.is_none() || (known.ratio == wanted.ratio && known.difference_ms >= wanted.difference_ms)
}

/// Raises a threshold above what is noise.
fn raise(threshold: &mut Threshold, noise: &Noise, streams: &mut Streams) -> Result<(), CliError> {
    let floor_ms = noise.floor_ms().ceil();
    if threshold.difference_ms < floor_ms {
        if threshold.difference_ms > 0.0 {
            streams.message(&format!("times vary too much for less than {:.1} s\n", floor_ms / 1e3))?;
        }
        threshold.difference_ms = floor_ms;
    }
    Ok(())
}

fn threshold_text(threshold: &Threshold) -> String {
    let seconds = threshold.difference_ms / 1e3;
    match threshold.ratio > 1.0 {
        true => format!("{} times as long and {seconds} s more", threshold.ratio),
        false => format!("{seconds} s more"),
    }
}

/// The slowdowns, the slowest first, with the times of all solvers.
fn print_slowdowns(findings: &Findings, streams: &mut Streams) -> Result<(), CliError> {
    let slow = slowdowns(findings);
    let Some(first) = slow.first() else { return Ok(()) };
    let names: Vec<&str> = first.measured.iter().map(|one| one.solver.as_str()).collect();
    let width = names.iter().map(|name| name.len()).max().unwrap_or(0).max(8);
    let out = streams.results();
    write!(out, "\n{:<22}", "finding")?;
    for name in &names {
        write!(out, " {name:>width$}")?;
    }
    writeln!(out, " {:>7} {:>6} {:>7}  first slow", "ratio", "seeds", "pattern")?;
    for one in &slow {
        let seeds = findings.added(&one.id).seeds;
        write!(out, "{:<22}", one.id)?;
        for measured in &one.measured {
            write!(out, " {:>width$}", format!("{:.0} ms", measured.median_ms()))?;
        }
        let seeds = seeds.map_or("-".to_owned(), |seeds| format!("{}/{}", seeds.shown, seeds.tried));
        writeln!(out, " {:>7.1} {seeds:>6} {:>7}  {}", one.ratio, one.pattern + 1, one.first_bad)?;
    }
    let unique: BTreeSet<usize> = slow.iter().map(|one| one.pattern).collect();
    writeln!(out, "slowdowns: {}, patterns of times: {}", slow.len(), unique.len())?;
    Ok(())
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
        assert!(is_as_wanted(&raised, Some(Alpha::Seconds(0.1)), &wanted));
        assert!(is_as_wanted(&wanted, None, &raised));
        assert!(!is_as_wanted(&wanted, Some(Alpha::Seconds(0.3)), &raised));
    }

    #[test]
    fn thresholds_are_told_in_words() {
        assert_eq!(threshold_text(&Threshold::difference(1.5)), "1.5 s more");
        let ratio = Threshold { difference_ms: 100.0, ratio: 5.0 };
        assert_eq!(threshold_text(&ratio), "5 times as long and 0.1 s more");
    }
}
