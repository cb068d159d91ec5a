//! What tells one crash from another: its kind, and the places in the program where it happened.
//!
//! Signatures are kept and compared as one line of text, `KIND | PLACE | PLACE`. How they are read from what a solver
//! prints is not decided here.

use std::fmt;

/// What stands between the parts of a signature.
const SEPARATOR: &str = " | ";

/// A crash, without what changes from run to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// What happened: `AddressSanitizer: heap-buffer-overflow`, `assertion failed`, `signal 11`.
    pub kind: String,
    /// Where: functions from the innermost on, or the place and text of an assertion. Empty if that is not known.
    pub places: Vec<String>,
}

impl Signature {
    /// A crash of which only the kind is known.
    pub fn of_kind(kind: impl Into<String>) -> Self {
        Signature { kind: kind.into(), places: Vec::new() }
    }

    /// Reads the line that is kept.
    pub fn parse(text: &str) -> Self {
        let mut parts = text.split(SEPARATOR).map(str::trim);
        let kind = parts.next().unwrap_or_default().to_owned();
        Signature { kind, places: parts.filter(|part| !part.is_empty()).map(str::to_owned).collect() }
    }

    /// Whether a place is known. If so, crashes with this signature are one bug; if not, many bugs share it.
    pub fn names_a_place(&self) -> bool {
        !self.places.is_empty()
    }

    /// The kind and the first place, for people.
    pub fn headline(&self) -> String {
        match self.places.first() {
            Some(place) => format!("{} in {place}", self.kind),
            None => self.kind.clone(),
        }
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.kind)?;
        self.places.iter().try_for_each(|place| write!(formatter, "{SEPARATOR}{place}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_read_as_they_are_written() {
        for text in ["signal 11", "assertion failed | a.cpp:1 | x > 0", "AddressSanitizer: SEGV | main"] {
            assert_eq!(Signature::parse(text).to_string(), text);
        }
    }

    #[test]
    fn only_a_place_tells_bugs_apart() {
        assert!(!Signature::parse("signal 11").names_a_place());
        assert!(Signature::parse("panic | main.rs:3").names_a_place());
        assert_eq!(Signature::parse("panic | main.rs:3").headline(), "panic in main.rs:3");
    }
}
