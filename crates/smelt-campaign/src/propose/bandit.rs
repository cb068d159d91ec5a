//! A bandit: a search for formulas on which the last solver is slow, told what each of them costs.
//!
//! Formulas are measured one at a time in fresh processes, and what looks slow is measured again before it counts.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use smelt_oracle::case::{Basis, Case, Expectation, Lineage};
use smelt_oracle::evaluated::EvaluatedRun;
use smelt_oracle::slowness::{Measured, is_suspicious, score_ms};
use smelt_smtlib::term::Terms;
use smelt_store::recorder::{CaseRecord, ChainEnd, ChainRecord};
use smelt_testgen::random::Random;
use smelt_testgen::search::bandit::{FormulaTimes, Search};
use smelt_trial::confirm::Confirmed;
use smelt_trial::drift;
use smelt_trial::trial::Trial;
use smelt_trial::worker::{Stop, Worker};

use crate::driver::{Proposer, Room};
use crate::finding::run_records;
use crate::hunt::{HuntError, sample_key};
use crate::ledger::Ledger;
use crate::schedule::mix;
use crate::slowdown::maker::FormulaMaker;
use crate::slowdown::measure::{Bench, REPEATS, Subject};
use crate::slowdown::replay::verdict_of;
use crate::slowdown::{NO_SEED, Plan};

/// The search of a hunt for slowness.
pub(crate) struct Bandit<'p> {
    plan: &'p Plan,
    ledger: &'p Ledger<'p>,
    maker: FormulaMaker,
    random: Random,
    search: Search<String>,
    /// The number of the next formula.
    number: u64,
    /// How many formulas the campaign may still have; none if that is not limited.
    left: Option<u64>,
    /// The formula that is being measured.
    subject: Subject,
    /// What it costs each solver.
    measured: Vec<Measured>,
    is_confirmed: bool,
}

impl<'p> Bandit<'p> {
    /// The search from the formula with this number on, in a campaign that has this many cases.
    pub(crate) fn new(plan: &'p Plan, ledger: &'p Ledger<'p>, first: u64, cases_before: u64) -> Self {
        let maker = plan.maker.clone();
        Bandit {
            plan,
            ledger,
            random: Random::new(mix(plan.random_seed, first)),
            search: Search::new(plan.search, maker.operators().len()),
            maker,
            number: first,
            left: plan.budget.cases.map(|most| most.saturating_sub(cases_before)),
            subject: Subject::read(""),
            measured: Vec::new(),
            is_confirmed: false,
        }
    }

    fn bench(&self, worker: &Worker<'_>) -> Bench<'p> {
        Bench { targets: &self.plan.targets, limits: *worker.limits() }
    }

    /// What the search is told of the first runs.
    fn outcome(&self) -> FormulaTimes {
        let limit = self.plan.timeout_secs;
        let time = |one: &Measured| one.runs.first().map_or(limit, |run| run.cpu_ms / 1e3);
        FormulaTimes {
            times: self.measured.iter().map(time).collect(),
            score: score_ms(&self.measured).map(|score| score / 1e3),
            is_slow: is_suspicious(&self.measured, &self.plan.threshold),
        }
    }

    fn random_seed(&self) -> u64 {
        mix(self.plan.random_seed, self.number)
    }
}

impl Proposer for Bandit<'_> {
    fn next(&mut self, _: &Worker<'_>, _: Room) -> Result<Vec<Trial>, HuntError> {
        if self.left == Some(0) || self.ledger.may_begin().is_break() {
            return Ok(Vec::new());
        }
        let script = self.search.ask(&mut self.maker, &mut self.random);
        self.subject = Subject::read(&script);
        let lineage = Lineage {
            technique: self.plan.search.variant.name().to_owned(),
            seed: NO_SEED.to_owned(),
            random_seed: self.random_seed(),
            step: 1,
        };
        let key = sample_key(&lineage);
        let case = Case { script, expectation: Expectation::None, basis: Basis::Certain, lineage };
        let mut trial = Trial::read(&mut self.subject.terms, case);
        trial.sample_key = key;
        Ok(vec![trial])
    }

    fn run(
        &mut self,
        worker: &mut Worker<'_>,
        trials: &mut [Trial],
        stop: &AtomicBool,
    ) -> Result<ControlFlow<Stop, usize>, HuntError> {
        let bench = self.bench(worker);
        let runs = bench.once(&mut self.subject);
        if stop.load(Ordering::Relaxed) {
            return Ok(ControlFlow::Break(Stop::Interrupted));
        }
        let runs: Vec<Option<EvaluatedRun>> = runs?;
        self.measured = bench.measured(&runs);
        trials[0].evaluated = runs.into_iter().flatten().collect();
        Ok(ControlFlow::Continue(1))
    }

    fn begin_record(
        &mut self,
        worker: &Worker<'_>,
        trial: &mut Trial,
    ) -> Result<ControlFlow<Stop, Option<CaseRecord>>, HuntError> {
        let (number, targets) = (self.number, worker.targets());
        let runs = run_records(targets, &trial.evaluated);
        let mut record = CaseRecord { chain: number, step: 1, runs, ..CaseRecord::default() };
        let technique = trial.case.lineage.technique.clone();
        let random_seed = self.random_seed();
        self.ledger.recorder.begin(ChainRecord { number, seed: 0, technique, random_seed })?;
        self.is_confirmed = false;
        if !is_suspicious(&self.measured, &self.plan.threshold) {
            return Ok(ControlFlow::Continue(Some(record)));
        }
        let mut measured = self.measured.clone();
        let repeated = self.bench(worker).repeat(&mut self.subject, &mut measured, REPEATS - 1);
        if self.ledger.is_interrupted() {
            return Ok(ControlFlow::Break(Stop::Interrupted));
        }
        record.further_runs = run_records(targets, &repeated?);
        let Some(verdict) = verdict_of(&measured, &self.plan.threshold) else {
            record.unconfirmed += 1;
            return Ok(ControlFlow::Continue(Some(record)));
        };
        self.is_confirmed = true;
        let terms = &mut self.subject.terms;
        let drift = drift::find(terms, &trial.reading, worker, &verdict)?;
        let confirmed = Confirmed { verdict, drift, demonstration: None, runs: trial.evaluated.clone() };
        let verdict = self.ledger.add_finding(worker, terms, trial, confirmed, record.id())?;
        record.verdicts.push(verdict);
        Ok(ControlFlow::Continue(Some(record)))
    }

    fn terms(&mut self, _: &Trial) -> &mut Terms {
        &mut self.subject.terms
    }

    fn learn(&mut self, _: Trial, record: CaseRecord) -> Result<(), HuntError> {
        self.ledger.recorder.case(record)?;
        self.ledger.recorder.end(self.number, ChainEnd::Done)?;
        self.search.tell(&self.outcome());
        if self.is_confirmed {
            self.search.found();
        }
        self.number += 1;
        self.left = self.left.map(|left| left.saturating_sub(1));
        Ok(())
    }
}
