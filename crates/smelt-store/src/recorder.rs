//! The one writer of a running hunt, in a thread of its own.
//!
//! Clean runs are written in batches, one transaction each; a finding is committed, with all that came before it, and
//! forced to the disk before [`Recorder::finding`] returns. The counters are part of every transaction, so the record
//! never contradicts itself.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::params;
use smelt_oracle::evaluated::ModelWord;
use smelt_oracle::finding::Verdict;
use smelt_oracle::finding_id::FindingId;
use smelt_oracle::run::{Answer, Limit};

use crate::error::StoreError;
use crate::finding::Finding;
use crate::rounds::RoundDecision;
use crate::store::{STEPS_PER_CHAIN, Store, now_ms, written_row};
use crate::totals::Totals;
use crate::yields::CaseYield;
use writer::Writer;

mod writer;

/// A batch is written when it has so many cases.
const MAX_BATCH: usize = 1000;

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

/// One run of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    /// The number of the solver in the configuration.
    pub solver: usize,
    /// What it said.
    pub answer: Answer,
    /// The limit that ended it without an answer, if one did.
    pub limit: Option<Limit>,
    /// What became of its model, if it printed one.
    pub model: Option<ModelWord>,
    /// What it said instead of an answer, if it refused the formula or failed on it.
    pub message: Option<String>,
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
    /// The finding that it is, whether that is kept or there are enough others like it.
    pub finding: FindingId,
    /// What the findings have in common that are most likely one bug.
    pub alike: u64,
    /// The most processor time of a run that it rests on.
    pub cpu: Duration,
}

/// A case that was run and judged, or that no solver could be asked about.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CaseRecord {
    /// The number of its chain, which was begun before.
    pub chain: u64,
    /// Which step of the chain it is, counted from 1.
    pub step: u32,
    /// Its runs.
    pub runs: Vec<RunRecord>,
    /// The runs that judges asked for. They are counted and not kept.
    pub further_runs: Vec<RunRecord>,
    /// What judges said of the case.
    pub verdicts: Vec<VerdictRecord>,
    /// How many verdicts fresh processes did not show again.
    pub unconfirmed: u64,
    /// Runs that were repeated because the clock had ended them.
    pub repeated: u64,
    /// The numbers of the solvers that were not asked by a choice of the hunt, not for what they lack.
    pub withheld: Vec<usize>,
    /// Why no solver was asked, if none was: then it does not count as a case.
    pub not_sent: Option<String>,
    /// What it found.
    pub found: CaseYield,
}

impl CaseRecord {
    /// The id of a case: its place in the order of all cases of a campaign.
    pub fn id(&self) -> u64 {
        case_id(self.chain, self.step)
    }
}

/// The place of a step of a chain in the order of all cases of a campaign.
pub fn case_id(chain: u64, step: u32) -> u64 {
    chain * STEPS_PER_CHAIN + u64::from(step)
}

/// How a chain ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChainEnd {
    /// All its cases are recorded.
    Done,
    /// Its seed cannot be used.
    Unusable,
}

/// What workers tell the writer.
enum Message {
    /// What was decided for the round with this number, as JSON.
    Round(u64, String),
    Begin(ChainRecord),
    Case(Box<CaseRecord>),
    End(u64, ChainEnd),
    /// With the way to say that it is on the disk.
    Finding {
        finding: Box<Finding>,
        is_new: bool,
        done: SyncSender<()>,
    },
    /// That there are enough findings like this one, by its id and class.
    Drop(String, String),
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
        let hunt = written_row(
            &store.connection,
            "INSERT INTO hunts (started_ms, smelt, jobs) VALUES (?1, ?2, ?3) RETURNING id",
            params![now_ms(), session.smelt, session.jobs],
        )
        .map_err(|error| store.failed(error))?;
        let (sender, receiver) = sync_channel(4 * MAX_BATCH);
        let totals = Arc::new(Mutex::new(totals));
        let mut writer = Writer::new(store, hunt, Arc::clone(&totals), session.own_cpu);
        let thread = std::thread::spawn(move || {
            writer.work(&receiver)?;
            Ok(writer.store)
        });
        Ok(Recorder { sender, totals, thread })
    }

    /// Records what was decided for a round, before the first of its chains begins.
    pub fn round(&self, number: u64, decision: &RoundDecision) -> Result<(), StoreError> {
        let text = serde_json::to_string(decision).expect("numbers can be written");
        self.send(Message::Round(number, text))
    }

    /// Says that a chain begins, or goes on after the cases that are recorded.
    pub fn begin(&self, chain: ChainRecord) -> Result<(), StoreError> {
        self.send(Message::Begin(chain))
    }

    /// Records a case.
    pub fn case(&self, case: CaseRecord) -> Result<(), StoreError> {
        self.send(Message::Case(Box::new(case)))
    }

    /// Says that a chain is not to be done again.
    pub fn end(&self, chain: u64, end: ChainEnd) -> Result<(), StoreError> {
        self.send(Message::End(chain, end))
    }

    /// Records a finding; when this returns, it is on the disk.
    pub fn finding(&self, finding: Finding) -> Result<(), StoreError> {
        self.record_finding(finding, true)
    }

    /// Records another case for a finding that is already recorded, as durably as the first.
    pub fn replace_finding(&self, finding: Finding) -> Result<(), StoreError> {
        self.record_finding(finding, false)
    }

    fn record_finding(&self, finding: Finding, is_new: bool) -> Result<(), StoreError> {
        let (done, wait) = sync_channel(1);
        self.send(Message::Finding { finding: Box::new(finding), is_new, done })?;
        wait.recv().map_err(|_| StoreError::Stopped)
    }

    /// Forgets a finding, by its id and the word of its class: its cases count for others like it.
    pub fn drop_finding(&self, id: &str, class: &str) -> Result<(), StoreError> {
        self.send(Message::Drop(id.to_owned(), class.to_owned()))
    }

    fn send(&self, message: Message) -> Result<(), StoreError> {
        self.sender.send(message).map_err(|_| StoreError::Stopped)
    }

    /// The counters up to now, those of earlier hunts included.
    pub fn totals(&self) -> Totals {
        lock(&self.totals).clone()
    }

    /// The processor time of solvers and our own, that of earlier hunts included.
    pub fn cpu(&self) -> Duration {
        let totals = lock(&self.totals);
        totals.solver_cpu + totals.own_cpu
    }

    /// Whether next to nothing of what is made can be sent to any solver.
    pub fn is_vain(&self) -> bool {
        lock(&self.totals).is_vain()
    }

    /// How many seeds could not be used up to now.
    pub fn unusable_seeds(&self) -> usize {
        lock(&self.totals).unusable_seeds.len()
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

#[cfg(test)]
mod tests;
