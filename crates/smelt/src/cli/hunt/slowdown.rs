//! `smelt hunt --goal slowdown`: the search for formulas on which the last solver is slow.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use smelt_campaign::configure::error::RequestError;
use smelt_campaign::configure::profiles::Chosen;
use smelt_campaign::find_solvers::{find_solvers, probe};
use smelt_campaign::hunt::HuntError;
use smelt_campaign::opening::{CampaignStart, OpenedCampaign};
use smelt_campaign::prepare::{ReadySolver, budget};
use smelt_campaign::slowdown::calibrate::Noise;
use smelt_campaign::slowdown::prepare::{
    announcement, calibration, configuration, is_as_wanted, noise_text, plan, raise, slowdown_table,
};
use smelt_campaign::slowdown::{self, Plan, noise, seed_records};
use smelt_runner::installation::Installation;
use smelt_runner::timing::Timing;
use smelt_store::store::Campaign as Recorded;

use super::progress::HuntProgress;
use super::{Hunting, print_summary};
use crate::config::solvers::installation;
use crate::config::trust;
use crate::error::{CliError, Exit};
use crate::render::streams::Streams;

impl Hunting<'_> {
    /// Searches for slowdowns, in the campaign that was opened, if there was one.
    pub(super) fn search_slowdowns(
        &self,
        opened: OpenedCampaign,
        stop: &AtomicBool,
        streams: &mut Streams,
    ) -> Result<Exit, CliError> {
        let place = installation();
        let solvers = self.measured_solvers(opened.resumed(), &place, streams)?;
        let before = opened.totals();
        let mut plan = plan(self.request, opened.resumed(), &solvers, place.finder().own())?;
        plan.budget = budget(self.request, opened.resumed(), &before);
        if calibration(self.request) > 0 {
            let left_out = slowdown::leave_out_unknown(&mut plan, &place.cache())?;
            if !left_out.is_empty() {
                let names: Vec<&str> = left_out.iter().map(|op| op.info().name).collect();
                streams.message(&format!("left out, because solvers give up: {}\n", names.join(" ")))?;
            }
        }
        match opened.recorded.as_ref().and_then(|recorded| recorded.configuration.slowdown) {
            Some(known) if is_as_wanted(&known, self.request, &plan.threshold) => plan.threshold = known,
            Some(_) => {}
            None => {
                let noise = self.calibrate(&plan, streams)?;
                streams.message(&raise(&mut plan.threshold, &noise))?;
            }
        }
        let (configuration, seeds) = (configuration(&solvers, &plan), seed_records());
        let start = CampaignStart { configuration: &configuration, seeds: &seeds, budget: &plan.budget };
        let totals = opened.recorded.as_ref().map(|recorded| &recorded.totals);
        let announced = announcement(&plan, &self.dir.display().to_string(), totals);
        trust::remember(configuration.solvers.iter().map(|solver| &solver.command));
        let campaign = opened.begin(&self.dir, &start)?;
        streams.message(&announced)?;
        let progress = HuntProgress::new(before, plan.budget);
        let timing = Timing::begin(1);
        let result = slowdown::run(&plan, campaign, stop, &|totals| progress.show(totals));
        drop(progress);
        if let Some(warning) = timing.conditions().warning() {
            streams.message(&format!("{warning}\n"))?;
        }
        let (totals, findings) = result?;
        if stop.load(Ordering::Relaxed) {
            streams.message(&super::stopped(&self.dir))?;
        }
        let exit = print_summary(&self.dir, &totals, &findings, streams)?;
        streams.results().write_all(slowdown_table(&findings).as_bytes())?;
        Ok(exit)
    }

    /// The solvers, all of which must work, because each has its part.
    fn measured_solvers(
        &self,
        resumed: Option<&Recorded>,
        place: &Installation,
        streams: &mut Streams,
    ) -> Result<Vec<ReadySolver>, CliError> {
        let names = &self.request.solver;
        let chosen: Vec<Chosen> = match resumed {
            Some(recorded) if names.is_empty() => {
                recorded.configuration.solvers.iter().map(Chosen::recorded).collect()
            }
            _ if names.len() < 2 => return Err(RequestError::TooFewSolvers.into()),
            _ => find_solvers(names, self.profiles, place, streams)?,
        };
        let ready = probe(&chosen, &self.probing(resumed.is_some()), &place.cache(), streams)?;
        if ready.len() < chosen.len() {
            return Err(CliError::environment("a search for slowdowns needs all its solvers"));
        }
        Ok(ready.into_iter().map(ReadySolver::with_default_options).collect())
    }

    fn calibrate(&self, plan: &Plan, streams: &mut Streams) -> Result<Noise, CliError> {
        let noise = noise(plan, calibration(self.request)).map_err(|error| match error {
            HuntError::NoSeeds => CliError::usage(error.to_string()),
            _ => CliError::environment(error.to_string()),
        })?;
        streams.message(&noise_text(plan, &noise))?;
        Ok(noise)
    }
}
