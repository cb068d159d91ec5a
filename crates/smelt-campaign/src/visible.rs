//! A stream on which bytes that a terminal would obey are shown instead.

use std::io::{self, Write};

use smelt_oracle::foreign_text::for_terminal;

/// A stream in which everything can be seen and nothing is obeyed, unless it is to be exact.
#[derive(Debug)]
pub struct Visible<Inner> {
    inner: Inner,
    /// Whether bytes are written as they are.
    pub is_exact: bool,
    /// The first bytes of a character whose other bytes are still to come.
    begun: Vec<u8>,
}

impl<Inner: Write> Visible<Inner> {
    /// A stream that shows what a terminal would obey.
    pub fn new(inner: Inner) -> Self {
        Visible { inner, is_exact: false, begun: Vec::new() }
    }

    /// The stream that is written to, for bytes that are known to be harmless.
    pub fn inner(&mut self) -> &mut Inner {
        &mut self.inner
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
