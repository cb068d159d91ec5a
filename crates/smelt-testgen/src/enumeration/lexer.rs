//! Formulas cut into tokens: parentheses, strings, quoted symbols, words.
//!
//! The texts of a grammar are cut in the same way, although their parentheses do not match.

/// A token of SMT-LIB text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lexeme<'s> {
    pub text: &'s str,
    /// Whether a string or quoted symbol is closed.
    pub is_closed: bool,
}

/// The tokens of a text; comments and spaces are none.
pub(super) fn lexemes(source: &str) -> Vec<Lexeme<'_>> {
    let bytes = source.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let start = at;
        let mut is_closed = true;
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b';' => {
                at += bytes[at..].iter().take_while(|byte| **byte != b'\n').count();
                continue;
            }
            b'(' | b')' => at += 1,
            b'"' | b'|' => {
                at += 1;
                is_closed = false;
                while let Some(inner) = bytes.get(at) {
                    at += 1;
                    if inner == byte {
                        is_closed = true;
                        // Two quotes are one within a string.
                        if *byte == b'|' || bytes.get(at) != Some(byte) {
                            break;
                        }
                        is_closed = false;
                        at += 1;
                    }
                }
            }
            _ => at += bytes[at..].iter().take_while(|byte| is_word(**byte)).count(),
        }
        found.push(Lexeme { text: &source[start..at], is_closed });
    }
    found
}

fn is_word(byte: u8) -> bool {
    !matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b';' | b'(' | b')' | b'"' | b'|')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &[&str]) {
        let found: Vec<&str> = lexemes(source).iter().map(|lexeme| lexeme.text).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn strings_with_quotes_and_quoted_symbols_are_one_token() {
        check("(= \"a \"\"b\"\"\" |x y|) ; (end", &["(", "=", "\"a \"\"b\"\"\"", "|x y|", ")"]);
    }

    #[test]
    fn halves_of_expressions_are_cut_too() {
        check("(not", &["(", "not"]);
        assert!(!lexemes("\"abc")[0].is_closed);
    }
}
