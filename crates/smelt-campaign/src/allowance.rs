//! How much processor time the runs of a solver get at first, where what counts is how many cases are decided in all.
//!
//! Most runs end within milliseconds, and those that reach a limit of seconds are nearly always lost: a few of them cost
//! more than all others together. So a run gets a multiple of what most decided runs of its solver needed, and the multiple
//! shrinks while more than a fifth of the time goes into runs that end by a limit. A case that another solver decides, or
//! that claims something, is worth more: a share of these is repeated with more, so large that it costs a small part of all
//! time. Within a chain the limit follows what the chain has needed so far.

use std::time::Duration;

use smelt_store::rounds::{ALL_REPEATED, RoundLimit};
use smelt_store::yields::RunCost;
use smelt_trial::worker::REPEATED_FACTOR;

/// No run gets less.
const MIN: Duration = Duration::from_millis(40);
/// What a run gets before anything is known.
const START: Duration = Duration::from_millis(60);
/// The multiple begins here, and stays between the bounds.
const START_FACTOR: f64 = 6.0;
const MIN_FACTOR: f64 = 1.5;
const MAX_FACTOR: f64 = 40.0;
/// The share of time in runs that end by a limit at which the multiple shrinks, and below which it grows.
const MAX_LOST: f64 = 0.15;
const MIN_LOST: f64 = 0.08;
/// At most by this the multiple changes in a round.
const MAX_SHRINKING: f64 = 3.0;
const GROWTH: f64 = 1.25;
/// The share of time in repetitions, and which share of runs is repeated before anything is known.
const MAX_REPEATED: f64 = 0.05;
const START_REPEATED: u32 = ALL_REPEATED / 16;
/// Decided runs are counted by the fourth root of the power of two of their microseconds.
const BUCKETS: usize = 160;
const BUCKETS_PER_POWER: f64 = 4.0;
/// This share of decided runs needed less than what the multiple is of.
const MOST: f64 = 0.9;
/// Where a chain has needed little so far, its next run gets this many times as much,
const NEED_FACTOR: u32 = 8;
/// and where it has needed much, at least this many times.
const MIN_NEED_FACTOR: u32 = 2;

/// The limit on processor time of the runs of a solver.
#[derive(Debug, Clone)]
pub(crate) struct Allowance {
    full: Duration,
    /// How many decided runs needed so many microseconds, by the logarithm.
    decided: [f64; BUCKETS],
    factor: f64,
    /// Seconds of the runs since the multiple was looked at, and of those that ended by their limit.
    used: f64,
    lost: f64,
    /// How many runs of promising cases the limit ended.
    promising: f64,
    repeated: u32,
}

impl Allowance {
    /// Never more than the full limit.
    pub(crate) fn new(full: Duration) -> Self {
        let decided = [0.0; BUCKETS];
        let (factor, repeated) = (START_FACTOR, START_REPEATED);
        Allowance { full, decided, factor, used: 0.0, lost: 0.0, promising: 0.0, repeated }
    }

    /// What runs of the next round get.
    pub(crate) fn limit(&self) -> RoundLimit {
        RoundLimit { cpu_us: self.cpu().as_micros() as u64, repeated: self.repeated }
    }

    fn cpu(&self) -> Duration {
        let limit = match self.usual_need() {
            Some(need) => need.mul_f64(self.factor).max(MIN),
            None => START,
        };
        limit.min(self.full)
    }

    /// What most decided runs stayed below.
    fn usual_need(&self) -> Option<Duration> {
        let all: f64 = self.decided.iter().sum();
        if all < 1.0 {
            return None;
        }
        let mut below = 0.0;
        let bucket = self.decided.iter().position(|count| {
            below += count;
            below >= MOST * all
        });
        let bucket = bucket.unwrap_or(BUCKETS - 1) as f64;
        Some(Duration::from_micros(((bucket + 1.0) / BUCKETS_PER_POWER).exp2() as u64))
    }

    /// Learns from a run, and whether its case was promising all the same if the limit ended it.
    pub(crate) fn note(&mut self, run: &RunCost, is_promising: bool) {
        let seconds = run.cpu.as_secs_f64();
        self.used += seconds;
        if run.is_cut {
            self.lost += seconds;
            self.promising += f64::from(u8::from(is_promising));
        }
        if run.is_decided {
            let bucket = (run.cpu.as_micros().max(1) as f64).log2() * BUCKETS_PER_POWER;
            self.decided[(bucket as usize).min(BUCKETS - 1)] += 1.0;
        }
    }

