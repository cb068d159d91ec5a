use smelt_smtlib::print::term_text;
use smelt_smtlib::read::read_script;

use super::*;
use smelt_semantics::environment::Environment;

/// A script with its proof, read and tested.
struct Tested {
    terms: Terms,
    script: smelt_smtlib::script::Script,
    derivation: Derivation,
    test: StepTest,
}

fn tested(script: &str, proof: &str) -> Tested {
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, script);
    assert!(reading.diagnostics.is_empty(), "{:?}", reading.diagnostics);
    let environment = Environment::at_last_check(&terms, &reading.script);
    let derivation = read_proof(&mut terms, &reading.scope, proof, Dialect::V26).unwrap();
    let test = test_steps(&mut terms, &environment, &derivation, None, TestLimits::default());
    Tested { terms, script: reading.script, derivation, test }
}

impl Tested {
    fn false_rules(&self) -> Vec<&str> {
        self.test.false_steps.iter().map(|step| step.rule.as_str()).collect()
    }

    fn alone(&self, rule: &str) -> &RuleTally {
        &self.test.table.alone[rule]
    }
}

const STRINGS: &str = "(declare-const x String)(declare-const y String)(declare-const n Int)\
    (assert (= (str.++ x \"a\") (str.++ y \"b\")))(check-sat)";

const Z3_PROOF: &str = r#"unsat
((set-logic ALL)
(proof
(let ((?x28 (str.++ y "b")))
(let ((?x25 (str.++ x "a")))
(let (($x29 (= ?x25 ?x28)))
(let ((@x30 (asserted $x29)))
(mp @x30 (rewrite (= $x29 false)) false)))))))
"#;

#[test]
fn the_steps_of_a_proof_of_z3_are_read_through_its_lets() {
    let mut tested = tested(STRINGS, Z3_PROOF);
    let rules: Vec<&str> = tested.derivation.steps.iter().map(|step| tested.derivation.rule(step)).collect();
    assert_eq!(rules, ["asserted", "rewrite", "mp"]);
    let last = tested.derivation.steps[2];
    assert_eq!(tested.derivation.premises(&last), [0, 1]);
    assert_eq!(last.line, 8);
    let rewrite = tested.derivation.steps[1].conclusion.unwrap();
    assert_eq!(term_text(&mut tested.terms, rewrite), r#"(= (= (str.++ x "a") (str.++ y "b")) false)"#);
    assert_eq!((tested.alone("rewrite").checked, tested.false_rules().len()), (1, 0));
}

#[test]
fn a_false_rewrite_is_found_with_values_and_a_formula_that_has_a_model() {
    let proof = Z3_PROOF.replace("\"b\"", "\"a\"");
    let script = STRINGS.replace("\"b\"", "\"a\"");
    let mut tested = tested(&script, &proof);
    assert_eq!(tested.false_rules(), ["rewrite"]);
    let step = tested.test.false_steps[0].clone();
    assert_eq!(step.values.len(), 2);
    let text = standalone(&mut tested.terms, &tested.script, &step, true);
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, &text);
    assert!(reading.diagnostics.is_empty(), "{text}");
    let environment = Environment::at_last_check(&terms, &reading.script);
    assert_eq!(environment.declared.len(), 2, "`n` is not needed: {text}");
    // The values that are asserted are those of a model.
    let mut model = smelt_semantics::model::Model::new();
    for value in &step.values {
        let name = terms.symbols.intern(tested.terms.text(value.name));
        let text = value.text.clone().unwrap();
        let value = read_term_tolerantly(&mut terms, &mut Scope::new(), &text, Dialect::V26).unwrap();
        model.set(&terms, name, value);
    }
    let truths =
        smelt_semantics::model::check(&terms, &environment, &model, smelt_semantics::Budget::default());
    assert!(truths.iter().all(|truth| *truth == smelt_semantics::model::Evaluation::True), "{text}");
}

#[test]
fn a_step_with_premises_is_false_only_where_they_are_true() {
    let script = "(declare-const p Bool)(declare-const q Bool)(assert p)(assert (= p q))(check-sat)";
    let proof = |conclusion: &str| {
        format!("((proof (symm (mp (asserted p) (asserted (= p q)) {conclusion}) (= {conclusion} true))))")
    };
    assert_eq!(tested(script, &proof("q")).false_rules(), [""; 0]);
    assert_eq!(tested(script, &proof("(not q)")).false_rules()[0], "mp");
}

