use super::*;
use crate::print::value_text;
use smelt_smtlib::read::read_script;

/// Evaluates the last assertion of a script, in which constants that nobody defines have no value.
fn eval(source: &str) -> Result<String, &'static str> {
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, source);
    assert_eq!(reading.diagnostics, []);
    let environment = Environment::at_last_check(&terms, &reading.script);
    let model = Model::new();
    let assertion = *environment.assertions.last().unwrap();
    let outcome = Evaluator::new(&terms, &environment, &model).eval(assertion);
    let sort = terms.sort(assertion);
    outcome.map(|value| value_text(&mut terms, &environment, &value, sort).unwrap()).map_err(Unknown::kind)
}

fn check(source: &str, expected: Result<bool, &'static str>) {
    assert_eq!(eval(source), expected.map(|value| value.to_string()), "{source}");
}

fn holds(term: &str) {
    check(&format!("(assert {term})"), Ok(true));
}

fn unknown(declarations: &str, term: &str, reason: &'static str) {
    check(&format!("{declarations}(assert {term})"), Err(reason));
}

#[test]
fn a_let_binds_all_its_variables_at_once() {
    holds("(let ((x 1)) (let ((x (+ x 1)) (y x)) (and (= x 2) (= y 1))))");
}

#[test]
fn the_same_name_in_two_lets_has_two_values() {
    holds("(and (let ((x 1)) (= (+ x x) 2)) (let ((x 2)) (= (+ x x) 4)))");
}

#[test]
fn an_inner_binding_ends_with_its_scope() {
    holds("(let ((x 1)) (and (let ((x 2)) (= x 2)) (= x 1)))");
}

#[test]
fn a_label_of_z3_does_not_have_the_value_of_the_term_that_it_annotates() {
    unknown("", "(! false :lblpos +12)", "opaque");
    unknown("", "(and true (! true :lblneg @7))", "opaque");
    holds("(not (and false (! true :lblneg @7)))");
    holds("(! true :pattern (true))");
}

#[test]
fn one_argument_can_decide_what_others_leave_open() {
    let p = "(declare-const p Bool)";
    check(&format!("{p}(assert (and p false))"), Ok(false));
    check(&format!("{p}(assert (or p true))"), Ok(true));
    check(&format!("{p}(assert (=> p true))"), Ok(true));
    check(&format!("{p}(assert (=> false p))"), Ok(true));
    check(&format!("{p}(assert (=> p false false true))"), Ok(true));
    check(&format!("{p}(assert (= (ite p 1 1) 1))"), Ok(true));
    check(&format!("{p}(assert (= p p))"), Ok(true));
    unknown(p, "(and p true)", "no-value");
    unknown(p, "(=> true p)", "no-value");
    unknown(p, "(= (ite p 1 2) 1)", "no-value");
}

#[test]
fn an_implication_is_right_associative() {
    holds("(=> true false true)");
    holds("(not (=> true true false))");
    holds("(=> false false)");
}

#[test]
fn only_the_branch_taken_is_evaluated() {
    holds("(= (ite true 1 (div 1 0)) 1)");
}

#[test]
fn what_the_standard_leaves_open_is_unknown() {
    unknown("", "(= (div 1 0) 0)", "open");
    unknown("", "(= (mod 1 0) 0)", "open");
    unknown("", "(= (/ 1.0 0.0) 0.0)", "open");
    unknown("", "(= (fp.to_real (_ +oo 8 24)) 0.0)", "open");
    unknown("", "(= (seq.nth (as seq.empty (Seq Int)) 0) 0)", "open");
    unknown("(declare-datatype L ((nil) (cons (head Int) (tail L))))", "(= (head nil) 0)", "open-selector");
}

#[test]
fn quantifiers_over_finite_sorts_are_evaluated() {
    holds("(forall ((p Bool) (q Bool)) (= (and p q) (not (or (not p) (not q)))))");
    holds("(exists ((x (_ BitVec 8))) (= (bvmul x x) #x51))");
    holds("(not (exists ((x (_ BitVec 8))) (= (bvmul x #x02) #x01)))");
    holds("(forall ((x (_ BitVec 4))) (exists ((y (_ BitVec 4))) (= (bvadd x y) #x0)))");
    holds(
        "(forall ((m RoundingMode) (x (_ FloatingPoint 2 3))) (= (fp.roundToIntegral m (fp.abs x)) (fp.abs (fp.roundToIntegral m (fp.abs x)))))",
    );
    check(
        "(declare-datatype C ((red) (green) (blue)))(assert (forall ((c C)) (or (= c red) (= c green) (= c blue))))",
        Ok(true),
    );
}

