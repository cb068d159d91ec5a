//! What a formula looks like: numbers that choosing an arm goes by.
//!
//! One pass over the rewritten assertions. A probe says nothing about how hard the formula is.

use rustc_hash::FxHashMap;
use smelt_semantics::literal;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::subterms;

use super::fragment;

/// Numbers about a formula.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Probe {
    /// Assertions.
    pub assertions: u64,
    /// Different subterms.
    pub terms: u64,
    /// Unknown strings.
    pub strings: u64,
    /// Unknown integers.
    pub integers: u64,
    /// Assertions that are word equations.
    pub equations: u64,
    /// Memberships in languages.
    pub memberships: u64,
    /// Complements, differences and intersections of languages.
    pub complements: u64,
    /// Languages with unknown strings in them.
    pub open_languages: u64,
    /// Applications of functions such as `substr`, `replace` and `indexof`.
    pub functions: u64,
    /// Applications of functions that replace all occurrences, or matches of a language.
    pub replacements: u64,
    /// Conversions between strings and numbers or codes.
    pub conversions: u64,
    /// Predicates that compare parts: prefixes, suffixes, occurrences.
    pub parts: u64,
    /// Lengths of unknown strings.
    pub lengths: u64,
    /// Disjunctions and choices.
    pub choices: u64,
    /// Negated word equations.
    pub disequalities: u64,
    /// How often the unknown string that occurs most often does in assertions that are equations.
    pub occurrences: u64,
    /// The length of the longest literal.
    pub longest_literal: u64,
    /// Whether the formula is in the conjunctive fragment.
    pub is_conjunctive: bool,
}

impl Probe {
    /// Looks at a conjunction of assertions.
    pub fn of(terms: &Terms, assertions: &[Term]) -> Probe {
        let mut probe = Probe {
            assertions: assertions.len() as u64,
            is_conjunctive: fragment::is_conjunctive(terms, assertions),
            ..Probe::default()
        };
        let mut occurrences: FxHashMap<Term, u64> = FxHashMap::default();
        for assertion in assertions.iter().filter(|assertion| is_word_equation(terms, **assertion)) {
            probe.equations += 1;
            for side in terms.args(*assertion) {
                for part in build::parts(terms, *side) {
                    if build::constant_name(terms, part).is_some() {
                        *occurrences.entry(part).or_default() += 1;
                    }
                }
            }
        }
        probe.occurrences = occurrences.into_values().max().unwrap_or(0);
        for term in subterms(terms, assertions) {
            probe.count(terms, term);
        }
        probe
    }

    fn count(&mut self, terms: &Terms, term: Term) {
        self.terms += 1;
        let sort = terms.sort(term);
        if build::constant_name(terms, term).is_some() {
            match sort {
                Sort::STRING => self.strings += 1,
                Sort::INT => self.integers += 1,
                _ => {}
            }
        }
        if let Some(word) = literal::string_value(terms, term) {
            self.longest_literal = self.longest_literal.max(word.len() as u64);
        }
        let Some(op) = terms.op(term) else { return };
        let args = terms.args(term);
        match op {
            Op::StrInRe => self.memberships += 1,
            Op::ReComp | Op::ReDiff | Op::ReInter => self.complements += 1,
            Op::StrToRe if literal::string_value(terms, args[0]).is_none() => self.open_languages += 1,
            Op::StrAt | Op::StrSubstr | Op::StrReplace | Op::StrIndexof => self.functions += 1,
            Op::StrReplaceAll | Op::StrReplaceRe | Op::StrReplaceReAll => self.replacements += 1,
            Op::StrToInt | Op::StrFromInt | Op::StrToCode | Op::StrFromCode => self.conversions += 1,
            Op::StrPrefixof | Op::StrSuffixof | Op::StrContains => self.parts += 1,
            Op::StrLen => self.lengths += 1,
            Op::Or | Op::Ite | Op::Xor => self.choices += 1,
            Op::Not if is_word_equation(terms, args[0]) => self.disequalities += 1,
            _ => {}
        }
    }

    /// All numbers with their names.
    pub fn numbers(&self) -> [(&'static str, u64); 18] {
        [
            ("assertions", self.assertions),
            ("terms", self.terms),
            ("strings", self.strings),
            ("integers", self.integers),
            ("equations", self.equations),
            ("memberships", self.memberships),
            ("complements", self.complements),
            ("open-languages", self.open_languages),
            ("functions", self.functions),
            ("replacements", self.replacements),
            ("conversions", self.conversions),
            ("parts", self.parts),
            ("lengths", self.lengths),
            ("choices", self.choices),
            ("disequalities", self.disequalities),
            ("occurrences", self.occurrences),
            ("longest-literal", self.longest_literal),
            ("conjunctive", u64::from(self.is_conjunctive)),
        ]
    }

    /// The number with this name.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.numbers().into_iter().find(|(other, _)| *other == name).map(|(_, number)| number)
    }
}

/// Whether a term says that two strings are equal.
pub(super) fn is_word_equation(terms: &Terms, term: Term) -> bool {
    terms.op(term) == Some(Op::Eq) && terms.args(term).iter().all(|arg| terms.sort(*arg) == Sort::STRING)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::Solver;

    /// The probe of assertions over some strings and numbers, as they are.
    pub(crate) fn probe(assertions: &[&str]) -> Probe {
        let mut solver = Solver::new();
        for (name, sort) in [("x", "String"), ("y", "String"), ("i", "Int"), ("b", "Bool")] {
            solver.declare(name, sort).unwrap();
        }
        let assertions: Vec<Term> = assertions.iter().map(|text| solver.term(text).unwrap()).collect();
        Probe::of(solver.terms(), &assertions)
    }

    #[test]
    fn numbers_have_names() {
        let probe = probe(&[r#"(= (str.++ x "abc") (str.++ y x))"#, "(> (str.len x) i)"]);
        assert_eq!(probe.number("assertions"), Some(2));
        assert_eq!(probe.number("equations"), Some(1));
        assert_eq!(probe.number("occurrences"), Some(2));
        assert_eq!(probe.number("longest-literal"), Some(3));
        assert_eq!(probe.number("strings"), Some(2));
        assert_eq!(probe.number("integers"), Some(1));
        assert_eq!(probe.number("no-such-number"), None);
    }

    #[test]
    fn only_languages_with_unknown_strings_are_open() {
        let probe = probe(&[r#"(str.in_re x (re.++ (str.to_re y) (str.to_re "a")))"#]);
        assert_eq!((probe.memberships, probe.open_languages), (1, 1));
    }

    #[test]
    fn disequalities_are_no_equations() {
        let probe = probe(&[r#"(not (= x "a"))"#]);
        assert_eq!((probe.equations, probe.disequalities), (0, 1));
    }
}
