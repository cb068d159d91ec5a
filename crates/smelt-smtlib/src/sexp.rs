//! The lossless layer: text to S-expressions, one top-level expression at a time.
//!
//! A [`Tape`] holds one expression as a flat list of nodes in reading order, each with its byte span and the index
//! after its last descendant, so that skipping is one step and nothing recurses. The tape never copies text:
//! what nobody changes is printed back from its span, byte for byte. Anything balanced is accepted; whether
//! an atom makes sense is for the typed layer to say.

use crate::diagnostic::{Diagnostic, Problem};
use crate::source::Span;

/// What a node of a tape is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A parenthesised list.
    List,
    /// A simple symbol such as `str.len`.
    Symbol,
    /// A symbol between bars such as `|a b|`; the span includes the bars.
    QuotedSymbol,
    /// A keyword such as `:named`.
    Keyword,
    /// Digits.
    Numeral,
    /// Digits, a point, digits.
    Decimal,
    /// `#x` and hexadecimal digits.
    Hex,
    /// `#b` and binary digits.
    Binary,
    /// A string literal; the span includes the quotes.
    Str,
    /// Any other run of characters: not SMT-LIB, kept for lossless printing.
    Other,
}

/// One node of a tape.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// Where it stands in the source.
    pub span: Span,
    /// Index on the tape after this node and its descendants.
    pub next: u32,
}

/// One S-expression, flattened in reading order; node 0 is the whole.
#[derive(Debug, Clone, Default)]
pub struct Tape {
    nodes: Vec<Node>,
}

impl Tape {
    /// An empty tape, to be filled by [`Scanner::read`].
    pub fn new() -> Self {
        Tape::default()
    }

    /// The node at `index`.
    #[inline]
    pub fn node(&self, index: u32) -> Node {
        self.nodes[index as usize]
    }

    /// All nodes in reading order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// How many nodes there are.
    pub fn len(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// Whether nothing was read yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The indices of the children of the list at `index`; none for an atom.
    pub fn children(&self, index: u32) -> Children<'_> {
        let end = self.node(index).next;
        Children { tape: self, at: index + 1, end }
    }
}

/// Iterator over the children of a list.
#[derive(Debug, Clone)]
pub struct Children<'a> {
    tape: &'a Tape,
    at: u32,
    end: u32,
}

impl Iterator for Children<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.at >= self.end {
            return None;
        }
        let index = self.at;
        self.at = self.tape.node(index).next;
        Some(index)
    }
}

/// Reads the top-level S-expressions of a source text in order.
#[derive(Debug, Clone)]
pub struct Scanner<'s> {
    source: &'s str,
    at: usize,
    /// How often reading went on after an expression without an end.
    resumed: u32,
}

impl<'s> Scanner<'s> {
    /// A scanner at the start of `source`.
    ///
    /// # Panics
    /// If the source has 4 GiB or more: spans are 32 bits wide.
    pub fn new(source: &'s str) -> Self {
        assert!(u32::try_from(source.len()).is_ok(), "a source text has less than 4 GiB");
        Scanner { source, at: 0, resumed: 0 }
    }

    /// Byte offset after what was read so far.
    pub fn offset(&self) -> u32 {
        self.at as u32
    }

