//! Text that others wrote, made safe for the medium that it is shown in: one function a medium.
//!
//! Formulas, names of files, and above all what solvers print may hold anything: sequences that a terminal obeys, HTML and
//! links in Markdown, commands in a shell script, formulas in a spreadsheet. What has a meaning in a medium is escaped or
//! quoted there, so that people read what was written. JSON needs nothing from here.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character does something instead of being seen: controls, and the marks that change the direction of text or
/// take no room.
fn is_active(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

fn push_escaped(text: &mut String, character: char) {
    let _ = write!(text, "\\u{{{:x}}}", u32::from(character));
}

/// A text of several lines for a terminal: line ends and tabs stay, other controls are shown as `\u{1b}`.
pub fn for_terminal(text: &str) -> Cow<'_, str> {
    let is_shown = |character: char| matches!(character, '\n' | '\t') || !is_active(character);
    if text.chars().all(is_shown) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_shown(character) { safe.push(character) } else { push_escaped(&mut safe, character) }
    }
    Cow::Owned(safe)
}

/// A text within one line: line ends and tabs are blanks, other controls are shown as `\u{1b}`.
pub fn in_line(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.trim().chars() {
        match character {
            '\n' | '\t' | '\r' => safe.push(' '),
            _ if is_active(character) => push_escaped(&mut safe, character),
            _ => safe.push(character),
        }
    }
    safe
}

/// Code within a line of Markdown, in backticks that nothing in it can close.
pub fn markdown_code(text: &str) -> String {
    let text = in_line(text);
    let fence = "`".repeat(longest_run(&text) + 1);
    // Blanks beside backticks are taken away again when it is shown.
    let pad = if fence.len() > 1 || text.trim().is_empty() { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Code within the cell of a table in Markdown.
pub fn markdown_cell(text: &str) -> String {
    markdown_code(text).replace('|', "\\|")
}

/// A name or message within a sentence of Markdown: as it is if it means nothing else there, and as code otherwise. In
/// code nothing is a link, a tag, or the name of a user who is notified.
pub fn markdown_text(text: &str) -> String {
    let text = in_line(text);
    let is_plain = |character: char| character.is_alphanumeric() || " .,:;/+=-_()'\"%@?".contains(character);
    let is_mention = |(place, _): (usize, &str)| {
        !text[..place].chars().next_back().is_some_and(|before| before.is_alphanumeric())
    };
    let is_active = text.contains("://") || text.contains("www.") || text.match_indices('@').any(is_mention);
    if text.chars().all(is_plain) && !is_active { text } else { markdown_code(&text) }
}

/// A block of code in Markdown whose end nothing in it can be.
pub fn markdown_block(language: &str, text: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", for_terminal(text.trim_end()))
}

/// The most backticks in a row.
fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or_default()
}

/// A word of a shell script.
pub fn shell_word(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=:,@+%".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    // A shell ends its input at a zero byte, and a program cannot be given one.
    format!("'{}'", word.replace('\0', "").replace('\'', "'\\''"))
}

/// What a comment of a shell script says, which ends with its line.
pub fn shell_comment(text: &str) -> String {
    in_line(text)
}

/// A text between tags and inside of quotes of HTML and XML.
pub fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(character),
            // XML has no way to write most of these.
            _ if is_active(character) => push_escaped(&mut escaped, character),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// A cell of a CSV file, in quotes if it has to be. A text that a spreadsheet would take for a formula gets an apostrophe
/// before it; numbers stay.
pub fn csv_cell(cell: &str) -> String {
    let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err();
    let cell = if is_formula { Cow::Owned(format!("'{cell}")) } else { Cow::Borrowed(cell) };
    match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\u{1b}[2Jb\u{7}\u{9b}c\u{202e}d\u{0}<script>`x`|\n[y](javascript:z)";

    #[test]
    fn a_terminal_obeys_nothing_of_it() {
        assert_eq!(for_terminal("a\tb\nü\u{1f600}"), "a\tb\nü\u{1f600}");
        let safe = for_terminal(HOSTILE);
        assert!(safe.starts_with("a\\u{1b}[2Jb\\u{7}\\u{9b}c\\u{202e}d\\u{0}<script>"), "{safe}");
        assert!(safe.chars().all(|character| character == '\n' || !is_active(character)));
        assert!(!in_line(HOSTILE).contains('\n'));
        assert_eq!(for_terminal("a\rb"), "a\\u{d}b");
    }

    #[test]
    fn code_in_markdown_cannot_be_left() {
        assert_eq!(markdown_code("(re.union a)"), "`(re.union a)`");
        assert_eq!(markdown_code("a`b"), "`` a`b ``");
        assert_eq!(markdown_code("``"), "``` `` ```");
        assert_eq!(markdown_code(""), "`  `");
        assert_eq!(markdown_cell("|a|\n"), "`\\|a\\|`");
        assert_eq!(markdown_block("smt2", "(exit)\n"), "```smt2\n(exit)\n```\n");
        assert_eq!(markdown_block("", "a ```` b\u{1b}"), "`````\na ```` b\\u{1b}\n`````\n");
    }

    #[test]
    fn sentences_in_markdown_stay_sentences() {
        for plain in ["z3@4.8.7", "Failed to verify: m_util.is_string(x)", "it's 3/4"] {
            assert_eq!(markdown_text(plain), plain);
        }
        for active in ["<img src=x>", "[a](b)", "@user", "see (@user)", "https://a.b", "a`b", "#1", "a*b"] {
            assert!(markdown_text(active).starts_with('`'), "{active}");
        }
    }

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(shell_word("-in"), "-in");
        assert_eq!(shell_word("a b"), "'a b'");
        assert_eq!(shell_word("it's"), "'it'\\''s'");
        assert_eq!(shell_word("a\nb"), "'a\nb'");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("$(rm -r ~)"), "'$(rm -r ~)'");
        assert_eq!(shell_comment("z3\nrm -r x"), "z3 rm -r x");
    }

    #[test]
    fn what_has_a_meaning_in_html_is_escaped() {
        assert_eq!(html("<a href=\"x\"> & '\u{1}"), "&lt;a href=&quot;x&quot;&gt; &amp; &#39;\\u{1}");
    }

    #[test]
    fn cells_are_not_formulas() {
        assert_eq!(csv_cell("-1.5"), "-1.5");
        assert_eq!(csv_cell("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(csv_cell("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
        assert_eq!(csv_cell("@SUM(1,2)"), "\"'@SUM(1,2)\"");
    }
}
