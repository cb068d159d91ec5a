//! Places in source text: byte spans, and the lines and columns that people read.

/// A range of bytes of a source text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` up to and not including `end`.
    pub fn new(start: u32, end: u32) -> Self {
        Span { start, end }
    }

    /// The text that this span covers.
    pub fn text(self, source: &str) -> &str {
        &source[self.start as usize..self.end as usize]
    }
}

/// A line and a column, both counted from 1; the column counts characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineColumn {
    /// Line number, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// The line and column of a byte offset.
pub fn line_column(source: &str, offset: u32) -> LineColumn {
    let before = &source.as_bytes()[..(offset as usize).min(source.len())];
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    let line = memchr::memchr_iter(b'\n', before).count() as u32 + 1;
    let column = before[line_start..].iter().filter(|byte| !is_continuation(**byte)).count() as u32 + 1;
    LineColumn { line, column }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters_from_one() {
        let source = "ab\ncäd\n";
        assert_eq!(line_column(source, 0), LineColumn { line: 1, column: 1 });
        assert_eq!(line_column(source, 4), LineColumn { line: 2, column: 2 });
        assert_eq!(line_column(source, 6), LineColumn { line: 2, column: 3 });
        assert_eq!(line_column(source, 99), LineColumn { line: 3, column: 1 });
    }
}
