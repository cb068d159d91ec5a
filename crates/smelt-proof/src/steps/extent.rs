//! Where a proof begins in a solver's output, and which line a place is on.

/// The place of the first list in an output that is not an error message; answers and comments before it are skipped.
pub(super) fn start(text: &str) -> Option<usize> {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_start();
        if content.starts_with('(') && !content.starts_with("(error") {
            return Some(offset + line.len() - content.len());
        }
        offset += line.len();
    }
    None
}

/// Line numbers of places that are asked for in ascending order, mostly.
pub(super) struct Lines<'a> {
    bytes: &'a [u8],
    offset: usize,
    line: u32,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Lines { bytes: text.as_bytes(), offset: 0, line: 1 }
    }

    /// The line of a place, counted from 1.
    pub(super) fn at(&mut self, offset: usize) -> u32 {
        let offset = offset.min(self.bytes.len());
        if offset < self.offset {
            // The walk over a proof leaves lists that it has entered, so that places may be behind by a little.
            let back = self.bytes[offset..self.offset].iter().filter(|byte| **byte == b'\n').count();
            return self.line - back as u32;
        }
        let passed = self.bytes[self.offset..offset].iter().filter(|byte| **byte == b'\n').count();
        self.line += passed as u32;
        self.offset = offset;
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_begins_after_answers_and_error_messages() {
        assert_eq!(start("unsat\n(error \"x\")\n  ((proof"), Some(20));
        assert_eq!(start("unsat\n"), None);
    }

    #[test]
    fn lines_are_counted_forwards_and_a_little_backwards() {
        let mut lines = Lines::new("a\nb\nc\nd");
        assert_eq!(lines.at(4), 3);
        assert_eq!(lines.at(0), 1);
        assert_eq!(lines.at(6), 4);
    }
}
