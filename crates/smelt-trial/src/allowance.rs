//! How much processor time a run gets at first, where what counts is how many cases are decided in all.
//!
//! Most runs end within milliseconds, and those that reach a limit of seconds are nearly always lost: a few of them cost
//! more than all others together. So a run gets a multiple of what most decided runs of its solver needed, and the multiple
//! shrinks while more than a fifth of the time goes into runs that end by a limit. A case that another solver decides, or
//! that claims something, is worth more: it is repeated with the full limit, as long as such repetitions are a small part
//! of all time.

use std::time::Duration;

/// No run gets less.
const MIN: Duration = Duration::from_millis(40);
/// What a run gets before anything is known.
const START: Duration = Duration::from_millis(200);
/// The multiple begins here, and stays between the bounds.
const START_FACTOR: f64 = 10.0;
const MIN_FACTOR: f64 = 2.0;
const MAX_FACTOR: f64 = 40.0;
/// The share of time in runs that end by a limit at which the multiple shrinks, and below which it grows.
const MAX_LOST: f64 = 0.2;
const MIN_LOST: f64 = 0.1;
/// The share of time in repetitions with the full limit.
const MAX_REPEATED: f64 = 0.1;
/// After this many runs the multiple is looked at again, and what was before counts half.
const PERIOD: u32 = 64;
/// Decided runs are counted by the power of two of their microseconds.
const BUCKETS: usize = 40;
/// This share of decided runs needed less than what the multiple is of.
const MOST: f64 = 0.9;

/// The limit on processor time of the next run of a solver.
#[derive(Debug, Clone)]
pub(crate) struct Allowance {
    full: Duration,
    /// How many decided runs needed less than `2^n` microseconds, and at least half of that.
    decided: [f64; BUCKETS],
    factor: f64,
    runs: u32,
    /// Seconds of the last runs, and of those that ended by their limit.
    used: f64,
    lost: f64,
    /// Seconds of all runs, and of repetitions.
    total: f64,
    repeated: f64,
}

impl Allowance {
    /// Never more than the full limit.
    pub(crate) fn new(full: Duration) -> Self {
        let (decided, factor) = ([0.0; BUCKETS], START_FACTOR);
        Allowance { full, decided, factor, runs: 0, used: 0.0, lost: 0.0, total: 0.0, repeated: 0.0 }
    }

    /// The limit of the next run.
    pub(crate) fn limit(&self) -> Duration {
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
        Some(Duration::from_micros(1 << bucket.unwrap_or(BUCKETS - 1)))
    }

    /// Learns from a run: what it used, and whether it was decided or ended by the limit.
    pub(crate) fn note(&mut self, cpu: Duration, is_decided: bool, is_cut: bool) {
        self.count(cpu, is_cut);
        if is_decided {
            let micros = cpu.as_micros().min(u128::from(u64::MAX)) as u64;
            let bucket = (u64::BITS - micros.leading_zeros()) as usize;
            self.decided[bucket.min(BUCKETS - 1)] += 1.0;
        }
        self.runs += 1;
        if self.runs >= PERIOD {
            self.adapt();
        }
    }

    fn adapt(&mut self) {
        let share = if self.used > 0.0 { self.lost / self.used } else { 0.0 };
        if share > MAX_LOST {
            self.factor /= 1.5;
        } else if share < MIN_LOST {
            self.factor *= 1.25;
        }
        self.factor = self.factor.clamp(MIN_FACTOR, MAX_FACTOR);
        self.runs = 0;
        for number in self.decided.iter_mut().chain([&mut self.used, &mut self.lost]) {
            *number /= 2.0;
        }
    }

    /// Whether a run that its limit ended after so long may have ended with more.
    pub(crate) fn is_early(&self, cpu: Duration) -> bool {
        cpu < self.full.mul_f64(0.9)
    }

    /// Whether such a run may be repeated with the full limit now.
    pub(crate) fn may_repeat(&self) -> bool {
        self.repeated + self.full.as_secs_f64() <= MAX_REPEATED * self.total
    }

    /// Learns from such a repetition.
    pub(crate) fn note_repeated(&mut self, cpu: Duration, is_cut: bool) {
        self.repeated += cpu.as_secs_f64();
        self.count(cpu, is_cut);
    }

    fn count(&mut self, cpu: Duration, is_cut: bool) {
        let seconds = cpu.as_secs_f64();
        self.used += seconds;
        self.total += seconds;
        if is_cut {
            self.lost += seconds;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: Duration = Duration::from_secs(2);

    fn millis(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    #[test]
    fn quick_runs_make_the_limit_small_and_never_too_small() {
        let mut allowance = Allowance::new(FULL);
        assert_eq!(allowance.limit(), START);
        for _ in 0..1000 {
            allowance.note(millis(4), true, false);
        }
        assert!(allowance.limit() < millis(200), "{:?}", allowance.limit());
        let mut allowance = Allowance::new(FULL);
        allowance.note(Duration::from_micros(3), true, false);
        assert_eq!(allowance.limit(), MIN);
    }

    #[test]
    fn the_limit_is_never_more_than_the_full_one() {
        assert_eq!(Allowance::new(millis(10)).limit(), millis(10));
        let mut allowance = Allowance::new(FULL);
        for _ in 0..1000 {
            allowance.note(millis(1500), true, false);
        }
        assert_eq!(allowance.limit(), FULL);
    }

    #[test]
    fn where_much_time_is_lost_the_limit_shrinks_and_recovers() {
        let mut allowance = Allowance::new(FULL);
        let run = |allowance: &mut Allowance, is_hard: bool| match is_hard {
            true => allowance.note(allowance.limit(), false, true),
            false => allowance.note(millis(10), true, false),
        };
        for number in 0..2000 {
            run(&mut allowance, number % 4 == 0);
        }
        let small = allowance.limit();
        assert!(small < millis(60), "{small:?}");
        for _ in 0..2000 {
            run(&mut allowance, false);
        }
        assert!(allowance.limit() > small * 4, "{:?}", allowance.limit());
    }

    #[test]
    fn repetitions_stay_a_small_part_of_all_time() {
        let mut allowance = Allowance::new(FULL);
        assert!(!allowance.may_repeat());
        let mut repeated = 0;
        for _ in 0..20_000 {
            allowance.note(millis(10), true, false);
            if allowance.may_repeat() {
                allowance.note_repeated(FULL, true);
                repeated += 1;
            }
        }
        // 200 seconds of runs.
        assert!(repeated <= 11, "{repeated}");
    }
}
