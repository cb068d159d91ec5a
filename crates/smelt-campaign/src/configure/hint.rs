//! Commands that users are told to type next, complete enough to be copied.

use std::path::Path;

use smelt_oracle::foreign_text::shell_word;

use super::DEFAULT_DIR;

/// A command on the campaign in a folder: its name is repeated unless it is the one that commands look for.
pub fn in_campaign(command: &str, dir: &Path) -> String {
    if dir == Path::new(DEFAULT_DIR) {
        return command.to_owned();
    }
    format!("{command} --dir {}", shell_word(&dir.display().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_names_the_folder_unless_it_is_the_usual_one() {
        let hint = |dir: &str| in_campaign("smelt hunt --resume", Path::new(dir));
        assert_eq!(hint("smelt-campaign"), "smelt hunt --resume");
        assert_eq!(hint("kill/S"), "smelt hunt --resume --dir kill/S");
        assert_eq!(hint("it's a test"), "smelt hunt --resume --dir 'it'\\''s a test'");
    }
}
