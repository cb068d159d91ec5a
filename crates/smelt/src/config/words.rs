//! Arguments that are one of several words: one parser, and one message for all other words.

/// The one of some things that has this name; `what` says in the message what they are, as in `engine`.
pub(crate) fn one_of<Item: Clone>(
    what: &str,
    word: &str,
    known: &[Item],
    name: impl Fn(&Item) -> &str,
) -> Result<Item, UnknownWord> {
    known
        .iter()
        .find(|item| name(item) == word)
        .cloned()
        .ok_or_else(|| UnknownWord::new(what, word, known.iter().map(&name)))
}

/// A word that is none of those that are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnknownWord {
    /// What it should be, as in `engine`.
    what: String,
    word: String,
    /// What it may be.
    known: Vec<String>,
}

impl UnknownWord {
    pub(crate) fn new<'w>(what: &str, word: &str, known: impl IntoIterator<Item = &'w str>) -> Self {
        let known = known.into_iter().map(str::to_owned).collect();
        UnknownWord { what: what.to_owned(), word: word.to_owned(), known }
    }
}

impl std::fmt::Display for UnknownWord {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let UnknownWord { what, word, known } = self;
        write!(formatter, "unknown {what} `{word}` (expected one of: {})", known.join(", "))
    }
}

impl std::error::Error for UnknownWord {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_word_is_answered_with_those_that_are_known() {
        let find = |word: &str| one_of("color", word, &["red", "blue"], |item| item);
        assert_eq!(find("red"), Ok("red"));
        assert_eq!(
            find("green").unwrap_err().to_string(),
            "unknown color `green` (expected one of: red, blue)"
        );
    }
}
