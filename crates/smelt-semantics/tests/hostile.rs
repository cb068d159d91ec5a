//! Formulas made to break the evaluator: each has a right value or none for lack of effort, after little time, in little
//! stack and memory.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::model::Model;
use smelt_semantics::value::Value;
use smelt_smtlib::read::read_script;
use smelt_smtlib::term::Terms;

const TRUE: &str = "true";
const FALSE: &str = "false";
const LIMIT: &str = "limit";

/// Evaluates the last assertion of a script in a thread with little stack.
fn eval(script: String) -> String {
    let work = move || {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, &script);
        assert_eq!(reading.diagnostics.first(), None);
        let environment = Environment::at_last_check(&terms, &reading.script);
        let model = Model::new();
        let assertion = *environment.assertions.last().unwrap();
        match Evaluator::new(&terms, &environment, &model).eval(assertion) {
            Ok(Value::Bool(value)) => value.to_string(),
            Ok(other) => format!("{other:?}"),
            Err(unknown) => unknown.kind().to_owned(),
        }
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().unwrap()
}

/// Checks the outcome of a formula.
fn check(formula: &str, expected: &str) {
    check_script(&format!("(assert {formula})"), expected);
}

fn check_script(script: &str, expected: &str) {
    let shown: String = script.chars().take(100).collect();
    assert_eq!(eval(script.to_owned()), expected, "{shown}");
}

/// `body` inside of lets that each define x from the x before: the first as `start`, the others as `step`.
fn chain(start: &str, step: &str, count: usize, body: &str) -> String {
    let lets = format!("(let ((x {step})) ").repeat(count);
    format!("(let ((x {start})) {lets}{body}{})", ")".repeat(count))
}

/// `open` and `close` around a core, many times.
fn nest(open: &str, core: &str, close: &str, count: usize) -> String {
    format!("{}{core}{}", open.repeat(count), close.repeat(count))
}

mod regexes {
    use super::*;

    const A: &str = r#"(str.to_re "a")"#;

