//! The text of scripts that follow each other in a chain: a step changes few commands, and only those are printed again.

use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::term::Terms;

/// A script as it was printed last.
#[derive(Debug, Clone, Default)]
pub(crate) struct PrintCache {
    commands: Vec<Command>,
    /// Where the line of each command ends in the text.
    ends: Vec<usize>,
    text: String,
    /// Room for a line, and for what comes after it.
    line: String,
    rest: String,
}

impl PrintCache {
    /// The text of a script that resembles the one before, one command a line, in SMT-LIB 2.6.
    pub(crate) fn text(&mut self, terms: &mut Terms, script: &Script) -> &str {
        if self.commands.len() != script.commands.len() {
            let same = self.commands.iter().zip(&script.commands).take_while(|(old, new)| old == new).count();
            self.commands.truncate(same);
            self.ends.truncate(same);
            self.text.truncate(self.start(same));
        }
        for (position, command) in script.commands.iter().enumerate() {
            match self.commands.get_mut(position) {
                Some(known) if known == command => continue,
                Some(known) => known.clone_from(command),
                None => self.commands.push(command.clone()),
            }
            let room = std::mem::take(&mut self.line);
            let mut printer = Printer::appending(room, terms, Dialect::V26, Layout::Shared);
            printer.command(command);
            self.line = printer.finish();
            self.line.push('\n');
            self.put(position);
        }
        &self.text
    }

    /// Puts the new line in the place of the one at this position, or at the end.
    fn put(&mut self, position: usize) {
        let start = self.start(position);
        let new_end = start + self.line.len();
        match self.ends.get(position).copied() {
            Some(end) => {
                self.rest.clear();
                self.rest.push_str(&self.text[end..]);
                self.text.truncate(start);
                self.text.push_str(&self.line);
                self.text.push_str(&self.rest);
                self.ends[position..].iter_mut().for_each(|place| *place = *place - end + new_end);
            }
            None => {
                self.text.push_str(&self.line);
                self.ends.push(new_end);
            }
        }
        self.line.clear();
    }

    /// Where the line at this position starts.
    fn start(&self, position: usize) -> usize {
        position.checked_sub(1).map_or(0, |before| self.ends[before])
    }
}

#[cfg(test)]
mod tests {
    use smelt_smtlib::print::script_text;
    use smelt_smtlib::read::read_script_as;

    use super::*;

    #[test]
    fn the_text_is_that_of_the_script_whatever_came_before() {
        let sources = [
            "(declare-const x Int) (assert (> x 0)) (assert (< x 9)) (check-sat)",
            "(declare-const x Int) (assert (> x 0 (- 1) 2)) (assert (< x 9)) (check-sat)",
            "(declare-const x Int) (assert true) (assert (distinct x 9)) (check-sat)",
            "(declare-const x Int) (declare-const y Int) (assert true) (assert (= x y)) (check-sat)",
            "(declare-const x Int) (check-sat)",
            "",
            "(declare-const |two\nlines| Int) (assert (= |two\nlines| 1)) (check-sat)",
            "(declare-const |two\nlines| Int) (assert (= |two\nlines| 2)) (check-sat)",
        ];
        let mut terms = Terms::new();
        let mut printed = PrintCache::default();
        for source in sources {
            let script = read_script_as(&mut terms, source, Dialect::V26).script;
            let expected = script_text(&mut terms, &script);
            assert_eq!(printed.text(&mut terms, &script), expected);
            assert_eq!(printed.text(&mut terms, &script), expected);
        }
    }
}
