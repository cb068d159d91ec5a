//! The numbers in what solvers are asked: integers, or bit-vectors for solvers that know no others.
//!
//! Whether a solver takes arrays, quantifiers or datatypes must not depend on whether it takes integers.

use smelt_smtlib::op::Op;

/// Which numbers are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// Of sort `Int`.
    Integers,
    /// Of sort `(_ BitVec 8)`.
    BitVectors,
}

impl Numbers {
    /// One of our scripts about integers, with these numbers.
    pub(crate) fn in_script(self, script: &str) -> String {
        match self {
            Numbers::Integers => script.to_owned(),
            Numbers::BitVectors => with_bit_vectors(script),
        }
    }
}

fn with_bit_vectors(script: &str) -> String {
    let mut result = String::with_capacity(script.len() * 2);
    let mut before = "";
    let mut rest = script;
    while !rest.is_empty() {
        let is_end = |character: char| character.is_whitespace() || "()\"".contains(character);
        let length = rest.find(is_end).unwrap_or(rest.len());
        let (word, after) = rest.split_at(if length == 0 { 1 } else { length });
        result.push_str(&replaced(word, before));
        before = if word.trim().is_empty() { before } else { word };
        rest = after;
    }
    result
}

fn replaced(word: &str, before: &str) -> String {
    let replacement = match word {
        "Int" => "(_ BitVec 8)",
        ">" => Op::BvSgt.info().name,
        "<" => Op::BvSlt.info().name,
        ">=" => Op::BvSge.info().name,
        "<=" => Op::BvSle.info().name,
        "+" => Op::BvAdd.info().name,
        "-" => Op::BvSub.info().name,
        // A number after the name of a sort is how many arguments that has.
        _ if before.starts_with(|first: char| first.is_ascii_uppercase() || first == '_') => word,
        digit if digit.len() == 1 && digit.as_bytes()[0].is_ascii_digit() => return format!("#x0{digit}"),
        other => other,
    };
    replacement.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_become_bit_vectors_and_arities_stay() {
        let script =
            "(declare-datatypes ((D 0)) (((leaf) (node (value Int)))))(assert (<= (- x 1) ((_ f 2) 3)))";
        assert_eq!(
            Numbers::BitVectors.in_script(script),
            "(declare-datatypes ((D 0)) (((leaf) (node (value (_ BitVec 8))))))\
             (assert (bvsle (bvsub x #x01) ((_ f #x02) #x03)))"
        );
        assert_eq!(Numbers::Integers.in_script(script), script);
    }
}
