//! Little effort means little memory: formulas of a few lines that are very long when they are written out.
//!
//! Each is solved in a process that may not have more than some address space, and with some units of effort; a process
//! that wants more ends by an abort, which fails the test. Effort is not yet charged everywhere, so a process may also
//! use more processor time than its effort stands for; it is ended then, which says nothing about memory.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use smelt_smtlib::op::Op;
use smelt_smtlib::read::{Scope, read_term};
use smelt_smtlib::term::{Term, Terms};

/// Units of effort for each formula.
const EFFORT: u64 = 30_000;
/// Address space in KiB, that of the program itself included.
const ADDRESS_SPACE: u64 = 300_000;
/// Seconds of processor time.
const PROCESSOR_TIME: u64 = 2;
/// The signals that end a process that has used them up.
const ENDED_BY_TIME: [i32; 2] = [9, 24];
/// So often a term is put into itself: written out, a term has 2^LEVELS copies of the innermost one.
const LEVELS: usize = 40;

/// A sort that terms of the formulas have.
struct Base {
    sort: &'static str,
    literal: &'static str,
    /// An assertion about a term of the sort, which stands for `$`.
    assertion: &'static str,
}

const BASES: &[Base] = &[
    Base { sort: "Bool", literal: "true", assertion: "$" },
    Base { sort: "Int", literal: "3", assertion: "(= $ (+ y 77))" },
    Base { sort: "Real", literal: "2.5", assertion: "(= $ (+ y 1.5))" },
    Base { sort: "String", literal: "\"ab\"", assertion: "(= $ (str.++ y \"x\" y))" },
    Base {
        sort: "RegLan",
        literal: "(str.to_re \"ab\")",
        assertion: "(and (str.in_re t $) (not (= t \"ab\")))",
    },
    Base { sort: "(_ BitVec 8)", literal: "#x03", assertion: "(= $ (bvadd y #x01))" },
    Base { sort: "(Seq Int)", literal: "(seq.unit 1)", assertion: "(= $ (seq.++ y y))" },
    Base { sort: "(Array Int Int)", literal: "((as const (Array Int Int)) 1)", assertion: "(= $ y)" },
];

impl Base {
    /// A formula in which `step`, a term with `$` in it, is put into itself again and again.
    fn formula(&self, start: &str, step: &str, levels: usize) -> String {
        let declared = match self.sort {
            "RegLan" => "(declare-const x RegLan)(declare-const t String)".to_owned(),
            sort => format!("(declare-const x {sort})(declare-const y {sort})"),
        };
        let mut assertion = String::new();
        let mut last = start.to_owned();
        for level in 1..=levels {
            assertion.push_str(&format!("(let ((x{level} {})) ", step.replace('$', &last)));
            last = format!("x{level}");
        }
        let body = self.assertion.replace('$', &last);
        let close = ")".repeat(levels);
        format!("{declared}(assert {assertion}{body}{close})(check-sat)")
    }

    /// All operators that take some terms of the sort and give another, applied to one term several times.
    fn steps(&self) -> Vec<String> {
        let mut terms = Terms::new();
        let declaration = format!("(declare-const x {})", self.sort);
        let reading = smelt_smtlib::read::read_script(&mut terms, &declaration);
        let mut scope: Scope = reading.scope;
        let x = read_term(&mut terms, &mut scope, "x", smelt_smtlib::op::Dialect::V26).unwrap();
        let mut steps = Vec::new();
        for op in Op::all() {
            for count in 2..=3 {
                let args: Vec<Term> = vec![x; count];
                let applied = terms.apply(op, &[], &args);
                if applied.is_ok_and(|applied| terms.sort(applied) == terms.sort(x)) {
                    let step = format!("({}{})", op.info().name, " $".repeat(count));
                    // Some operators are written in another way.
                    let text = step.replace('$', "x");
                    if read_term(&mut terms, &mut scope, &text, smelt_smtlib::op::Dialect::V26).is_ok() {
                        steps.push(step);
                    }
                }
            }
        }
        steps
    }
}

/// Solves a script in a process with little memory; what it prints.
fn solve(script: &str) -> String {
    let command = format!("ulimit -v {ADDRESS_SPACE}; ulimit -t {PROCESSOR_TIME}; exec \"$0\" solve -");
    let mut child = Command::new("sh")
        .args(["-c", &command, env!("CARGO_BIN_EXE_smelt")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let option = format!("(set-option :reproducible-resource-limit {EFFORT})");
    let written = child.stdin.take().unwrap().write_all(format!("{option}{script}").as_bytes());
    let output = child.wait_with_output().unwrap();
    if output.status.signal().is_some_and(|signal| ENDED_BY_TIME.contains(&signal)) {
        return "unknown".to_owned();
    }
    match output.status.code() {
        Some(0) if written.is_ok() => String::from_utf8(output.stdout).unwrap().trim().to_owned(),
        _ => format!("ended by {:?}", output.status),
    }
}

/// Checks that all scripts are answered; tells of all that are not.
fn check(scripts: &[String]) {
    let answers = ["sat", "unsat", "unknown"];
    let failures: Vec<String> = scripts
        .iter()
        .map(|script| (script, solve(script)))
        .filter(|(_, answer)| !answers.contains(&answer.as_str()))
        .map(|(script, answer)| format!("{}: {answer}", script.chars().take(200).collect::<String>()))
        .collect();
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), scripts.len(), failures.join("\n"));
}

