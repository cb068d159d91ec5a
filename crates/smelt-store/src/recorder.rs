//! The one writer of a running hunt, in a thread of its own.
//!
//! Clean runs are written in batches, one transaction each; a finding is committed, with all that came before it, and
//! forced to the disk before [`Recorder::finding`] returns. The counters are part of every transaction, so the record
//! never contradicts itself.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::params;
use smelt_oracle::finding::Verdict;
use smelt_oracle::run::Answer;

use crate::error::StoreError;
use crate::finding::Recorded;
use crate::store::{STEPS_PER_CHAIN, Store, insert_finding, now_ms};
use crate::totals::Totals;

/// A batch is written when it has so many cases.
const MAX_BATCH: usize = 1000;

/// A batch is written when it is so old.
const MAX_AGE: Duration = Duration::from_millis(250);

/// Counters are kept for every so long.
const COUNTER_PAUSE: Duration = Duration::from_secs(10);

/// What makes a chain of cases again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainRecord {
    /// Its number in the campaign.
    pub number: u64,
    /// The number of its seed.
    pub seed: u64,
    /// Its technique.
    pub technique: String,
    /// Where its chance starts.
    pub random_seed: u64,
}

/// What our evaluator said of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelWord {
    /// It satisfies the formula.
    Accepted,
    /// It does not.
    Refuted,
    /// Nobody knows.
    Undecided,
}

impl ModelWord {
    fn word(self) -> &'static str {
        match self {
            ModelWord::Accepted => "accepted",
            ModelWord::Refuted => "refuted",
            ModelWord::Undecided => "undecided",
        }
    }
}

/// One run of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    /// The number of the solver in the configuration.
    pub solver: usize,
    /// What it said.
    pub answer: Answer,
    /// What became of its model, if it printed one.
    pub model: Option<ModelWord>,
    /// Processor time.
    pub cpu: Duration,
    /// Time on the clock.
    pub wall: Duration,
}

/// One verdict on a case, confirmed by fresh processes.
#[derive(Debug, Clone, PartialEq)]
pub struct VerdictRecord {
    /// What a judge said.
    pub verdict: Verdict,
    /// The finding that it counts for.
    pub finding: String,
}

/// A case that was run and judged.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseRecord {
    /// The number of its chain, which was begun before.
    pub chain: u64,
    /// Which step of the chain it is, counted from 1.
    pub step: u32,
    /// Its runs.
    pub runs: Vec<RunRecord>,
    /// The runs that judges asked for. They are counted and not kept.
    pub further_runs: Vec<RunRecord>,
    /// What judges said of them.
    pub verdicts: Vec<VerdictRecord>,
    /// How many verdicts fresh processes did not show again.
    pub unconfirmed: u64,
}

/// How a chain ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChainEnd {
    /// All its cases are recorded.
    Done,
    /// Its seed cannot be used.
    Unusable,
}

enum Message {
    Begin(ChainRecord),
    Case(CaseRecord),
    End(u64, ChainEnd),
    Finding(Box<Recorded>, SyncSender<()>),
    Finish,
}

/// What the recorder cannot know by itself.
#[derive(Debug, Clone, Copy)]
pub struct Session<'s> {
    /// The version of smelt.
    pub smelt: &'s str,
    /// How many workers there are.
    pub jobs: usize,
    /// Tells how much processor time this process has used.
    pub own_cpu: fn() -> Duration,
}

/// The writer of a running hunt. Workers share it.
#[derive(Debug)]
pub struct Recorder {
    sender: SyncSender<Message>,
    totals: Arc<Mutex<Totals>>,
    thread: JoinHandle<Result<Store, StoreError>>,
}

