//! The durable record of a campaign: configuration, seeds, cases by lineage, runs, verdicts, findings, counters.
//!
//! A [`store::Store`] is one SQLite database in the campaign's folder, and [`lock::Lock`] keeps two hunts from working
//! on it at once. While a hunt runs, a [`recorder::Recorder`] writes from a thread of its own: clean runs in batches,
//! findings at once. Ending the process at any moment loses at most the last batch of clean runs, and what is lost is
//! done again. Why it is built this way, with numbers: `docs/design/store.md`.
//!
//! The record of an evolution study is a database of its own, [`study::StudyStore`].
//!
//! | to find | look in |
//! |---|---|
//! | the tables, and the steps from older formats | `schema.rs` |
//! | opening a record, reading it | [`store`] |
//! | the one writer of a running hunt | [`recorder`]; its thread and transactions in `recorder/writer.rs` |
//! | what may not change when a hunt goes on | [`configuration`] |
//! | counters | [`totals`] |
//! | what cases are made of and have found, by which techniques share a hunt | [`yields`] |
//! | what was decided for each round of chains | [`rounds`] |
//! | what solvers refuse, and with which message | [`refusals`] |
//! | one hunt at a time | [`lock`] |
//! | the record of an evolution study, a database of its own | [`study`]; its rows in `study/rows.rs` |
//!
//! Why it is as it is, with numbers: `docs/design/store.md`.

pub mod configuration;
pub mod error;
pub mod finding;
pub mod lock;
pub mod recorder;
pub mod refusals;
pub mod rounds;
mod schema;
pub mod store;
pub mod study;
pub mod totals;
pub mod yields;