#[test]
fn symbols_that_only_the_solver_knows_make_a_step_unchecked_and_not_false() {
    let proof = "((proof (mp (asserted (= x \"\")) ((_ th-lemma seq) (= (seq.tail x 0) x)) false)))";
    let script = "(declare-const x String)(assert (= x \"\"))(check-sat)";
    let tested = tested(script, proof);
    assert_eq!(tested.false_rules(), [""; 0]);
    assert_eq!(tested.alone("th-lemma seq").unchecked[&Unchecked::Opaque], 1);
}

#[test]
fn a_tautology_over_what_is_not_understood_is_checked() {
    let proof =
        "((proof (mp (asserted p) (def-axiom (or (not (aut.accept p 1)) (aut.accept p 1) p)) false)))";
    let script = "(declare-const p Bool)(assert p)(check-sat)";
    assert_eq!(tested(script, proof).alone("def-axiom").checked, 1);
}

#[test]
fn values_that_the_standard_leaves_open_make_no_step_false() {
    let proof =
        "((proof (mp (asserted true) (rewrite (= (div n 0) 0)) (rewrite (= (div n 0) (div n 0))) false)))";
    let tested = tested("(declare-const n Int)(assert true)(check-sat)", proof);
    assert_eq!(tested.false_rules(), [""; 0]);
    let tally = tested.alone("rewrite");
    assert_eq!((tally.checked, tally.unchecked[&Unchecked::Open]), (1, 1));
}

#[test]
fn equisatisfiability_and_skolems_are_counted_as_not_checked() {
    let proof = "((proof (mp~ (asserted p) (sk (~ p (not p))) (rewrite (~ p q)) (not p))))";
    let script = "(declare-const p Bool)(declare-const q Bool)(assert p)(check-sat)";
    let tested = tested(script, proof);
    assert_eq!(tested.false_rules(), [""; 0]);
    assert_eq!(tested.alone("sk").unchecked[&Unchecked::Introduction], 1);
    assert_eq!(tested.alone("rewrite").unchecked[&Unchecked::Introduction], 1);
}

#[test]
fn what_holds_under_a_binder_is_tested_for_all_values_of_its_variables() {
    let proof = |right: &str| {
        format!(
            "((proof (mp (asserted (forall ((z Int)) (> z z))) \
             (quant-intro (proof-bind (lambda ((z Int)) (rewrite (= (> z z) {right})))) \
             (= (forall ((z Int)) (> z z)) (forall ((z Int)) {right}))) false)))"
        )
    };
    let script = "(assert (forall ((z Int)) (> z z)))(check-sat)";
    let right = tested(script, &proof("false"));
    assert_eq!((right.alone("rewrite").checked, right.false_rules().len()), (1, 0));
    let mut wrong = tested(script, &proof("(= z 0)"));
    assert_eq!(wrong.false_rules(), ["rewrite"]);
    let step = wrong.test.false_steps[0].clone();
    let text = standalone(&mut wrong.terms, &wrong.script, &step, true);
    assert!(text.contains("(declare-const z Int)"), "{text}");
}

#[test]
fn functions_are_functions_in_every_assignment() {
    let script = "(declare-sort U 0)(declare-fun f (U Int) U)(declare-const u U)(declare-const v U)\
                  (assert (= u v))(check-sat)";
    let proof = |right: &str| {
        format!(
            "((proof (mp (monotonicity (asserted (= u v)) (= (f u 1) (f v {right}))) (rewrite (= u u)) (= u u))))"
        )
    };
    assert_eq!(tested(script, &proof("1")).false_rules(), [""; 0]);
    assert_eq!(tested(script, &proof("2")).false_rules()[0], "monotonicity");
}

