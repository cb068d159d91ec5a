//! Performance: a newer release that is much slower, and a solver that hangs.
//!
//! Nothing is said on one measurement. Suspect and reference run again in turn, in fresh processes, and the fastest run
//! of the suspect must still be far behind the slowest of the reference. Times are processor times.

use smelt_smtlib::term::Terms;

use super::{Judge, JudgeStep, Observed, Question, blame};
use crate::evaluated::EvaluatedRun;
use crate::finding::{Class, Evidence, Verdict};
use crate::run::Answer;

/// The suspect must need so many times the time of the reference.
const RATIO: f64 = 5.0;

/// And so many milliseconds more.
const DIFFERENCE_MS: f64 = 500.0;

/// How often each is measured again.
const REPEATS: usize = 5;

/// A hang must last so many times the limit of the hunt.
const HANG_FACTOR: u32 = 5;

/// Blames a release for needing much longer than an earlier one of its family.
#[derive(Debug)]
pub(super) struct Slowdown;

/// Blames a solver for not ending where another one decides quickly.
#[derive(Debug)]
pub(super) struct Hang;

impl Judge for Slowdown {
    fn name(&self) -> &'static str {
        "slowdown"
    }

    fn about(&self) -> &'static str {
        "a release needs much longer than an earlier release of the same solver"
    }

    fn classes(&self) -> &'static [Class] {
        &[Class::Slowdown]
    }

    fn is_usual(&self) -> bool {
        false
    }

    fn is_about_time(&self) -> bool {
        true
    }

    fn step(&self, _: &mut Terms, observed: &Observed<'_>, replies: &[EvaluatedRun]) -> JudgeStep {
        measure_again(&regressions(observed), observed, replies)
    }
}

impl Judge for Hang {
    fn name(&self) -> &'static str {
        "hang"
    }

    fn about(&self) -> &'static str {
        "a solver does not end where another one decides quickly"
    }

    fn classes(&self) -> &'static [Class] {
        &[Class::Hang]
    }

    fn is_usual(&self) -> bool {
        false
    }

    fn is_about_time(&self) -> bool {
        true
    }

    fn step(&self, _: &mut Terms, observed: &Observed<'_>, replies: &[EvaluatedRun]) -> JudgeStep {
        measure_again(&hangs(observed), observed, replies)
    }
}

/// A run that takes too long, and the one that shows how long it could take.
struct Suspicion<'c> {
    /// Slowdown or hang.
    class: Class,
    slow: &'c EvaluatedRun,
    fast: &'c EvaluatedRun,
}

impl Suspicion<'_> {
    /// Both again, in turn.
    fn questions(&self, observed: &Observed<'_>) -> Vec<Question> {
        let time_factor = if self.class == Class::Hang { HANG_FACTOR } else { 1 };
        let ask = |checked| Question { time_factor, ..observed.ask(checked, observed.script.clone()) };
        (0..REPEATS).flat_map(|_| [ask(self.slow), ask(self.fast)]).collect()
    }

    /// A verdict if the replies to the questions show it each time.
    fn verdict(&self, replies: &[EvaluatedRun]) -> Option<Verdict> {
        // What the clock ended says nothing about the solver.
        if replies.iter().any(|reply| reply.run.is_cut_by_the_clock()) {
            return None;
        }
        let slow_replies = || replies.iter().step_by(2);
        if self.class == Class::Hang && !slow_replies().all(|reply| reply.run.answer == Answer::Timeout) {
            return None;
        }
        let culprit_ms: Vec<f64> = slow_replies().map(|reply| reply.run.cpu_ms).collect();
        let reference_ms: Vec<f64> = replies
            .iter()
            .skip(1)
            .step_by(2)
            .filter(|reply| reply.run.answer.is_decided())
            .map(|reply| reply.run.cpu_ms)
            .collect();
        if reference_ms.len() < REPEATS || !is_much_slower(least(&culprit_ms), greatest(&reference_ms)) {
            return None;
        }
        let reference = self.fast.run.solver.clone();
        Some(blame(self.class, self.slow, Evidence::Times { reference, culprit_ms, reference_ms }))
    }
}

/// Asks for measurements of all that is suspected, and speaks when they are there.
fn measure_again(
    suspicions: &[Suspicion<'_>],
    observed: &Observed<'_>,
    replies: &[EvaluatedRun],
) -> JudgeStep {
    if replies.is_empty() && !suspicions.is_empty() {
        return JudgeStep::Ask(
            suspicions.iter().flat_map(|suspicion| suspicion.questions(observed)).collect(),
        );
    }
    let measured = suspicions.iter().zip(replies.chunks(2 * REPEATS));
    JudgeStep::Done(measured.filter_map(|(suspicion, replies)| suspicion.verdict(replies)).collect())
}

/// Solvers that ran out of time, each with the fastest of those that decided, if that needed much less.
fn hangs<'c>(observed: &Observed<'c>) -> Vec<Suspicion<'c>> {
    let Some(fast) = fastest(observed, |checked| checked.run.answer.is_decided()) else { return Vec::new() };
    observed
        .saying(Answer::Timeout)
        .filter(|slow| !slow.run.is_cut_by_the_clock())
        .filter(|slow| is_much_slower(slow.run.cpu_ms, fast.run.cpu_ms))
        .map(|slow| Suspicion { class: Class::Hang, slow, fast })
        .collect()
}

/// Pairs of an earlier release that decides and a later one of the same family that needs much longer.
fn regressions<'c>(observed: &Observed<'c>) -> Vec<Suspicion<'c>> {
    let mut suspicions = Vec::new();
    for slow in observed.runs {
        let is_timeout = slow.run.answer == Answer::Timeout && !slow.run.is_cut_by_the_clock();
        if !slow.run.answer.is_decided() && !is_timeout {
            continue;
        }
        let reference = fastest(observed, |fast| {
            let agrees = slow.run.answer == Answer::Timeout || slow.run.answer == fast.run.answer;
            fast.run.answer.is_decided()
                && agrees
                && fast.is_earlier_release_of(slow)
                && is_much_slower(slow.run.cpu_ms, fast.run.cpu_ms)
        });
        suspicions.extend(reference.map(|fast| Suspicion { class: Class::Slowdown, slow, fast }));
    }
    suspicions
}

/// The fastest of the runs that may be a reference.
fn fastest<'c>(observed: &Observed<'c>, may_be: impl Fn(&EvaluatedRun) -> bool) -> Option<&'c EvaluatedRun> {
    observed
        .runs
        .iter()
        .filter(|checked| may_be(checked))
        .min_by(|left, right| left.run.cpu_ms.total_cmp(&right.run.cpu_ms))
}

fn is_much_slower(slow_ms: f64, fast_ms: f64) -> bool {
    slow_ms >= RATIO * fast_ms && slow_ms - fast_ms >= DIFFERENCE_MS
}

fn least(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}

fn greatest(times: &[f64]) -> f64 {
    times.iter().copied().fold(0.0, f64::max)
}