    /// Looks at the runs of a round. What was before counts half from now on.
    pub(crate) fn end_round(&mut self) {
        let share = if self.used > 0.0 { self.lost / self.used } else { 0.0 };
        if share > MAX_LOST {
            self.factor /= (share / MAX_LOST).min(MAX_SHRINKING);
        } else if share < MIN_LOST {
            self.factor *= GROWTH;
        }
        self.factor = self.factor.clamp(MIN_FACTOR, MAX_FACTOR);
        let cost = self.promising * f64::from(REPEATED_FACTOR) * self.cpu().as_secs_f64();
        let share = if cost > 0.0 { MAX_REPEATED * self.used / cost } else { 1.0 };
        self.repeated = (share.min(1.0) * f64::from(ALL_REPEATED)) as u32;
        for number in self.decided.iter_mut().chain([&mut self.used, &mut self.lost, &mut self.promising]) {
            *number /= 2.0;
        }
    }
}

/// What a run gets in a chain whose runs have needed at most this much so far, if anything is known of it.
pub(crate) fn limit_in_chain(limit: RoundLimit, need: Option<Duration>) -> Duration {
    let usual = Duration::from_micros(limit.cpu_us);
    match need {
        None => usual,
        // Runs with the same limit can be sent to a session together.
        Some(need) if need * NEED_FACTOR < usual => {
            let millis = (need * NEED_FACTOR).as_millis() as u64;
            Duration::from_millis(millis.next_power_of_two()).clamp(MIN.min(usual), usual)
        }
        Some(need) => usual.max(need * MIN_NEED_FACTOR),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: Duration = Duration::from_secs(2);

    fn millis(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    fn decided(cpu: Duration) -> RunCost {
        RunCost { solver: 0, cpu, is_decided: true, is_cut: false }
    }

    fn cut(allowance: &Allowance) -> RunCost {
        RunCost { solver: 0, cpu: allowance.cpu(), is_decided: false, is_cut: true }
    }

    /// After rounds of 400 runs, of which one in so many is cut.
    fn after(allowance: &mut Allowance, rounds: u32, hard: usize) {
        for _ in 0..rounds {
            for number in 0..400 {
                let run = if number % hard == 0 { cut(allowance) } else { decided(millis(10)) };
                allowance.note(&run, true);
            }
            allowance.end_round();
        }
    }

    #[test]
    fn quick_runs_make_the_limit_small_and_never_too_small() {
        let mut allowance = Allowance::new(FULL);
        assert_eq!(allowance.cpu(), START);
        (0..1000).for_each(|_| allowance.note(&decided(millis(8)), false));
        assert!(allowance.cpu() > MIN && allowance.cpu() < 2 * START, "{:?}", allowance.cpu());
        let mut allowance = Allowance::new(FULL);
        allowance.note(&decided(Duration::from_micros(3)), false);
        assert_eq!(allowance.cpu(), MIN);
    }

    #[test]
    fn the_limit_is_never_more_than_the_full_one() {
        assert_eq!(Allowance::new(millis(10)).cpu(), millis(10));
        let mut allowance = Allowance::new(FULL);
        (0..1000).for_each(|_| allowance.note(&decided(millis(1500)), false));
        assert_eq!(allowance.cpu(), FULL);
    }

    #[test]
    fn where_much_time_is_lost_the_limit_shrinks_and_recovers() {
        let mut allowance = Allowance::new(FULL);
        after(&mut allowance, 10, 4);
        let small = allowance.cpu();
        assert!(small < millis(45), "{small:?}");
        after(&mut allowance, 20, 400);
        assert!(allowance.cpu() > small * 3, "{:?}", allowance.cpu());
    }

    #[test]
    fn repetitions_cost_a_small_part_of_all_time() {
        let mut allowance = Allowance::new(FULL);
        after(&mut allowance, 10, 10);
        let limit = allowance.limit();
        let share = f64::from(limit.repeated) / f64::from(ALL_REPEATED);
        // Of 400 runs, 40 are cut and 360 take 10 milliseconds.
        let all = 3.6 + 40.0 * allowance.cpu().as_secs_f64();
        let repeated = 40.0 * share * f64::from(REPEATED_FACTOR) * allowance.cpu().as_secs_f64();
        assert!(limit.repeated > 0 && repeated < 0.07 * all, "{limit:?}: {repeated} of {all}");
        after(&mut allowance, 10, 400);
        assert!(allowance.limit().repeated > 2 * limit.repeated, "{limit:?} {:?}", allowance.limit());
    }

    #[test]
    fn a_chain_gets_a_multiple_of_what_it_has_needed() {
        let limit = RoundLimit { cpu_us: 300_000, repeated: 0 };
        assert_eq!(limit_in_chain(limit, None), millis(300));
        assert_eq!(limit_in_chain(limit, Some(millis(1))), MIN);
        assert_eq!(limit_in_chain(limit, Some(millis(9))), millis(128));
        assert_eq!(limit_in_chain(limit, Some(millis(50))), millis(300));
        assert_eq!(limit_in_chain(limit, Some(millis(200))), millis(400));
    }
}