#[test]
fn one_instance_can_decide_a_quantifier_over_an_infinite_sort() {
    holds("(exists ((x Int)) (= (* x x) 4))");
    holds("(not (forall ((s String)) (= (str.len s) 0)))");
    holds("(exists ((s String)) (= s \"a literal of the formula\"))");
    unknown("", "(forall ((x Int)) (>= (* x x) 0))", "quantifier");
    unknown("", "(exists ((x Int)) (= (* x x x) 1000000))", "quantifier");
}

#[test]
fn a_variable_that_is_not_used_says_nothing() {
    holds("(forall ((s String)) (= (str.len \"a\") 1))");
    holds("(not (exists ((s String) (n Int)) (= 1 2)))");
    holds("(forall ((s String)) (exists ((p Bool)) (exists ((s Int)) p)))");
    unknown("", "(forall ((s String) (x Int)) (>= (* x x) 0))", "quantifier");
    unknown("", "(forall ((s String)) (exists ((t String)) (str.< s t)))", "quantifier");
    // There is always another word.
    holds("(forall ((s String)) (exists ((t String)) (distinct s t)))");
}

#[test]
fn definitions_are_applied_and_recursion_ends() {
    let factorial = "(define-fun-rec fact ((n Int)) Int (ite (<= n 1) 1 (* n (fact (- n 1)))))";
    check(&format!("{factorial}(assert (= (fact 20) 2432902008176640000))"), Ok(true));
    let parity = "(define-funs-rec ((even ((n Int)) Bool) (odd ((n Int)) Bool))\
        ((ite (= n 0) true (odd (- n 1))) (ite (= n 0) false (even (- n 1)))))";
    check(&format!("{parity}(assert (and (even 100) (odd 77)))"), Ok(true));
}

#[test]
fn recursion_without_end_reaches_the_limit() {
    unknown("(define-fun-rec f ((n Int)) Int (+ 1 (f n)))", "(= (f 0) 0)", "limit");
}

#[test]
fn a_definition_sees_its_own_parameters_only() {
    check("(define-fun f ((x Int)) Int (+ x 1))(assert (= (let ((x 10)) (f (f x))) 12))", Ok(true));
}

#[test]
fn a_match_takes_the_first_case_that_fits() {
    let list = "(declare-datatype L ((nil) (cons (head Int) (tail L))))";
    check(&format!("{list}(assert (= (match (cons 7 nil) ((nil 0) ((cons x y) x))) 7))"), Ok(true));
    check(&format!("{list}(assert (= (match nil (((cons x y) x) (other 3))) 3))"), Ok(true));
    check(
        &format!("{list}(assert (= (let ((x 5)) (match (cons 7 nil) (((cons h t) (+ h x)) (nil x)))) 12))"),
        Ok(true),
    );
}

#[test]
fn integers_where_reals_are_wanted_are_reals() {
    holds("(= (/ 1 2) 0.5)");
    holds("(= 1 1.0)");
    holds("(< 1 1.5 2)");
    holds("(= (select (store ((as const (Array Int Real)) 0) 1 2) 1) 2.0)");
    check("(define-fun f ((x Real)) Real (/ x 2))(assert (= (f 1) 0.5))", Ok(true));
    holds("(= (ite true 1 2.5) 1.0)");
}

#[test]
fn functions_can_be_values() {
    holds("(= (let ((f (lambda ((x Int)) (+ x 1)))) (f 2)) 3)");
    holds("(= (let ((y 5)) (let ((f (lambda ((x Int)) (+ x y)))) (let ((y 100)) (f 2)))) 7)");
}

#[test]
fn names_of_annotated_terms_are_defined() {
    check("(declare-const x Int)(assert (! (= 1 1) :named a))(assert (and a true))", Ok(true));
}

#[test]
fn languages_are_compared_as_languages() {
    holds(
        "(= (re.* (re.union (str.to_re \"a\") (str.to_re \"b\"))) (re.* (re.++ (re.* (str.to_re \"a\")) (re.* (str.to_re \"b\")))))",
    );
    holds("(distinct (re.+ re.allchar) re.all)");
}

