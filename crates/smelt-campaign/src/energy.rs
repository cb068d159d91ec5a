//! Energy: what the rounds of a hunt have cost, and what that means for the next ones.
//!
//! Seeds that have shown little for the processor time of their cases are drawn less often, and runs get limits that suit
//! their solver. All this rests on how long solvers took, so it is used where a hunt is bounded by time only, and what
//! was decided is recorded.

use std::collections::BTreeMap;
use std::time::Duration;

use smelt_store::rounds::{MAX_ENERGY, RoundDecision, USUAL_ENERGY};
use smelt_store::yields::CaseYield;

use crate::allowance::Allowance;

/// Every seed is thought to have used so much processor time as seeds do on average: one slow case tells little.
const DOUBT: Duration = Duration::from_millis(500);
/// After each round what was before counts this much less.
const KEPT: f64 = 0.8;
/// A seed of which less is known than this many seconds has no energy of its own any more.
const FORGOTTEN: f64 = 0.001;

/// What the cases of a seed have shown, and the seconds that they took.
#[derive(Debug, Clone, Copy, Default)]
struct SeedYield {
    shown: f64,
    seconds: f64,
}

/// What is known of seeds and solvers.
#[derive(Debug, Clone)]
pub(crate) struct Energy {
    seeds: BTreeMap<u64, SeedYield>,
    /// For each solver; empty if all runs get the full limit.
    solvers: Vec<Allowance>,
}

impl Energy {
    /// Of a campaign with so many solvers whose runs get less than this at first; all if that is none.
    pub(crate) fn new(solvers: usize, full: Option<Duration>) -> Self {
        let solvers = full.map_or_else(Vec::new, |full| vec![Allowance::new(full); solvers]);
        Energy { seeds: BTreeMap::new(), solvers }
    }

    /// Learns from a case of a seed that has shown so much that is new.
    pub(crate) fn note(&mut self, seed: u64, shown: u64, case: &CaseYield) {
        let known = self.seeds.entry(seed).or_default();
        known.shown += shown as f64;
        known.seconds += case.cpu.as_secs_f64();
        let is_promising = case.has_claim || case.costs.iter().any(|run| run.is_decided);
        for run in &case.costs {
            if let Some(solver) = self.solvers.get_mut(run.solver) {
                solver.note(run, is_promising);
            }
        }
    }

    /// Looks at the cases of a round.
    pub(crate) fn end_round(&mut self) {
        self.solvers.iter_mut().for_each(Allowance::end_round);
        for known in self.seeds.values_mut() {
            known.shown *= KEPT;
            known.seconds *= KEPT;
        }
        self.seeds.retain(|_, known| known.seconds >= FORGOTTEN);
    }

    /// Adds to a decision what is decided about seeds and limits.
    pub(crate) fn decide(&self, decision: &mut RoundDecision) {
        decision.limits = self.solvers.iter().map(Allowance::limit).collect();
        let sum = |part: fn(&SeedYield) -> f64| self.seeds.values().map(part).sum::<f64>();
        let (shown, seconds) = (sum(|known| known.shown), sum(|known| known.seconds));
        if shown <= 0.0 || seconds <= 0.0 {
            return;
        }
        let rate = shown / seconds;
        for (seed, known) in &self.seeds {
            let doubt = DOUBT.as_secs_f64();
            let own = (known.shown + rate * doubt) / (known.seconds + doubt);
            let energy = (f64::from(USUAL_ENERGY) * own / rate).round();
            let energy = (energy as u32).clamp(1, MAX_ENERGY);
            if energy != USUAL_ENERGY {
                decision.seeds.insert(*seed, energy);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use smelt_store::yields::RunCost;

    use super::*;

    fn case(millis: u64) -> CaseYield {
        let cpu = Duration::from_millis(millis);
        let run = RunCost { solver: 0, cpu, is_decided: millis < 100, is_cut: millis >= 100 };
        CaseYield { cpu, costs: vec![run], ..CaseYield::default() }
    }

    #[test]
    fn seeds_that_cost_much_and_show_little_are_drawn_less_often() {
        let mut energy = Energy::new(1, Some(Duration::from_secs(2)));
        for _ in 0..40 {
            energy.note(1, 5, &case(10));
            energy.note(2, 0, &case(100));
            energy.note(3, 1, &case(10));
        }
        energy.end_round();
        let mut decision = RoundDecision::default();
        energy.decide(&mut decision);
        let of = |seed| decision.energy(seed);
        assert!(of(1) > of(3) && of(3) > of(2), "{decision:?}");
        assert_eq!(of(4), USUAL_ENERGY);
        assert!(of(2) <= USUAL_ENERGY / 4, "{decision:?}");
        assert!(decision.limits[0].cpu_us < 100_000, "{decision:?}");
    }

    #[test]
    fn without_small_limits_there_are_none() {
        let mut decision = RoundDecision::default();
        Energy::new(3, None).decide(&mut decision);
        assert_eq!(decision, RoundDecision::default());
    }
}
