//! The words of a printed script, for changes that are easier to say of the text than of its terms.
//!
//! What comes out is read again, so a change that makes no sense is no candidate.

/// The words of a text, with everything between them: blanks and parentheses are one word each.
pub(super) fn words(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => string_length(rest),
            '|' => rest[1..].find('|').map_or(rest.len(), |end| end + 2),
            ';' => rest.find('\n').unwrap_or(rest.len()),
            '(' | ')' => 1,
            letter if letter.is_whitespace() => letter.len_utf8(),
            _ => {
                let ends = |letter: char| letter.is_whitespace() || "()\"|;".contains(letter);
                rest.find(ends).unwrap_or(rest.len())
            }
        };
        let (word, after) = rest.split_at(length);
        found.push(word);
        rest = after;
    }
    found
}

/// The length of the string literal at the beginning; two quotes inside are one.
fn string_length(text: &str) -> usize {
    let mut end = 1;
    while let Some(quote) = text[end..].find('"') {
        end += quote + 1;
        if !text[end..].starts_with('"') {
            return end;
        }
        end += 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_quoted_symbols_are_words() {
        let text = "(assert (= |a b| \"x \"\"(y)\")) ; (c\n";
        let found = words(text);
        assert_eq!(found.concat(), text);
        let solid: Vec<&str> = found.into_iter().filter(|word| !word.trim().is_empty()).collect();
        assert_eq!(solid, ["(", "assert", "(", "=", "|a b|", "\"x \"\"(y)\"", ")", ")", "; (c"]);
    }
}