#[test]
fn a_deep_term_needs_no_stack() {
    let depth = 300_001;
    let source = format!("(assert {}true{})", "(not ".repeat(depth), ")".repeat(depth));
    std::thread::Builder::new()
        .stack_size(256 << 10)
        .spawn(move || check(&source, Ok(false)))
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn shared_terms_are_evaluated_once() {
    let mut source = String::from("(define-fun x0 () Int 1)");
    for number in 1..=200 {
        source.push_str(&format!("(define-fun x{number} () Int (+ x{0} x{0}))", number - 1));
    }
    source.push_str("(assert (= x200 1606938044258990275541962092341162602522202993782792835301376))");
    check(&source, Ok(true));
}

#[test]
fn what_we_do_not_know_has_no_value() {
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, "(assert (frobnicate 1))");
    let environment = Environment::at_last_check(&terms, &reading.script);
    let model = Model::new();
    let outcome = Evaluator::new(&terms, &environment, &model).eval(environment.assertions[0]);
    assert_eq!(outcome.map_err(Unknown::kind), Err("opaque"));
}

#[test]
fn a_product_of_one_real_is_that_real() {
    holds("(= (* 2.5) 2.5)");
    holds("(= (* 3) 3)");
    holds("(= (+ 2.5) 2.5)");
    holds("(= (+ 3) 3)");
    holds("(= (- 2.5) (- 0.0 2.5))");
    holds("(= (/ 2.5) 2.5)");
    holds("(= (/ 2) 2.0)");
    holds("(= (div 7) 7)");
}

#[test]
fn one_argument_of_an_associative_operator_is_the_result() {
    holds("(and (and true) (not (or false)) (xor true) (not (xor false)))");
    holds("(and (< 1) (<= 1.5) (>= 1) (> 1) (distinct 1))");
    holds("(= (str.++ \"ab\") \"ab\")");
    holds("(= (concat #x5) (bvadd #x5) (bvmul #x5) (bvand #x5) (bvor #x5) (bvxor #x5) #x5)");
    holds("(= (seq.++ (seq.unit 1)) (seq.unit 1))");
    for op in ["re.++", "re.union", "re.inter", "re.diff"] {
        holds(&format!("(and (str.in_re \"a\" ({op} re.allchar)) (not (str.in_re \"\" ({op} re.allchar))))"));
    }
}

#[test]
fn an_inverted_exclusive_or_of_one_argument_is_unknown() {
    unknown("", "(= (bvxnor #x5) #x5)", "open");
    holds("(= (bvxnor #x1 #x3 #x5) #x7)");
}

#[test]
fn an_integer_in_a_field_of_reals_is_a_real() {
    let boxed = "(declare-datatypes ((B 0)) (((box (content Real)) (empty))))";
    check(&format!("{boxed}(assert (= (box 1) (box 1.0)))"), Ok(true));
    check(&format!("{boxed}(assert (distinct (box 1) (box 1.0)))"), Ok(false));
    check(&format!("{boxed}(assert (= (content (box 1)) 1.0))"), Ok(true));
    check(&format!("{boxed}(assert (= ((_ update content) (box 1.5) 1) (box 1)))"), Ok(true));
}

const LIST: &str = "(declare-datatype L ((nil) (cons (head Int) (tail L))))";

#[test]
fn an_open_operator_has_one_value_for_equal_arguments() {
    for (one, other) in [
        ("(div 1 (- 1 1))", "(div 1 0)"),
        ("(mod 1 (- 1 1))", "(mod 1 0)"),
        ("(/ 1.0 (- 1.0 1.0))", "(/ 1.0 0.0)"),
        ("(/ 1 0)", "(/ 1.0 0.0)"),
        ("(^ 2 (- 1))", "(^ (+ 1 1) (- 1))"),
        ("(head nil)", "(head (tail (cons 1 nil)))"),
        ("(seq.nth (seq.unit 1) 5)", "(seq.nth (seq.unit (+ 0 1)) (+ 2 3))"),
        ("(fp.to_real (_ +oo 3 5))", "(fp.to_real (fp.neg (_ -oo 3 5)))"),
        ("(fp.min (_ +zero 3 5) (_ -zero 3 5))", "(fp.min (_ +zero 3 5) (fp.neg (_ +zero 3 5)))"),
        ("((_ fp.to_ubv 4) RNE (_ NaN 3 5))", "((_ fp.to_ubv 4) RNE (fp.neg (_ NaN 3 5)))"),
        ("((_ fp.to_sbv 4) RTZ (_ +oo 3 5))", "((_ fp.to_sbv 4) RTZ (fp.abs (_ -oo 3 5)))"),
    ] {
        check(&format!("{LIST}(assert (= {one} {other}))"), Ok(true));
        check(&format!("{LIST}(assert (distinct {one} {other}))"), Ok(false));
        check(&format!("{LIST}(assert (not (= {one} {other})))"), Ok(false));
    }
}

