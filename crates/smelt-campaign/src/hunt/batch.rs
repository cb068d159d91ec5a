//! Cases of a hunt in batches: a few are made in a row, run in a row, and judged in a row.
//!
//! A solver that has run has filled the caches of the processor with its own. What we do between two runs then costs
//! several times of what it costs the second time in a row.

use std::sync::Arc;
use std::time::{Duration, Instant};

use smelt_oracle::case::{Case, Relation};
use smelt_oracle::checked::{Checked, Formula};
use smelt_oracle::run::{Answer, Run};
use smelt_runner::contents::Contents;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::{Reading, read_script_as};
use smelt_smtlib::script::Script;
use smelt_smtlib::term::Terms;
use smelt_testgen::chain::Chain;
use smelt_testgen::seed::Seed;

use super::{CHAIN_LENGTH, DRIFT_SHARE, HuntError, State, lot, solver_error};
use crate::preference::Preference;
use crate::target::Runner;

/// How long plain results wait to be judged with others.
const PATIENCE: Duration = Duration::from_millis(250);

/// A batch has at most so many cases,
pub(super) const MOST_CASES: usize = 40;
/// and is made until its cases have so many bytes: large formulas keep solvers busy, and may end a chain.
const ENOUGH_BYTES: usize = 1 << 15;

/// A chain that a worker has taken, with terms of its own.
pub(super) struct Taken<'t> {
    pub number: u64,
    /// So many of its cases were done in an earlier hunt.
    pub steps_done: u32,
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
    pub preference: Preference<'t>,
    /// So many of its cases were done in an earlier hunt.
    pub steps_done: u32,
    /// For each target whether it is not run on what is left of the chain.
    pub spared: Vec<bool>,
    /// The runs of the case before.
    pub runs_before: Option<Vec<Checked>>,
    /// Whether no more cases are made of it.
    pub is_complete: bool,
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
    pub lot: u64,
    /// For each solver that is asked what it is sent: the position of a text.
    pub sent: Vec<Option<usize>>,
    pub texts: Vec<String>,
}

/// A case that was run.
pub(super) struct Asked {
    /// The position of its chain in the batch.
    pub trail: usize,
    pub made: Made,
    pub runs: Vec<Ran>,
    /// For each solver how many formulas its session had been asked by then.
    pub marks: Vec<usize>,
}

/// One run of a case.
pub(super) struct Ran {
    /// The position of the target.
    pub position: usize,
    pub run: Run,
    pub is_warm: bool,
}

impl Trail<'_> {
    /// Makes the next case that is not done; none if there are no more.
    fn make(&mut self) -> Option<Made> {
        while !self.is_complete && self.chain.step() < CHAIN_LENGTH {
            let before = self.chain.script().clone();
            let preference = &self.preference;
            let next = self.chain.next_liked(self.terms, |terms, script| preference.likes(terms, script));
            let Some(case) = next else { break };
            if case.lineage.step > self.steps_done {
                return Some(self.made(case, before));
            }
        }
        self.is_complete = true;
        None
    }

    fn made(&mut self, case: Case, before: Script) -> Made {
        let reading = read_script_as(self.terms, &case.script, Dialect::V26);
        let formula = Formula::new(self.terms, &reading);
        let contents = Contents::of(self.terms, &reading.script);
        let lot = lot(&case.lineage);
        Made {
            case,
            detail: self.chain.detail().to_owned(),
            relation: self.chain.relation(),
            before,
            reading,
            formula,
            contents,
            lot,
            sent: Vec::new(),
            texts: Vec::new(),
        }
    }
}

impl Asked {
    /// Whether nobody is surprised: all say the same, and what is expected if anything is.
    pub(super) fn is_plain(&self) -> bool {
        let expected = self.made.case.expectation.answer();
        let mut answers = self.runs.iter().map(|ran| ran.run.answer).chain(expected);
        let first = answers.next();
        first.is_none_or(Answer::is_decided) && answers.all(|answer| Some(answer) == first)
    }

    /// The positions of the solvers that did not end.
    pub(super) fn endless(&self) -> impl Iterator<Item = usize> {
        let is_endless = |ran: &&Ran| matches!(ran.run.answer, Answer::Timeout | Answer::Memout);
        self.runs.iter().filter(is_endless).map(|ran| ran.position)
    }
}

