//! Findings made smaller, told apart and bisected.
//!
//! [`reduce`] makes a script smaller as long as a [`reduce::Criterion`] holds; [`reduce::criterion`] has those for commands
//! and findings. [`bisect`] finds where a history changes, by what a [`bisect::Laboratory`] measures at its points.
//! [`cluster`] puts findings with one cause together, and [`file`] judges a formula that does not come from a hunt.
//!
//! | to find | look in |
//! |---|---|
//! | a script made smaller as long as a criterion holds: the order of passes | [`reduce`] |
//! | asking the criterion, what was asked already, leaving out halves | `reduce/search.rs` |
//! | the passes: commands, levels of deep terms, subterms of a depth, single places, all occurrences at once | `reduce/commands.rs`, `depth.rs`, `terms.rs`, `places.rs`, `everywhere.rs` |
//! | the passes for the end: definitions and equations, sorts, names | `reduce/definitions.rs`, `sorts.rs`, `names.rs`; the words of a text in `tokens.rs` |
//! | what a subterm may become, simpler literals, the simplest values | `reduce/changes.rs`, `literals.rs`, `values.rs` |
//! | what smaller means | `reduce/measure.rs` |
//! | criteria: a command, a finding with its sessions and options, a pair of formulas with their rule | `reduce/criterion.rs` and below |
//! | limits of a reduction, its progress and its result; the finding of a folder | `reduce/bounded.rs`, `reduce/finding.rs`; `reduce/folder.rs` |
//! | where in a history things change, for many triggers at once | [`bisect`]; what measurements say and which point to look at next in `bisect/search.rs`, noise in `bisect/level.rs` |
//! | commits that are checked out, built and asked; what was seen, on disk | `bisect/commits.rs`, `journal.rs` |
//! | releases that are made ready; asked about a finding or a formula; since when a finding is shown | `bisect/releases.rs`, `asking.rs`, `finding.rs` |
//! | what a bisection has found, as text and as JSON | `bisect/summary.rs` |
//! | triggers with one cause | [`cluster`]; formulas modulo names and order in `cluster/form.rs`; findings and known bugs in `cluster/findings.rs`, `known.rs`; clusters as text and JSON in `summary.rs` |
//! | where a finding crashes that does not say it, by a debugger | [`crash_stacks`] |
//! | one formula, judged; what the newest release does with a finding | [`file`] |
//! | from a formula that was judged to its report | [`file_report`] |
//! | the findings of a hunt that is over, reduced within a time | [`after_hunt`] |
//!
//! What the mutators of ddSMT do and where that is done here: `docs/design/reduce.md`. How histories are searched and
//! bugs told apart, with numbers: `docs/design/bisect.md`.

pub mod after_hunt;
pub mod bisect;
pub mod cluster;
pub mod crash_stacks;
mod error;
pub mod file;
pub mod file_report;
pub mod reduce;

pub use error::TriageError;
