//! Cases of a hunt in batches: a few are made in a row, run in a row, and judged in a row.
//!
//! A solver that has run has filled the caches of the processor with its own. What we do between two runs then costs
//! several times of what it costs the second time in a row.

use std::sync::Arc;
use std::time::{Duration, Instant};

use smelt_oracle::case::{Case, Relation};
use smelt_oracle::evaluated::{EvaluatedRun, Formula};
use smelt_oracle::run::{Answer, Run};
use smelt_runner::contents::Contents;
use smelt_runner::kind::Kinds;
use smelt_smtlib::read::Reading;
use smelt_smtlib::script::Script;
use smelt_smtlib::term::Terms;
use smelt_testgen::chain::Chain;
use smelt_testgen::seed::Seed;

use super::{DRIFT_SHARE, HuntError, MAX_UNDECIDED, State, sample_key, solver_error};
use crate::omissions::Reason;
use crate::preference::Preference;
use crate::queue::Turn;
use crate::target::Runner;

/// How long plain results wait to be judged with others.
const PATIENCE: Duration = Duration::from_secs(1);

/// The most cases of a batch.
pub(super) const MAX_CASES: usize = 160;
/// The most cases of one chain in a batch: those of a chain that is then left are made in vain.
const MAX_CASES_PER_CHAIN: usize = 40;
/// A batch with this many bytes is full: large formulas keep solvers busy, and may end a chain.
const ENOUGH_BYTES: usize = 1 << 17;

/// A chain that a worker has taken, with terms of its own.
pub(super) struct Taken<'t> {
    pub turn: Turn,
    /// The position of its technique.
    pub technique: usize,
    pub random_seed: u64,
    /// For each target whether it can be asked about the seed.
    pub askable: &'t [bool],
    pub terms: Terms,
    pub seed: Arc<Seed>,
}

/// A chain of which cases are made.
pub(super) struct Trail<'t> {
    pub number: u64,
    pub terms: &'t mut Terms,
    pub chain: Chain<'t>,
    /// After how many of its cases the budget ends.
    pub most: Option<u64>,
    /// How many cases were made of it, those of an earlier hunt included.
    pub cases: u64,
    pub preference: Preference<'t>,
    /// Whether its technique takes one seed after the other, and every solver gets all of them that it can take.
    pub takes_every_seed: bool,
    /// How many of its steps were done before.
    pub steps_done: u32,
    /// For each target whether it is not run on what is left of the chain.
    pub spared: Vec<bool>,
    /// For each target whether it has options other than those that were drawn for the chain.
    pub left_out: Vec<bool>,
    /// The runs of the case before.
    pub runs_before: Option<Vec<EvaluatedRun>>,
    /// How many of its last cases no solver has decided.
    pub undecided: u32,
    /// Whether no more cases are made of it.
    pub is_complete: bool,
    /// Whether cases that were made of it are not looked at any more.
    pub is_left: bool,
}

/// A case that can be run.
pub(super) struct Made {
    pub case: Case,
    /// What the last step did, for people.
    pub detail: String,
    /// How that changed what satisfies the formula before, if it is known.
    pub relation: Option<Relation>,
    pub before: Script,
    pub reading: Reading,
    pub formula: Formula,
    pub contents: Contents,
    /// A number drawn for the case.
    pub sample_key: u64,
    /// For each solver what it is sent, the position of a text, or why it is not asked.
    pub sent: Vec<Result<usize, Reason>>,
    pub texts: Vec<String>,
    /// Whether it was done before: it is run again for judges who compare the next one with it.
    pub is_done: bool,
}

/// A case that is run on one solver after the other.
pub(super) struct Asked {
    /// The position of its chain in the batch.
    pub trail: usize,
    pub made: Made,
    /// For each solver what came of it, if it was run.
    pub runs: Vec<Option<Ran>>,
    /// How many runs were repeated.
    pub repeated: u64,
}

/// One run of a case.
pub(super) struct Ran {
    pub run: Run,
    pub is_warm: bool,
    /// How many formulas the session had been asked by then.
    pub mark: usize,
}

