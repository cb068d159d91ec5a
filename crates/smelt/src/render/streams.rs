//! Standard output for results, standard error for everything else.
//!
//! Writing returns errors instead of panicking, so that a closed pipe ends a command quietly. Colours go to terminals
//! only, and never where `NO_COLOR` is set.
//!
//! Results and messages quote formulas, names of files and what solvers print. What a terminal would obey in them is
//! escaped here, for all commands; scripts that are the result of a command leave it as they are, but for a terminal.

use std::io::{self, BufWriter, IsTerminal, Stderr, StdoutLock, Write};
use std::time::Duration;

use anstream::AutoStream;
use serde::Serialize;

use smelt_campaign::consent::ConsentItem;
use smelt_campaign::dialogue::Dialogue;
use smelt_campaign::visible::Visible;
use smelt_oracle::foreign_text::for_terminal;
use smelt_runner::fetch::FetchEvent;
use smelt_runner::interruption;

use crate::config::trust;
use crate::error::CliError;
use crate::render::diagnostics::ERROR;
use crate::render::progress::Progress;

/// The two streams of a command.
pub(crate) struct Streams {
    results: Visible<BufWriter<StdoutLock<'static>>>,
    is_terminal: bool,
    messages: AutoStream<Stderr>,
    progress: Option<Progress>,
}

/// Without a terminal, progress is reported this often.
const PROGRESS_PAUSE: Duration = Duration::from_secs(30);

impl Streams {
    pub(crate) fn new() -> Self {
        let stdout = io::stdout();
        Streams {
            is_terminal: stdout.is_terminal(),
            results: Visible::new(BufWriter::with_capacity(1 << 16, stdout.lock())),
            messages: AutoStream::auto(io::stderr()),
            progress: None,
        }
    }

    /// Where results for people go, to be written piece by piece.
    pub(crate) fn results(&mut self) -> &mut impl Write {
        self.results.is_exact = false;
        &mut self.results
    }

    /// Where scripts go that other programs read: byte by byte, unless it is a terminal.
    pub(crate) fn scripts(&mut self) -> &mut impl Write {
        self.results.is_exact = !self.is_terminal;
        &mut self.results
    }

    /// Writes a result as one line of JSON.
    pub(crate) fn json_line(&mut self, result: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(self.results.inner(), result)?;
        self.results.inner().write_all(b"\n")
    }

    /// Writes a text for people; nothing if it is empty.
    pub(crate) fn message(&mut self, text: &str) -> io::Result<()> {
        self.messages.write_all(for_terminal(text).as_bytes())
    }

    /// Writes diagnostics as [`crate::render::diagnostics`] renders them: in colours, and with all that they quote escaped.
    pub(crate) fn diagnostics(&mut self, text: &str) -> io::Result<()> {
        self.messages.write_all(text.as_bytes())
    }

    /// Writes an error that has no place in an input; nothing once we were asked to stop, because then that is the cause.
    pub(crate) fn error(&mut self, message: &str) -> io::Result<()> {
        if interruption::is_requested() {
            return Ok(());
        }
        writeln!(self.messages, "{ERROR}error{ERROR:#}: {}", for_terminal(message))
    }

    /// Hands everything to the system.
    pub(crate) fn flush(&mut self) -> Result<(), CliError> {
        self.results.flush()?;
        Ok(self.messages.flush()?)
    }
}

impl Dialogue for Streams {
    type Failure = CliError;

    fn message(&mut self, text: &str) -> Result<(), CliError> {
        Ok(Streams::message(self, text)?)
    }

    fn error(&mut self, text: &str) -> Result<(), CliError> {
        Ok(Streams::error(self, text)?)
    }

    fn report(&mut self, failure: CliError) -> Result<(), CliError> {
        failure.report_and_continue(self)
    }

    fn flush(&mut self) -> Result<(), CliError> {
        Streams::flush(self)
    }

    fn progress(&mut self, done: Option<&str>) {
        match done {
            Some(line) => {
                let progress = self.progress.get_or_insert_with(|| Progress::moving(PROGRESS_PAUSE));
                progress.show(None, || line.to_owned(), || line.to_owned());
            }
            None => self.progress = None,
        }
    }

    fn fetching(&mut self, event: &FetchEvent) {
        let line = format!("{event}\n");
        // What cannot be written now is noticed when the streams are flushed at the end.
        let _ = match event.is_result() {
            true => self.results().write_all(line.as_bytes()),
            false => Streams::message(self, &line),
        };
        let _ = Streams::flush(self);
    }

    fn agree(&mut self, source: &str, items: &[ConsentItem]) -> Result<(), CliError> {
        trust::ask(source, items, self)
    }

    fn is_agreed(&self, item: &ConsentItem) -> bool {
        trust::is_trusted(item)
    }
}
