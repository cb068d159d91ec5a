//! The thread that writes what a hunt tells its recorder: in batches, each in one transaction with the counters.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rusqlite::{Transaction, params};
use serde::Serialize;
use smelt_oracle::evaluated::ModelWord;
use smelt_oracle::run::Limit;

use super::{CaseRecord, ChainEnd, ChainRecord, MAX_BATCH, Message, VerdictRecord, lock};
use crate::error::StoreError;
use crate::finding::Finding;
use crate::rounds;
use crate::store::{Store, insert_finding, now_ms};
use crate::totals::Totals;
use crate::yields;

/// A batch is written when it is so old.
const MAX_AGE: Duration = Duration::from_secs(1);

/// Being woken for every message costs more than all else here, so when there is none, the next is not waited for but
/// looked for after so long.
const REST: Duration = Duration::from_millis(25);

/// Counters are kept for every so long.
const COUNTER_PAUSE: Duration = Duration::from_secs(10);

/// The next message, or none if there is none for so long.
fn next(receiver: &Receiver<Message>, patience: Duration) -> Result<Message, RecvTimeoutError> {
    receiver.try_recv().or_else(|_| {
        std::thread::sleep(REST);
        receiver.recv_timeout(patience)
    })
}

/// A chain that is not ended, with the number of its recorded cases.
struct OpenChain {
    record: ChainRecord,
    /// None until a case of this hunt arrives.
    cases: Option<u32>,
}

/// The state of the thread that writes.
pub(super) struct Writer {
    pub(super) store: Store,
    /// The number of this hunt in the record.
    hunt: i64,
    started: Instant,
    /// Hunting time of earlier hunts.
    elapsed_before: Duration,
    own_cpu: fn() -> Duration,
    /// Our own processor time in earlier hunts.
    own_cpu_before: Duration,
    own_cpu_at_start: Duration,
    totals: Arc<Mutex<Totals>>,
    /// Chains that have begun and not ended.
    chains: BTreeMap<u64, OpenChain>,
    /// Cases that are not written yet.
    cases: Vec<CaseRecord>,
    /// Decisions about rounds that are not written yet.
    rounds: Vec<(u64, String)>,
    /// Ends of chains that are not written yet.
    ended: Vec<(u64, ChainEnd)>,
    /// Ids of findings that are not kept any more.
    dropped: Vec<String>,
    /// When counters were kept last in this hunt.
    last_counters: Option<Instant>,
}

impl Writer {
    /// A writer for a hunt that begins now.
    pub(super) fn new(
        store: Store,
        hunt: i64,
        totals: Arc<Mutex<Totals>>,
        own_cpu: fn() -> Duration,
    ) -> Self {
        let before = lock(&totals).clone();
        Writer {
            store,
            hunt,
            started: Instant::now(),
            elapsed_before: before.elapsed,
            own_cpu,
            own_cpu_before: before.own_cpu,
            own_cpu_at_start: own_cpu(),
            totals,
            chains: BTreeMap::new(),
            cases: Vec::new(),
            rounds: Vec::new(),
            ended: Vec::new(),
            dropped: Vec::new(),
            last_counters: None,
        }
    }

    /// Writes what arrives until the hunt finishes.
    pub(super) fn work(&mut self, receiver: &Receiver<Message>) -> Result<(), StoreError> {
        let mut oldest: Option<Instant> = None;
        loop {
            let age = oldest.map_or(Duration::ZERO, |instant| instant.elapsed());
            let message = match next(receiver, MAX_AGE.saturating_sub(age)) {
                Ok(message) => Some(message),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => Some(Message::Finish),
            };
            match message {
                Some(Message::Round(number, decision)) => {
                    self.rounds.push((number, decision));
                    oldest.get_or_insert_with(Instant::now);
                }
                Some(Message::Begin(record)) => {
                    self.chains.insert(record.number, OpenChain { record, cases: None });
                }
                Some(Message::Case(case)) => {
                    lock(&self.totals).add_case(&case);
                    self.cases.push(*case);
                    oldest.get_or_insert_with(Instant::now);
                }
                Some(Message::End(chain, end)) => {
                    if let (ChainEnd::Unusable, Some(open)) = (end, self.chains.get(&chain)) {
                        lock(&self.totals).unusable_seeds.insert(open.record.seed);
                    }
                    self.ended.push((chain, end));
                    oldest.get_or_insert_with(Instant::now);
                }
                Some(Message::Finding { finding, is_new, done }) => {
                    if is_new {
                        lock(&self.totals).add_finding(finding.verdict.class.word());
                    }
                    self.write_finding(&finding)?;
                    oldest = None;
                    // A worker that does not wait any more needs no answer.
                    let _ = done.send(());
                }
                Some(Message::Drop(id, class)) => {
                    lock(&self.totals).drop_finding(&class);
                    self.dropped.push(id);
                    oldest.get_or_insert_with(Instant::now);
                }
                Some(Message::Finish) => {
                    self.last_counters = None;
                    self.write(None)?;
                    let ended = params![now_ms(), self.hunt];
                    let update = "UPDATE hunts SET ended_ms = ?1 WHERE id = ?2";
                    let written = self.store.connection.execute(update, ended);
                    return written.map(|_| ()).map_err(|error| self.store.failed(error));
                }
                None => self.store.check_in_place()?,
            }
            let is_old = oldest.is_some_and(|instant| instant.elapsed() >= MAX_AGE);
            if is_old || self.cases.len() + self.ended.len() >= MAX_BATCH {
                self.write(None)?;
                oldest = None;
            }
        }
    }

