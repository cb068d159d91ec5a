//! Tests of the rules themselves, of matching and parity, and of chains.

use smelt_oracle::case::Expectation;
use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::model::{Evaluation, check};
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::term_text;
use smelt_smtlib::read::read_script_as;

use super::rule::{built_in, parse};
use super::verify::{Verification, doubts, verify};
use super::*;
use crate::built_in::SEEDS;
use crate::chain::Chain;
use crate::library::Library;
use crate::seed::Seed;
use crate::tests::reachable;

#[test]
fn every_rule_holds_on_small_domains() {
    for rule in built_in() {
        match verify(&rule) {
            Verification::Holds(count) => assert!(count > 1, "{}: {count}", rule.id),
            Verification::Fails(message) => panic!("{}: {message}", rule.id),
        }
    }
}

/// What Table 6.1 of the thesis claims and does not hold, and rules that go too far.
const FALSE_AS_PRINTED: &str = "
#begin equal-shifted-once
(declare-const m Int) (declare-const n Int) (declare-const c Int)
(assert (=> (= m n) (= m (+ n c))))
#end
#begin gt-plus
(declare-const m Int) (declare-const n Int) (declare-const c Int)
(assert (=> (> m n) (> m (+ n c))))
(assert (>= c 0))
#end
#begin ge-plus
(declare-const m Int) (declare-const n Int) (declare-const c Int)
(assert (=> (>= m n) (>= m (+ n c))))
(assert (>= c 0))
#end
#begin lt-plus-anything
(declare-const m Int) (declare-const n Int) (declare-const c Int)
(assert (=> (< m n) (< m (+ n c))))
#end
#begin le-plus-anything
(declare-const m Real) (declare-const n Real) (declare-const c Real)
(assert (=> (<= m n) (<= m (+ n c))))
#end
#begin differs-from-itself-appended
(declare-const s String) (declare-const t String) (declare-const u String)
(assert (=> (= s t) (not (= s (str.++ s u)))))
#end
#begin loop-of-zero
(declare-const word String) (declare-const r RegLan)
(assert (=> (str.in_re word r) (str.in_re word ((_ re.loop 1 N) r))))
#end
#begin prefix-and-suffix-are-equal
(declare-const s String) (declare-const t String)
(assert (= (= s t) (and (str.prefixof s t) (str.suffixof s t))))
#end
#begin exists-is-forall
(declare-fun p (E) Bool)
(assert (= (forall ((x E)) (p x)) (exists ((x E)) (p x))))
#end
#begin or-of-foralls
(declare-fun p (E) Bool) (declare-fun q (E) Bool)
(assert (= (or (forall ((x E)) (p x)) (forall ((x E)) (q x))) (forall ((x E)) (or (p x) (q x)))))
#end
#begin scaled-by-anything
(declare-const m Int) (declare-const n Int) (declare-const c Int)
(assert (= (< m n) (< (* c m) (* c n))))
#end
";

#[test]
fn what_is_false_as_printed_fails() {
    for rule in parse(FALSE_AS_PRINTED).unwrap() {
        assert!(matches!(verify(&rule), Verification::Fails(_)), "{}", rule.id);
    }
}

#[test]
fn a_false_rule_is_shown_with_values() {
    let rule = &parse(FALSE_AS_PRINTED).unwrap()[1];
    let Verification::Fails(message) = verify(rule) else { panic!("{} holds", rule.id) };
    assert!(message.contains("m = ") && message.contains("c = "), "{message}");
}

#[test]
fn there_are_rules_for_every_theory_and_their_ids_are_unique() {
    let rules = built_in();
    assert!(rules.len() >= 90);
    let mut ids: Vec<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), rules.len());
    for start in ["int-", "real-", "string-", "member-", "language-", "bv-", "array-", "forall-", "exists-"] {
        assert!(ids.iter().any(|id| id.starts_with(start)), "{start}");
    }
    for id in ids {
        assert!(id.bytes().all(|byte| byte == b'-' || byte.is_ascii_lowercase()), "{id}");
    }
}

