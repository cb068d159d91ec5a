//! Triggers with one cause, put together.
//!
//! Two triggers of one class are taken to have one cause if they crash in the same place, if they are the same formula
//! modulo names and order, or if they have the same operators and every release does the same with both. The last is what
//! is believed until shown otherwise; so triggers should be reduced first.

pub mod findings;
pub mod form;
pub mod known;
pub mod listing;
pub mod summary;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

/// What of a trigger tells its cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger {
    /// The class of its finding, and the family and options of the culprit: what differs in these has different causes.
    pub kind: String,
    /// Where it crashes, if that is known.
    pub signature: Option<String>,
    /// The number of its formula.
    pub form: u64,
    /// The operators of its formula.
    pub operators: Vec<String>,
    /// What releases do with it; none if they were not asked.
    pub fingerprint: Option<Fingerprint>,
    /// How large it is: the smallest represents the others.
    pub bytes: usize,
}

/// What releases do with a trigger, in a word each.
pub type Fingerprint = BTreeMap<String, String>;

/// What makes triggers the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key<'t> {
    Signature(&'t str, &'t str),
    Form(&'t str, u64),
    Fingerprint(&'t str, &'t [String], &'t Fingerprint),
}

impl Trigger {
    /// All that it has in common with triggers of the same cause.
    fn keys(&self) -> Vec<Key<'_>> {
        let kind = self.kind.as_str();
        let mut keys = vec![Key::Form(kind, self.form)];
        match (&self.signature, &self.fingerprint) {
            // A place in the source says more than what releases do.
            (Some(signature), _) => keys.push(Key::Signature(kind, signature)),
            (None, Some(fingerprint)) => keys.push(Key::Fingerprint(kind, &self.operators, fingerprint)),
            (None, None) => {}
        }
        keys
    }
}

/// Puts triggers with one cause together: their numbers, the one that represents them first, in the order of those.
pub fn cluster(triggers: &[Trigger]) -> Vec<Vec<usize>> {
    let mut leaders: Vec<usize> = (0..triggers.len()).collect();
    let mut first_with: FxHashMap<Key<'_>, usize> = FxHashMap::default();
    for (number, trigger) in triggers.iter().enumerate() {
        for key in trigger.keys() {
            let first = *first_with.entry(key).or_insert(number);
            let (left, right) = (leader(&leaders, first), leader(&leaders, number));
            leaders[left.max(right)] = left.min(right);
        }
    }
    let mut clusters: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for number in 0..triggers.len() {
        clusters.entry(leader(&leaders, number)).or_default().push(number);
    }
    let mut clusters: Vec<Vec<usize>> = clusters.into_values().collect();
    for cluster in &mut clusters {
        cluster.sort_by_key(|number| (triggers[*number].bytes, *number));
    }
    clusters
}

fn leader(leaders: &[usize], mut number: usize) -> usize {
    while leaders[number] != number {
        number = leaders[number];
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trigger(form: u64, operators: &[&str], releases: &str) -> Trigger {
        let word = |(number, word): (usize, &str)| (number.to_string(), word.to_owned());
        Trigger {
            kind: "crash z3".to_owned(),
            signature: None,
            form,
            operators: operators.iter().map(|name| (*name).to_owned()).collect(),
            fingerprint: Some(releases.split(' ').enumerate().map(word).collect()),
            bytes: 100 - form as usize,
        }
    }

    #[test]
    fn the_same_operators_and_releases_are_one_cause() {
        let triggers = [
            trigger(1, &["+"], "sat crash"),
            trigger(2, &["+"], "sat crash"),
            trigger(3, &["+"], "crash crash"),
            trigger(4, &["-"], "sat crash"),
        ];
        assert_eq!(cluster(&triggers), [vec![1, 0], vec![2], vec![3]]);
    }

    #[test]
    fn the_same_formula_is_one_cause_even_if_nobody_was_asked() {
        let mut triggers = [trigger(1, &["+"], "sat"), trigger(1, &["+"], "sat"), trigger(2, &["+"], "sat")];
        triggers.iter_mut().for_each(|trigger| trigger.fingerprint = None);
        assert_eq!(cluster(&triggers), [vec![0, 1], vec![2]]);
    }

    #[test]
    fn the_place_of_a_crash_decides() {
        let at = |form, place: &str| Trigger {
            signature: Some(place.to_owned()),
            ..trigger(form, &["+"], "crash")
        };
        assert_eq!(cluster(&[at(1, "a.cpp"), at(2, "b.cpp"), at(3, "a.cpp")]), [vec![2, 0], vec![1]]);
    }

    #[test]
    fn what_is_of_another_kind_is_apart() {
        let other = Trigger { kind: "hang z3".to_owned(), ..trigger(1, &["+"], "sat") };
        assert_eq!(cluster(&[trigger(1, &["+"], "sat"), other]).len(), 2);
    }

    #[test]
    fn clusters_grow_together() {
        let triggers = [trigger(1, &["+"], "sat"), trigger(2, &["-"], "sat"), trigger(2, &["+"], "sat")];
        assert_eq!(cluster(&triggers), [vec![1, 2, 0]]);
    }
}
