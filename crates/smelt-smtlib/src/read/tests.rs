use super::*;
use crate::diagnostic::Diagnostic;

fn problems(source: &str) -> Vec<Diagnostic> {
    read_script(&mut Terms::new(), source).diagnostics
}

#[test]
fn what_stands_after_an_exit_is_not_read() {
    let source = "(declare-const x Int)(exit)(declare-const x Int)(nonsense)";
    let reading = read_script(&mut Terms::new(), source);
    assert_eq!(reading.diagnostics, []);
    assert_eq!(reading.script.commands.len(), 4);
}

#[test]
fn a_negative_numeral_is_the_negation_of_a_number() {
    let mut terms = Terms::new();
    let reading = read_script(
        &mut terms,
        "(assert (= -1 (- 1)))(assert (= -1.5 (- 1.5)))(declare-const -2 Int)(assert (= -2 1))",
    );
    assert_eq!(reading.diagnostics, []);
    let sides: Vec<_> = reading.script.assertions().map(|equation| terms.args(equation).to_vec()).collect();
    assert_eq!(sides[0][0], sides[0][1]);
    assert_eq!(sides[1][0], sides[1][1]);
    assert!(matches!(terms.head(sides[2][0]), Head::Global(_)), "a declared symbol may look like a number");
}

/// The sort of the last asserted or defined term, written out.
fn sort_of(source: &str) -> String {
    let mut terms = Terms::new();
    let mut scope = Scope::new();
    let script = "(declare-const b Bool)(declare-const i Int)(declare-const r Real)(declare-const s String)
        (declare-const v (_ BitVec 8))(declare-const a (Array Int Real))(declare-fun f (Real) Int)";
    let mut scanner = Scanner::new(script);
    let mut tape = Tape::new();
    while scanner.read(&mut tape).unwrap() {
        read_command(&mut terms, &mut scope, script, &tape, Dialect::V26).unwrap();
    }
    match read_term(&mut terms, &mut scope, source, Dialect::V26) {
        Ok(term) => {
            let mut text = String::new();
            terms.sorts.write(&terms.symbols, terms.sort(term), &mut text);
            assert_eq!(
                crate::print::term_text(&mut terms, term),
                source,
                "terms are printed as they are written"
            );
            text
        }
        Err(diagnostics) => format!("error: {}", diagnostics[0].message),
    }
}

/// The messages of all problems.
fn messages(source: &str) -> Vec<String> {
    problems(source).into_iter().map(|problem| problem.message).collect()
}

/// Asserts that a script has no problems and is printed exactly as it is written.
fn unchanged(source: &str) {
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, source);
    assert_eq!(reading.diagnostics, []);
    assert_eq!(crate::print::script_text(&mut terms, &reading.script), source);
}

#[test]
fn every_command_is_printed_as_it_is_written() {
    unchanged(
        r#"(set-logic ALL)
(set-option :produce-models true)
(set-option :global-declarations false)
(set-info :status sat)
(set-info :source |two
lines|)
(declare-sort S 0)
(declare-sort Pair 2)
(define-sort Words () (Array Int String))
(declare-const x Int)
(declare-fun f (Int (Pair S Int)) Bool)
(define-const one Int 1)
(define-fun twice ((y Int)) Int (* 2 y))
(define-fun-rec down ((n Int)) Int (ite (< n 0) 0 (down (- n 1))))
(define-funs-rec ((even ((n Int)) Bool) (odd ((n Int)) Bool)) ((or (= n 0) (odd (- n 1))) (and (distinct n 0) (even (- n 1)))))
(push 1)
(assert (! (< x (twice one)) :named small))
(check-sat)
(check-sat-assuming (small (not small)))
(pop 1)
(get-assertions)
(get-assignment)
(get-info :name)
(get-model)
(get-option :produce-models)
(get-proof)
(get-unsat-assumptions)
(get-unsat-core)
(get-value (x (twice x)))
(echo "a ""quoted"" word")
(reset-assertions)
(reset)
(exit)
"#,
    );
}