impl Recorder {
    /// Starts writing; the campaign must have begun.
    pub fn start(store: Store, totals: Totals, session: Session<'_>) -> Result<Recorder, StoreError> {
        let hunt = store
            .connection
            .query_row(
                "INSERT INTO hunts (started_ms, smelt, jobs) VALUES (?1, ?2, ?3) RETURNING id",
                params![now_ms(), session.smelt, session.jobs],
                |row| row.get(0),
            )
            .map_err(|error| store.failed(error))?;
        let (sender, receiver) = sync_channel(4 * MAX_BATCH);
        let mut writer = Writer {
            store,
            hunt,
            elapsed_before: totals.elapsed,
            own_cpu_before: totals.own_cpu,
            started: Instant::now(),
            own_cpu_at_start: (session.own_cpu)(),
            own_cpu: session.own_cpu,
            totals: Arc::new(Mutex::new(totals)),
            chains: BTreeMap::new(),
            cases: Vec::new(),
            ended: Vec::new(),
            last_counters: None,
        };
        let totals = Arc::clone(&writer.totals);
        let thread = std::thread::spawn(move || {
            writer.work(&receiver).map_err(|error| writer.store.failed(error))?;
            Ok(writer.store)
        });
        Ok(Recorder { sender, totals, thread })
    }

    /// Says that a chain begins, or goes on after the cases that are recorded.
    pub fn begin(&self, chain: ChainRecord) -> Result<(), StoreError> {
        self.send(Message::Begin(chain))
    }

    /// Records a case.
    pub fn case(&self, case: CaseRecord) -> Result<(), StoreError> {
        self.send(Message::Case(case))
    }

    /// Says that a chain is not to be done again.
    pub fn end(&self, chain: u64, end: ChainEnd) -> Result<(), StoreError> {
        self.send(Message::End(chain, end))
    }

    /// Records a finding; when this returns, it is on the disk.
    pub fn finding(&self, recorded: Recorded) -> Result<(), StoreError> {
        let (done, wait) = sync_channel(1);
        self.send(Message::Finding(Box::new(recorded), done))?;
        wait.recv().map_err(|_| StoreError::Stopped)
    }

    fn send(&self, message: Message) -> Result<(), StoreError> {
        self.sender.send(message).map_err(|_| StoreError::Stopped)
    }

    /// The counters up to now, those of earlier hunts included.
    pub fn totals(&self) -> Totals {
        lock(&self.totals).clone()
    }

    /// Writes what is left and gives the store back.
    pub fn finish(self) -> Result<(Store, Totals), StoreError> {
        // If the writer has stopped, its error says more than ours.
        let _ = self.sender.send(Message::Finish);
        let store = match self.thread.join() {
            Ok(result) => result?,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        let totals = lock(&self.totals).clone();
        Ok((store, totals))
    }
}

fn lock(totals: &Mutex<Totals>) -> MutexGuard<'_, Totals> {
    totals.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A chain that is not ended, with the number of its recorded cases.
struct OpenChain {
    record: ChainRecord,
    /// None until a case of this hunt arrives.
    cases: Option<u32>,
}

struct Writer {
    store: Store,
    hunt: i64,
    started: Instant,
    elapsed_before: Duration,
    own_cpu: fn() -> Duration,
    own_cpu_before: Duration,
    own_cpu_at_start: Duration,
    totals: Arc<Mutex<Totals>>,
    chains: BTreeMap<u64, OpenChain>,
    cases: Vec<CaseRecord>,
    ended: Vec<(u64, ChainEnd)>,
    last_counters: Option<Instant>,
}

impl Writer {
    fn work(&mut self, receiver: &Receiver<Message>) -> rusqlite::Result<()> {
        let mut oldest: Option<Instant> = None;
        loop {
            let age = oldest.map_or(Duration::ZERO, |instant| instant.elapsed());
            let message = match receiver.recv_timeout(MAX_AGE.saturating_sub(age)) {
                Ok(message) => Some(message),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => Some(Message::Finish),
            };
            match message {
                Some(Message::Begin(record)) => {
                    self.chains.insert(record.number, OpenChain { record, cases: None });
                }
                Some(Message::Case(case)) => {
                    lock(&self.totals).add_case(&case);
                    self.cases.push(case);
                    oldest.get_or_insert_with(Instant::now);
                }
                Some(Message::End(chain, end)) => {
                    if let (ChainEnd::Unusable, Some(open)) = (end, self.chains.get(&chain)) {
                        lock(&self.totals).unusable_seeds.insert(open.record.seed);
                    }
                    self.ended.push((chain, end));
                    oldest.get_or_insert_with(Instant::now);
                }
                Some(Message::Finding(recorded, done)) => {
                    self.write_finding(&recorded)?;
                    oldest = None;
                    // A worker that does not wait any more needs no answer.
                    let _ = done.send(());
                }
                Some(Message::Finish) => {
                    self.last_counters = None;
                    self.write(None)?;
                    self.store.connection.execute(
                        "UPDATE hunts SET ended_ms = ?1 WHERE id = ?2",
                        params![now_ms(), self.hunt],
                    )?;
                    return Ok(());
                }
                None => {}
            }
            let is_old = oldest.is_some_and(|instant| instant.elapsed() >= MAX_AGE);
            if is_old || self.cases.len() + self.ended.len() >= MAX_BATCH {
                self.write(None)?;
                oldest = None;
            }
        }
    }