    /// Reads the next top-level expression onto `tape`; `Ok(false)` at the end of the text.
    ///
    /// After an error the scanner stands where reading can sensibly go on.
    pub fn read(&mut self, tape: &mut Tape) -> Result<bool, Diagnostic> {
        tape.nodes.clear();
        let bytes = self.source.as_bytes();
        let mut at = self.at;
        // While a list is open, its `next` holds the index of the list around it (or NO_PARENT).
        let mut open = NO_PARENT;
        loop {
            let Some(&byte) = bytes.get(at) else {
                self.at = at;
                if open == NO_PARENT {
                    return Ok(false);
                }
                return Err(self.unclosed(tape, open));
            };
            match CLASS[byte as usize] {
                BLANK => {
                    at += 1;
                    continue;
                }
                COMMENT => {
                    at = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length);
                    continue;
                }
                OPEN => {
                    let span = Span::new(at as u32, at as u32 + 1);
                    tape.nodes.push(Node { kind: Kind::List, span, next: open });
                    open = tape.nodes.len() as u32 - 1;
                    at += 1;
                    continue;
                }
                CLOSE => {
                    at += 1;
                    if open == NO_PARENT {
                        self.at = at;
                        let span = Span::new(at as u32 - 1, at as u32);
                        return Err(Diagnostic::new(
                            Problem::Syntax,
                            span,
                            "closing parenthesis without an opening one",
                        )
                        .with_help("remove it, or look for a missing `(` before it"));
                    }
                    let next = tape.nodes.len() as u32;
                    let list = &mut tape.nodes[open as usize];
                    list.span.end = at as u32;
                    open = std::mem::replace(&mut list.next, next);
                }
                class => {
                    let atom = if class == QUOTE { quoted(bytes, at) } else { Some(plain(bytes, at, class)) };
                    let Some((kind, end)) = atom else { return Err(self.unterminated(at)) };
                    let span = Span::new(at as u32, end as u32);
                    let next = tape.nodes.len() as u32 + 1;
                    tape.nodes.push(Node { kind, span, next });
                    at = end;
                }
            }
            if open == NO_PARENT {
                self.at = at;
                return Ok(true);
            }
        }
    }

    fn unterminated(&mut self, start: usize) -> Diagnostic {
        let (what, quote) = match self.source.as_bytes()[start] {
            b'"' => ("string literal", '"'),
            _ => ("quoted symbol", '|'),
        };
        let line_end = memchr::memchr(b'\n', &self.source.as_bytes()[start..])
            .map_or(self.source.len(), |length| start + length);
        self.at = start + 1;
        self.resume_at_next_command();
        Diagnostic::new(
            Problem::Syntax,
            Span::new(start as u32, line_end as u32),
            format!("{what} is never closed"),
        )
        .with_help(format!("close it with `{quote}`"))
    }

    fn unclosed(&mut self, tape: &Tape, innermost: u32) -> Diagnostic {
        let mut outermost = tape.node(innermost);
        let mut count = 1;
        while outermost.next != NO_PARENT {
            outermost = tape.node(outermost.next);
            count += 1;
        }
        self.at = outermost.span.start as usize + 1;
        self.resume_at_next_command();
        let noun = if count == 1 { "parenthesis" } else { "parentheses" };
        Diagnostic::new(Problem::Syntax, outermost.span, "this parenthesis is never closed")
            .with_help(format!("{count} closing {noun} missing before the end of the file"))
    }

    /// Goes to the next line that starts with a parenthesis and a letter, or to the end.
    fn resume_at_next_command(&mut self) {
        let bytes = self.source.as_bytes();
        self.resumed += 1;
        if self.resumed > MAX_RESUMED {
            self.at = bytes.len();
            return;
        }
        while let Some(length) = memchr::memchr(b'\n', &bytes[self.at..]) {
            self.at += length + 1;
            if bytes.get(self.at) == Some(&b'(')
                && bytes.get(self.at + 1).is_some_and(u8::is_ascii_alphabetic)
            {
                return;
            }
        }
        self.at = bytes.len();
    }
}

const NO_PARENT: u32 = u32::MAX;

/// Each expression without an end was read up to the end of the text, so the next ones are read again.
const MAX_RESUMED: u32 = 20;

/// The kind and the end of the string or quoted symbol that starts at `start`; none if it is never closed.
#[inline]
fn quoted(bytes: &[u8], start: usize) -> Option<(Kind, usize)> {
    let quote = bytes[start];
    let mut at = start + 1;
    loop {
        // Most literals are short: a plain loop beats a call.
        at += bytes[at..].iter().position(|byte| *byte == quote)? + 1;
        if quote == b'|' {
            return Some((Kind::QuotedSymbol, at));
        }
        if bytes.get(at) != Some(&b'"') {
            return Some((Kind::Str, at));
        }
        at += 1;
    }
}

/// The kind and the end of any other atom that starts at `start` with a byte of class `first`.
#[inline]
fn plain(bytes: &[u8], start: usize, first: u8) -> (Kind, usize) {
    let mut at = start + 1;
    let mut classes = first;
    while let Some(&byte) = bytes.get(at) {
        let class = CLASS[byte as usize];
        if class & END != 0 {
            break;
        }
        classes |= class;
        at += 1;
    }
    let kind = match first {
        LETTER if classes & OTHER == 0 => Kind::Symbol,
        DIGIT if classes == DIGIT => Kind::Numeral,
        _ => classify(&bytes[start..at]),
    };
    (kind, at)
}

/// What a non-empty run of symbol characters is.
fn classify(text: &[u8]) -> Kind {
    match text[0] {
        b':' if text.len() > 1 && text[1..].iter().all(|byte| is_symbol_byte(*byte)) => Kind::Keyword,
        b'#' => match text.get(1) {
            Some(b'x') if text.len() > 2 && text[2..].iter().all(u8::is_ascii_hexdigit) => Kind::Hex,
            Some(b'b') if text.len() > 2 && text[2..].iter().all(|byte| matches!(byte, b'0' | b'1')) => {
                Kind::Binary
            }
            _ => Kind::Other,
        },
        b'0'..=b'9' => match text.iter().position(|byte| !byte.is_ascii_digit()) {
            None => Kind::Numeral,
            Some(point)
                if text[point] == b'.'
                    && point + 1 < text.len()
                    && text[point + 1..].iter().all(u8::is_ascii_digit) =>
            {
                Kind::Decimal
            }
            Some(_) => Kind::Other,
        },
        _ if text.iter().all(|byte| is_symbol_byte(*byte)) => Kind::Symbol,
        _ => Kind::Other,
    }
}

const fn is_symbol_byte(byte: u8) -> bool {
    CLASS[byte as usize] & (LETTER | DIGIT) != 0
}

/// Whether `text` can be written as a symbol without bars.
pub(crate) const fn is_simple_symbol(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.is_empty() || bytes[0].is_ascii_digit() || is_reserved(bytes) {
        return false;
    }
    let mut at = 0;
    while at < bytes.len() {
        if !is_symbol_byte(bytes[at]) {
            return false;
        }
        at += 1;
    }
    true
}