#[test]
fn every_rule_can_be_asked_of_solvers() {
    for rule in built_in() {
        let doubts = doubts(&rule);
        assert!(!doubts.scripts.is_empty(), "{}", rule.id);
        for script in doubts.scripts {
            let reading = read_script_as(&mut Terms::new(), &script, Dialect::V26);
            assert_eq!(reading.diagnostics, [], "{}: {script}", rule.id);
        }
    }
}

/// Every rule is found at its own sides, with bit vectors of three bits and integers for sorts, and gives the other.
#[test]
fn every_rule_applies_to_its_own_sides() {
    for rule in built_in() {
        for (from, to) in [(&rule.left, &rule.right), (&rule.right, &rule.left)] {
            // What has a function at an argument that is no variable is not found by matching.
            let is_special = |part: &Pattern| {
                matches!(part, Pattern::Applied(_, argument)
                    if !matches!(**argument, Pattern::Bound | Pattern::Variable(_)))
            };
            if from.any(&is_special) {
                continue;
            }
            let found = (0..160).any(|random_seed| {
                let mut terms = Terms::new();
                let mut random = Random::new(random_seed);
                let Some(mut assignment) = sample(&mut terms, &rule, &mut random) else { return false };
                let bound_name = terms.symbols.intern("bound");
                let build = |terms: &mut Terms, assignment: &matching::Assignment, side: &Pattern| {
                    Builder { terms, assignment, bound_name }.build(side)
                };
                let Some(term) = build(&mut terms, &assignment, from) else { return false };
                let mut matcher =
                    Matcher { terms: &mut terms, declared: &rule.declared, random: &mut random };
                let Some(again) = matcher.find(from, term) else { return false };
                // What only the other side has is a parameter.
                for (known, found) in assignment.meanings.iter_mut().zip(&again.meanings) {
                    *known = found.clone().or(known.take());
                }
                assignment.letters.widths.extend(again.letters.widths);
                assignment.letters.sorts.extend(again.letters.sorts);
                build(&mut terms, &assignment, to).is_some()
            });
            assert!(found, "{}", rule.id);
        }
    }
}

/// Something for everything that a rule declares, satisfying its conditions.
fn sample(terms: &mut Terms, rule: &Rule, random: &mut Random) -> Option<matching::Assignment> {
    let mut assignment = matching::Assignment::new(&rule.declared);
    for (letter, is_number) in rule.letters() {
        if is_number {
            assignment.letters.widths.insert(letter, 1 + random.below(3) as u32);
        } else {
            assignment.letters.sorts.insert(letter, Sort::INT);
        }
    }
    for (position, declared) in rule.declared.iter().enumerate() {
        let sort = declared.shape.sort(&mut terms.sorts, &assignment.letters)?;
        let name = terms.symbols.intern(&declared.name);
        let is_literal = rule.is_conditional(position);
        let meaning = match &declared.param {
            None if is_literal => matching::Meaning::Term(crate::operators::draw_value(terms, sort, random)?),
            None => matching::Meaning::Term(terms.constant(name, sort)),
            Some(param) => {
                let param = param.sort(&mut terms.sorts, &assignment.letters)?;
                let hole = terms.symbols.intern(matching::HOLE);
                let local = terms.local(hole, param);
                let body = terms.intern(Head::Global(name), &[local], sort);
                matching::Meaning::Function(matching::Function::of_application(hole, body))
            }
        };
        assignment.meanings[position] = Some(meaning);
    }
    holds(terms, rule, &assignment).then_some(assignment)
}

/// The technique with one rule only.
fn only(text: &str) -> Weakening {
    Weakening { rules: parse(text).unwrap() }
}

fn of_ids(ids: &[&str]) -> Weakening {
    let rules = built_in().into_iter().filter(|rule| ids.contains(&rule.id.as_str())).collect();
    Weakening { rules }
}

const DECLARED: &str =
    "(declare-const a Int)(declare-const b Int)(declare-const p Bool)(declare-const q Bool)";

/// What one step leads to, from a formula that is said to be satisfiable.
fn check_steps(ids: &[&str], formula: &str, expected: &[&str]) {
    let source = format!("; expect: sat\n{DECLARED}(assert {formula})");
    let found = reachable(&of_ids(ids), &source);
    let expected: Vec<String> = expected.iter().map(|formula| format!("(assert {formula})")).collect();
    assert_eq!(found, expected, "{formula}");
}