impl Trail<'_> {
    /// Makes the next case that is not done; none if there are no more.
    fn make(&mut self) -> Option<Made> {
        while !self.is_complete {
            if self.is_cut() {
                return None;
            }
            let before = self.chain.script().clone();
            let preference = &self.preference;
            let mut contents = None;
            let next = self.chain.next_liked(self.terms, |terms, script| {
                let contents = contents.insert(Contents::of(terms, script));
                preference.likes(terms, script, contents)
            });
            let (Some(case), Some(contents)) = (next, contents) else { break };
            if case.lineage.step >= self.steps_done {
                return Some(self.made(case, before, contents));
            }
        }
        self.is_complete = true;
        None
    }

    /// Whether the budget has ended it.
    pub(super) fn is_cut(&self) -> bool {
        !self.is_complete && self.most.is_some_and(|most| self.cases >= most)
    }

    /// Notes whether some solver has decided a case. A chain whose cases are not decided any more is left.
    pub(super) fn note_decided(&mut self, is_decided: bool) {
        self.undecided = if is_decided { 0 } else { self.undecided + 1 };
        if self.undecided >= MAX_UNDECIDED {
            self.is_complete = true;
            self.is_left = true;
        }
    }

    /// A case that can be run, which has these contents.
    fn made(&mut self, case: Case, before: Script, contents: Contents) -> Made {
        let reading = self.chain.take_reading().expect("a case has been read back");
        let formula = Formula::new(self.terms, &reading);
        let sample_key = sample_key(&case.lineage);
        let is_done = case.lineage.step == self.steps_done;
        Made {
            case,
            detail: self.chain.detail().to_owned(),
            relation: self.chain.relation(),
            before,
            reading,
            formula,
            contents,
            sample_key,
            sent: Vec::new(),
            texts: Vec::new(),
            is_done,
        }
    }

    /// Whether some solver is asked about a case of it, unless it is spared.
    fn is_sent(&self, made: &Made) -> bool {
        made.sent.iter().zip(&self.left_out).any(|(sent, is_left_out)| sent.is_ok() && !is_left_out)
    }
}