impl State<'_> {
    /// The next cases of some chains, each with the position of its chain.
    pub(super) fn make_batch(&self, trails: &mut [Trail<'_>]) -> Vec<(usize, Made)> {
        let mut batch = Vec::new();
        let mut bytes = 0;
        for (position, trail) in trails.iter_mut().enumerate() {
            while batch.len() < MOST_CASES && bytes < ENOUGH_BYTES {
                let Some(mut made) = trail.make() else { break };
                self.write_texts(trail.terms, &mut made);
                bytes += made.case.script.len();
                batch.push((position, made));
            }
        }
        batch
    }

    /// Writes a case in the words of those who can be asked.
    fn write_texts(&self, terms: &mut Terms, made: &mut Made) {
        let script = &made.reading.script;
        // For each text the target whose words it is in.
        let mut writers: Vec<usize> = Vec::new();
        for (position, target) in self.plan.targets.iter().enumerate() {
            let is_asked = target.takes_all_of(terms, script, &made.contents)
                && (made.lot.is_multiple_of(DRIFT_SHARE) || !target.drifts_on(&made.contents));
            let sent = is_asked.then(|| {
                let known = writers.iter().position(|writer| self.alike[*writer] == self.alike[position]);
                known.unwrap_or_else(|| {
                    writers.push(position);
                    made.texts.push(target.text(terms, script));
                    made.texts.len() - 1
                })
            });
            made.sent.push(sent);
        }
    }

    /// Runs and judges a batch; false if it was cut short.
    pub(super) fn hunt_batch(
        &self,
        trails: &mut [Trail<'_>],
        batch: Vec<(usize, Made)>,
        runners: &mut [Runner<'_>],
    ) -> Result<bool, HuntError> {
        let mut waiting: Vec<Asked> = Vec::new();
        let mut waits_since = Instant::now();
        for (position, made) in batch {
            // A session that ends forgets what it was asked, which judges may want to know.
            if would_forget(runners, &made) && !self.judge_all(trails, &mut waiting, runners)? {
                return Ok(false);
            }
            let trail = &mut trails[position];
            if trail.is_complete && !trail.spared.contains(&false) {
                continue;
            }
            if self.is_over() {
                self.judge_all(trails, &mut waiting, runners)?;
                return Ok(false);
            }
            let Some(asked) = self.ask(position, &trail.spared, made, runners)? else { return Ok(false) };
            // Its mutants are most likely no easier.
            if self.plan.budget.cases.is_none() {
                asked.endless().for_each(|position| trail.spared[position] = true);
                trail.is_complete |= !trail.spared.contains(&false);
            }
            if waiting.is_empty() {
                waits_since = Instant::now();
            }
            let is_plain = asked.is_plain();
            waiting.push(asked);
            let is_due = !is_plain || waits_since.elapsed() > PATIENCE;
            if is_due && !self.judge_all(trails, &mut waiting, runners)? {
                return Ok(false);
            }
        }
        self.judge_all(trails, &mut waiting, runners)
    }

    /// Runs a case on all solvers that are not spared; nothing if it was cut short.
    fn ask(
        &self,
        trail: usize,
        spared: &[bool],
        made: Made,
        runners: &mut [Runner<'_>],
    ) -> Result<Option<Asked>, HuntError> {
        let mut runs = Vec::with_capacity(runners.len());
        for (position, runner) in runners.iter_mut().enumerate() {
            let Some(text) = made.sent[position].filter(|_| !spared[position]) else { continue };
            let is_warm = runner.is_warm(made.contents.kinds);
            let run = runner.run(&made.texts[text], made.contents.kinds);
            // Once we are stopped, a run may have been ended by ourselves and says nothing.
            if self.is_stopped() {
                return Ok(None);
            }
            let run = run.map_err(|error| solver_error(runner.target(), error))?;
            runs.push(Ran { position, run, is_warm });
        }
        let marks = runners.iter().map(|runner| runner.history().len()).collect();
        Ok(Some(Asked { trail, made, runs, marks }))
    }

    /// Judges what waits for it, in order; false if that was cut short.
    fn judge_all(
        &self,
        trails: &mut [Trail<'_>],
        waiting: &mut Vec<Asked>,
        runners: &mut [Runner<'_>],
    ) -> Result<bool, HuntError> {
        for asked in waiting.drain(..) {
            if self.is_stopped() || self.has_enough() {
                return Ok(false);
            }
            for (runner, mark) in runners.iter_mut().zip(&asked.marks) {
                runner.look_back_to(*mark);
            }
            if !self.judge(&mut trails[asked.trail], asked, runners)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether one of the sessions would be replaced by a new one before it is asked about a case.
fn would_forget(runners: &[Runner<'_>], made: &Made) -> bool {
    let sent = |position: usize| made.sent[position].map(|text| made.texts[text].as_str());
    runners.iter().enumerate().any(|(position, runner)| {
        sent(position).is_some_and(|text| runner.would_forget(text, made.contents.kinds))
    })
}