#[test]
fn a_proof_under_a_binder_may_have_the_name_of_a_term() {
    let proof = "((proof (let ((?x7 (lambda ((z Int)) (rewrite (= (> z z) false))))) \
        (mp (asserted p) (quant-intro (proof-bind ?x7) (= p p)) (rewrite (= p p)) p))))";
    let tested = tested("(declare-const p Bool)(assert p)(check-sat)", proof);
    assert_eq!(tested.alone("rewrite").seen, 2);
}

#[test]
fn characters_as_z3_prints_them_are_strings_of_one_character() {
    let proof = |right: &str| {
        format!(
            "((proof (mp (asserted p) (rewrite (= (str.++ (seq.unit (_ Char 98)) (seq.unit (_ Char 10))) {right})) p)))"
        )
    };
    let script = "(declare-const p Bool)(assert p)(check-sat)";
    let right = tested(script, &proof("\"b\\u{a}\""));
    assert_eq!((right.alone("rewrite").checked, right.false_rules()), (1, Vec::new()));
    assert_eq!(tested(script, &proof("\"b\"")).false_rules(), ["rewrite"]);
}

#[test]
fn strings_are_as_long_as_the_numbers_of_a_step_and_in_its_languages() {
    let proof = |formula: &str| format!("((proof (mp (asserted p) (rewrite {formula}) p)))");
    let script = "(declare-const p Bool)(declare-const s String)(assert p)(check-sat)";
    for formula in [
        "(= (> 30 (str.len s)) (not (<= 31 (str.len s))))",
        "(= (str.in_re s (re.++ (str.to_re \"R\") ((_ re.loop 8 8) (re.range \"0\" \"9\")))) false)",
        "(= (str.in_re s (re.++ re.all (str.to_re \"xyz\") re.allchar)) false)",
    ] {
        assert_eq!(tested(script, &proof(formula)).false_rules(), ["rewrite"], "{formula}");
    }
}

const CPC: &str = r#"unsat
(
(declare-const n Int)
(define @t1 () (@var "z" Int))
(define @t2 () (@list @t1))
(define @t3 () (forall @t2 (> @t1 1/2)))
(assume @p1 (> n 3))
(assume-push @p2 (> n 4))
(step @p3 (= (> n 3) (not (<= n 3))) :rule arith-elim-gt :args (n 3))
(step @p4 (not (<= n 3)) :rule eq_resolve :premises (@p1 @p3))
(step-pop @p5 :rule scope :premises (@p4))
(step @p6 (=> (> n 4) (not (<= n 3))) :rule process_scope :premises (@p5) :args (false))
(step @p7 (= (= @t3 @t3) true) :rule eq-refl :args (@t3))
(step @p8 (= -1/2 (* 1/2 -1/1)) :rule evaluate :args (1))
(step @p9 false :rule trust :args (PREPROCESS))
)
"#;

#[test]
fn the_steps_of_a_cpc_proof_are_read_with_their_hypotheses() {
    let script = "(declare-const n Int)(assert (> n 3))(check-sat)";
    let tested = tested(script, CPC);
    assert_eq!(tested.false_rules(), [""; 0]);
    let checked = |rule| tested.alone(rule).checked;
    assert_eq!((checked("arith-elim-gt"), checked("eq-refl"), checked("evaluate")), (1, 1, 1));
    assert_eq!(tested.alone("trust").unchecked[&Unchecked::Trusted], 1);
    assert_eq!(tested.test.table.inferred["process_scope"].checked, 1);
    let wrong = CPC.replace("(= (> n 3) (not (<= n 3)))", "(= (> n 3) (not (< n 3)))");
    assert_eq!(self::tested(script, &wrong).false_rules(), ["arith-elim-gt"]);
}

#[test]
fn a_cpc_proof_without_conclusions_says_how_to_print_them() {
    let mut terms = Terms::new();
    let proof = "unsat\n(\n(assume @p1 false)\n(step @p2 :rule refl :args (1))\n)";
    let problem = read_proof(&mut terms, &Scope::new(), proof, Dialect::V26).unwrap_err();
    assert!(problem.message.contains("--proof-print-conclusion"), "{problem}");
    assert_eq!(problem.line, 4);
}

