//! What the developers of solvers ask of those who report bugs found by a fuzzer, as a small table by family.
//!
//! These are summaries; the documents that they point to are what counts, and may have changed.

use smelt_oracle::finding::Class;
use smelt_runner::family::Family;

/// What is asked for, in sentences for a report; nothing for a family without a known policy.
pub(crate) fn policy(family: Family, class: Class) -> Option<String> {
    let rules = RULES.iter().find(|rules| rules.family == family)?;
    let place = match rank(class) {
        Some(rank) => format!(" This one has priority {rank} of {MAX_RANK} by that order."),
        None => {
            " Findings of this class are not what that order is about: ask before reporting them.".to_owned()
        }
    };
    let place = if rules.is_ranked { place.as_str() } else { "" };
    Some(format!("{}{place}\n\nWhere: {}.", rules.text, rules.place))
}

struct Rules {
    family: Family,
    text: &'static str,
    /// Whether the developers rank classes of bugs.
    is_ranked: bool,
    place: &'static str,
}

const RULES: [Rules; 2] = [
    Rules {
        family: Family::Cvc5,
        text: "cvc5 asks fuzzing teams for at most three issues a week, each on the newest nightly build, as small as \
               possible, without duplicates, and only with options of its list of fuzzing targets; findings with \
               experimental options are not wanted. Wrong `unsat` comes first, then wrong `sat`, then wrong models, \
               then crashes.",
        is_ranked: true,
        place: "wiki page `Fuzzing cvc5` of github.com/cvc5/cvc5",
    },
    Rules {
        family: Family::Z3,
        text: "z3 asks for bugs that the current master branch still has, with the smallest formula and the fewest \
               options, and welcomes the component and the first bad commit. Wrong answers and crashes with default \
               options matter most; bugs of users come before those of fuzzers.",
        is_ranked: false,
        place: "section on fuzzing in README.md of github.com/Z3Prover/z3",
    },
];

const MAX_RANK: u32 = 4;

fn rank(class: Class) -> Option<u32> {
    match class {
        Class::SoundnessRefutation => Some(1),
        Class::SoundnessSolution => Some(2),
        Class::InvalidModel | Class::InvalidCore => Some(3),
        Class::Crash => Some(4),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_without_a_known_policy_have_none() {
        assert_eq!(policy(Family::Generic, Class::Crash), None);
        let cvc5 = policy(Family::Cvc5, Class::SoundnessRefutation).unwrap_or_default();
        assert!(cvc5.contains("priority 1 of 4"), "{cvc5}");
        assert!(policy(Family::Z3, Class::Crash).is_some_and(|text| !text.contains("priority")));
    }
}
