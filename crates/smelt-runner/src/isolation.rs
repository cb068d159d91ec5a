//! What makes a solver forget one formula before the next in a session.
//!
//! `(reset)` makes it forget everything and is as good as a new process. `(pop 1)` undoes the `(push 1)` that such a
//! formula begins with: the solver is used incrementally, which for Z3 is another core than the usual one, and many
//! times faster on small formulas.

use std::sync::LazyLock;

use memchr::memmem;

/// What is sent between two formulas of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// `(reset)`.
    Reset,
    /// `(pop 1)`. A formula is a head, such as options and the logic, then `(push 1)` and the rest. The head is sent once:
    /// a formula with another head needs another process.
    PushPop,
}

const PUSH: &str = "(push 1)\n";

impl Isolation {
    /// What was sent between the formulas of a transcript.
    pub fn of_transcript(transcript: &str) -> Isolation {
        if transcript.starts_with(RESET) { Isolation::Reset } else { Isolation::PushPop }
    }

    /// A formula in the form that can be undone: its head, and the rest of it.
    pub fn script(self, head: &str, rest: &str) -> String {
        match self {
            Isolation::Reset => format!("{head}{rest}"),
            Isolation::PushPop => format!("{head}{PUSH}{rest}"),
        }
    }

    /// Whether a formula leaves the solver such that another can follow.
    pub(crate) fn can_follow(self, script: &str) -> bool {
        match self {
            Isolation::Reset => true,
            Isolation::PushPop => script.split_once(PUSH).is_some_and(|(_, rest)| !has_levels(rest)),
        }
    }

    /// Whether a formula can be asked in a process that was asked another: what is sent once is the same.
    pub(crate) fn shares_head(self, before: &str, script: &str) -> bool {
        self == Isolation::Reset || head(before) == head(script)
    }

    /// What is sent for a formula, in two parts.
    pub(crate) fn message(self, script: &str, is_first: bool) -> [&str; 2] {
        match self {
            Isolation::PushPop if is_first => ["", script],
            Isolation::PushPop => [POP, &script[head(script).len()..]],
            Isolation::Reset => [RESET, script],
        }
    }

    /// All that is sent for some formulas, as one text.
    pub fn transcript(self, scripts: &[String]) -> String {
        scripts.iter().enumerate().flat_map(|(number, script)| self.message(script, number == 0)).collect()
    }

    /// The formulas of a transcript.
    pub fn scripts(self, transcript: &str) -> Vec<String> {
        match self {
            Isolation::Reset => transcript.split(RESET).skip(1).map(str::to_owned).collect(),
            Isolation::PushPop => transcript
                .split(POP)
                .enumerate()
                .map(|(number, rest)| match number {
                    0 => rest.to_owned(),
                    _ => format!("{}{rest}", head(transcript)),
                })
                .collect(),
        }
    }
}

/// What is before the first `(push 1)`; nothing if there is none.
fn head(script: &str) -> &str {
    script.split_once(PUSH).map_or("", |(head, _)| head)
}

/// Whether a formula may have commands that a `(pop 1)` after it does not undo.
fn has_levels(formula: &str) -> bool {
    static WORDS: LazyLock<[memmem::Finder<'static>; 3]> =
        LazyLock::new(|| ["(push", "(pop", "(reset"].map(memmem::Finder::new));
    WORDS.iter().any(|word| word.find(formula.as_bytes()).is_some())
}

const RESET: &str = "(reset)\n";
const POP: &str = "(pop 1)\n";

#[cfg(test)]
mod tests {
    use super::*;

    fn check(between: Isolation, transcript: &str) {
        let scripts: Vec<String> =
            ["(assert p)\n", "(assert q)\n"].iter().map(|rest| between.script("(head)\n", rest)).collect();
        assert!(scripts.iter().all(|script| between.can_follow(script)));
        assert_eq!(between.transcript(&scripts), transcript);
        assert_eq!(Isolation::of_transcript(transcript), between);
        assert_eq!(between.scripts(transcript), scripts);
    }

    #[test]
    fn formulas_are_told_apart_by_what_stands_between_them() {
        check(Isolation::Reset, "(reset)\n(head)\n(assert p)\n(reset)\n(head)\n(assert q)\n");
        check(Isolation::PushPop, "(head)\n(push 1)\n(assert p)\n(pop 1)\n(push 1)\n(assert q)\n");
    }

    #[test]
    fn a_formula_with_levels_of_its_own_cannot_be_undone_by_one_pop() {
        let pop = Isolation::PushPop;
        assert!(pop.can_follow("(push 1)\n(assert p)\n"));
        assert!(pop.can_follow("(head)\n(push 1)\n(assert p)\n"));
        for script in ["(assert p)\n", "(push 1)\n(push 1)\n", "(push 1)\n(pop 1)\n", "(push 1)\n(reset)\n"] {
            assert!(!pop.can_follow(script), "{script}");
        }
    }

    #[test]
    fn a_formula_with_other_options_does_not_follow_in_the_same_process() {
        let [plain, safe] =
            ["(head)\n", "(safe)\n(head)\n"].map(|head| Isolation::PushPop.script(head, "(assert p)\n"));
        assert!(Isolation::PushPop.shares_head(&plain, &plain));
        assert!(!Isolation::PushPop.shares_head(&plain, &safe));
        assert!(Isolation::Reset.shares_head(&plain, &safe));
    }
}
