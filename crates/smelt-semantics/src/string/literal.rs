//! String literals of SMT-LIB 2.6: reading the text between the quotes, and printing it back.
//!
//! An escape is `\u` with exactly four hexadecimal digits, or `\u{..}` with one to five of them and a value
//! up to 2FFFF. Every other backslash stands for itself. The dialect of SMT-LIB 2.5 (`\x41`, `\n`) is not
//! known here.

use std::fmt;

use super::{MAX_CHAR, Str};

/// A literal contains a character that the theory does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CharTooLarge {
    /// Where the character begins, in bytes from the start of the text.
    pub offset: usize,
    /// The character, above U+2FFFF.
    pub character: char,
}

impl fmt::Display for CharTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code_point = u32::from(self.character);
        write!(f, "the character U+{code_point:X} is above U+2FFFF, the largest character of SMT-LIB strings")
    }
}

impl std::error::Error for CharTooLarge {}

impl Str {
    /// Reads the text between the quotes of a literal, where a quote is still written as `""`.
    pub fn from_literal(text: &str) -> Result<Str, CharTooLarge> {
        let mut chars = Vec::with_capacity(text.len());
        let mut offset = 0;
        while let Some(character) = text[offset..].chars().next() {
            let rest = &text[offset..];
            let (code_point, taken) = if let Some(escape) = leading_escape(rest) {
                escape
            } else if rest.starts_with("\"\"") {
                (u32::from('"'), 2)
            } else {
                (u32::from(character), character.len_utf8())
            };
            if code_point > MAX_CHAR {
                return Err(CharTooLarge { offset, character });
            }
            chars.push(code_point);
            offset += taken;
        }
        Ok(Str::from_valid(chars))
    }

    /// The literal with its quotes, in printable ASCII; reading it back gives this string.
    pub fn to_literal(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for Str {
    /// Prints the literal, as [`Str::to_literal`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        let mut characters = self.chars().iter().copied().peekable();
        while let Some(character) = characters.next() {
            let opens_escape = character == u32::from('\\') && characters.peek() == Some(&u32::from('u'));
            match char::from_u32(character) {
                Some('"') => f.write_str("\"\"")?,
                Some(printable @ ' '..='~') if !opens_escape => fmt::Write::write_char(f, printable)?,
                _ => write!(f, "\\u{{{character:x}}}")?,
            }
        }
        f.write_str("\"")
    }
}

impl fmt::Debug for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The value and the length of the escape that the text begins with, if it begins with one.
fn leading_escape(text: &str) -> Option<(u32, usize)> {
    let body = text.strip_prefix("\\u")?;
    let (digits, taken) = match body.strip_prefix('{') {
        Some(braced) => {
            // A closing brace further away than five digits is not looked for: texts full of `\u{` stay
            // linear.
            let len = braced.bytes().take(6).position(|byte| byte == b'}')?;
            (&braced[..len], "\\u{}".len() + len)
        }
        None => (body.get(..4)?, "\\u".len() + 4),
    };
    let is_hex = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let value = is_hex.then(|| u32::from_str_radix(digits, 16).ok())??;
    (value <= MAX_CHAR).then_some((value, taken))
}