#[test]
fn functions_of_one_open_value_have_one_value() {
    holds("(= (+ 1 (div 1 (- 1 1))) (+ 1 (div 1 0)))");
    holds("(= (div 1 (div 1 0)) (div 1 (div 1 (- 1 1))))");
    holds("(= (seq.unit (div 1 0)) (seq.unit (div 1 (- 1 1))))");
    holds("(= (ite (> (div 1 0) 5) 1 2) (ite (> (div 1 (- 1 1)) 5) 1 2))");
    holds("(= (and true (> (div 1 0) 5)) (and true (> (div 1 (- 1 1)) 5)))");
    holds("(= (ite (> (div 1 0) 5) (mod 2 0) (mod 2 0)) (mod 2 (- 1 1)))");
    holds("(let ((x (div 1 0))) (= x (div 1 (- 1 1))))");
    holds("(forall ((x Bool)) (= (div (ite x 1 2) 0) (div (ite x 1 2) (- 1 1))))");
    check("(define-fun f ((x Int)) Int (* x x))(assert (= (f (div 1 0)) (f (div 1 (- 1 1)))))", Ok(true));
    check("(assert (distinct 1 (div 1 0) 2 (div 1 (- 1 1))))", Ok(false));
    check("(assert (< (div 1 0) (div 1 (- 1 1))))", Ok(false));
    check("(assert (= 1 (div 1 0) 2))", Ok(false));
    check("(assert (distinct 1 (div 1 0) 1))", Ok(false));
}

#[test]
fn different_open_values_may_be_equal_or_not() {
    for term in [
        "(= (div 1 0) (div 2 0))",
        "(distinct (div 1 0) (div 2 0))",
        "(= (div 1 0) (mod 1 0))",
        "(= (div 1 0) 5)",
        "(distinct (div 1 0) 5)",
        "(= (div 1 0) (+ 1 (div 1 0)))",
        "(= (/ 1.0 0.0) (/ (- 1.0) 0.0))",
        "(= (/ 1.0 0.0 2.0) (/ 1.0 0.0))",
        "(= (> (div 1 0) 5) (and (> (div 1 0) 5) (> (mod 1 0) 5)))",
        "(= (> (div 1 0) 5) (or (> (div 1 0) 5) (> (mod 1 0) 5)))",
        "(= (> (div 1 0) 5) (not (> (div 1 0) 5)))",
        "(= (div 1 0) (ite (> (div 1 0) 5) (div 1 0) 7))",
        "(= (div 1 0) (let ((x (div 1 0))) (+ x 0)))",
        "(= ((_ fp.to_ubv 4) RNE (_ NaN 3 5)) ((_ fp.to_ubv 4) RTZ (_ NaN 3 5)))",
        "(= ((_ fp.to_ubv 4) RNE (_ NaN 3 5)) ((_ extract 3 0) ((_ fp.to_ubv 8) RNE (_ NaN 3 5))))",
        "(= (fp.min (_ +zero 3 5) (_ -zero 3 5)) (fp.min (_ -zero 3 5) (_ +zero 3 5)))",
        "(< (div 1 0) 5)",
        "(and (= (div 1 0) 5) (= (div 1 0) 6))",
        "(exists ((x Bool)) (= (div 1 0) (ite x 5 6)))",
        "(forall ((x Bool)) (= (> (div 1 0) 5) (and x (> (div 1 0) 5))))",
    ] {
        unknown("", term, "open");
    }
    unknown(LIST, "(= (head nil) (head (tail (cons 1 nil))) 3)", "open-selector");
    unknown(LIST, "(= (tail nil) nil)", "open-selector");
    unknown(LIST, "(= (head nil) (match (tail nil) ((nil (head nil)) ((cons x y) x))))", "open-selector");
}
