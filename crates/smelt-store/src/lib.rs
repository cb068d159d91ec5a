//! The durable record of a campaign: configuration, seeds, cases by lineage, runs, verdicts, findings, counters.
//!
//! A [`store::Store`] is one SQLite database in the campaign's folder, and [`lock::Lock`] keeps two hunts from working
//! on it at once. While a hunt runs, a [`recorder::Recorder`] writes from a thread of its own: clean runs in batches,
//! findings at once. Ending the process at any moment loses at most the last batch of clean runs, and what is lost is
//! done again. Why it is built this way, with numbers: `docs/design/store.md`.
//!
//! The record of an evolution study is a database of its own, [`study::StudyStore`].

pub mod configuration;
pub mod error;
pub mod finding;
pub mod lock;
pub mod recorder;
pub mod refusals;
mod schema;
pub mod store;
pub mod study;
pub mod totals;
pub mod yields;