    /// Writes a finding so that it survives a power cut.
    fn write_finding(&mut self, recorded: &Recorded) -> rusqlite::Result<()> {
        lock(&self.totals).add_finding(recorded.finding.verdict.class.word());
        self.store.connection.pragma_update(None, "synchronous", "full")?;
        self.write(Some(recorded))?;
        self.store.connection.pragma_update(None, "synchronous", "normal")
    }

    /// One transaction: the batch, the counters, and a finding if there is one.
    fn write(&mut self, finding: Option<&Recorded>) -> rusqlite::Result<()> {
        let totals = {
            let mut totals = lock(&self.totals);
            totals.elapsed = self.elapsed_before + self.started.elapsed();
            totals.own_cpu = self.own_cpu_before + (self.own_cpu)().saturating_sub(self.own_cpu_at_start);
            totals.clone()
        };
        let transaction = self.store.connection.transaction()?;
        {
            let mut insert_run =
                transaction.prepare_cached("INSERT OR REPLACE INTO runs VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
            let mut insert_verdict =
                transaction.prepare_cached("INSERT OR REPLACE INTO verdicts VALUES (?1, ?2, ?3, ?4)")?;
            for case in self.cases.drain(..) {
                let id = case.chain * STEPS_PER_CHAIN + u64::from(case.step);
                for run in &case.runs {
                    insert_run.execute(params![
                        id,
                        run.solver,
                        run.answer.word(),
                        run.model.map(ModelWord::word),
                        run.cpu.as_micros() as i64,
                        run.wall.as_micros() as i64
                    ])?;
                }
                for VerdictRecord { verdict, finding } in &case.verdicts {
                    let culprit = verdict.culprit.as_deref().unwrap_or("");
                    insert_verdict.execute(params![id, verdict.class.word(), culprit, finding])?;
                }
                if let Some(chain) = self.chains.get_mut(&case.chain) {
                    chain.cases = Some(case.step);
                }
            }
            let mut insert_chain = transaction.prepare_cached(
                "INSERT INTO chains VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                ON CONFLICT (number) DO UPDATE SET cases = max(cases, excluded.cases), state = excluded.state",
            )?;
            let mut write_chain = |chain: &OpenChain, state: &str| {
                insert_chain.execute(params![
                    chain.record.number,
                    chain.record.seed,
                    chain.record.technique,
                    // SQLite has signed numbers only; the bits are kept.
                    chain.record.random_seed as i64,
                    chain.cases.unwrap_or(0),
                    state
                ])
            };
            for (number, end) in self.ended.drain(..) {
                if let Some(chain) = self.chains.remove(&number) {
                    write_chain(&chain, if end == ChainEnd::Done { "done" } else { "unusable" })?;
                }
            }
            for chain in self.chains.values_mut().filter(|chain| chain.cases.is_some()) {
                write_chain(chain, "open")?;
            }
        }
        if let Some(recorded) = finding {
            insert_finding(&transaction, recorded, &json(&recorded.finding)?, 0)?;
        }
        transaction.prepare_cached("UPDATE campaign SET totals = ?1")?.execute([json(&totals)?])?;
        if self.last_counters.is_none_or(|last| last.elapsed() >= COUNTER_PAUSE) {
            transaction.execute(
                "INSERT OR REPLACE INTO counters VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![
                    now_ms(),
                    totals.elapsed.as_millis() as i64,
                    totals.cases,
                    totals.runs,
                    totals.all_findings(),
                    totals.solver_cpu.as_millis() as i64,
                    totals.own_cpu.as_millis() as i64
                ],
            )?;
            self.last_counters = Some(Instant::now());
        }
        transaction.commit()
    }
}

fn json(value: &impl serde::Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}

#[cfg(test)]
mod tests;
