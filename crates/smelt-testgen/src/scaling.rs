//! Families of formulas: one formula with its literals n times as long or as large.
//!
//! What a solver takes on them, for growing n, tells how it scales. Nothing is claimed of the answers, which may change
//! with n.

use dashu_int::UBig;
use rustc_hash::FxHashMap;
use smelt_smtlib::op::{Op, Theory};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Head, Index, Literal, Term, Terms};
use smelt_smtlib::walk::subterms;

/// What of a formula grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grown {
    /// String literals are repeated n times.
    Strings,
    /// Integers, and bounds of repetition in regular expressions, are multiplied by n.
    Numbers,
    /// Both.
    All,
}

impl Grown {
    /// All that there is.
    pub const ALL: [Grown; 3] = [Grown::Strings, Grown::Numbers, Grown::All];

    /// The name that users give it.
    pub fn name(self) -> &'static str {
        match self {
            Grown::Strings => "strings",
            Grown::Numbers => "numbers",
            Grown::All => "all",
        }
    }

    /// The one with this name.
    pub fn named(name: &str) -> Option<Grown> {
        Grown::ALL.into_iter().find(|grown| grown.name() == name)
    }

    fn has_strings(self) -> bool {
        self != Grown::Numbers
    }

    fn has_numbers(self) -> bool {
        self != Grown::Strings
    }
}

/// The formula of a family for this n; the script itself for one.
///
/// The ends of ranges of letters stay: a range between longer strings is empty.
pub fn grow(terms: &mut Terms, script: &Script, grown: Grown, times: u32) -> Script {
    let growth = Growth { grown, times };
    let mut larger: FxHashMap<Term, Term> = FxHashMap::default();
    let mut grown_script = script.clone();
    for (position, command) in script.commands.iter().enumerate() {
        let Command::Assert(root) = command else { continue };
        for term in subterms(terms, &[*root]) {
            if larger.contains_key(&term) {
                continue;
            }
            let new = grow_term(terms, term, &larger, growth);
            larger.insert(term, new);
        }
        grown_script.replace(position, Command::Assert(larger[root]));
    }
    grown_script
}

/// What grows, and how many times.
#[derive(Clone, Copy)]
struct Growth {
    grown: Grown,
    times: u32,
}

/// A term whose arguments have grown.
fn grow_term(terms: &mut Terms, term: Term, larger: &FxHashMap<Term, Term>, growth: Growth) -> Term {
    let Growth { grown, times } = growth;
    let sort = terms.sort(term);
    match terms.head(term) {
        Head::Literal(Literal::Str, text) if grown.has_strings() => {
            let text = terms.text(text).repeat(times as usize);
            terms.literal(Literal::Str, &text, sort)
        }
        Head::Literal(Literal::Numeral, text) if grown.has_numbers() && sort == Sort::INT => {
            match terms.text(text).parse::<UBig>() {
                Ok(number) => terms.literal(Literal::Numeral, &(number * times).to_string(), sort),
                Err(_) => term,
            }
        }
        Head::Op(Op::ReRange, _) => term,
        Head::Op(op, indices) => {
            let args: Vec<Term> = terms.args(term).iter().map(|arg| larger[arg]).collect();
            let is_bound = op.info().theory == Theory::Regexes && grown.has_numbers();
            let mut new = terms.indices(indices).to_vec();
            for index in new.iter_mut().filter(|_| is_bound) {
                if let Index::Number(number) = index {
                    *number = number.saturating_mul(u64::from(times));
                }
            }
            let indices = terms.intern_indices(&new);
            terms.intern(Head::Op(op, indices), &args, sort)
        }
        _ => {
            let args: Vec<Term> = terms.args(term).iter().map(|arg| larger[arg]).collect();
            terms.with_args(term, &args)
        }
    }
}

#[cfg(test)]
mod tests {
    use smelt_smtlib::print::script_text;
    use smelt_smtlib::read::read_script;

    use super::*;

    fn check(formula: &str, grown: Grown, times: u32, expected: &str) {
        let mut terms = Terms::new();
        let head = "(declare-const s String)\n(declare-const i Int)\n";
        let reading = read_script(&mut terms, &format!("{head}(assert {formula})\n(check-sat)\n"));
        assert!(reading.diagnostics.is_empty(), "{:?}", reading.diagnostics);
        let larger = grow(&mut terms, &reading.script, grown, times);
        let text = script_text(&mut terms, &larger);
        let assertion = text.lines().find(|line| line.starts_with("(assert")).unwrap();
        assert_eq!(assertion, format!("(assert {expected})"));
        let again = read_script(&mut terms, &text);
        assert!(again.diagnostics.is_empty(), "{:?}", again.diagnostics);
    }

    #[test]
    fn strings_are_repeated() {
        check(r#"(= s (str.++ "ab" s ""))"#, Grown::Strings, 3, r#"(= s (str.++ "ababab" s ""))"#);
        check(r#"(= 5 (str.len "a"))"#, Grown::Strings, 2, r#"(= 5 (str.len "aa"))"#);
    }

    #[test]
    fn numbers_are_multiplied() {
        check(r#"(= (* 2 i) (str.len "a") 0)"#, Grown::Numbers, 4, r#"(= (* 8 i) (str.len "a") 0)"#);
        let loops = r#"(str.in_re s ((_ re.loop 1 3) (str.to_re "a")))"#;
        check(loops, Grown::Numbers, 2, r#"(str.in_re s ((_ re.loop 2 6) (str.to_re "a")))"#);
        check(loops, Grown::All, 2, r#"(str.in_re s ((_ re.loop 2 6) (str.to_re "aa")))"#);
        check(loops, Grown::Strings, 2, r#"(str.in_re s ((_ re.loop 1 3) (str.to_re "aa")))"#);
    }

    #[test]
    fn large_numbers_stay_exact() {
        check("(= i 99999999999999999999)", Grown::Numbers, 10, "(= i 999999999999999999990)");
    }

    #[test]
    fn ranges_of_letters_stay_although_the_letters_grow_elsewhere() {
        check(
            r#"(or (= s "a") (str.in_re s (re.range "a" "z")))"#,
            Grown::All,
            2,
            r#"(or (= s "aa") (str.in_re s (re.range "a" "z")))"#,
        );
    }

    #[test]
    fn once_is_the_formula_itself() {
        for grown in Grown::ALL {
            check(r#"(= i (str.len "ab") 7)"#, grown, 1, r#"(= i (str.len "ab") 7)"#);
        }
    }

    #[test]
    fn what_is_bound_by_let_grows_too() {
        check(
            r#"(let ((t "x")) (= s (str.++ t t)))"#,
            Grown::Strings,
            2,
            r#"(let ((t "xx")) (= s (str.++ t t)))"#,
        );
    }
}
