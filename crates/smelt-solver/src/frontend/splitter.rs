//! Cutting a stream of characters into commands.

/// A top-level expression of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Its text.
    pub text: String,
    /// The line where it begins, counted from 1.
    pub line: usize,
    /// The column where it begins, in characters, counted from 1.
    pub column: usize,
}

/// Collects text until it has a complete expression.
#[derive(Debug, Clone)]
pub struct Splitter {
    text: String,
    depth: usize,
    inside: Inside,
    /// The line of the next character.
    line: usize,
    /// The column of the next byte; bytes after the first one of a character do not count.
    column: usize,
    /// The line and the column where the collected text begins.
    start: (usize, usize),
    /// Bytes of a character whose end has not arrived yet.
    pending: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    Nothing,
    Comment,
    Text,
    QuotedSymbol,
    /// A word outside of parentheses.
    Word,
}

impl Default for Splitter {
    fn default() -> Self {
        Splitter::new()
    }
}

impl Splitter {
    /// At the start of a stream.
    pub fn new() -> Self {
        Splitter {
            text: String::new(),
            depth: 0,
            inside: Inside::Nothing,
            line: 1,
            column: 1,
            start: (1, 1),
            pending: Vec::new(),
        }
    }

    /// The same for a stream of bytes, in which a character may arrive in two pieces. Bytes that are not UTF-8 become the
    /// replacement character.
    pub fn feed_bytes(&mut self, more: &[u8]) -> Vec<Piece> {
        self.pending.extend_from_slice(more);
        let text = take_text(&mut self.pending);
        self.feed(&text)
    }

    /// Takes more of the stream and gives the expressions that are complete now.
    pub fn feed(&mut self, more: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        // Everything that matters is ASCII, so that slices end at characters.
        let mut kept_from = 0;
        for (at, byte) in more.bytes().enumerate() {
            match (self.inside, byte) {
                (Inside::Comment, b'\n') => {
                    self.inside = Inside::Nothing;
                    if self.depth == 0 {
                        kept_from = at;
                    }
                }
                (Inside::Comment, _) => {}
                (Inside::Text, b'"') | (Inside::QuotedSymbol, b'|') => {
                    self.inside = Inside::Nothing;
                    if self.depth == 0 {
                        self.complete(&more[kept_from..=at], &mut pieces);
                        kept_from = at + 1;
                    }
                }
                (Inside::Text | Inside::QuotedSymbol, _) => {}
                (Inside::Word, b' ' | b'\t' | b'\r' | b'\n' | b'(' | b')' | b';' | b'"' | b'|') => {
                    self.inside = Inside::Nothing;
                    self.complete(&more[kept_from..at], &mut pieces);
                    kept_from = at;
                    self.outside(byte, at, more, &mut kept_from, &mut pieces);
                }
                (Inside::Word, _) => {}
                (Inside::Nothing, _) => self.outside(byte, at, more, &mut kept_from, &mut pieces),
            }
            if byte == b'\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += usize::from(byte & 0b1100_0000 != 0b1000_0000);
            }
        }
        if self.depth > 0 || !matches!(self.inside, Inside::Nothing | Inside::Comment) {
            self.text.push_str(&more[kept_from..]);
        }
        pieces
    }

    /// What is left at the end of the stream: an expression without an end, if anything.
    pub fn finish(mut self) -> Option<Piece> {
        let mut pieces = Vec::new();
        self.complete("", &mut pieces);
        pieces.pop()
    }

    fn outside(&mut self, byte: u8, at: usize, more: &str, kept_from: &mut usize, pieces: &mut Vec<Piece>) {
        let is_start = self.depth == 0 && !matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b';');
        if is_start {
            *kept_from = at;
            self.start = (self.line, self.column);
        }
        match byte {
            b';' => self.inside = Inside::Comment,
            b'"' => self.inside = Inside::Text,
            b'|' => self.inside = Inside::QuotedSymbol,
            b'(' => self.depth += 1,
            b')' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    self.complete(&more[*kept_from..=at], pieces);
                    *kept_from = at + 1;
                }
            }
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ if self.depth == 0 => self.inside = Inside::Word,
            _ => {}
        }
    }

    fn complete(&mut self, end: &str, pieces: &mut Vec<Piece>) {
        let mut text = std::mem::take(&mut self.text);
        text.push_str(end);
        if !text.trim().is_empty() {
            let (line, column) = self.start;
            pieces.push(Piece { text, line, column });
        }
    }
}

/// Takes the complete characters from the front; bytes that are no UTF-8 become the replacement character.
fn take_text(pending: &mut Vec<u8>) -> String {
    let complete = match std::str::from_utf8(pending) {
        Ok(text) => text.len(),
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        Err(_) => pending.len(),
    };
    let rest = pending.split_off(complete);
    let text = String::from_utf8_lossy(pending).into_owned();
    *pending = rest;
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(chunks: &[&str], expected: &[(&str, usize)]) {
        let mut splitter = Splitter::new();
        let mut pieces: Vec<Piece> = chunks.iter().flat_map(|chunk| splitter.feed(chunk)).collect();
        pieces.extend(splitter.finish());
        let found: Vec<(&str, usize)> =
            pieces.iter().map(|piece| (piece.text.as_str(), piece.line)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_character_may_arrive_in_two_reads() {
        let mut pending = "a\u{e4}".as_bytes()[..2].to_vec();
        assert_eq!(take_text(&mut pending), "a");
        pending.push("\u{e4}".as_bytes()[1]);
        assert_eq!(take_text(&mut pending), "\u{e4}");
        assert!(pending.is_empty());
    }

    #[test]
    fn commands_come_one_by_one() {
        check(&["(a)(b (c))\n  (d)"], &[("(a)", 1), ("(b (c))", 1), ("(d)", 2)]);
    }

    #[test]
    fn a_command_may_arrive_in_pieces() {
        check(&["(as", "sert \"", ")", "\"", ")", "(x)"], &[("(assert \")\")", 1), ("(x)", 1)]);
    }

    #[test]
    fn every_byte_may_arrive_alone() {
        let text = "; c (\n(a |)| \"(\"\"\" ; )\n b) w \"s\" |q|\n(c)";
        let chunks: Vec<String> = text.chars().map(String::from).collect();
        let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
        let expected = [("(a |)| \"(\"\"\" ; )\n b)", 2), ("w", 3), ("\"s\"", 3), ("|q|", 3), ("(c)", 4)];
        check(&chunks, &expected);
        check(&[text], &expected);
    }

    #[test]
    fn parentheses_in_comments_strings_and_names_do_not_count() {
        check(&["; (\n(a \"(\" |(| ; )\n)"], &[("(a \"(\" |(| ; )\n)", 2)]);
    }

    #[test]
    fn what_has_no_end_is_left_over() {
        check(&["(a (b)"], &[("(a (b)", 1)]);
        check(&["  \n "], &[]);
    }

    #[test]
    fn a_command_knows_its_column_in_characters() {
        let pieces = Splitter::new().feed("))\n  (\u{e4}) (b)");
        let places: Vec<(usize, usize)> = pieces.iter().map(|piece| (piece.line, piece.column)).collect();
        assert_eq!(places, [(1, 1), (1, 2), (2, 3), (2, 7)]);
    }

    #[test]
    fn comments_between_commands_are_dropped() {
        check(&["(a) ; x\n; y\n(b)"], &[("(a)", 1), ("(b)", 3)]);
        check(&["(a) ; x", " more\n(b)"], &[("(a)", 1), ("(b)", 2)]);
    }
}