    #[test]
    fn counters_are_never_unrolled() {
        for count in ["1000000000", "1000000000000000000000000000000"] {
            check(&format!(r#"(str.in_re "aaa" ((_ re.^ {count}) {A}))"#), FALSE);
            check(&format!(r#"(str.in_re "aaa" ((_ re.loop 2 {count}) {A}))"#), TRUE);
            check(&format!(r#"(str.in_re "" ((_ re.loop 0 {count}) ((_ re.loop 3 {count}) {A})))"#), TRUE);
        }
    }

    #[test]
    fn loops_inside_of_loops_stay_small() {
        let nested = nest("((_ re.loop 2 1000000000) ", A, ")", 1_000);
        check(&format!(r#"(str.in_re "aaa" {nested})"#), FALSE);
        let stars = nest("(re.* ", A, ")", 100_000);
        check(&format!(r#"(str.in_re "aaa" {stars})"#), TRUE);
        let apart = nest("((_ re.loop 2 3) (re.++ (str.to_re \"b\") ", A, "))", 100);
        check(&format!(r#"(str.in_re "{}" {apart})"#, "b".repeat(200)), FALSE);
    }

    #[test]
    fn languages_that_need_many_states_reach_the_limit() {
        let tail = "(re.++ re.all (str.to_re \"a\") ((_ re.^ 40) re.allchar))";
        check(&format!(r#"(= {tail} (re.comp {tail}))"#), FALSE);
        let other = "(re.++ re.all (str.to_re \"a\") ((_ re.^ 41) re.allchar))";
        check(&format!("(= re.none (re.inter {tail} (re.comp {other})))"), FALSE);
        let wider = "(re.++ re.all (re.range \"a\" \"b\") ((_ re.^ 40) re.allchar))";
        check(&format!("(= re.none (re.inter {tail} (re.comp {wider})))"), LIMIT);
    }

    #[test]
    fn complements_of_complements_are_no_tower() {
        let tower = nest("(re.comp (re.++ re.all ", A, " re.all))", 8);
        check(&format!("(= {tower} re.none)"), TRUE);
        check(&format!(r#"(str.in_re "{}" {tower})"#, "ab".repeat(100)), FALSE);
    }
}

mod bit_vectors {
    use super::*;

    #[test]
    fn a_million_bits_are_no_special_case() {
        let ones = "((_ repeat 1000000) #b1)";
        for op in ["bvadd", "bvmul", "bvudiv", "bvurem", "bvsdiv", "bvsmod", "bvshl", "bvashr", "bvxor"] {
            check(&format!("(let ((x {ones})) (= ({op} x x) ({op} x x)))"), TRUE);
        }
        check(&format!("(let ((x {ones})) (= (bvmul x x) ((_ zero_extend 999999) #b1)))"), TRUE);
        check(&format!("(let ((x {ones})) (= (bvudiv x x) ((_ zero_extend 999999) #b1)))"), TRUE);
        check(&format!("(let ((x {ones})) (= (ubv_to_int x) (- (int.pow2 1000000) 1)))"), TRUE);
    }

    #[test]
    fn a_milliard_bits_and_more_reach_the_limit() {
        check("(= ((_ repeat 1000000000) #b1) ((_ repeat 1000000000) #b1))", TRUE);
        check("(= ((_ repeat 1000000000) #b1) ((_ sign_extend 999999999) #b1))", LIMIT);
        check("(let ((x ((_ zero_extend 4000000000) #b1))) (bvult x (bvneg x)))", LIMIT);
        check("(bvult ((_ sign_extend 4000000000) #b1) ((_ zero_extend 4000000000) #b1))", LIMIT);
        check("(= ((_ extract 0 0) ((_ zero_extend 999999999) #b1)) #b1)", TRUE);
        check("(= ((_ extract 0 0) ((_ repeat 4000000000) #b1)) #b1)", LIMIT);
        check("(= ((_ rotate_left 5) ((_ zero_extend 1000000000) #b1)) ((_ int_to_bv 1000000001) 32))", TRUE);
    }

    #[test]
    fn operations_one_after_the_other_add_up() {
        for op in ["bvmul", "bvudiv", "bvurem", "bvadd", "concat"] {
            let step =
                if op == "concat" { "((_ extract 399999 0) (concat x x))" } else { &format!("({op} x x)") };
            let formula = chain("((_ repeat 400000) #b1)", step, 20_000, "(= x x (bvnot x))");
            check(&formula, LIMIT);
        }
    }

    #[test]
    fn copies_of_long_numbers_add_up() {
        let copies = "x ".repeat(20_000);
        check(&format!("(let ((x (int.pow2 30000000))) (= 1 (+ {copies})))"), LIMIT);
        let conversions = chain(
            "((_ repeat 1000000) #b1)",
            "((_ int_to_bv 1000000) (ubv_to_int x))",
            20_000,
            "(= x (bvnot x))",
        );
        check(&conversions, LIMIT);
    }
}

mod numbers {
    use super::*;

    #[test]
    fn powers_of_powers_reach_the_limit() {
        check("(= 1 (^ 2 (^ 2 64)))", LIMIT);
        check("(= 1 (^ 2 (^ 2 (^ 2 64))))", LIMIT);
        check("(= 1 (int.pow2 (int.pow2 64)))", LIMIT);
        check("(= 1 (int.pow2 18446744073709551616))", LIMIT);
        check("(= 1.0 (^ 1.5 1000000000.0))", LIMIT);
        check("(= 1 (^ 1 (^ 2 64)) (^ (- 1) (^ 2 64)) (- (^ (- 1) (+ 1 (^ 2 64)))))", TRUE);
        check("(= 0 (^ 0 (^ 2 64)))", TRUE);
        check("(= (^ 2 1000000) (int.pow2 1000000))", TRUE);
    }

    #[test]
    fn products_of_products_reach_the_limit() {
        check(&chain("3", "(* x x)", 100, "(= x 1)"), LIMIT);
        let factors: String = (1..20_000).map(|factor| format!("{factor} ")).collect();
        check(&format!("(= 0 (mod (* {factors}) 19997))"), TRUE);
        let factorial = "(define-fun-rec f ((n Int)) Int (ite (= n 0) 1 (* n (f (- n 1)))))";
        check_script(&format!("{factorial}(assert (= 0 (mod (f 5000) 4999)))"), TRUE);
        check_script(&format!("{factorial}(assert (= 0 (mod (f 1000000) 4999)))"), LIMIT);
    }

    #[test]
    fn quotients_one_after_the_other_add_up() {
        for op in ["div", "mod"] {
            let step = format!("(+ (int.pow2 500000) ({op} x (- (int.pow2 250000) 1)))");
            check(&chain("(- (int.pow2 1000000) 3)", &step, 20_000, "(= x 1)"), LIMIT);
        }
    }

    #[test]
    fn fractions_whose_denominators_grow_reach_the_limit() {
        check(&chain("(/ 1.0 3.0)", "(+ x (/ 1.0 (+ x 1.0)))", 100, "(= x 1.0)"), LIMIT);
        let sum: String = (1..3_000).map(|number| format!("(/ 1.0 {number}.0) ")).collect();
        check(&format!("(< 8.0 (+ {sum}) 9.0)"), TRUE);
        check(&chain("(/ 2.0 3.0)", "(* x x)", 100, "(< x 1.0)"), LIMIT);
        check(&chain("(/ 2.0 3.0)", "(* x x)", 16, "(< x (+ x (* x x)))"), TRUE);
    }

    #[test]
    fn comparisons_one_after_the_other_add_up() {
        let fraction = "(/ (to_real (int.pow2 300000)) (to_real (+ 1 (int.pow2 300001))))";
        let comparisons = "(< x (+ x 1.0)) ".repeat(20_000);
        let distinct: String = (0..20_000).map(|number| format!("(< x (+ x {number}.5)) ")).collect();
        check(&format!("(let ((x {fraction})) (and {comparisons}))"), TRUE);
        check(&format!("(let ((x {fraction})) (and {distinct}))"), LIMIT);
    }

    #[test]
    fn numerals_of_a_million_digits_are_read() {
        let digits = "7".repeat(1_000_000);
        check(&format!("(= 0 (mod {digits} 7))"), TRUE);
        check(&format!("(= 1.0 {digits}.{digits})"), LIMIT);
        check(&format!("((_ divisible 7{digits}) {digits})"), LIMIT);
        check(&format!("((_ divisible 7{0}) {0})", &digits[..100_000]), FALSE);
        check(&format!("(= (_ bv{digits} 8) #x00)"), FALSE);
        check(&format!("(= #x{digits} (bvnot #x{digits}))"), FALSE);
        let many: String = (0..50).map(|number| format!("(= 0 (mod {number}1{digits} 2)) ")).collect();
        check(&format!("(or {many})"), LIMIT);
    }
}

mod strings {
    use super::*;

    #[test]
    fn strings_of_a_hundred_megabytes_reach_the_limit() {
        check(&chain("\"ab\"", "(str.++ x x)", 27, "(= 268435456 (str.len x))"), LIMIT);
        check(&chain("\"ab\"", "(str.++ x x)", 20, "(= 2097152 (str.len x))"), TRUE);
        check(&chain("\"aa\"", "(str.replace_all x \"a\" x)", 10, "(= x \"\")"), LIMIT);
        check(&chain("\"aa\"", "(str.replace_re_all x (str.to_re \"a\") x)", 10, "(= x \"\")"), LIMIT);
    }

    #[test]
    fn a_literal_of_ten_megabytes_is_read() {
        check(&format!("(= 10000000 (str.len \"{}\"))", "a".repeat(10_000_000)), TRUE);
        check(&format!("(= 3000000 (str.len \"{}\"))", r"\u{".repeat(1_000_000)), TRUE);
    }

    #[test]
    fn huge_numbers_have_digits_within_the_limit() {
        check("(= 30103 (str.len (str.from_int (^ 2 100000))))", TRUE);
        check("(= 30103 (str.len (str.from_int (^ 2 100000000))))", LIMIT);
        check(&chain("\"9\"", "(str.++ x x)", 25, "(= 0 (mod (str.to_int x) 9))"), LIMIT);
        check(&chain("\"9\"", "(str.++ x x)", 16, "(= 0 (mod (str.to_int x) 9))"), TRUE);
    }

    #[test]
    fn searches_in_long_strings_add_up() {
        let long = |body: &str| chain("\"aa\"", "(str.++ x x)", 18, body);
        check(&long("(str.contains x (str.++ x \"b\"))"), FALSE);
        let searches: String =
            (0..20_000).map(|number| format!("(str.contains x (str.from_int {number})) ")).collect();
        check(&long(&format!("(or {searches})")), LIMIT);
        check(
            &long("(= x (str.replace_re x (re.++ (re.* (str.to_re \"a\")) (str.to_re \"b\")) \"\"))"),
            LIMIT,
        );
    }
}

mod floats {
    use super::*;

    #[test]
    fn formats_of_a_million_bits_are_no_special_case() {
        let sort = "(_ FloatingPoint 1000000 1000000)";
        let declare =
            "(define-fun one () {sort} ((_ to_fp 1000000 1000000) RNE 1.0))".replace("{sort}", sort);
        check_script(&format!("{declare}(assert (fp.eq one (fp.mul RNE one one)))"), TRUE);
        check_script(&format!("{declare}(assert (fp.lt one (fp.add RNE one one)))"), TRUE);
        check_script(&format!("{declare}(assert (fp.isZero (fp.rem (fp.add RNE one one) one)))"), TRUE);
        check_script(&format!("{declare}(assert (= 1.0 (fp.to_real one)))"), TRUE);
        check_script(
            &format!("{declare}(assert (= 1.0 (fp.to_real (fp.max one (_ +oo 1000000 1000000)))))"),
            "open",
        );
    }

    #[test]
    fn operations_one_after_the_other_add_up() {
        let start = "((_ to_fp 20 100000) RNE (/ 1.0 3.0))";
        for step in
            ["(fp.div RNE x (fp.sqrt RNE x))", "(fp.fma RNE x x x)", "(fp.neg x)", "(fp.max x (fp.neg x))"]
        {
            check(&chain(start, step, 20_000, "(fp.isZero x)"), LIMIT);
        }
        check(
            "(= 1.0 (fp.to_real ((_ to_fp 40 10) (concat #b0 ((_ zero_extend 39) #b1) ((_ repeat 9) #b0)))))",
            LIMIT,
        );
    }

    #[test]
    fn quantifiers_over_huge_formats_reach_the_limit() {
        check("(forall ((x (_ FloatingPoint 2000000000 2000000000))) (fp.isNaN x))", LIMIT);
        check("(forall ((x (_ BitVec 4294967295))) (= x (bvnot x)))", LIMIT);
    }
}

mod quantifiers {
    use super::*;

    #[test]
    fn twenty_booleans_are_tried_or_too_many() {
        let nested: String = (0..20).map(|number| format!("(forall ((b{number} Bool)) ")).collect();
        let all: String = (0..20).map(|number| format!(" b{number} (not b{number})")).collect();
        check(&format!("{nested}(or{all}){}", ")".repeat(20)), LIMIT);
        let nested: String = (0..12).map(|number| format!("(forall ((b{number} Bool)) ")).collect();
        check(&format!("{nested}(or b11 (not b11)){}", ")".repeat(12)), TRUE);
        let binders: String = (0..40).map(|number| format!("(b{number} Bool)")).collect();
        let all: String = (0..40).map(|number| format!(" b{number} (not b{number})")).collect();
        check(&format!("(forall ({binders}) (or{all}))"), "quantifier");
        check(&format!("(forall ({binders}) (or b3 (not b3)))"), TRUE);
    }

    #[test]
    fn alternation_over_words_ends() {
        let depth = 40;
        let nested: String = (0..depth)
            .map(|number| {
                let word = if number % 2 == 0 { "forall" } else { "exists" };
                format!("({word} ((x{number} (_ BitVec 8))) ")
            })
            .collect();
        let sum: String = (0..depth).map(|number| format!(" x{number}")).collect();
        check(&format!("{nested}(= #x00 (bvadd{sum})){}", ")".repeat(depth)), LIMIT);
    }

    #[test]
    fn many_variables_and_literals_are_sampled_within_the_limit() {
        let binders: String = (0..2_000).map(|number| format!("(x{number} Int)")).collect();
        let sum: String = (0..2_000).map(|number| format!("(< x{number} {number}) ")).collect();
        check(&format!("(forall ({binders}) (or {sum} (= x0 5)))"), "quantifier");
        let nested = nest("(forall ((x Int)) (or (< x 7) ", "false", "))", 100);
        check(&nested, FALSE);
    }

    #[test]
    fn sorts_of_astronomic_size_are_not_listed() {
        let wide: String = (0..100).map(|number| format!("(f{number} Bool)")).collect();
        let datatype = format!("(declare-datatype W ((w {wide})))");
        check_script(&format!("{datatype}(assert (forall ((x W)) (f0 x)))"), FALSE);
        let some: String =
            (0..50).map(|number| format!(" (f{number} x) (not (f{} x))", number + 50)).collect();
        check_script(&format!("{datatype}(assert (forall ((x W)) (or{some})))"), "quantifier");
        let mut chain = String::from("(declare-datatype D0 ((c0) (d0)))");
        for number in 1..200 {
            let part = number - 1;
            chain += &format!(
                "(declare-datatype D{number} ((c{number} (l{number} D{part}) (r{number} D{part})) (e{number})))"
            );
        }
        check_script(&format!("{chain}(assert (forall ((x D199)) (= x e199)))"), "quantifier");
        let recursive = "(declare-datatype L ((nil) (cons (head Bool) (tail L))))";
        check_script(&format!("{recursive}(assert (exists ((x L)) (= x nil)))"), TRUE);
        check_script(
            &format!(
                "{recursive}(assert (= ((as const (Array L Bool)) true) ((as const (Array L Bool)) false)))"
            ),
            FALSE,
        );
        let arrays = nest("(Array ", "Bool", " Bool)", 50);
        check(&format!("(exists ((x {arrays})) (= x ((as const {arrays}) true)))"), TRUE);
    }
}

mod definitions {
    use super::*;

    #[test]
    fn recursion_without_end_reaches_the_limit() {
        check_script("(define-fun-rec f ((x Int)) Int (f (+ x 1)))(assert (= 0 (f 0)))", LIMIT);
        check_script("(define-fun-rec f ((x Int)) Int (+ 1 (f x)))(assert (= 0 (f 0)))", LIMIT);
        check_script(
            "(define-fun-rec f ((x Int)) Int (+ (f (+ x 1)) (f (+ x 2))))(assert (= 0 (f 0)))",
            LIMIT,
        );
        check_script("(define-fun-rec f ((x Int)) Int (* x (f (* x x))))(assert (= 0 (f 3)))", LIMIT);
    }

    #[test]
    fn mutual_recursion_without_end_reaches_the_limit() {
        let script =
            "(define-funs-rec ((f ((x Int)) Bool) (g ((x Int)) Bool)) ((g (+ x 1)) (not (f (+ x 1)))))";
        check_script(&format!("{script}(assert (f 0))"), LIMIT);
    }

    #[test]
    fn recursion_with_an_end_is_followed() {
        let script = "(define-fun-rec f ((x Int)) Int (ite (<= x 0) 0 (+ 1 (f (- x 1)))))";
        check_script(&format!("{script}(assert (= 100000 (f 100000)))"), TRUE);
        let ackermann =
            "(define-fun-rec a ((m Int) (n Int)) Int (ite (= m 0) (+ n 1) (ite (= n 0) (a (- m 1) 1)
            (a (- m 1) (a m (- n 1))))))";
        check_script(&format!("{ackermann}(assert (= 61 (a 3 3)))"), TRUE);
        check_script(&format!("{ackermann}(assert (= 0 (a 5 5)))"), LIMIT);
    }

    #[test]
    fn functions_that_take_functions_from_around_them_stay_small() {
        let formula =
            chain("(lambda ((y Int)) y)", "(lambda ((y Int)) (x (+ y 1)))", 1_000, "(= 1000 (x 0))");
        check(&formula, TRUE);
        check(&chain("(lambda ((y Int)) y)", "(lambda ((y Int)) (x (x y)))", 100, "(= 0 (x 0))"), LIMIT);
        check(&chain("(lambda ((y Int)) y)", "(lambda ((y Int)) (x y))", 100_000, "(= 0 (x 0))"), LIMIT);
    }
}

mod nesting {
    use super::*;

    #[test]
    fn lets_two_hundred_thousand_deep_are_followed() {
        check(&chain("0", "(+ x 1)", 200_000, "(= x 200000)"), TRUE);
        let distinct: String =
            (1..200_000).map(|number| format!("(let ((x{number} (+ x{} 1))) ", number - 1)).collect();
        check(&format!("(let ((x0 0)) {distinct}(= x199999 199999){}", ")".repeat(200_000)), TRUE);
    }

    #[test]
    fn a_million_connectives_need_no_stack() {
        check(&nest("(not ", "true", ")", 1_000_000), TRUE);
        check(&nest("(ite true ", "false", " true)", 1_000_000), FALSE);
        for (open, close) in
            [("(and true ", ")"), ("(ite ", " true false)"), ("(! ", " :weight 1)"), ("(= true ", ")")]
        {
            check(&nest(open, "true", close, 100_000), TRUE);
        }
    }

    #[test]
    fn data_a_million_deep_reaches_the_limit() {
        let list = "(declare-datatype L ((nil) (cons (head Int) (tail L))))";
        check_script(&format!("{list}(assert (= nil {}))", nest("(cons 1 ", "nil", ")", 1_000_000)), LIMIT);
        check_script(
            &format!("{list}(assert {})", chain("nil", "(cons 1 x)", 1_999, "(= x (cons 1 (tail x)))")),
            TRUE,
        );
        check(&chain("(seq.unit 1)", "(seq.++ x x)", 30, "(= x (seq.unit 1))"), LIMIT);
    }

    #[test]
    fn shared_trees_are_compared_within_the_limit() {
        let tree = "(declare-datatype T ((leaf) (node (left T) (right T))))";
        let same = chain("leaf", "(node x x)", 1_000, "(= x (node (left x) (right x)))");
        check_script(&format!("{tree}(assert {same})"), TRUE);
        let other =
            chain("leaf", "(node x x)", 1_000, "(let ((y x)) (= y (right (node leaf x)) (left (node x y))))");
        check_script(&format!("{tree}(assert {other})"), TRUE);
        let built_twice = format!(
            "(let ((y {})) (= y {}))",
            chain("leaf", "(node x x)", 100, "x"),
            chain("(left (node leaf leaf))", "(node x x)", 100, "x")
        );
        check_script(&format!("{tree}(assert {built_twice})"), TRUE);
        let different = format!(
            "(let ((y {})) (= y {}))",
            chain("leaf", "(node x x)", 100, "x"),
            chain("(node leaf leaf)", "(node x x)", 100, "x")
        );
        check_script(&format!("{tree}(assert {different})"), FALSE);
    }
}

mod arrays {
    use super::*;

    const ZEROS: &str = "((as const (Array Int Int)) 0)";

    #[test]
    fn chains_of_stores_are_followed() {
        let stores: String = (0..20_000).map(|number| format!(" {number} {number})")).collect();
        let array = format!("{}{ZEROS}{stores}", "(store ".repeat(20_000));
        check(&format!("(= 19999 (select {array} 19999))"), TRUE);
        let lets: String = (0..20_000).map(|number| format!("(let ((a (store a {number} 1))) ")).collect();
        check(
            &format!("(let ((a {ZEROS})) {lets}(= 1 (select a 7) (select a 19999)){}", ")".repeat(20_001)),
            TRUE,
        );
        let backwards: String = (0..20_000).rev().map(|number| format!(" {number} {number})")).collect();
        let other = format!("{}{ZEROS}{backwards}", "(store ".repeat(20_000));
        check(&format!("(= {array} {other})"), TRUE);
    }

    #[test]
    fn arrays_of_arrays_are_compared() {
        let sort = nest("(Array Int ", "Int", ")", 100);
        let value = (1..100).fold(ZEROS.to_owned(), |inner, depth| {
            format!("((as const {}) {inner})", nest("(Array Int ", "Int", ")", depth + 1))
        });
        check_script(
            &format!("(define-fun a () {sort} {value})(assert (= a (store a 1 (select a 2))))"),
            TRUE,
        );
        let grid = "((as const (Array (Array Int Int) Int)) 0)";
        let stores: String =
            (0..2_000).map(|number| format!(" (store {ZEROS} {number} 1) {number})")).collect();
        let array = format!("{}{grid}{stores}", "(store ".repeat(2_000));
        check(&format!("(= 1999 (select {array} (store {ZEROS} 1999 1)))"), TRUE);
    }

    #[test]
    fn equalities_of_long_arrays_add_up() {
        let stores: String = (0..2_000).map(|number| format!(" {number} {number})")).collect();
        let array = format!("{}{ZEROS}{stores}", "(store ".repeat(2_000));
        let equalities: String = (0..100_000)
            .map(|number| format!("(= a (store (store a {number} 5) {number} (select a {number}))) "))
            .collect();
        check(&format!("(let ((a {array})) (and {equalities}))"), LIMIT);
    }

    #[test]
    fn arrays_over_arrays_over_arrays_have_no_count() {
        let sort = nest("(Array ", "(_ BitVec 8)", " Bool)", 60);
        check(
            &format!("(= ((as const (Array {sort} Bool)) true) ((as const (Array {sort} Bool)) false))"),
            FALSE,
        );
    }
}

mod many_arguments {
    use super::*;

    #[test]
    fn twenty_thousand_arguments_are_distinct() {
        let ints: String = (0..20_000).map(|number| format!(" {number}")).collect();
        check(&format!("(distinct{ints})"), TRUE);
        check(&format!("(distinct{ints} 19999)"), FALSE);
        let reals: String = (0..20_000).map(|number| format!(" {number}.5")).collect();
        check(&format!("(distinct{reals})"), TRUE);
        let mixed: String = (0..20_000).map(|number| format!(" {number}.5 {number}")).collect();
        check(&format!("(distinct{mixed})"), LIMIT);
        let regexes: String = (0..500).map(|number| format!(" (str.to_re \"{number}\")")).collect();
        check(&format!("(distinct{regexes})"), TRUE);
    }

    #[test]
    fn two_hundred_thousand_arguments_are_folded() {
        for (op, unit, expected) in
            [("+", "1 ", "200000"), ("str.++", "\"a\" ", "\"\""), ("bvadd", "#x01 ", "#x40")]
        {
            let args = unit.repeat(200_000);
            check(&format!("(= {expected} ({op} {args}))"), if op == "str.++" { FALSE } else { TRUE });
        }
        check(&format!("(and {})", "true ".repeat(200_000)), TRUE);
        check(&format!("(< {})", (0..200_000).map(|number| format!("{number} ")).collect::<String>()), TRUE);
    }
}

mod machine_words {
    use super::*;

    /// 2^32, 2^63, 2^64 and 2^64 + 1: what is cut to a machine word is 0 or 1, or negative.
    const BEYOND: [&str; 4] =
        ["4294967296", "9223372036854775808", "18446744073709551616", "18446744073709551617"];

    #[test]
    fn positions_beyond_machine_words_are_out_of_range() {
        let seq = "(seq.++ (seq.unit 7) (seq.unit 8) (seq.unit 9))";
        for position in BEYOND {
            for formula in [
                format!(r#"(= (str.at "abc" {position}) "")"#),
                format!(r#"(= (str.substr "abc" {position} 1) "")"#),
                format!(r#"(= (str.substr "abc" 1 {position}) "bc")"#),
                format!(r#"(= (str.substr "abc" 1 (- {position})) "")"#),
                format!(r#"(= (str.indexof "abc" "b" {position}) (- 1))"#),
                format!(r#"(= (str.indexof_re "abc" re.all {position}) (- 1))"#),
                format!(r#"(= (str.update "abc" {position} "x") "abc")"#),
                format!(r#"(= (str.from_code {position}) "")"#),
                format!("(= (seq.len (seq.extract {seq} {position} 1)) 0)"),
                format!("(= (seq.len (seq.extract {seq} 1 {position})) 2)"),
                format!("(= (seq.len (seq.at {seq} {position})) 0)"),
                format!("(= (seq.indexof {seq} (seq.unit 7) {position}) (- 1))"),
                format!("(= (seq.update {seq} {position} (seq.unit 1)) {seq})"),
            ] {
                check(&formula, TRUE);
            }
            check(&format!("(= (seq.nth {seq} {position}) 7)"), "open");
        }
    }

    #[test]
    fn amounts_beyond_machine_words_shift_everything_out() {
        for amount in BEYOND {
            check(&format!("(= (bvshl (_ bv1 128) (_ bv{amount} 128)) (_ bv0 128))"), TRUE);
            check(&format!("(= (bvlshr (_ bv1 128) (_ bv{amount} 128)) (_ bv0 128))"), TRUE);
            check(&format!("(= (bvashr (bvneg (_ bv1 128)) (_ bv{amount} 128)) (bvneg (_ bv1 128)))"), TRUE);
        }
        check("(= ((_ rotate_left 4294967297) #x9) #x3)", TRUE);
        check("(= ((_ rotate_right 4294967297) #x9) #xc)", TRUE);
    }

    #[test]
    fn exponents_beyond_machine_words_reach_the_limit() {
        for exponent in BEYOND {
            check(&format!("(= (^ 2 {exponent}) 0)"), LIMIT);
            check(&format!("(= (^ 0.5 {exponent}.0) 0.0)"), LIMIT);
            check(&format!("(= (int.pow2 {exponent}) 0)"), LIMIT);
            check(&format!("(= (^ 1 {exponent}) 1)"), TRUE);
            check(&format!("(= (* (^ (- 1) {exponent}) (^ (- 1) (+ 1 {exponent}))) (- 1))"), TRUE);
        }
    }

    #[test]
    fn counts_beyond_machine_words_multiply_exactly() {
        let power = |count: &str, body: &str| format!("((_ re.^ {count}) {body})");
        let squared = power("4294967296", &power("4294967296", "re.allchar"));
        check(&format!("(= {squared} {})", power("18446744073709551616", "re.allchar")), TRUE);
        check(&format!("(= {squared} {})", power("0", "re.allchar")), FALSE);
        let loops = nest("((_ re.loop 65536 65536) ", "re.allchar", ")", 4);
        let even = "(re.* (re.++ re.allchar re.allchar))";
        for word in ["", "a", "aa"] {
            check(&format!(r#"(str.in_re "{word}" (re.inter {loops} {even}))"#), FALSE);
            let up_to = loops.replace("re.loop 65536", "re.loop 0");
            check(
                &format!(r#"(= (str.in_re "{word}" (re.inter {up_to} {even})) (distinct "{word}" "a"))"#),
                TRUE,
            );
        }
    }

    #[test]
    fn conversions_beyond_machine_words_are_exact() {
        check("(= ((_ int_to_bv 8) 18446744073709551621) #x05)", TRUE);
        check("(= ((_ iand 70) 18446744073709551617 18446744073709551616) 18446744073709551616)", TRUE);
        check("(= (ubv_to_int (bvshl (_ bv1 80) (_ bv64 80))) 18446744073709551616)", TRUE);
        check(
            "(= ((_ fp.to_ubv 65) RNE ((_ to_fp 11 53) RNE 18446744073709551616.0)) (_ bv18446744073709551616 65))",
            TRUE,
        );
        check("(= ((_ fp.to_ubv 64) RNE ((_ to_fp 11 53) RNE 18446744073709551616.0)) (_ bv0 64))", "open");
        check("(forall ((x (_ BitVec 64))) (bvule x x))", "quantifier");
        check("(forall ((x (_ BitVec 65)) (y (_ BitVec 64))) (bvule x x))", "quantifier");
    }
}

mod open_values {
    use super::*;

    #[test]
    fn functions_of_open_values_are_followed() {
        let body = "(= (+ x 1) (+ x (- 2 1)))";
        check(&chain("(div 1 0)", "(+ x x)", 50_000, body), TRUE);
        let terms = nest("(+ 1 ", "(div 1 0)", ")", 100_000);
        let others = nest("(+ 1 ", "(div 1 (- 1 1))", ")", 100_000);
        check(&format!("(= {terms} {others})"), TRUE);
    }

    #[test]
    fn open_values_of_large_arguments_are_unknown() {
        let tree = "(declare-datatypes ((T 0)) (((leaf) (node (left T) (right T)))))";
        let doubled = chain("leaf", "(node x x)", 500, "(= (+ 1 1) 2)");
        check_script(&format!("{tree}(assert {doubled})"), TRUE);
        let wrong = "(declare-datatypes ((T 0)) (((leaf (key Int)) (node (left T) (right T)))))";
        let open =
            chain("(node (leaf 1) (leaf 1))", "(node x x)", 500, "(= (key x) (key (node x (left x))))");
        check_script(&format!("{wrong}(assert {open})"), "open-selector");
        let long: String = (0..5_000).map(|number| format!(" (seq.unit {number})")).collect();
        check(&format!("(= (seq.nth (seq.++{long}) 5000) (seq.nth (seq.++{long}) (+ 4999 1)))"), "open");
    }

    #[test]
    fn many_open_values_stay_within_the_limit() {
        let step = "(ite (> (div x 0) (mod x 0)) (+ x 1) (+ x (- 2 1)))";
        check(&chain("1", step, 200, "(= (+ x 1) (+ x (- 2 1)))"), TRUE);
        check(
            "(forall ((x (_ BitVec 12))) (= (div (ubv_to_int x) 0) (div (ubv_to_int (bvnot (bvnot x))) 0)))",
            TRUE,
        );
    }
}

mod heaps {
    use super::*;

    fn eval_under(script: &'static str, model: &'static str) -> String {
        let work = move || {
            let mut terms = Terms::new();
            let reading = read_script(&mut terms, script);
            assert_eq!(reading.diagnostics, []);
            let model = Model::parse(&mut terms, &reading.scope, model, reading.script.dialect).unwrap();
            let environment = Environment::at_last_check(&terms, &reading.script);
            let assertion = *environment.assertions.last().unwrap();
            match Evaluator::new(&terms, &environment, &model).eval(assertion) {
                Ok(value) => format!("{value:?}"),
                Err(unknown) => unknown.kind().to_owned(),
            }
        };
        std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().unwrap()
    }

    #[test]
    fn a_heap_that_is_about_itself_ends() {
        let script = "(declare-heap (Int Int))(declare-const x Int)(assert (= x (as sep.nil Int)))";
        let itself =
            "(\n(define-fun x () Int 1)\n)\n(heap\nsep.emp\n(= (as sep.nil Int) (as sep.nil Int))\n)";
        assert_eq!(eval_under(script, itself), LIMIT);
        let by_name =
            "(\n(define-fun x () Int (as sep.nil Int))\n)\n(heap\nsep.emp\n(= (as sep.nil Int) x)\n)";
        assert_eq!(eval_under(script, by_name), LIMIT);
        let script = "(declare-heap (Int Int))(assert (pto 1 2))";
        let cell = "(\n)\n(heap\n(pto (ite (pto 1 2) 1 2) 2)\n(= (as sep.nil Int) 0)\n)";
        assert_eq!(eval_under(script, cell), LIMIT);
    }

    #[test]
    fn places_that_are_about_the_heap_are_followed_so_far() {
        let script = "(declare-heap (Int Int))(assert (pto (ite (pto 1 2) 1 3) 2))";
        let model = "(\n)\n(heap\n(pto 1 2)\n(= (as sep.nil Int) 0)\n)";
        assert_eq!(eval_under(script, model), "Bool(true)");
    }
}
