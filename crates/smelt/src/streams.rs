//! Standard output for results, standard error for everything else.
//!
//! Writing returns errors instead of panicking, so that a closed pipe ends a command quietly. Colours go to terminals
//! only, and to nobody who sets `NO_COLOR`.

use std::io::{self, BufWriter, Stderr, StdoutLock, Write};

use anstream::AutoStream;
use serde::Serialize;

use smelt_runner::interruption;

use crate::report::ERROR;

/// The two streams of a command.
pub(crate) struct Streams {
    results: BufWriter<StdoutLock<'static>>,
    messages: AutoStream<Stderr>,
}

impl Streams {
    pub(crate) fn new() -> Self {
        Streams {
            results: BufWriter::with_capacity(1 << 16, io::stdout().lock()),
            messages: AutoStream::auto(io::stderr()),
        }
    }

    /// Where results go, to be written piece by piece.
    pub(crate) fn results(&mut self) -> &mut impl Write {
        &mut self.results
    }

    /// Writes a result as one line of JSON.
    pub(crate) fn json_line(&mut self, result: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.results, result)?;
        self.results.write_all(b"\n")
    }

    /// Writes a text for people; nothing if it is empty.
    pub(crate) fn message(&mut self, text: &str) -> io::Result<()> {
        self.messages.write_all(text.as_bytes())
    }

    /// Writes an error that has no place in an input; nothing once we were asked to stop, because then that is the cause.
    pub(crate) fn error(&mut self, message: &str) -> io::Result<()> {
        if interruption::is_requested() {
            return Ok(());
        }
        writeln!(self.messages, "{ERROR}error{ERROR:#}: {message}")
    }

    /// Hands everything to the system.
    pub(crate) fn flush(&mut self) -> Result<(), crate::exit::Failure> {
        self.results.flush()?;
        Ok(self.messages.flush()?)
    }
}
