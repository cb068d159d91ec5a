//! Slowness: when a solver is slower than others, and when repeated measurements show it.
//!
//! All times are processor times. No verdict rests on one measurement: solvers are measured in turn, several times, and
//! the fastest run of the suspect must be behind the slowest of the reference. If the two were equally fast, five
//! disjoint repeats of each would be seen in one of 252 cases; the range of five is a bound of the median with a
//! confidence of 94 %.

use serde::{Deserialize, Serialize};

use crate::run::Answer;

/// By how much a solver must be slower. Both parts must hold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Threshold {
    /// By so many milliseconds more than the reference needs.
    pub difference_ms: f64,
    /// And by so many times what the reference needs.
    pub ratio: f64,
}

impl Threshold {
    /// A difference alone, in seconds.
    pub fn difference(seconds: f64) -> Self {
        Threshold { difference_ms: seconds * 1e3, ratio: 1.0 }
    }

    /// Whether one time is that much behind another.
    pub fn is_exceeded(&self, slow_ms: f64, fast_ms: f64) -> bool {
        slow_ms - fast_ms > self.difference_ms && slow_ms > self.ratio * fast_ms
    }
}

/// One measurement of a solver on a formula.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// What it said.
    pub answer: Answer,
    /// What that took, at most the limit.
    pub cpu_ms: f64,
}

impl Measurement {
    /// Whether it tells how long the solver takes, or that it takes longer than allowed.
    pub fn is_timed(&self) -> bool {
        self.answer.is_decided() || self.answer == Answer::Timeout
    }
}

/// A solver with its measurements on one formula; none if it does not take the formula.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The solver.
    pub solver: String,
    /// Its measurements, one of each turn.
    pub runs: Vec<Measurement>,
}

impl Measured {
    /// The least time.
    pub fn least_ms(&self) -> f64 {
        self.runs.iter().map(|run| run.cpu_ms).fold(f64::INFINITY, f64::min)
    }

    /// The greatest time.
    pub fn greatest_ms(&self) -> f64 {
        self.runs.iter().map(|run| run.cpu_ms).fold(0.0, f64::max)
    }

    /// The time in the middle, the lower one of two; zero if there is none.
    pub fn median_ms(&self) -> f64 {
        let mut times: Vec<f64> = self.runs.iter().map(|run| run.cpu_ms).collect();
        times.sort_by(f64::total_cmp);
        if times.is_empty() { 0.0 } else { times[(times.len() - 1) / 2] }
    }

    /// What it says each time; none if it does not decide, or not always the same.
    pub fn decided(&self) -> Option<Answer> {
        let first = self.runs.first()?.answer;
        (first.is_decided() && self.runs.iter().all(|run| run.answer == first)).then_some(first)
    }

    /// The answers in words, each once.
    pub fn words(&self) -> String {
        let mut words: Vec<&str> = Vec::new();
        for run in &self.runs {
            if !words.contains(&run.answer.word()) {
                words.push(run.answer.word());
            }
        }
        if words.is_empty() { "-".to_owned() } else { words.join(" ") }
    }

    /// Whether all its runs are behind all those of another solver, which decides, and by how much the threshold says in
    /// the middle. A solver that contradicts the other one is wrong, not slow.
    pub fn is_slower_than(&self, reference: &Measured, threshold: &Threshold) -> bool {
        let Some(answer) = reference.decided() else { return false };
        let agrees = |run: &Measurement| run.answer == answer || run.answer == Answer::Timeout;
        !self.runs.is_empty()
            && self.runs.iter().all(agrees)
            && self.least_ms() > reference.greatest_ms()
            && threshold.is_exceeded(self.median_ms(), reference.median_ms())
    }
}

/// What measurements show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The position of the fastest of those who decide.
    pub reference: usize,
    /// The position of the first solver after it that is as slow as the suspect.
    pub first_bad: usize,
}

/// Whether measurements show that the last solver is slower than one of those before it.
pub fn shown(measured: &[Measured], threshold: &Threshold) -> Option<Shown> {
    let (suspect, others) = measured.split_last()?;
    let reference = others
        .iter()
        .enumerate()
        .filter(|(_, other)| other.decided().is_some())
        .min_by(|(_, left), (_, right)| left.greatest_ms().total_cmp(&right.greatest_ms()))
        .map(|(position, _)| position)?;
    let is_bad = |one: &Measured| one.is_slower_than(&measured[reference], threshold);
    if !is_bad(suspect) {
        return None;
    }
    let first_bad = (reference + 1..measured.len()).find(|position| is_bad(&measured[*position]));
    Some(Shown { reference, first_bad: first_bad? })
}

/// The score of a formula that was measured once on each solver: by how many milliseconds the last one is behind the
/// fastest of those before it that decide; none if nothing can be compared.
pub fn score_ms(once: &[Measured]) -> Option<f64> {
    let (suspect, others) = once.split_last()?;
    let last = suspect.runs.first().filter(|run| run.is_timed())?;
    let fastest = others
        .iter()
        .filter_map(|other| other.runs.first())
        .filter(|run| run.answer.is_decided())
        .filter(|run| last.answer == run.answer || last.answer == Answer::Timeout)
        .map(|run| run.cpu_ms)
        .fold(f64::INFINITY, f64::min);
    fastest.is_finite().then_some(last.cpu_ms - fastest)
}

