//! Performance: a newer release that is much slower, and a solver that hangs.
//!
//! Nothing is said on one measurement. Suspect and reference run again in turn, in fresh processes, and the fastest run
//! of the suspect must still be far behind the slowest of the reference. Times are processor times.

use smelt_smtlib::term::Terms;

use super::{Judge, Observed, Question, Step};
use crate::checked::Checked;
use crate::finding::{Class, Evidence, Verdict};
use crate::run::Answer;

/// The suspect must need so many times the time of the reference.
const RATIO: f64 = 5.0;

/// And so many milliseconds more.
const DIFFERENCE_MS: f64 = 500.0;

/// How often each is measured again.
const REPEATS: usize = 3;

/// A hang must last so many times the limit of the hunt.
const HANG_FACTOR: u32 = 5;

/// Blames a release for needing much longer than an earlier one of its family.
#[derive(Debug)]
pub(super) struct Slowdown;

/// Blames a solver for not ending where another one decides quickly.
#[derive(Debug)]
pub(super) struct Hang;

/// A run that takes too long, and the one that shows how long it could take.
struct Suspicion<'c> {
    slow: &'c Checked,
    fast: &'c Checked,
}

impl Suspicion<'_> {
    /// Both again, in turn.
    fn questions(&self, observed: &Observed<'_>, time_factor: u32) -> Vec<Question> {
        let ask = |checked| Question { time_factor, ..observed.ask(checked, observed.script.clone()) };
        (0..REPEATS).flat_map(|_| [ask(self.slow), ask(self.fast)]).collect()
    }
}

impl Judge for Slowdown {
    fn name(&self) -> &'static str {
        "slowdown"
    }

    fn about(&self) -> &'static str {
        "a release needs much longer than an earlier release of the same solver"
    }

    fn is_usual(&self) -> bool {
        false
    }

    fn step(&self, _: &mut Terms, observed: &Observed<'_>, replies: &[Checked]) -> Step {
        let suspicions = regressions(observed);
        if replies.is_empty() && !suspicions.is_empty() {
            let questions = suspicions.iter().flat_map(|suspicion| suspicion.questions(observed, 1));
            return Step::Ask(questions.collect());
        }
        let verdicts =
            suspicions.iter().zip(replies.chunks(2 * REPEATS)).filter_map(|(suspicion, replies)| {
                let (slow, fast) = times(replies);
                (fast.len() == REPEATS && is_much_slower(least(&slow), greatest(&fast)))
                    .then(|| verdict(Class::Slowdown, suspicion, slow, fast))
            });
        Step::Done(verdicts.collect())
    }
}

impl Judge for Hang {
    fn name(&self) -> &'static str {
        "hang"
    }

    fn about(&self) -> &'static str {
        "a solver does not end where another one decides quickly"
    }

    fn is_usual(&self) -> bool {
        false
    }

    fn step(&self, _: &mut Terms, observed: &Observed<'_>, replies: &[Checked]) -> Step {
        let Some(fast) = fastest(observed) else { return Step::Done(Vec::new()) };
        let suspicions: Vec<Suspicion<'_>> = observed
            .saying(Answer::Timeout)
            .filter(|slow| is_much_slower(slow.run.cpu_ms, fast.run.cpu_ms))
            .map(|slow| Suspicion { slow, fast })
            .collect();
        if replies.is_empty() && !suspicions.is_empty() {
            let questions =
                suspicions.iter().flat_map(|suspicion| suspicion.questions(observed, HANG_FACTOR));
            return Step::Ask(questions.collect());
        }
        let verdicts =
            suspicions.iter().zip(replies.chunks(2 * REPEATS)).filter_map(|(suspicion, replies)| {
                let hangs = replies.iter().step_by(2).all(|reply| reply.run.answer == Answer::Timeout);
                let (slow, fast) = times(replies);
                (hangs && fast.len() == REPEATS && is_much_slower(least(&slow), greatest(&fast)))
                    .then(|| verdict(Class::Hang, suspicion, slow, fast))
            });
        Step::Done(verdicts.collect())
    }
}

/// Pairs of an earlier release that decides and a later one of the same family that needs much longer.
fn regressions<'c>(observed: &Observed<'c>) -> Vec<Suspicion<'c>> {
    let mut suspicions = Vec::new();
    for slow in observed.runs {
        if !slow.run.answer.is_decided() && slow.run.answer != Answer::Timeout {
            continue;
        }
        let is_reference = |fast: &&Checked| {
            let agrees = fast.run.answer.is_decided()
                && (slow.run.answer == Answer::Timeout || slow.run.answer == fast.run.answer);
            let is_earlier = fast.version.is_some() && fast.version < slow.version;
            agrees
                && fast.family == slow.family
                && is_earlier
                && is_much_slower(slow.run.cpu_ms, fast.run.cpu_ms)
        };
        let reference = observed
            .runs
            .iter()
            .filter(is_reference)
            .min_by(|left, right| left.run.cpu_ms.total_cmp(&right.run.cpu_ms));
        suspicions.extend(reference.map(|fast| Suspicion { slow, fast }));
    }
    suspicions
}

fn fastest<'c>(observed: &Observed<'c>) -> Option<&'c Checked> {
    observed
        .runs
        .iter()
        .filter(|checked| checked.run.answer.is_decided())
        .min_by(|left, right| left.run.cpu_ms.total_cmp(&right.run.cpu_ms))
}

fn is_much_slower(slow_ms: f64, fast_ms: f64) -> bool {
    slow_ms >= RATIO * fast_ms && slow_ms - fast_ms >= DIFFERENCE_MS
}

/// The times of the suspect, and those of the reference as far as it decided again.
fn times(replies: &[Checked]) -> (Vec<f64>, Vec<f64>) {
    let slow = replies.iter().step_by(2).map(|reply| reply.run.cpu_ms).collect();
    let fast = replies.iter().skip(1).step_by(2);
    let fast = fast.filter(|reply| reply.run.answer.is_decided()).map(|reply| reply.run.cpu_ms).collect();
    (slow, fast)
}

fn least(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}

fn greatest(times: &[f64]) -> f64 {
    times.iter().copied().fold(0.0, f64::max)
}

fn verdict(class: Class, suspicion: &Suspicion<'_>, slow: Vec<f64>, fast: Vec<f64>) -> Verdict {
    Verdict {
        class,
        culprit: Some(suspicion.slow.run.solver.clone()),
        evidence: Evidence::Times {
            reference: suspicion.fast.run.solver.clone(),
            culprit_ms: slow,
            reference_ms: fast,
        },
    }
}
