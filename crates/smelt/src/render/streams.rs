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
        serde_json::to_writer(&mut self.results.inner, result)?;
        self.results.inner.write_all(b"\n")
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

/// A stream in which everything can be seen and nothing is obeyed, unless it is to be exact.
struct Visible<Inner> {
    inner: Inner,
    is_exact: bool,
    /// The first bytes of a character whose other bytes are still to come.
    begun: Vec<u8>,
}

impl<Inner: Write> Visible<Inner> {
    fn new(inner: Inner) -> Self {
        Visible { inner, is_exact: false, begun: Vec::new() }
    }

    /// Writes bytes that are text for the most part.
    fn write_visible(&mut self, bytes: &[u8]) -> io::Result<()> {
        let is_plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
        if self.begun.is_empty() && bytes.iter().all(is_plain) {
            return self.inner.write_all(bytes);
        }
        let mut all = std::mem::take(&mut self.begun);
        all.extend_from_slice(bytes);
        let mut rest = all.as_slice();
        loop {
            let error = match std::str::from_utf8(rest) {
                Ok(text) => return self.inner.write_all(for_terminal(text).as_bytes()),
                Err(error) => error,
            };
            let (text, after) = rest.split_at(error.valid_up_to());
            self.inner.write_all(for_terminal(&String::from_utf8_lossy(text)).as_bytes())?;
            let Some(wrong) = error.error_len() else {
                self.begun = after.to_owned();
                return Ok(());
            };
            self.inner.write_all("\u{fffd}".as_bytes())?;
            rest = &after[wrong..];
        }
    }
}

impl<Inner: Write> Write for Visible<Inner> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.is_exact {
            true => self.inner.write_all(bytes)?,
            false => self.write_visible(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        let mut stream = Visible::new(Vec::new());
        for piece in ["plain\n", "\u{1b}]0;pwned\u{7}", "\u{e9}\u{202e}\t"] {
            stream.write_all(piece.as_bytes()).unwrap();
        }
        // A character in two pieces, one that is cut off, and a byte that begins none.
        for piece in [&b"\xc3"[..], b"\xa9", b"\xe2\x80", b"x\xff", b"\xc2", b"\x9b"] {
            stream.write_all(piece).unwrap();
        }
        let text = String::from_utf8(stream.inner).unwrap();
        assert_eq!(text, "plain\n\\u{1b}]0;pwned\\u{7}\u{e9}\\u{202e}\t\u{e9}\u{fffd}x\u{fffd}\\u{9b}");
    }

    #[test]
    fn scripts_are_exact() {
        let mut stream = Visible { is_exact: true, ..Visible::new(Vec::new()) };
        stream.write_all(b"\x1b\xff").unwrap();
        assert_eq!(stream.inner, b"\x1b\xff");
    }
}