#[test]
fn weakening_weakens_at_positive_places() {
    check_steps(&["int-gt-ge"], "(> a b)", &["(>= a b)"]);
    check_steps(&["int-gt-ge"], "(or p (> a b))", &["(or p (>= a b))"]);
    check_steps(&["int-gt-ge"], "(=> p (> a b))", &["(=> p (>= a b))"]);
    check_steps(&["int-gt-ge"], "(forall ((x Int)) (> x b))", &["(forall ((x Int)) (>= x b))"]);
    check_steps(&["int-gt-ge"], "(ite p (> a b) q)", &["(ite p (>= a b) q)"]);
}

#[test]
fn weakening_strengthens_at_negative_places() {
    check_steps(&["int-gt-ge"], "(not (>= a b))", &["(not (> a b))"]);
    check_steps(&["int-gt-ge"], "(not (> a b))", &[]);
    check_steps(&["int-gt-ge"], "(=> (>= a b) p)", &["(=> (> a b) p)"]);
    check_steps(&["int-gt-ge"], "(=> (> a b) p)", &[]);
}

#[test]
fn only_equalities_apply_where_the_polarity_is_not_known() {
    for formula in ["(xor p (> a b))", "(= p (> a b))", "(distinct p (> a b))", "(ite (> a b) p q)"] {
        check_steps(&["int-gt-ge"], formula, &[]);
        let changed = formula.replace("(> a b)", "(>= a (+ b 1))");
        check_steps(&["int-gt-next"], formula, &[&changed]);
    }
    check_steps(&["int-gt-ge"], "(let ((r (> a b))) (or r (not r)))", &[]);
    let source = format!("; expect: sat\n{DECLARED}(declare-fun f (Bool) Bool)(assert (f (> a b)))");
    assert_eq!(reachable(&of_ids(&["int-gt-ge"]), &source), [] as [&str; 0]);
}

#[test]
fn what_is_used_by_its_name_is_rewritten_to_its_equal_only() {
    let source = format!("; expect: sat\n{DECLARED}(assert (! (> a b) :named n))(assert (or p (not n)))");
    assert_eq!(reachable(&of_ids(&["int-gt-ge"]), &source), [] as [&str; 0]);
    let source = format!("; expect: sat\n{DECLARED}(assert (! (> a b) :named n))");
    assert_eq!(reachable(&of_ids(&["int-gt-ge"]), &source), ["(assert (! (>= a b) :named n))"]);
}

#[test]
fn languages_have_a_parity_too() {
    let check = |formula: &str, expected: &[&str]| {
        let source = format!("; expect: sat\n(declare-const s String)(assert {formula})");
        let expected: Vec<String> = expected.iter().map(|formula| format!("(assert {formula})")).collect();
        assert_eq!(reachable(&of_ids(&["language-plus-star"]), &source), expected, "{formula}");
    };
    let r = "(str.to_re \"a\")";
    check(&format!("(str.in_re s (re.+ {r}))"), &[&format!("(str.in_re s (re.* {r}))")]);
    check(&format!("(not (str.in_re s (re.+ {r})))"), &[]);
    check(&format!("(str.in_re s (re.comp (re.* {r})))"), &[&format!("(str.in_re s (re.comp (re.+ {r})))")]);
    check(&format!("(str.in_re s (re.diff re.all (re.+ {r})))"), &[]);
    check(&format!("(= s (str.replace_re s (re.+ {r}) s))"), &[]);
}

#[test]
fn what_is_unsatisfiable_is_strengthened() {
    let source =
        "; expect: unsat\n(declare-const a Int)(declare-const b Int)(assert (not (> a b)))(assert (> a b))";
    let found = reachable(&of_ids(&["int-gt-ge"]), source);
    assert_eq!(found, ["(assert (not (>= a b))) (assert (> a b))"]);
}

