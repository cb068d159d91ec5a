//! What a record says, for people and for other programs: tables, plots, pages.
//!
//! Everything here turns data into text; only [`finding::triage_files`] reads and writes files, those in the folder of a
//! finding. [`finding`] is the report of a finding for an issue tracker, with a script that replays it. [`plot`] draws figures of several panels as SVG;
//! [`evolution`] counts, tabulates and draws an evolution study; [`growth`] tells how times grow.

pub mod evolution;
pub mod finding;
pub mod growth;
pub mod plot;