/// Whether a formula that was measured once on each solver is worth measuring again.
pub fn is_suspicious(once: &[Measured], threshold: &Threshold) -> bool {
    let Some(score) = score_ms(once) else { return false };
    let slow = once.last().and_then(|last| last.runs.first()).map_or(0.0, |run| run.cpu_ms);
    threshold.is_exceeded(slow, slow - score)
}

/// How often a slowdown shows when the random seed of the solvers is 1, 2, 3 and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// With how many seeds it shows.
    pub shown: u32,
    /// How many seeds were tried.
    pub tried: u32,
}

impl Tally {
    /// How stable a slowdown is: the classes of the paper, scaled if fewer than 30 seeds were tried.
    pub fn class(&self) -> &'static str {
        match (self.shown, self.tried) {
            (0, _) => "0",
            (shown, tried) if shown >= tried => "30",
            (shown, tried) => match 30 * shown / tried.max(1) {
                0..10 => "1-9",
                10..20 => "10-19",
                _ => "20-29",
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Threshold = Threshold { difference_ms: 1000.0, ratio: 1.0 };

    fn measured(solver: &str, answer: Answer, times: &[f64]) -> Measured {
        let runs = times.iter().map(|cpu_ms| Measurement { answer, cpu_ms: *cpu_ms }).collect();
        Measured { solver: solver.to_owned(), runs }
    }

    fn sat(solver: &str, times: &[f64]) -> Measured {
        measured(solver, Answer::Sat, times)
    }

    #[test]
    fn both_parts_of_a_threshold_must_hold() {
        let threshold = Threshold { difference_ms: 100.0, ratio: 5.0 };
        assert!(threshold.is_exceeded(600.0, 100.0));
        assert!(!threshold.is_exceeded(500.0, 100.0));
        assert!(!threshold.is_exceeded(90.0, 1.0));
    }

    #[test]
    fn disjoint_ranges_with_enough_between_them_show_a_slowdown() {
        let fast = sat("old", &[20.0, 25.0, 22.0]);
        let slow = measured("new", Answer::Timeout, &[3000.0, 3000.0, 2990.0]);
        assert_eq!(shown(&[fast.clone(), slow], &SECOND), Some(Shown { reference: 0, first_bad: 1 }));
        let little = sat("new", &[900.0, 1000.0, 1010.0]);
        assert_eq!(shown(&[fast, little], &SECOND), None);
    }

    #[test]
    fn ranges_that_touch_show_nothing() {
        let fast = sat("old", &[20.0, 25.0, 1200.0]);
        let slow = sat("new", &[1200.0, 1500.0, 1500.0]);
        assert_eq!(shown(&[fast, slow], &SECOND), None);
    }

    #[test]
    fn the_fastest_who_decides_is_the_reference_and_the_first_slow_one_after_it_is_bad() {
        let unknown = measured("a", Answer::Unknown, &[1.0, 1.0]);
        let slower = sat("b", &[300.0, 310.0]);
        let fastest = sat("c", &[20.0, 21.0]);
        let first_bad = sat("d", &[1500.0, 1600.0]);
        let last = sat("e", &[2500.0, 2600.0]);
        let all = [unknown, slower, fastest, first_bad, last];
        assert_eq!(shown(&all, &SECOND), Some(Shown { reference: 2, first_bad: 3 }));
    }

    #[test]
    fn whoever_contradicts_gives_up_or_crashes_is_not_slow() {
        let fast = sat("old", &[20.0, 20.0]);
        for answer in [Answer::Unsat, Answer::Unknown, Answer::Crash, Answer::Memout] {
            let other = measured("new", answer, &[2000.0, 2000.0]);
            assert_eq!(shown(&[fast.clone(), other], &SECOND), None, "{answer:?}");
        }
        assert_eq!(shown(&[fast, sat("new", &[])], &SECOND), None);
    }

    #[test]
    fn the_score_is_the_distance_to_the_fastest_of_the_others() {
        let once = [sat("a", &[50.0]), sat("b", &[20.0]), sat("c", &[320.0])];
        assert_eq!(score_ms(&once), Some(300.0));
        assert!(!is_suspicious(&once, &SECOND));
        let ratio = Threshold { difference_ms: 100.0, ratio: 10.0 };
        assert!(is_suspicious(&once, &ratio));
        let alone = [measured("a", Answer::Timeout, &[1.0]), sat("b", &[20.0])];
        assert_eq!(score_ms(&alone), None);
        let contradicted = [sat("a", &[50.0]), measured("b", Answer::Unsat, &[2000.0])];
        assert_eq!(score_ms(&contradicted), None);
    }

    #[test]
    fn tallies_have_the_classes_of_the_paper() {
        let class = |shown| Tally { shown, tried: 30 }.class();
        assert_eq!(
            [0, 1, 9, 10, 19, 20, 29, 30].map(class),
            ["0", "1-9", "1-9", "10-19", "10-19", "20-29", "20-29", "30"]
        );
        assert_eq!(Tally { shown: 5, tried: 10 }.class(), "10-19");
        assert_eq!(Tally { shown: 10, tried: 10 }.class(), "30");
    }

    #[test]
    fn the_median_of_an_even_number_is_the_lower_one() {
        assert_eq!(sat("a", &[4.0, 1.0, 3.0, 2.0]).median_ms(), 2.0);
        assert_eq!(sat("a", &[]).median_ms(), 0.0);
    }
}
