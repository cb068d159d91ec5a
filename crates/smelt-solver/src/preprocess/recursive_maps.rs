//! Recursive functions that change a word letter by letter, by the name that they have in the theory.
//!
//! If `f` of the empty word is empty, and of any other word what `str.to_lower` makes of its first letter followed by `f`
//! of the rest, then `f` is `str.to_lower`, by induction. The first letter is tried with all the letters that there are.

use smelt_semantics::letters::MAX_LETTER;
use smelt_semantics::literal;
use smelt_semantics::string::Str;
use smelt_semantics::value::Value;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::script::Definition;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Terms};

use super::lower::Lowering;
use super::replace::Replacement;
use crate::effort::Effort;
use crate::engines::guess;
use crate::rewrite::Rewriter;

/// Functions that change a word letter by letter.
const LETTERWISE: [Op; 2] = [Op::StrToLower, Op::StrToUpper];

/// The same function without recursion, if it is one that we know.
pub fn without_recursion(
    terms: &mut Terms,
    rewriter: &mut Rewriter,
    definition: &Definition,
    effort: &mut Effort,
) -> Option<Definition> {
    let [param] = definition.params.as_slice() else { return None };
    if param.sort != Sort::STRING || definition.sort != Sort::STRING {
        return None;
    }
    let word = build::fresh(terms, "word", Sort::STRING);
    let body = Lowering::default().lower_body(terms, definition, &[word], effort).ok()?;
    let changed = first_letter_changed(terms, rewriter, &Applied { name: definition.name, word, body })?;
    let first = first_letter(terms, word);
    let letter = build::fresh(terms, "letter", Sort::STRING);
    let mut replacement = Replacement::new();
    replacement.insert(first, letter);
    let changed = replacement.apply(terms, changed);
    let op = LETTERWISE.into_iter().find(|op| {
        let known = build::apply(terms, *op, &[letter]);
        let is_same = build::eq(terms, changed, known);
        guess::holds_for_all(terms, is_same, letter, letters())
    })?;
    let param = terms.local(param.name, param.sort);
    Some(Definition { body: build::apply(terms, op, &[param]), ..definition.clone() })
}

/// A function of strings applied to a constant.
struct Applied {
    name: Symbol,
    word: Term,
    /// The body of the function for this constant.
    body: Term,
}

/// What the body of a function puts in place of the first letter, if it does so and calls itself with the rest.
fn first_letter_changed(terms: &mut Terms, rewriter: &mut Rewriter, function: &Applied) -> Option<Term> {
    let &Applied { name: function_name, word, body } = function;
    let (Some(Op::Ite), &[is_end, end, more]) = (terms.op(body), terms.args(body)) else { return None };
    let parts = build::parts(terms, more);
    let (call, changed) = parts.split_last()?;
    let (Head::Global(name), &[rest]) = (terms.head(*call), terms.args(*call)) else { return None };
    let empty = build::empty(terms);
    let is_empty = build::eq(terms, word, empty);
    let all_but_first = all_but_first(terms, word);
    let mut are_equal = |one, two| rewriter.rewrite(terms, one) == rewriter.rewrite(terms, two);
    let has_this_form = name == function_name
        && are_equal(is_end, is_empty)
        && are_equal(end, empty)
        && are_equal(rest, all_but_first);
    has_this_form.then(|| build::concat(terms, changed))
}

fn first_letter(terms: &mut Terms, word: Term) -> Term {
    let zero = literal::int(terms, &0.into());
    build::apply(terms, Op::StrAt, &[word, zero])
}

fn all_but_first(terms: &mut Terms, word: Term) -> Term {
    let one = literal::int(terms, &1.into());
    let len = build::len(terms, word);
    let count = build::difference(terms, len, one);
    build::apply(terms, Op::StrSubstr, &[word, one, count])
}

/// All words of one letter.
fn letters() -> impl Iterator<Item = Value> {
    (0..=MAX_LETTER).filter_map(|letter| Str::from_code_points(vec![letter])).map(Value::Str)
}

#[cfg(test)]
mod tests {
    use smelt_smtlib::read::read_script;
    use smelt_smtlib::script::Command;

    use super::*;

    /// The known function that `f` is, where `f` puts `changed` in place of the first letter `h` of `x`.
    fn known(changed: &str, rest: &str) -> Option<Op> {
        let text = format!(
            r#"(define-fun-rec f ((x String)) String
                (ite (= x "") "" (let ((h (str.at x 0))) (str.++ {changed} (f {rest})))))"#
        );
        let mut terms = Terms::new();
        let script = read_script(&mut terms, &text).script;
        let Some(Command::DefineFunRec(definition)) = script.commands.first() else { panic!("{text}") };
        let mut rewriter = Rewriter::without(&[]);
        let known = without_recursion(&mut terms, &mut rewriter, definition, &mut Effort::of(1_000_000))?;
        terms.op(known.body)
    }

    const REST: &str = "(str.substr x 1 (- (str.len x) 1))";

    /// The letters from `low` to `high`, moved by so much; the others as they are.
    fn moved(low: u32, high: u32, distance: &str) -> String {
        format!(
            "(ite (and (<= {low} (str.to_code h)) (<= (str.to_code h) {high})) \
             (str.from_code (+ (str.to_code h) {distance})) h)"
        )
    }

    #[test]
    fn letters_made_small_or_large_one_by_one_are_a_known_function() {
        assert_eq!(known(&moved(65, 90, "32"), REST), Some(Op::StrToLower));
        assert_eq!(known(&moved(97, 122, "(- 32)"), REST), Some(Op::StrToUpper));
    }

    #[test]
    fn one_letter_that_differs_makes_another_function() {
        assert_eq!(known(&moved(65, 89, "32"), REST), None);
        assert_eq!(known(&moved(65, 90, "33"), REST), None);
        assert_eq!(known(&format!("(ite (= h \"\\u{{2ffff}}\") \"\" {})", moved(65, 90, "32")), REST), None);
    }

    #[test]
    fn a_letter_that_depends_on_the_rest_makes_another_function() {
        assert_eq!(known(&format!("(ite (= (str.len x) 7) h {})", moved(65, 90, "32")), REST), None);
        assert_eq!(known(&format!("(ite (= (f h) h) h {})", moved(65, 90, "32")), REST), None);
    }

    #[test]
    fn a_rest_that_leaves_letters_out_makes_another_function() {
        assert_eq!(known(&moved(65, 90, "32"), "(str.substr x 2 (- (str.len x) 2))"), None);
    }
}