    /// Writes a finding so that it survives a power cut.
    fn write_finding(&mut self, finding: &Finding) -> Result<(), StoreError> {
        self.set_synchronous("full")?;
        self.write(Some(finding))?;
        self.set_synchronous("normal")
    }

    fn set_synchronous(&self, value: &str) -> Result<(), StoreError> {
        let set = self.store.connection.pragma_update(None, "synchronous", value);
        set.map_err(|error| self.store.failed(error))
    }

    /// Writes the batch, the counters, and a finding if there is one, to the file under the name of the database.
    fn write(&mut self, finding: Option<&Finding>) -> Result<(), StoreError> {
        self.store.check_in_place()?;
        self.write_all(finding).map_err(|error| self.store.failed(error))
    }

    /// The same in one transaction.
    fn write_all(&mut self, finding: Option<&Finding>) -> rusqlite::Result<()> {
        let totals = self.totals_now();
        let transaction = self.store.connection.transaction()?;
        rounds::write(&transaction, &self.rounds)?;
        self.rounds.clear();
        write_cases(&transaction, &self.cases)?;
        yields::write(&transaction, &self.cases)?;
        for case in self.cases.drain(..) {
            if let Some(chain) = self.chains.get_mut(&case.chain) {
                chain.cases = Some(case.step);
            }
        }
        for (number, end) in self.ended.drain(..) {
            if let Some(chain) = self.chains.remove(&number) {
                let state = if end == ChainEnd::Done { "done" } else { "unusable" };
                write_chain(&transaction, &chain, state)?;
            }
        }
        for chain in self.chains.values().filter(|chain| chain.cases.is_some()) {
            write_chain(&transaction, chain, "open")?;
        }
        for id in self.dropped.drain(..) {
            transaction.prepare_cached("DELETE FROM findings WHERE id = ?1")?.execute([id])?;
        }
        if let Some(finding) = finding {
            insert_finding(&transaction, finding, &json(finding)?, 0)?;
        }
        transaction.prepare_cached("UPDATE campaign SET totals = ?1")?.execute([json(&totals)?])?;
        if self.last_counters.is_none_or(|last| last.elapsed() >= COUNTER_PAUSE) {
            write_counters(&transaction, &totals)?;
            self.last_counters = Some(Instant::now());
        }
        transaction.commit()
    }

    /// The counters with the time up to now.
    fn totals_now(&self) -> Totals {
        let mut totals = lock(&self.totals);
        totals.elapsed = self.elapsed_before + self.started.elapsed();
        totals.own_cpu = self.own_cpu_before + (self.own_cpu)().saturating_sub(self.own_cpu_at_start);
        totals.clone()
    }
}

fn write_cases(transaction: &Transaction<'_>, cases: &[CaseRecord]) -> rusqlite::Result<()> {
    let mut insert_run =
        transaction.prepare_cached("INSERT OR REPLACE INTO runs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    let mut insert_verdict =
        transaction.prepare_cached("INSERT OR REPLACE INTO verdicts VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
    for case in cases {
        let id = case.id();
        for run in &case.runs {
            insert_run.execute(params![
                id,
                run.solver,
                run.answer.word(),
                run.model.map(ModelWord::word),
                run.cpu.as_micros() as i64,
                run.wall.as_micros() as i64,
                run.limit.map(Limit::word)
            ])?;
        }
        for VerdictRecord { verdict, finding, alike, cpu } in &case.verdicts {
            let culprit = verdict.culprit.as_deref().unwrap_or("");
            let (cpu, alike) = (cpu.as_micros() as i64, *alike as i64);
            insert_verdict.execute(params![
                id,
                verdict.class.word(),
                culprit,
                finding.as_str(),
                cpu,
                alike
            ])?;
        }
    }
    Ok(())
}

fn write_chain(transaction: &Transaction<'_>, chain: &OpenChain, state: &str) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO chains VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT (number) DO UPDATE SET cases = max(cases, excluded.cases), state = excluded.state",
    )?;
    insert.execute(params![
        chain.record.number,
        chain.record.seed,
        chain.record.technique,
        // SQLite has signed numbers only; the bits are kept.
        chain.record.random_seed as i64,
        chain.cases.unwrap_or(0),
        state
    ])?;
    Ok(())
}

fn write_counters(transaction: &Transaction<'_>, totals: &Totals) -> rusqlite::Result<()> {
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
    Ok(())
}

fn json(value: &impl Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}
