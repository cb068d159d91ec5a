//! Ids of findings, which are also the names of their folders.
//!
//! Ids are read from files that others wrote. A text becomes an id only by being parsed, so whatever is joined to a path is
//! one plain name: neither absolute, nor hidden, nor with `..` or a separator in it.

use std::borrow::Borrow;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::finding::Class;

/// Digits of the hash in an id.
const DIGITS: usize = 10;

/// The id of a finding: its class in lower-case words, a hyphen and ten hexadecimal digits, as in `crash-1a2b3c4d5e`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FindingId(String);

/// A text that is not the id of a finding.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not the id of a finding, such as `crash-1a2b3c4d5e`")]
pub struct NotAnId(String);

impl FindingId {
    /// The id of a finding of this class whose cause has this hash.
    pub fn new(class: Class, hash: &[u8; 32]) -> Self {
        let digits: String = hash[..DIGITS / 2].iter().map(|byte| format!("{byte:02x}")).collect();
        FindingId(format!("{}-{digits}", class.word()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for FindingId {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_id = text.rsplit_once('-').is_some_and(|(class, digits)| {
            class.split('-').all(is_word) && digits.len() == DIGITS && digits.bytes().all(is_digit)
        });
        if is_id { Ok(FindingId(text.to_owned())) } else { Err(NotAnId(text.to_owned())) }
    }
}

impl TryFrom<String> for FindingId {
    type Error = NotAnId;

    fn try_from(text: String) -> Result<Self, NotAnId> {
        text.parse()
    }
}

impl From<FindingId> for String {
    fn from(id: FindingId) -> String {
        id.0
    }
}

impl fmt::Display for FindingId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

impl AsRef<Path> for FindingId {
    fn as_ref(&self) -> &Path {
        Path::new(&self.0)
    }
}

impl Borrow<str> for FindingId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for FindingId {
    fn eq(&self, text: &str) -> bool {
        self.0 == text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_are_made_can_be_read() {
        for class in Class::ALL {
            let id = FindingId::new(class, &[0xab; 32]);
            assert_eq!(id.as_str().parse(), Ok(id.clone()));
            assert!(id == *format!("{}-ababababab", class.word()));
        }
    }

    #[test]
    fn nothing_that_leaves_a_folder_is_an_id() {
        let hostile = [
            "../../victim",
            "/elsewhere/victim",
            "..",
            "",
            ".",
            ".crash-0123456789",
            "crash-0123456789/..",
            "crash/-0123456789",
            "crash-0123456789\n",
            "crash-0123456789\0",
            "-0123456789",
            "--0123456789",
            "Crash-0123456789",
            "crash-012345678",
            "crash-0123456789a",
            "crash-012345678G",
        ];
        for text in hostile {
            assert!(text.parse::<FindingId>().is_err(), "{text:?}");
            assert!(serde_json::from_value::<FindingId>(text.into()).is_err(), "{text:?}");
        }
    }
}
