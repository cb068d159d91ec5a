//! Formulas that a solver refuses or fails on, counted by what it says.
//!
//! A solver that refuses most of what it is sent is not tested, and nothing else in the counters of a campaign says so.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use smelt_oracle::run::Answer;

/// At most this many messages are told apart,
const MAX_MESSAGES: usize = 32;
/// each by its first characters.
const MAX_CHARS: usize = 160;

/// A solver is said to refuse often only after this many runs,
const MIN_RUNS: u64 = 20;
/// if it refuses more than one in this many.
const OFTEN: u64 = 5;

/// What is said of messages beyond those that are told apart.
const OTHERS: &str = "other messages";

/// What one solver refused or failed on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusals {
    /// Its runs.
    pub runs: u64,
    /// Those that ended in `error` or `rejected`.
    pub refused: u64,
    /// What it said then, without names and numbers.
    messages: BTreeMap<String, u64>,
}

impl Refusals {
    /// Counts a run.
    pub fn add(&mut self, answer: Answer, message: Option<&str>) {
        self.runs += 1;
        if !matches!(answer, Answer::Error | Answer::Rejected) {
            return;
        }
        self.refused += 1;
        let message = message.map_or_else(|| "no message".to_owned(), normalized);
        let is_known = self.messages.contains_key(&message);
        let key = if is_known || self.messages.len() < MAX_MESSAGES { message } else { OTHERS.to_owned() };
        *self.messages.entry(key).or_default() += 1;
    }

    /// Whether it refuses or fails on more than a fifth of what it is sent.
    pub fn is_frequent(&self) -> bool {
        self.runs >= MIN_RUNS && self.refused * OFTEN > self.runs
    }

    /// The most common message, and how often it was seen.
    pub fn most_common(&self) -> Option<(&str, u64)> {
        let told_apart = self.messages.iter().filter(|(message, _)| *message != OTHERS);
        let (message, count) = told_apart.max_by_key(|(_, count)| **count)?;
        Some((message, *count))
    }
}

/// A message without what differs from formula to formula: numbers, and names in quotes.
fn normalized(message: &str) -> String {
    let message = message.trim();
    let message = message.strip_prefix("(error").map_or(message, |rest| rest.trim_end_matches(')')).trim();
    let message = message.trim_matches('"');
    let mut normal = String::new();
    let mut quote = None;
    for character in message.chars().take(MAX_CHARS) {
        match (quote, character) {
            (Some(open), _) if open == character => {
                quote = None;
                normal.push_str("..");
                normal.push(character);
            }
            (Some(_), _) => {}
            (None, '\'' | '`' | '|') if !normal.ends_with(char::is_alphanumeric) => {
                quote = Some(if character == '|' { '|' } else { '\'' });
                normal.push(character);
            }
            (None, '0'..='9') if normal.ends_with('#') => {}
            (None, '0'..='9') => normal.push('#'),
            (None, character) if character.is_whitespace() => normal.push(' '),
            (None, character) => normal.push(character),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solver_that_refuses_more_than_a_fifth_is_noticed_with_its_most_common_message() {
        let mut refusals = Refusals::default();
        for number in 0..100 {
            match number % 4 {
                0 => refusals.add(Answer::Error, Some(&format!("(error \"cannot pop {number} levels\")"))),
                _ => refusals.add(Answer::Sat, None),
            }
        }
        refusals.add(Answer::Rejected, Some("unknown option"));
        assert!(refusals.is_frequent());
        assert_eq!(refusals.most_common(), Some(("cannot pop # levels", 25)));
    }

    #[test]
    fn one_that_refuses_little_or_was_run_little_is_not() {
        let of = |refused: u64, answered: u64| {
            let mut refusals = Refusals::default();
            (0..refused).for_each(|_| refusals.add(Answer::Error, None));
            (0..answered).for_each(|_| refusals.add(Answer::Timeout, None));
            refusals.is_frequent()
        };
        assert!(!of(19, 0));
        assert!(of(20, 0));
        assert!(!of(20, 80));
        assert!(of(21, 80));
    }

    #[test]
    fn messages_are_told_apart_without_names_and_numbers_and_only_so_many_of_them() {
        assert_eq!(
            normalized("line 3 column 14: unknown constant 'x1'"),
            "line # column #: unknown constant '..'"
        );
        assert_eq!(normalized("(error \"Symbol 'a' not declared\")"), "Symbol '..' not declared");
        assert_eq!(normalized("can't do it"), "can't do it");
        let mut refusals = Refusals::default();
        for number in 0..200u32 {
            let letters: String =
                number.to_string().chars().map(|digit| (digit as u8 + 49) as char).collect();
            refusals.add(Answer::Error, Some(&letters));
        }
        assert!(refusals.messages.len() <= MAX_MESSAGES + 1);
        assert_eq!(refusals.messages.values().sum::<u64>(), 200);
    }
}
