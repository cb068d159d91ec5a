//! Texts in blocks between `#begin` and `#end`, as rows and constants are written.
//!
//! Outside of blocks everything is a comment, inside of them a line that starts with `# `.

/// A block of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block<'t> {
    /// What stands behind `#begin`.
    pub words: Vec<&'t str>,
    /// The line in which it begins, counted from 1.
    pub line: usize,
    /// Its lines without comments.
    pub lines: Vec<&'t str>,
}

/// The blocks of a text, or the line with which something is wrong, and what.
pub(crate) fn blocks(text: &str) -> Result<Vec<Block<'_>>, (usize, &'static str)> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut is_open = false;
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        if let Some(words) = line.strip_prefix("#begin") {
            if is_open {
                return Err((number, "`#end` is missing before this `#begin`"));
            }
            is_open = true;
            blocks.push(Block { words: words.split_whitespace().collect(), line: number, lines: Vec::new() });
        } else if line == "#end" {
            if !is_open {
                return Err((number, "`#end` without `#begin`"));
            }
            is_open = false;
        } else if is_open
            && !(line.is_empty() || line == "#" || line.starts_with("# "))
            && let Some(block) = blocks.last_mut()
        {
            block.lines.push(line);
        }
    }
    match blocks.last() {
        Some(block) if is_open => Err((block.line, "`#end` is missing")),
        _ => Ok(blocks),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_words_and_lines() {
        let found = blocks("text\n#begin a b\n# comment\n\n#b01\n#end\n").unwrap();
        assert_eq!(found, [Block { words: vec!["a", "b"], line: 2, lines: vec!["#b01"] }]);
    }

    #[test]
    fn what_is_not_closed_is_refused() {
        assert_eq!(blocks("#begin a\n"), Err((1, "`#end` is missing")));
        assert_eq!(blocks("#begin a\n#begin b\n#end"), Err((2, "`#end` is missing before this `#begin`")));
        assert_eq!(blocks("#end\n"), Err((1, "`#end` without `#begin`")));
    }
}
