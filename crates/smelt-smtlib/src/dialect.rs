//! Telling dialects apart, and translating string literals between them.
//!
//! Terms always hold string literals with the escapes of SMT-LIB 2.6. Literals of the older dialect, whose escapes are
//! those of C, are translated when they are read and translated back when they are printed.

use crate::op::{Dialect, Spelling};

/// The spellings that a script uses.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Spellings {
    has_old: bool,
    has_new: bool,
}

impl Spellings {
    #[inline]
    pub(crate) fn add(&mut self, spelling: Spelling) {
        self.has_old |= spelling == Spelling::Old;
        self.has_new |= spelling == Spelling::New;
    }

    /// The dialect that the spellings show; 2.6 when nothing tells.
    ///
    /// Old names alone mean the old dialect. Where old and new names occur together, the file was written for a
    /// solver that takes both and reads literals as 2.6.
    pub(crate) fn dialect(self) -> Dialect {
        if self.has_old && !self.has_new { Dialect::V25 } else { Dialect::V26 }
    }
}

/// The text between the quotes of a literal of `dialect`, with the escapes of SMT-LIB 2.6.
pub(crate) fn literal_to_26(text: &str, dialect: Dialect) -> std::borrow::Cow<'_, str> {
    if dialect == Dialect::V26 || !text.contains('\\') {
        return text.into();
    }
    let converted = with_escapes(text, |result, escape| {
        let (code, length) = old_escape(escape);
        push_code(result, code);
        length
    });
    converted.into()
}

/// The text between the quotes of a 2.6 literal, with the escapes of `dialect`.
pub(crate) fn literal_from_26(text: &str, dialect: Dialect) -> std::borrow::Cow<'_, str> {
    if dialect == Dialect::V26 || !text.contains('\\') {
        return text.into();
    }
    let converted = with_escapes(text, |result, escape| {
        let (code, length) = escape_26(escape).unwrap_or((u32::from(b'\\'), 1));
        match code {
            0x22 => result.push_str("\"\""),
            0x20..=0x7e if code != 0x5c => result.push(char::from(code as u8)),
            0..=0xff => result.push_str(&format!("\\x{code:02x}")),
            // Nothing in the old dialect can say this; Z3 4.8 understands the new escape.
            _ => result.push_str(&format!("\\u{{{code:x}}}")),
        }
        length
    });
    converted.into()
}

/// A text in which each escape is replaced by what `convert` appends. It gets the text from the backslash on, and says
/// how many bytes of it are the escape.
fn with_escapes(text: &str, convert: impl Fn(&mut String, &str) -> usize) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(position) = rest.find('\\') {
        result.push_str(&rest[..position]);
        let length = convert(&mut result, &rest[position..]);
        rest = &rest[position + length..];
    }
    result.push_str(rest);
    result
}

/// The escape of SMT-LIB 2.6 at the start of a text: its code point and its length in bytes.
pub fn escape_26(text: &str) -> Option<(u32, usize)> {
    let after = text.strip_prefix("\\u")?;
    let (digits, length) = match after.strip_prefix('{') {
        Some(braced) => {
            // A closing brace further away than five digits is not looked for: texts full of `\u{` stay linear.
            let digits = &braced[..braced.bytes().take(6).position(|byte| byte == b'}')?];
            (digits, digits.len() + 4)
        }
        None => (after.get(..4)?, 6),
    };
    let is_escape = (1..=5).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let code = u32::from_str_radix(digits, 16).ok().filter(|code| is_escape && *code <= 0x2FFFF)?;
    Some((code, length))
}

/// The escape of the old dialect at the start of a text that starts with a backslash.
fn old_escape(text: &str) -> (u32, usize) {
    if let Some((code, length)) = escape_26(text) {
        return (code, length);
    }
    let bytes = text.as_bytes();
    if bytes.get(1) == Some(&b'x')
        && let Some(digits) = text.get(2..4)
        && let Ok(code) = u32::from_str_radix(digits, 16)
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    {
        return (code, 4);
    }
    let octal = bytes[1..].iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
    if octal > 0 {
        // Characters had eight bits.
        let code = bytes[1..=octal].iter().fold(0, |code, byte| code * 8 + u32::from(byte - b'0')) & 0xff;
        return (code, octal + 1);
    }
    match text[1..].chars().next() {
        Some('a') => (7, 2),
        Some('b') => (8, 2),
        Some('e') => (27, 2),
        Some('f') => (12, 2),
        Some('n') => (10, 2),
        Some('r') => (13, 2),
        Some('t') => (9, 2),
        Some('v') => (11, 2),
        Some(other) => (u32::from(other), 1 + other.len_utf8()),
        None => (u32::from('\\'), 1),
    }
}

fn push_code(result: &mut String, code: u32) {
    match char::from_u32(code) {
        Some('"') => result.push_str("\"\""),
        Some(character) if (' '..='~').contains(&character) && character != '\\' => result.push(character),
        _ => result.push_str(&format!("\\u{{{code:x}}}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::read_script;
    use crate::term::Terms;

    fn detect(source: &str) -> Dialect {
        read_script(&mut Terms::new(), source).script.dialect
    }

    #[test]
    fn old_names_show_the_old_dialect() {
        assert_eq!(detect("(assert (str.in.re x (str.to.re \"a\")))"), Dialect::V25);
        assert_eq!(detect("(assert (str.in_re x (str.to_re \"a\")))"), Dialect::V26);
        assert_eq!(detect("(assert (= x y))"), Dialect::V26);
    }

    #[test]
    fn old_names_in_comments_and_strings_show_nothing() {
        assert_eq!(detect("; str.in.re\n(assert (= x \"str.to.re\"))"), Dialect::V26);
    }

    #[test]
    fn mixed_names_are_read_as_the_new_dialect() {
        assert_eq!(detect("(assert (str.in.re x (str.to_re \"a\")))"), Dialect::V26);
    }

    #[test]
    fn old_escapes_become_new_ones() {
        let check = |old: &str, new: &str| assert_eq!(literal_to_26(old, Dialect::V25), new);
        check(r"a\x41b", "aAb");
        check(r"\n", r"\u{a}");
        check(r"\\", r"\u{5c}");
        check(r"\101", "A");
        check(r"\777", r"\u{ff}");
        check(r"\<", "<");
        check(r"\x0", r"x0");
        check(r"\u{1F}", r"\u{1f}");
        check(r"tail\", r"tail\u{5c}");
    }

    #[test]
    fn new_escapes_become_old_ones_and_back() {
        for text in [r"a\u{5c}b", r"\u{a}", "\u{e9}", r"\u{e9}x", "plain", "q\"\"q"] {
            let old = literal_from_26(text, Dialect::V25).into_owned();
            assert_eq!(literal_to_26(&old, Dialect::V25), text, "through {old}");
        }
    }

    #[test]
    fn a_text_of_open_braces_is_translated_in_linear_time() {
        let text = r"\u{".repeat(1_000_000);
        assert_eq!(literal_from_26(&text, Dialect::V25).len(), 6 * 1_000_000);
    }

    #[test]
    fn escapes_have_one_to_five_digits_and_a_limit() {
        assert_eq!(escape_26(r"\u{2FFFF}"), Some((0x2FFFF, 9)));
        assert_eq!(escape_26(r"\u{30000}"), None);
        assert_eq!(escape_26(r"\u{}"), None);
        assert_eq!(escape_26(r"\u{000041}"), None);
        assert_eq!(escape_26(r"\u0041x"), Some((0x41, 6)));
        assert_eq!(escape_26(r"\u004"), None);
    }
}
