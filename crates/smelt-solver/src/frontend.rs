//! The solver as SMT-LIB clients see it: commands in, answers out.
//!
//! [`Splitter`] cuts a stream into commands as soon as they are complete, so that a client may wait for the answer of
//! one before it sends the next. [`Session`] carries out one command after the other. Nothing is read or written
//! here: the caller has the streams.

mod reply;
mod session;
mod splitter;

pub use session::{Reply, Session};
pub use splitter::{Piece, Splitter};