impl Asked {
    /// Whether it is still to be run on a solver, and on its trail that one is not spared.
    fn is_open(&self, trails: &[Trail<'_>], solver: usize) -> bool {
        let trail = &trails[self.trail];
        self.runs[solver].is_none()
            && self.made.sent[solver].is_ok()
            && !trail.spared[solver]
            && !trail.is_left
    }

    /// What it is for a solver that it is sent to.
    fn text(&self, solver: usize) -> (&str, Kinds) {
        let text = self.made.sent[solver].as_ref().expect("it is sent");
        (&self.made.texts[*text], self.made.contents.kinds)
    }
}

impl State<'_> {
    /// The next cases of some chains, each with the position of its chain.
    pub(super) fn make_batch(&self, trails: &mut [Trail<'_>]) -> Vec<(usize, Made)> {
        let mut batch = Vec::new();
        let mut bytes = 0;
        for (position, trail) in trails.iter_mut().enumerate() {
            let most = (batch.len() + MAX_CASES_PER_CHAIN).min(MAX_CASES);
            while batch.len() < most && bytes < ENOUGH_BYTES {
                let Some(mut made) = trail.make() else { break };
                let gets_all = trail.takes_every_seed;
                self.write_texts(trail.terms, &mut made, gets_all);
                trail.cases += u64::from(!made.is_done && trail.is_sent(&made));
                bytes += made.case.script.len();
                batch.push((position, made));
            }
        }
        batch
    }

    /// Writes a case in the words of those who can be asked. Of cases with operators that a solver defines in an older
    /// way it gets all or a sample.
    fn write_texts(&self, terms: &mut Terms, made: &mut Made, gets_all: bool) {
        let script = &made.reading.script;
        // For each text the target whose words it is in.
        let mut writers: Vec<usize> = Vec::new();
        for (position, target) in self.plan.targets.iter().enumerate() {
            let mut why_not = target.why_not(terms, script, &made.contents);
            if why_not.is_none() && !gets_all && !made.sample_key.is_multiple_of(DRIFT_SHARE) {
                why_not = target.older_in(&made.contents);
            }
            made.sent.push(match why_not {
                Some(reason) => Err(reason),
                None => {
                    let known = writers.iter().position(|writer| self.alike[*writer] == self.alike[position]);
                    Ok(known.unwrap_or_else(|| {
                        writers.push(position);
                        made.texts.push(target.text(terms, script));
                        made.texts.len() - 1
                    }))
                }
            });
        }
    }

    /// Runs and judges a batch; false if it was cut short.
    pub(super) fn hunt_batch(
        &self,
        trails: &mut [Trail<'_>],
        batch: Vec<(usize, Made)>,
        runners: &mut [Runner<'_>],
    ) -> Result<bool, HuntError> {
        let not_run =
            |(trail, made)| Asked { trail, made, runs: runners.iter().map(|_| None).collect(), repeated: 0 };
        let mut cases: Vec<Asked> = batch.into_iter().map(not_run).collect();
        while !cases.is_empty() {
            if self.is_over() {
                return Ok(false);
            }
            let mut count = cases.len();
            for (solver, runner) in runners.iter_mut().enumerate() {
                let Some(asked) = self.ask(trails, &mut cases[..count], solver, runner)? else {
                    return Ok(false);
                };
                count = asked;
            }
            for mut asked in cases.drain(..count) {
                self.repeat_starved(&mut asked, runners)?;
                if !self.judge_next(trails, asked, runners)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Runs the first of some cases on a solver, and more until some are to be judged; says how many are done with it.
    /// Nothing if that was cut short.
    fn ask(
        &self,
        trails: &mut [Trail<'_>],
        cases: &mut [Asked],
        solver: usize,
        runner: &mut Runner<'_>,
    ) -> Result<Option<usize>, HuntError> {
        let started = Instant::now();
        loop {
            let open: Vec<usize> =
                (0..cases.len()).filter(|case| cases[*case].is_open(trails, solver)).collect();
            let texts: Vec<(&str, Kinds)> = open.iter().map(|case| cases[*case].text(solver)).collect();
            let Some((script, kinds)) = texts.first() else { return Ok(Some(cases.len())) };
            // A session that ends forgets what it was asked, which judges may want to know.
            let is_due = runner.would_forget(script, *kinds) || started.elapsed() > PATIENCE;
            if open[0] > 0 && is_due {
                return Ok(Some(open[0]));
            }
            let runs = runner.run_some(&texts, PATIENCE);
            // Once we are stopped, a run may have been ended by ourselves and says nothing.
            if self.is_stopped() {
                return Ok(None);
            }
            let runs = runs.map_err(|error| solver_error(runner.target(), error))?;
            let first_mark = (runner.history().len() + 1).saturating_sub(runs.len());
            for (mark, (case, run)) in (first_mark..).zip(open.into_iter().zip(runs)) {
                let asked = &mut cases[case];
                // The mutants of what does not end are most likely no easier.
                let is_hard = matches!(run.answer, Answer::Timeout | Answer::Memout);
                if is_hard && !run.is_cut_by_the_clock() && self.plan.budget.cases.is_none() {
                    let trail = &mut trails[asked.trail];
                    trail.spared[solver] = true;
                    trail.is_complete |= !trail.spared.contains(&false);
                }
                let is_warm = runner.is_warm(asked.made.contents.kinds);
                asked.runs[solver] = Some(Ran { run, is_warm, mark });
            }
        }
    }

    /// Repeats the runs of a case that the clock ended, now that the others of the batch are done: such a run depends on
    /// what else the machine does.
    fn repeat_starved(&self, asked: &mut Asked, runners: &mut [Runner<'_>]) -> Result<(), HuntError> {
        for (solver, runner) in runners.iter_mut().enumerate() {
            let is_starved = |ran: &&Ran| ran.run.is_cut_by_the_clock();
            let Some(mark) = asked.runs[solver].as_ref().filter(is_starved).map(|ran| ran.mark) else {
                continue;
            };
            if self.is_stopped() || !runner.may_repeat() {
                continue;
            }
            let repeated = runner.repeat(asked.text(solver).0);
            if self.is_stopped() {
                continue;
            }
            let run = repeated.map_err(|error| solver_error(runner.target(), error))?;
            asked.runs[solver] = Some(Ran { run, is_warm: false, mark });
            asked.repeated += 1;
        }
        Ok(())
    }

    /// Judges a case; false if that was cut short.
    fn judge_next(
        &self,
        trails: &mut [Trail<'_>],
        asked: Asked,
        runners: &mut [Runner<'_>],
    ) -> Result<bool, HuntError> {
        if self.is_stopped() || self.has_enough() {
            return Ok(false);
        }
        let trail = &mut trails[asked.trail];
        if !trail.is_left && !trail.is_sent(&asked.made) {
            self.leave_out(trail, &asked.made)?;
            return Ok(true);
        }
        // What nobody was asked because all are spared is no case, nor is what follows the end of a chain.
        if trail.is_left || !trail.spared.contains(&false) && asked.runs.iter().all(Option::is_none) {
            return Ok(true);
        }
        for (runner, ran) in runners.iter_mut().zip(&asked.runs) {
            runner.look_back_to(ran.as_ref().map_or(0, |ran| ran.mark));
        }
        self.judge(trail, asked, runners)
    }
}