#[test]
fn indices_that_cpc_writes_as_arguments_are_indices() {
    let script = "(declare-const x (_ BitVec 8))(assert (= x x))(check-sat)";
    let proof = "((assume @p1 (= x x))
        (step @p2 (= (extract 3 0 x) (concat (extract 3 2 x) (extract 1 0 x))) :rule bv-a :args (x))
        (step @p3 (= (extract 3 0 x) (extract 4 1 x)) :rule bv-b :args (x))
        (step @p4 (= (bvnot x) (@from_bools (not (@bit 0 x)) (not (@bit 1 x)) (not (@bit 2 x)) (not (@bit 3 x))
            (not (@bit 4 x)) (not (@bit 5 x)) (not (@bit 6 x)) (not (@bit 7 x)))) :rule bv-bitblast :args (x)))";
    let tested = tested(script, proof);
    assert_eq!(tested.false_rules(), ["bv-b"]);
    assert_eq!((tested.alone("bv-a").checked, tested.alone("bv-bitblast").checked), (1, 1));
}

#[test]
fn internal_functions_of_cvc5_are_spelled_out_where_their_meaning_is_certain() {
    let script = "(declare-const n Int)(assert (> n 3))(check-sat)";
    let proof = "((assume @p1 (> n 3))
        (step @p3 (= (@purify (+ n 1)) (+ 1 n)) :rule b :args (n))
        (step @p4 (= (@witness n 0) n) :rule c :args (n)))";
    let tested = tested(script, proof);
    assert_eq!(tested.alone("b").checked, 1);
    assert_eq!(tested.alone("c").unchecked[&Unchecked::Opaque], 1);
}

#[test]
fn clauses_of_alethe_are_disjunctions_and_names_are_given_where_terms_first_occur() {
    let script = "(declare-const n Int)(assert (> n 3))(check-sat)";
    let proof = r#"unsat
(
(assume a0 (! (> n 3) :named @p_1))
(step t0 (cl (not (! (= @p_1 (! (not (<= n 3)) :named @p_2)) :named @p_3)) (not @p_1) @p_2) :rule equiv_pos2)
(step t1 (cl @p_3) :rule hole :args ("ARITH_REWRITE"))
(step t2 (cl @p_2) :rule resolution :premises (t0 t1 a0))
(step t3 (cl (not @p_2)) :rule hole :args ("PREPROCESS"))
(step t4 (cl) :rule resolution :premises (t2 t3))
)
"#;
    let tested = tested(script, proof);
    assert_eq!(tested.derivation.format, ProofFormat::Alethe);
    assert_eq!(tested.false_rules(), [""; 0]);
    assert_eq!((tested.alone("equiv_pos2").checked, tested.alone("hole ARITH_REWRITE").checked), (1, 1));
    assert_eq!(tested.alone("hole PREPROCESS").unchecked[&Unchecked::Trusted], 1);
    let wrong = proof.replace("(not (<= n 3))", "(not (< n 3))");
    assert_eq!(self::tested(script, &wrong).false_rules(), ["hole ARITH_REWRITE"]);
}

#[test]
fn proofs_nested_a_hundred_thousand_deep_are_read_and_tested() {
    const DEPTH: usize = 100_000;
    let mut proof = String::from("unsat\n((proof ");
    proof.push_str(&"(mp ".repeat(DEPTH));
    proof.push_str("(asserted p)");
    proof.push_str(&" (rewrite (= p p)) p)".repeat(DEPTH));
    proof.push_str("))");
    let tested = tested("(declare-const p Bool)(assert p)(check-sat)", &proof);
    assert_eq!(tested.derivation.steps.len(), 2 * DEPTH + 1);
    assert_eq!(tested.alone("rewrite").checked, DEPTH as u64);
}

#[test]
fn broken_proofs_are_errors_with_a_line() {
    let read = |proof: &str| {
        let mut terms = Terms::new();
        read_proof(&mut terms, &Scope::new(), proof, Dialect::V26).map(|_| ()).unwrap_err()
    };
    for proof in [
        "",
        "unsat",
        "((proof (mp @x1 false)))",
        "((proof (let ((@x1 ()",
        "(\n(step @p1 true :premises (@p0)))",
    ] {
        assert!(read(proof).line >= 1, "{proof}");
    }
    assert_eq!(read("((proof\n(mp @x1 false)))").line, 2);
}
