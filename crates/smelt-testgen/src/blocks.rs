//! Texts in blocks between `#begin` and `#end`, as triples, rules, rows and constants are written.
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

impl Block<'_> {
    /// Its lines as a text.
    pub(crate) fn text(&self) -> String {
        self.lines.iter().flat_map(|line| [line, "\n"]).collect()
    }
}

/// Why a text cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BlockError {
    /// What stands behind the `#begin` of the block; empty if it has none.
    pub id: String,
    /// The line in which the block begins, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl BlockError {
    fn new(block: &Block<'_>, message: impl Into<String>) -> Self {
        BlockError { id: block.words.join(" "), line: block.line, message: message.into() }
    }
}

/// What is wrong with a triple, a rule or a row, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Defect(String);

impl From<&str> for Defect {
    fn from(message: &str) -> Self {
        Defect(message.to_owned())
    }
}

impl From<String> for Defect {
    fn from(message: String) -> Self {
        Defect(message)
    }
}

/// What the blocks of a text say; `read` says what is wrong with one.
pub(crate) fn read_blocks<T>(
    text: &str,
    mut read: impl FnMut(&Block<'_>) -> Result<T, Defect>,
) -> Result<Vec<T>, BlockError> {
    let blocks = blocks(text)?;
    blocks.iter().map(|block| read(block).map_err(|defect| BlockError::new(block, defect.0))).collect()
}

/// The blocks of a text.
pub(crate) fn blocks(text: &str) -> Result<Vec<Block<'_>>, BlockError> {
    const MISSING: &str = "`#end` is missing";
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut open: Option<Block<'_>> = None;
    for (line, content) in (1..).zip(text.lines().map(str::trim)) {
        if let Some(words) = content.strip_prefix("#begin") {
            let block = Block { words: words.split_whitespace().collect(), line, lines: Vec::new() };
            if let Some(before) = open.replace(block) {
                return Err(BlockError::new(&before, MISSING));
            }
        } else if content == "#end" {
            let Some(block) = open.take() else {
                let none = Block { words: Vec::new(), line, lines: Vec::new() };
                return Err(BlockError::new(&none, "`#end` without `#begin`"));
            };
            blocks.push(block);
        } else if let Some(block) = &mut open
            && !(content.is_empty() || content == "#" || content.starts_with("# "))
        {
            block.lines.push(content);
        }
    }
    match open {
        Some(block) => Err(BlockError::new(&block, MISSING)),
        None => Ok(blocks),
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
        let check = |text: &str, id: &str, line: usize, message: &str| {
            let error = BlockError { id: id.to_owned(), line, message: message.to_owned() };
            assert_eq!(blocks(text), Err(error), "{text}");
        };
        check("#begin a\n", "a", 1, "`#end` is missing");
        check("\n#begin a b\n#begin c\n#end", "a b", 2, "`#end` is missing");
        check("#end\n", "", 1, "`#end` without `#begin`");
    }
}