#[test]
fn side_conditions_hold() {
    let source = "; expect: sat\n(declare-const a Int)(declare-const b Int)(assert (< a (+ b (- 5))))";
    let found = reachable(&of_ids(&["int-lt-slack"]), source);
    assert!(found.len() > 3);
    for text in found {
        assert!(!text.contains("(- 5)) (-") || text.contains("(- 5)) (- 0)"), "{text}");
    }
    // Strengthening drops a literal that is known not to be negative, and nothing else.
    let strengthened = |formula: &str| {
        let source = format!("; expect: unsat\n{DECLARED}(assert {formula})");
        reachable(&of_ids(&["int-lt-slack"]), &source)
    };
    assert_eq!(strengthened("(< a (+ b 5))"), ["(assert (< a b))"]);
    assert_eq!(strengthened("(< a (+ b (- 5)))"), [] as [&str; 0]);
    assert_eq!(strengthened("(< a (+ b b))"), [] as [&str; 0]);
}

#[test]
fn quantifiers_are_instantiated_without_capture() {
    let source = "; expect: sat\n(declare-const a Int)(assert (forall ((x Int)) (exists ((a Int)) (< a x))))\
        (assert (< a a))";
    for text in reachable(&of_ids(&["forall-instance"]), source) {
        assert!(!text.contains("(exists ((a Int)) (< a a))"), "{text}");
    }
}

#[test]
fn associative_operators_are_split_anywhere() {
    let source = format!("; expect: sat\n{DECLARED}(declare-const r Bool)(assert (and p q r))");
    let found = reachable(&of_ids(&["and-left"]), &source);
    for formula in ["p", "r", "(and p q)", "(and q r)"] {
        assert!(found.contains(&format!("(assert {formula})")), "{formula}: {found:?}");
    }
}

#[test]
fn a_step_names_rule_and_position() {
    let mut terms = Terms::new();
    let source =
        "; expect: sat\n(declare-const a Int)(assert (< a 2))(assert (not (=> (> a 1) (>= a 1))))(check-sat)";
    let seed = Seed::read(&mut terms, "a", source).unwrap();
    let (library, technique) = (Library::default(), of_ids(&["int-gt-ge"]));
    let mut chain = Chain::start(&mut terms, &seed, &technique, &library, 0);
    chain.next(&mut terms).unwrap();
    assert_eq!(
        chain.detail(),
        "assertion 2 weakened by rule int-gt-ge at argument 1.1, in a chain that weakens"
    );
    assert_eq!(chain.relation(), Some(Relation::Weaker));
}

#[test]
fn weakening() {
    let library =
        Library::new(SEEDS.iter().map(|seed| (seed.name.to_owned(), seed.source.to_owned())).collect());
    let technique = Weakening::default();
    let (mut cases, mut claims) = (0, 0);
    for built_in in SEEDS.iter().step_by(3) {
        let mut terms = Terms::new();
        let seed = Seed::read(&mut terms, built_in.name, built_in.source).unwrap();
        let mut chain = Chain::start(&mut terms, &seed, &technique, &library, 1);
        while let Some(case) = chain.next(&mut terms) {
            cases += 1;
            claims += u32::from(case.expectation != Expectation::None);
            if let Truth::Sat(model) = &seed.truth {
                let environment = Environment::at_last_check(&terms, chain.script());
                let verdicts = check(&terms, &environment, model, Budget::default());
                assert!(!verdicts.contains(&Evaluation::False), "{}: {}", chain.detail(), case.script);
            }
        }
    }
    assert!(cases > 1000, "{cases}");
    assert!(claims * 10 > cases * 7, "{claims} of {cases}");
}

#[test]
fn terms_of_the_formula_become_parameters() {
    let found = reachable(
        &only("#begin or\n(declare-const p Bool) (declare-const q Bool)\n(assert (=> p (or p q)))\n#end"),
        "; expect: sat\n(declare-const p Bool)(declare-const a Int)(assert p)(assert (< a 1))",
    );
    assert!(found.iter().any(|text| text.contains("(or p (< a 1))")), "{found:?}");
    let mut terms = Terms::new();
    let yes = terms.bool(true);
    let literal = term_text(&mut terms, yes);
    assert!(found.iter().any(|text| text.contains(&format!("(or p {literal})"))), "{found:?}");
}
