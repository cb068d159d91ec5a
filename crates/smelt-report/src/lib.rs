//! What a record says, for people and for other programs: tables, plots, pages.
//!
//! Everything here turns data into text and writes nothing itself. [`plot`] draws figures of several panels as SVG;
//! [`evolution`] counts, tabulates and draws an evolution study; [`growth`] tells how times grow.

pub mod evolution;
pub mod growth;
pub mod plot;
