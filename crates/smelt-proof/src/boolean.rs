//! What connectives mean, as clauses.

use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Term, Terms};

/// Whether a term is Boolean and depends on the truth of its arguments alone.
pub fn is_connective(terms: &Terms, term: Term) -> bool {
    let has_boolean_args = terms.args(term).first().is_some_and(|arg| terms.sort(*arg) == Sort::BOOL);
    terms.sort(term) == Sort::BOOL
        && has_boolean_args
        && matches!(
            terms.op(term),
            Some(
                Op::Not
                    | Op::And
                    | Op::Or
                    | Op::Implies
                    | Op::ImpliesWord
                    | Op::Xor
                    | Op::Iff
                    | Op::Eq
                    | Op::Distinct
                    | Op::Ite
            )
        )
}

/// The clauses that make a literal true if and only if a connective of literals is; none for chains.
pub(crate) fn definition(op: Op, name: i32, args: &[i32]) -> Option<Vec<Vec<i32>>> {
    let disjunction = |name: i32, args: &[i32]| -> Vec<Vec<i32>> {
        let whole = args.iter().copied().chain([-name]).collect();
        args.iter().map(|arg| vec![name, -arg]).chain([whole]).collect()
    };
    Some(match (op, args) {
        (Op::Not, &[arg]) => vec![vec![name, arg], vec![-name, -arg]],
        (Op::Or, _) => disjunction(name, args),
        (Op::And, _) => disjunction(-name, &args.iter().map(|arg| -arg).collect::<Vec<i32>>()),
        (Op::Implies | Op::ImpliesWord, [premises @ .., conclusion]) => {
            let args: Vec<i32> = premises.iter().map(|arg| -arg).chain([*conclusion]).collect();
            disjunction(name, &args)
        }
        (Op::Eq | Op::Iff, &[left, right]) => equivalence(name, left, right),
        (Op::Xor | Op::Distinct, &[left, right]) => equivalence(-name, left, right),
        (Op::Ite, &[condition, then, otherwise]) => vec![
            vec![-name, -condition, then],
            vec![-name, condition, otherwise],
            vec![name, -condition, -then],
            vec![name, condition, -otherwise],
        ],
        _ => return None,
    })
}

fn equivalence(name: i32, left: i32, right: i32) -> Vec<Vec<i32>> {
    vec![
        vec![-name, -left, right],
        vec![-name, left, -right],
        vec![name, left, right],
        vec![name, -left, -right],
    ]
}

/// Whether two terms are equations with the same sides.
pub(crate) fn are_same_equation(terms: &Terms, one: Term, other: Term) -> bool {
    match (terms.op(one), terms.args(one), terms.op(other), terms.args(other)) {
        (Some(Op::Eq), &[a, b], Some(Op::Eq), &[c, d]) => (a, b) == (d, c),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether clauses over the variables 1, 2 and 3 hold for these values.
    fn hold(clauses: &[Vec<i32>], values: [bool; 3]) -> bool {
        let is_true = |literal: &i32| values[literal.unsigned_abs() as usize - 1] == (*literal > 0);
        clauses.iter().all(|clause| clause.iter().any(is_true))
    }

    #[test]
    fn definitions_say_what_connectives_mean() {
        type Meaning = fn(bool, bool) -> bool;
        let meanings: [(Op, Meaning); 6] = [
            (Op::And, |p, q| p && q),
            (Op::Or, |p, q| p || q),
            (Op::Implies, |p, q| !p || q),
            (Op::Eq, |p, q| p == q),
            (Op::Xor, |p, q| p != q),
            (Op::Distinct, |p, q| p != q),
        ];
        for (op, meaning) in meanings {
            let clauses = definition(op, 1, &[2, 3]).unwrap();
            for code in 0..8 {
                let [name, p, q] = [1, 2, 4].map(|bit| code & bit != 0);
                assert_eq!(hold(&clauses, [name, p, q]), name == meaning(p, q), "{op:?}");
            }
        }
        assert_eq!(definition(Op::Distinct, 1, &[2, 3, 4]), None);
    }
}