#[test]
fn a_term_put_into_itself_by_any_operator_takes_little_memory() {
    let mut scripts = Vec::new();
    for base in BASES {
        for step in base.steps() {
            scripts.push(base.formula("x", &step, LEVELS));
            scripts.push(base.formula(base.literal, &step, LEVELS));
        }
    }
    assert!(scripts.len() > 60, "there are more operators than {}", scripts.len() / 2);
    check(&scripts);
}

/// Steps with more than one operator, or with indices.
const STRING_STEPS: &[&str] = &[
    "(str.++ $ \"x\" $)",
    "(str.++ $ y $)",
    "(str.replace_all $ \"a\" $)",
    "(str.replace $ \"a\" (str.++ $ $))",
    "(str.replace_re_all $ (re.+ (str.to_re \"a\")) $)",
    "(ite (= $ y) (str.++ $ \"c\") (str.++ \"d\" $))",
    "(str.substr (str.++ $ $) (str.len $) (str.len $))",
    "(str.++ $ (str.at $ (str.len $)) $)",
    "(str.++ (str.rev $) $)",
    "(str.from_int (* (str.len $) (str.len $)))",
];
const LANGUAGE_STEPS: &[&str] = &[
    "(re.++ (re.* $) $)",
    "(re.union $ (re.++ $ (str.to_re \"c\")))",
    "(re.inter (re.opt $) (re.comp (re.++ $ $)))",
    "(re.diff (re.++ $ $) $)",
    "((_ re.loop 3 5) $)",
    "((_ re.^ 9) $)",
];
const ARRAY_STEPS: &[&str] = &["(store $ (select $ 1) (select $ 2))", "(ite (= $ y) (store $ 1 2) $)"];
const INTEGER_STEPS: &[&str] = &[
    "(* (+ $ y) (+ $ 1))",
    "(+ (* $ y) $)",
    "(- $ (* 3 $) y)",
    "(ite (< $ y) (+ $ 1) (- $ 2))",
    "(+ (div $ 3) (mod $ 7))",
    "(abs (- $ (abs $) y))",
];

#[test]
fn operators_put_into_each_other_take_little_memory() {
    let mut scripts = Vec::new();
    let all = [
        ("String", STRING_STEPS),
        ("RegLan", LANGUAGE_STEPS),
        ("Int", INTEGER_STEPS),
        ("(Array Int Int)", ARRAY_STEPS),
    ];
    for (sort, steps) in all {
        let base = BASES.iter().find(|base| base.sort == sort).unwrap();
        for step in steps {
            scripts.push(base.formula("x", step, LEVELS));
            scripts.push(base.formula(base.literal, step, LEVELS));
        }
    }
    check(&scripts);
}

#[test]
fn equations_and_definitions_that_double_a_term_take_little_memory() {
    let mut equations = String::from("(declare-const a0 String)(declare-const b0 Int)");
    let mut functions =
        String::from("(declare-const a String)(define-fun f0 ((x String)) String (str.++ x x))");
    for level in 1..=LEVELS {
        let before = level - 1;
        equations.push_str(&format!(
            "(declare-const a{level} String)(assert (= a{level} (str.++ a{before} a{before})))\
             (declare-const b{level} Int)(assert (= b{level} (* b{before} b{before})))"
        ));
        functions.push_str(&format!(
            "(define-fun f{level} ((x String)) String (str.++ (f{before} x) (f{before} (str.++ x \"a\"))))"
        ));
    }
    let last = LEVELS;
    check(&[
        format!("{equations}(assert (not (= a0 \"\")))(assert (> b0 1))(check-sat)"),
        format!("{equations}(assert (= (str.len a{last}) 77))(check-sat)"),
        format!("{equations}(assert (str.in_re a{last} (re.+ (str.to_re \"ab\"))))(check-sat)"),
        format!("{functions}(assert (= (f{last} a) \"abc\"))(check-sat)"),
        "(declare-const a String)(assert (= (str.len a) 3000000000))(check-sat)".to_owned(),
        "(declare-const a String)(assert (str.in_re a ((_ re.loop 1000000000 2000000000) (re.range \"a\" \"c\"))))\
         (assert (not (= a \"\")))(check-sat)"
            .to_owned(),
    ]);
}

#[test]
fn long_chains_take_little_memory() {
    let nest =
        |open: &str, inner: &str, count: usize| format!("{}{inner}{}", open.repeat(count), ")".repeat(count));
    check(&[
        format!("(declare-const a String)(assert (= a {}))(check-sat)", nest("(str.++ a ", "\"x\"", 5_000)),
        format!("(declare-const a Int)(assert {})(check-sat)", nest("(and (< a 7) ", "true", 5_000)),
        format!("(declare-const a Int)(assert (= a {}))(check-sat)", nest("(+ (* a a 2) ", "1", 5_000)),
    ]);
}