#[test]
fn every_construct_of_terms_is_printed_as_it_is_written() {
    unchanged(
        r#"(declare-datatypes ((List 1)) ((par (T) ((nil) (cons (head T) (tail (List T)))))))
(declare-const l (List Int))
(declare-const a (Array Int Int))
(declare-const g (-> Int Int))
(declare-fun p (Int) Bool)
(assert (let ((x 1) (y 2)) (let ((x y)) (= x y))))
(assert (forall ((x Int) (y Real)) (exists ((z Int)) (< x y z))))
(assert (= 1 (match l ((nil 0) ((cons h _) h)))))
(assert (= 1 (match l (((cons h t) h) (other 0)))))
(assert (= g (lambda ((x Int)) (+ x 1))))
(assert (forall ((x Int)) (! (p x) :pattern ((p x)) :pattern ((p (+ x 1)) (p x)) :weight 3 :qid |q 1|)))
(assert (! (p 1) :named n :note (some (nested) text)))
(assert (= l (as nil (List Int)) ((as cons (List Int)) 1 (as nil (List Int)))))
(assert ((_ is cons) l))
(assert (= ((_ update head) l 3) (tail l)))
(assert (= a ((as const (Array Int Int)) 0)))
(assert (= ((_ extract 3 0) #x5a) (_ bv10 4) #b1010))
(assert (= (str.++ "a""b" "\u{e9}" (_ char #x41)) ""))
(assert (and (p 0)))
(assert (or))
"#,
    );
}

#[test]
fn old_forms_are_read_and_printed_as_new_ones() {
    let check = |old: &str, new: &str| {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, old);
        assert_eq!(reading.diagnostics, []);
        assert_eq!(crate::print::script_text(&mut terms, &reading.script), new);
    };
    check("(declare-sort S)", "(declare-sort S 0)\n");
    check("(push)(pop)", "(push 1)\n(pop 1)\n");
    check("(declare-datatype D ((c (f Int)) d))", "(declare-datatypes ((D 0)) (((c (f Int)) (d))))\n");
    check(
        "(declare-datatypes (T) ((L nil (cons (hd T) (tl L)))))(declare-const l (L Int))(assert (is-nil l))",
        "(declare-datatypes ((L 1)) ((par (T) ((nil) (cons (hd T) (tl (L T)))))))\n(declare-const l (L Int))\n\
         (assert ((_ is nil) l))\n",
    );
    check("(declare-const r (RegEx String))", "(declare-const r RegLan)\n");
}

#[test]
fn datatypes_may_use_each_other() {
    unchanged(
        "(declare-datatypes ((Tree 0) (Forest 0)) (((node (children Forest))) ((empty) (more (first Tree) (rest Forest)))))
(declare-const t Tree)
(assert (= (first (children t)) t))
",
    );
}

#[test]
fn abbreviated_sorts_are_expanded_with_their_arguments() {
    let source = "(define-sort Map (K) (Array K (Array K Int)))(declare-const m (Map Bool))(assert (= 1 (select (select m true) false)))";
    assert_eq!(messages(source), [""; 0]);
}

#[test]
fn parameters_of_an_abbreviation_end_with_it() {
    let source = "(define-sort Id (T) T)(declare-const x T)";
    assert_eq!(messages(source), ["unknown sort `T`"]);
}

#[test]
fn sort_parameters_make_functions_generic() {
    let source = "(declare-sort-parameter T)(declare-fun id (T) T)(assert (= (id 1) 2))(assert (id true))";
    assert_eq!(messages(source), [""; 0]);
}

#[test]
fn popped_names_may_be_declared_again_with_another_sort() {
    unchanged(
        "(push 1)\n(declare-const x Int)\n(declare-sort S 0)\n(pop 1)\n(declare-const x Bool)\n(declare-sort S 1)\n(assert x)\n",
    );
}

#[test]
fn names_of_annotated_terms_end_with_their_scope() {
    let source = "(push 1)(assert (! true :named n))(pop 1)(assert (! false :named n))(assert n)";
    assert_eq!(messages(source), [""; 0]);
}

#[test]
fn global_declarations_survive_pop_and_reset_assertions() {
    let source = "(set-option :global-declarations true)(push 1)(declare-const x Bool)(pop 1)(assert x)(reset-assertions)(assert x)";
    assert_eq!(messages(source), [""; 0]);
}

#[test]
fn reset_assertions_forgets_declarations() {
    let source = "(declare-const x Bool)(reset-assertions)(assert x)";
    assert_eq!(messages(source), ["unknown symbol `x`"]);
}

#[test]
fn reset_forgets_that_declarations_are_global() {
    let source =
        "(set-option :global-declarations true)(reset)(push 1)(declare-const x Bool)(pop 1)(assert x)";
    assert_eq!(messages(source), ["unknown symbol `x`"]);
}

#[test]
fn pop_needs_as_many_pushes() {
    assert_eq!(messages("(push 2)(pop 3)"), ["pop of 3 where 2 levels are pushed"]);
    assert_eq!(messages("(pop 1)"), ["pop of 1 where nothing is pushed"]);
}

#[test]
fn integers_stand_for_reals() {
    assert_eq!(sort_of("(+ i 1.5)"), "Real");
    assert_eq!(sort_of("(= 1 r)"), "Bool");
    assert_eq!(sort_of("(= r 1)"), "Bool");
    assert_eq!(sort_of("(ite b 1 r)"), "Real");
    assert_eq!(sort_of("(ite b r 1)"), "Real");
    assert_eq!(sort_of("(/ 1 3)"), "Real");
    assert_eq!(sort_of("(< 1 r 2)"), "Bool");
    assert_eq!(sort_of("(f i)"), "Int");
    assert_eq!(sort_of("(store a 1 2)"), "(Array Int Real)");
    assert_eq!(sort_of("((as const (Array Int Real)) 1)"), "(Array Int Real)");
    assert_eq!(sort_of("(- 1 2 3)"), "Int");
    assert_eq!(sort_of("(- 1.0)"), "Real");
}

#[test]
fn reals_do_not_stand_for_integers() {
    assert_eq!(
        sort_of("(mod i 1.0)"),
        "error: `mod` has signature `Int Int -> Int`, but argument 2 is a `Real`"
    );
    assert_eq!(
        sort_of("(str.at s 1.0)"),
        "error: `str.at` has signature `String Int -> String`, but argument 2 is a `Real`"
    );
    assert_eq!(
        sort_of("(select a 1.5)"),
        "error: `select` has signature `(Array A B) A -> B`, but argument 2 is a `Real`"
    );
}

#[test]
fn parts_of_sorts_are_not_coerced() {
    assert!(sort_of("(seq.++ (seq.unit 1) (seq.unit 1.0))").starts_with("error: "));
    assert_eq!(sort_of("(seq.contains (seq.unit 1.5) (seq.unit r))"), "Bool");
}

#[test]
fn an_array_of_integers_is_no_array_of_reals() {
    let message = sort_of("(= a ((as const (Array Int Int)) 0))");
    assert_eq!(message, "error: `=` has signature `A A -> Bool`, but argument 2 is a `(Array Int Int)`");
}

#[test]
fn overloads_are_told_apart_by_arity_and_sorts() {
    assert_eq!(sort_of("(- i)"), "Int");
    assert_eq!(sort_of("(- i i)"), "Int");
    assert_eq!(sort_of("(str.indexof s s)"), "Int");
    assert_eq!(sort_of("((_ to_fp 8 24) RNE r)"), "(_ FloatingPoint 8 24)");
    assert_eq!(sort_of("((_ to_fp 5 3) v)"), "(_ FloatingPoint 5 3)");
    assert_eq!(sort_of("((_ re.loop 1 3) re.all)"), "RegLan");
    assert_eq!(sort_of("(re.loop re.all 1 3)"), "RegLan");
    assert_eq!(sort_of("((_ re.loop 1) re.all)"), "RegLan");
}

#[test]
fn many_arguments_are_taken_as_the_attributes_say() {
    assert_eq!(sort_of("(concat #b1 #b01 #b001)"), "(_ BitVec 6)");
    assert_eq!(sort_of("(bvadd v v v)"), "(_ BitVec 8)");
    assert_eq!(sort_of("(= i i i)"), "Bool");
    assert_eq!(sort_of("(distinct s s s)"), "Bool");
    assert_eq!(sort_of("(=> b b b)"), "Bool");
    assert_eq!(sort_of("(re.diff re.all re.none re.allchar)"), "RegLan");
    assert_eq!(sort_of("(bvsub v v v)"), "error: `bvsub` takes 2 arguments, but 3 are given");
    assert_eq!(sort_of("(bvult v v v)"), "error: `bvult` takes 2 arguments, but 3 are given");
    assert_eq!(sort_of("(= i)"), "error: `=` takes at least 2 arguments, but 1 is given");
    assert_eq!(sort_of("(mod 7 5 2)"), "error: `mod` takes 2 arguments, but 3 are given");
}

#[test]
fn indices_are_checked() {
    assert_eq!(sort_of("((_ extract 7 4) v)"), "(_ BitVec 4)");
    assert!(sort_of("((_ extract 8 4) v)").starts_with("error: `extract` has signature"));
    assert!(sort_of("((_ extract 3 4) v)").starts_with("error: `extract` has signature"));
    assert_eq!(sort_of("((_ extract 7 a) v)"), "error: `a` is not an index that `extract` takes");
    assert_eq!(sort_of("((_ re.loop a 4) re.all)"), "error: `a` is not an index that `re.loop` takes");
    assert_eq!(sort_of("((_ re.^ 99999999999999999999999) re.all)"), "RegLan");
    assert!(sort_of("((_ zero_extend 99999999999999999999999) v)").starts_with("error: "));
    assert!(sort_of("((_ zero_extend 4294967295) v)").starts_with("error: "));
    assert!(sort_of("((_ divisible 0) i)").starts_with("error: "));
    assert_eq!(
        sort_of("((_ extract 7) v)"),
        "error: `extract` takes 2 indices as in `(_ extract i j)`, found 1"
    );
}

#[test]
fn characters_go_up_to_2ffff() {
    assert_eq!(sort_of("(_ char #x2FFFF)"), "String");
    assert_eq!(sort_of("(_ char #x1F600)"), "String");
    assert!(sort_of("(_ char #x30000)").starts_with("error: `char` takes a hexadecimal"));
    assert!(sort_of("(_ char 65)").starts_with("error: "));
    assert!(sort_of("(_ char #x000041)").starts_with("error: "));
}

#[test]
fn unknown_operators_keep_their_text_and_get_a_sort_from_their_place() {
    let mut terms = Terms::new();
    let source = "(declare-const x Int)\n(assert (< x (mystery x |a b|)))\n(assert (mystery2 (_ foo 3) x))\n";
    let reading = read_script(&mut terms, source);
    assert!(reading.diagnostics.iter().all(|diagnostic| diagnostic.problem == Problem::UnknownName));
    assert_eq!(crate::print::script_text(&mut terms, &reading.script), source);
    let assertion = reading.script.assertions().next().unwrap();
    assert_eq!(terms.sort(terms.args(assertion)[1]), crate::sort::Sort::INT);
}

#[test]
fn an_unknown_part_of_a_concatenation_does_not_get_the_sort_of_another() {
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, "(assert (= #x0 (concat #b1 mystery #b11)))");
    let equation = reading.script.assertions().next().unwrap();
    let concat = terms.args(equation)[1];
    assert_eq!(terms.sort(terms.args(concat)[1]), crate::sort::Sort::UNKNOWN);
}

#[test]
fn unknown_sorts_keep_their_names() {
    let mut terms = Terms::new();
    let source = "(declare-fun f (Foo (Bar Int)) (_ Baz 3))\n(declare-const x Foo)\n(declare-const y (_ FiniteField 7))\n";
    let reading = read_script(&mut terms, source);
    assert!(reading.diagnostics.iter().all(|diagnostic| diagnostic.problem == Problem::UnknownName));
    assert_eq!(crate::print::script_text(&mut terms, &reading.script), source);
}

#[test]
fn a_match_with_an_unknown_constructor_keeps_its_text() {
    let mut terms = Terms::new();
    let source = "(declare-const x Int)\n(assert (match x (((leaf a) true) ((node l r) false))))\n";
    let reading = read_script(&mut terms, source);
    assert_eq!(reading.diagnostics.len(), 2);
    assert_eq!(crate::print::script_text(&mut terms, &reading.script), source);
}

#[test]
fn unknown_commands_keep_their_text() {
    let mut terms = Terms::new();
    let source = "(frobnicate (x)  1)\n(check-sat-using (then simplify smt))\n(help x)\n";
    let reading = read_script(&mut terms, source);
    let problems: Vec<_> = reading.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    assert_eq!(problems, ["unknown command `frobnicate`"]);
    assert_eq!(crate::print::script_text(&mut terms, &reading.script), source);
}

#[test]
fn several_errors_of_one_assertion_are_reported() {
    let source =
        "(declare-const x Int)\n(assert (and (< x true) (str.len x) (foo x)))\n(assret x)\n(assert (= x y))";
    assert_eq!(
        messages(source),
        [
            "`<` has signature `Int Int -> Bool` or `Real Real -> Bool`, but argument 2 is a `Bool`",
            "`str.len` has signature `String -> Int`, but argument 1 is a `Int`",
            "unknown operator `foo`",
            "unknown command `assret`",
            "unknown symbol `y`",
        ]
    );
}

#[test]
fn errors_suggest_what_was_meant() {
    let help = |source: &str| problems(source)[0].help.clone().unwrap_or_default();
    assert_eq!(help("(assret true)"), "did you mean `assert`?");
    assert_eq!(help("(assert (str.prefix \"a\" \"b\"))"), "did you mean `str.prefixof`?");
    assert_eq!(help("(declare-const x Strin)"), "did you mean `String`?");
    assert_eq!(help("(declare-const counter Int)(assert (= countre 1))"), "did you mean `counter`?");
    assert_eq!(help("(declare-const x Int)(assert (= (x) 1))"), "write it without parentheses");
}

#[test]
fn wrong_forms_say_the_right_one() {
    assert_eq!(messages("(declare-const x)"), ["`declare-const` has the form `(declare-const name sort)`"]);
    assert_eq!(messages("(assert (let ((x)) x))"), ["a binding has the form `(name term)`"]);
    assert_eq!(messages("(assert (forall () true))").len(), 1);
    assert_eq!(messages("(assert ())"), ["expected a term, found `()`"]);
    assert_eq!(messages("assert"), ["expected a command in parentheses, found `assert`"]);
}

#[test]
fn names_are_declared_once() {
    assert_eq!(messages("(declare-const x Int)(declare-const x Int)"), ["`x` is declared already"]);
    assert_eq!(messages("(declare-sort S 0)(declare-sort S 0)"), ["sort `S` is declared already"]);
    assert_eq!(
        messages("(assert (let ((x 1) (x 2)) true))"),
        ["variable `x` is bound twice by the same binder"]
    );
    assert_eq!(messages("(declare-datatype D ((c (f Int)) (d (f Int))))"), ["`f` is declared already"]);
    assert_eq!(messages("(declare-const let Int)"), ["`let` is a reserved word"]);
    assert_eq!(messages("(declare-const |let| Int)(assert (= |let| 1))"), [""; 0]);
}

#[test]
fn a_later_variable_hides_one_of_the_same_binder() {
    let printed = |source: &str| {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, source);
        assert_eq!(reading.diagnostics, []);
        crate::print::script_text(&mut terms, &reading.script)
    };
    assert_eq!(
        printed("(assert (forall ((x Int) (x Bool)) x))"),
        "(assert (forall ((x!0 Int) (x Bool)) x))\n"
    );
    assert_eq!(
        printed("(declare-const x!0 Bool)(assert (exists ((x Int) (x Bool)) (= x x!0)))"),
        "(declare-const x!0 Bool)\n(assert (exists ((x!1 Int) (x Bool)) (= x x!0)))\n"
    );
    assert_eq!(
        printed("(define-fun f ((x Int) (x Int)) Int x)"),
        "(define-fun f ((x!0 Int) (x Int)) Int x)\n"
    );
}

#[test]
fn a_name_without_a_sort_gets_that_of_its_context() {
    let printed = |term: &str| {
        let mut terms = Terms::new();
        let source = format!(
            "(declare-const x (Seq Int))(declare-const s (Set Bool))(declare-datatype L (par (A) ((nil) (cons \
             (head A) (tail (L A))))))(declare-const l (L Int))(assert {term})"
        );
        let reading = read_script(&mut terms, &source);
        let messages: Vec<String> =
            reading.diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect();
        let text = crate::print::script_text(&mut terms, &reading.script);
        let last = text.lines().last().unwrap_or_default().to_owned();
        if messages.is_empty() { last } else { messages.join("; ") }
    };
    assert_eq!(printed("(seq.contains seq.empty x)"), "(assert (seq.contains (as seq.empty (Seq Int)) x))");
    assert_eq!(
        printed("(= (ite true seq.empty x) x)"),
        "(assert (= (ite true (as seq.empty (Seq Int)) x) x))"
    );
    assert_eq!(printed("(distinct set.empty s)"), "(assert (distinct (as set.empty (Set Bool)) s))");
    assert_eq!(printed("(= l (cons 1 nil))"), "(assert (= l (cons 1 (as nil (L Int)))))");
    assert_eq!(printed("(= nil l)"), "(assert (= (as nil (L Int)) l))");
    assert_eq!(printed("(= nil 1)"), "the sort of `nil` does not follow from its arguments");
    assert_eq!(printed("(= nil nil)").matches("the sort of `nil`").count(), 2);
    assert_eq!(printed("(= seq.empty s)"), "the sort of `seq.empty` does not follow from its arguments");
}

#[test]
fn a_named_term_is_closed() {
    assert_eq!(
        messages("(assert (forall ((x Int)) (! (= x 0) :named n)))"),
        ["a named term must not use variables of a binder around it"]
    );
    assert_eq!(messages("(assert (forall ((x Int)) (! (exists ((y Int)) (= y 0)) :named n)))"), [""; 0]);
}

#[test]
fn variables_hide_declared_names_and_operators() {
    assert_eq!(messages("(declare-const x Int)(assert (let ((x true)) x))(assert (= x 1))"), [""; 0]);
    assert_eq!(messages("(assert (forall ((abs Bool)) (and abs (as abs Bool))))"), [""; 0]);
    assert_eq!(messages("(define-fun abs ((x Bool)) Bool x)(assert (abs true))"), [""; 0]);
}

#[test]
fn let_binds_in_parallel() {
    let source = "(declare-const x Int)(assert (let ((x true) (y x)) (= y 1)))";
    assert_eq!(messages(source), [""; 0]);
}

#[test]
fn cases_of_a_match_bind_the_fields() {
    let list = "(declare-datatypes ((L 1)) ((par (T) ((nil) (cons (hd T) (tl (L T)))))))(declare-const l (L String))";
    assert_eq!(messages(&format!("{list}(assert (match l ((nil true) ((cons h t) (= h \"a\")))))")), [""; 0]);
    assert_eq!(messages(&format!("{list}(assert (match l ((nil true) ((cons h t) (= h 1)))))")).len(), 1);
    assert_eq!(
        messages(&format!("{list}(assert (match l (((cons h) true))))")),
        ["constructor `cons` has 2 fields, the pattern 1"]
    );
    assert_eq!(
        messages(&format!("{list}(assert (match l ((nil true) (_ 1))))")),
        ["the cases of a match differ in sort: `Bool` and `Int`"]
    );
}

#[test]
fn a_function_is_applied_to_its_sorts() {
    let f = "(declare-fun f (Int String) Bool)";
    assert_eq!(messages(&format!("{f}(assert (f 1))")), ["`f` takes 2 arguments, but 1 given"]);
    assert_eq!(
        messages(&format!("{f}(assert (f 1 2))")),
        ["argument 2 of `f` must have sort `String`, found `Int`"]
    );
}

#[test]
fn function_sorts_are_applied() {
    let good = "(declare-const g (-> Int (-> Int Bool)))(assert (g 1 2))(assert ((g 1) 2))\
        (assert ((lambda ((x Int)) true) 1))";
    assert_eq!(messages(good), [""; 0]);
    assert_eq!(messages("(assert ((lambda ((x Int)) true) 1 2))").len(), 1);
}

#[test]
fn old_names_and_escapes_are_a_dialect() {
    let mut terms = Terms::new();
    let source = "(declare-const x String)\n(assert (str.in.re x (re.++ (str.to.re \"\\x41\\n\") re.nostr)))\n(assert (= (str.to.int x) 1))\n";
    let reading = read_script(&mut terms, source);
    assert_eq!(reading.diagnostics, []);
    assert_eq!(reading.script.dialect, Dialect::V25);
    let mut printer = crate::print::Printer::new(&mut terms, Dialect::V26, crate::print::Layout::Shared);
    printer.script(&reading.script);
    assert_eq!(
        printer.finish(),
        "(declare-const x String)\n(assert (str.in_re x (re.++ (str.to_re \"A\\u{a}\") re.none)))\n(assert (= (str.to_int x) 1))\n"
    );
    let again = crate::print::script_text(&mut terms, &reading.script);
    assert_eq!(read_script(&mut terms, &again).script.commands, reading.script.commands);
}

#[test]
fn ill_sorted_terms_keep_their_text() {
    let mut terms = Terms::new();
    let source = "(declare-const x Int)\n(assert (and (< x true) ((_ extract 1 2) x) (= (str.at (_ char 5) x) \"\")))\n";
    let reading = read_script(&mut terms, source);
    assert_eq!(reading.diagnostics.len(), 3);
    assert_eq!(crate::print::script_text(&mut terms, &reading.script), source);
}

#[test]
fn unchanged_commands_are_copied_from_the_source_and_changed_ones_replaced() {
    let mut terms = Terms::new();
    let source = "; a\n(push 1) ; b\n(push  2)\n( push 3 ) ; c";
    let mut script = read_script(&mut terms, source).script;
    script.replace(1, Command::CheckSat);
    let text = crate::print::script_text_preserving(&mut terms, &script, source);
    assert_eq!(text, "; a\n(push 1) ; b\n(check-sat)\n( push 3 ) ; c");
}

#[test]
fn an_old_datatype_without_constructors_is_refused() {
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, "(declare-datatypes () ((red) (green)))");
    assert_eq!(reading.diagnostics.len(), 1);
}

#[test]
fn a_command_that_is_rejected_leaves_the_scope_as_it_was() {
    let mut terms = Terms::new();
    let mut scope = Scope::new();
    let mut read = |source: &str| {
        let mut tape = Tape::new();
        assert!(Scanner::new(source).read(&mut tape).unwrap());
        read_command(&mut terms, &mut scope, source, &tape, Dialect::V26).is_ok()
    };
    assert!(read("(declare-const x Int)"));
    for levels in ["(push 1)", "(pop 1)"] {
        for rejected in [
            "(declare-const x String)",
            "(define-fun y () Int \"a\")",
            "(define-fun-rec y ((x Int)) Int (y x x))",
            "(assert (and (! (= x 1) :named y) (= x \"a\")))",
            "(declare-datatypes ((Y 0)) (((y) (x))))",
            "(define-sort Y () Nothing)",
            "(set-option :global-declarations true true)",
        ] {
            assert!(!read(rejected), "{rejected}");
        }
        assert!(read("(assert (= x 1))"));
        assert!(!read("(assert (= y y))"));
        assert!(!read("(declare-const z Y)"));
        assert!(read(levels));
    }
    assert!(read("(push 1)"));
    assert!(read("(declare-const y Int)"));
    assert!(read("(pop 1)"));
    assert!(!read("(assert (= y y))"));
}