const fn is_reserved(text: &[u8]) -> bool {
    matches!(text, b"_" | b"!" | b"as" | b"let" | b"exists" | b"forall" | b"match" | b"par" | b"lambda")
        || matches!(text, b"BINARY" | b"DECIMAL" | b"HEXADECIMAL" | b"NUMERAL" | b"STRING")
}

// Classes of bytes, one bit each so that the classes of a whole atom can be collected.
const BLANK: u8 = 1;
const COMMENT: u8 = 1 << 1;
const OPEN: u8 = 1 << 2;
const CLOSE: u8 = 1 << 3;
const QUOTE: u8 = 1 << 4;
const LETTER: u8 = 1 << 5;
const DIGIT: u8 = 1 << 6;
const OTHER: u8 = 1 << 7;

/// What ends an atom without quotes.
const END: u8 = BLANK | COMMENT | OPEN | CLOSE | QUOTE;

/// Bytes by their role. Bytes beyond ASCII count as letters, as in every solver that reads UTF-8.
static CLASS: [u8; 256] = {
    let mut class = [OTHER; 256];
    let mut byte = 0;
    while byte < 256 {
        class[byte] = match byte as u8 {
            b' ' | b'\t' | b'\r' | b'\n' => BLANK,
            b';' => COMMENT,
            b'(' => OPEN,
            b')' => CLOSE,
            b'"' | b'|' => QUOTE,
            b'0'..=b'9' => DIGIT,
            b'a'..=b'z' | b'A'..=b'Z' | 0x80..=0xff => LETTER,
            b'~' | b'!' | b'@' | b'$' | b'%' | b'^' | b'&' | b'*' | b'_' => LETTER,
            b'-' | b'+' | b'=' | b'<' | b'>' | b'.' | b'?' | b'/' => LETTER,
            _ => OTHER,
        };
        byte += 1;
    }
    class
};

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(source: &str) -> Vec<Kind> {
        let mut scanner = Scanner::new(source);
        let mut tape = Tape::new();
        let mut kinds = Vec::new();
        while scanner.read(&mut tape).unwrap() {
            kinds.extend((0..tape.len()).map(|index| tape.node(index).kind));
        }
        kinds
    }

    #[test]
    fn every_kind_of_atom_is_told_apart() {
        let source = r#"(a |b c| :k 12 1.50 #xaF #b01 "s""t" 1a #q 'x)"#;
        use Kind::*;
        assert_eq!(
            kinds(source),
            [List, Symbol, QuotedSymbol, Keyword, Numeral, Decimal, Hex, Binary, Str, Other, Other, Other]
        );
    }

    #[test]
    fn comments_and_blanks_are_between_expressions() {
        assert_eq!(kinds("; (\n(a) ; )\n\tb"), [Kind::List, Kind::Symbol, Kind::Symbol]);
    }

    #[test]
    fn children_skip_grandchildren() {
        let mut tape = Tape::new();
        Scanner::new("(a (b c) d)").read(&mut tape).unwrap();
        assert_eq!(tape.children(0).collect::<Vec<_>>(), [1, 2, 5]);
    }

    #[test]
    fn an_unclosed_list_is_reported_where_it_opens_and_reading_goes_on() {
        let mut scanner = Scanner::new("(assert (f x)\n(check-sat)\n");
        let mut tape = Tape::new();
        let error = scanner.read(&mut tape).unwrap_err();
        assert_eq!(error.span.start, 0);
        assert!(scanner.read(&mut tape).unwrap());
        assert_eq!(tape.node(1).span.text("(assert (f x)\n(check-sat)\n"), "check-sat");
    }

    #[test]
    fn an_unterminated_string_is_reported_where_it_opens() {
        let mut scanner = Scanner::new("(assert \"abc)\n(exit)");
        let mut tape = Tape::new();
        assert_eq!(scanner.read(&mut tape).unwrap_err().span, Span::new(8, 13));
        assert!(scanner.read(&mut tape).unwrap());
    }

    #[test]
    fn a_text_of_open_lists_is_not_read_again_for_each() {
        let source = "(a\n".repeat(1_000_000);
        let mut scanner = Scanner::new(&source);
        let mut tape = Tape::new();
        let mut problems = 0;
        while scanner.read(&mut tape) != Ok(false) {
            problems += 1;
        }
        assert_eq!(problems, MAX_RESUMED + 1);
    }

    #[test]
    fn a_stray_closing_parenthesis_is_skipped() {
        let mut scanner = Scanner::new(") a");
        let mut tape = Tape::new();
        assert!(scanner.read(&mut tape).is_err());
        assert!(scanner.read(&mut tape).unwrap());
    }

    #[test]
    fn deep_nesting_needs_no_stack() {
        let depth = 1_000_000;
        let source = "(".repeat(depth) + &")".repeat(depth);
        let mut tape = Tape::new();
        assert!(Scanner::new(&source).read(&mut tape).unwrap());
        assert_eq!(tape.len() as usize, depth);
    }
}
