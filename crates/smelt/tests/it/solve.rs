//! `smelt solve` as clients see it.

use crate::support::Outcome;
use crate::support::{folder, root, smelt_in};

fn smelt_with_input(args: &[&str], input: &str) -> Outcome {
    smelt_in(&root(), args, input.as_bytes())
}

#[test]
fn a_script_from_standard_input_is_answered() {
    let script = "(declare-const x String)(assert (= (str.len x) 2))(check-sat)(exit)(check-sat)";
    let output = smelt_with_input(&["solve", "-"], script);
    assert_eq!(output.stdout, "sat\n");
    assert_eq!(output.status, 0);
}

#[test]
fn an_error_is_answered_and_the_conversation_goes_on() {
    let output = smelt_with_input(&["solve"], "(assert (f))\n(echo \"on\")\n");
    assert!(output.stdout.starts_with("(error \"line 1 column"), "{}", output.stdout);
    assert!(output.stdout.ends_with("on\n"), "{}", output.stdout);
    assert_eq!(output.status, 2);
}

#[test]
fn all_checks_are_unknown_once_the_time_of_the_whole_run_is_over() {
    let output = smelt_with_input(&["solve", "--total-timeout", "0.000001"], "(check-sat)(check-sat)");
    assert_eq!((output.stdout.as_str(), output.status), ("unknown\nunknown\n", 0));
    assert_eq!(output.stderr, "warning: the time limit of the whole run is reached\n");
    let output = smelt_with_input(&["solve"], "(check-sat)(set-option :tlimit 0.001)(check-sat)");
    assert_eq!(output.stdout, "sat\nunknown\n");
}

#[test]
fn a_script_can_limit_the_effort_of_its_checks() {
    let script = "(set-option :reproducible-resource-limit 1)(check-sat)
        (set-option :reproducible-resource-limit 0)(check-sat)
        (set-option :reproducible-resource-limit 1)(reset)(check-sat)";
    let output = smelt_with_input(&["solve"], script);
    assert_eq!(output.stdout, "unknown\nsat\nsat\n");
}

#[test]
fn errors_of_a_file_beyond_a_limit_are_counted_and_all_those_of_a_conversation_are_answered() {
    let script = format!("{}(check-sat)", ")".repeat(1_002));
    let folder = folder("solve_errors", &[("a.smt2", script.as_bytes())]);
    let output = smelt_in(&folder, &["solve", "a.smt2"], b"");
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert_eq!(lines.len(), 1_002);
    assert!(lines[999].starts_with("(error \"line 1 column 1000: "), "{}", lines[999]);
    assert_eq!(lines[1_000..], ["sat", "(error \"2 more errors are not printed\")"]);
    assert_eq!(output.status, 2);
    let output = smelt_in(&folder, &["solve"], script.as_bytes());
    assert_eq!(output.stdout.lines().count(), 1_003);
}

#[test]
fn a_datatype_without_values_is_refused() {
    let script = "(declare-datatypes ((A 0) (B 0)) (((a (b B))) ((c (d A)))))(check-sat)";
    let output = smelt_with_input(&["solve"], script);
    assert!(output.stdout.contains("datatype `A` is not well-founded"), "{}", output.stdout);
}

#[test]
fn an_unknown_logic_is_no_reason_to_give_up() {
    let output = smelt_with_input(&["solve"], "(set-logic QF_NONSENSE)\n(assert true)\n(check-sat)\n");
    assert_eq!((output.stdout.as_str(), output.status), ("unsupported\nsat\n", 0));
}

#[test]
fn an_unknown_rule_or_engine_is_named() {
    let output = smelt_with_input(&["solve", "--no-rewrite", "no-such-rule"], "");
    assert!(output.stderr.contains("`no-such-rule`"), "{}", output.stderr);
    let output = smelt_with_input(&["solve", "--engine", "no-such-engine"], "");
    assert!(output.stderr.contains("`no-such-engine`") && output.stderr.contains("guess"));
    assert_eq!(output.status, 2);
}

#[test]
fn statistics_count_rules() {
    let script = "(declare-const x String)(assert (= (str.++ x \"a\") (str.++ \"b\" \"a\")))(check-sat)";
    let output = smelt_with_input(&["solve", "--stats"], script);
    assert_eq!(output.stdout, "sat\n");
    assert!(output.stderr.contains("rewrite.fold-constants 1"), "{}", output.stderr);
}

#[test]
fn statistics_say_what_each_engine_did() {
    let script =
        "(declare-const x String)(assert (str.in_re (str.++ x x) (re.+ (str.to_re \"ab\"))))(check-sat)";
    let output = smelt_with_input(&["solve", "--stats"], script);
    for counter in ["engine.guess.runs 1", "engine.guess.sat 1", "engine.guess.effort ", "preprocess.effort "]
    {
        assert!(output.stderr.contains(counter), "{counter}: {}", output.stderr);
    }
}

#[test]
fn a_part_can_be_switched_off() {
    let script =
        "(declare-const x String)(assert (str.in_re (str.++ x x) (re.+ (str.to_re \"ab\"))))(check-sat)";
    let output = smelt_with_input(&["solve", "--stats", "--without", "guess"], script);
    assert_eq!(output.stdout, "sat\n");
    assert!(!output.stderr.contains("engine.guess"), "{}", output.stderr);
    let output = smelt_with_input(&["solve", "--without", "no-such-part"], "");
    assert!(output.stderr.contains("`no-such-part`") && output.stderr.contains("cut-memberships"));
    assert_eq!(output.status, 2);
}

const COMMUTING: &str = "(declare-const x String)(declare-const y String)(assert (= (str.++ x \"ab\" y) (str.++ y \"ba\" x)))(assert (> (str.len x) 3))(check-sat)(get-value ((> (str.len x) 3)))";

#[test]
fn an_arm_can_be_chosen_and_explained() {
    let output = smelt_with_input(&["solve", "--arm", "paper", "--explain-arm"], COMMUTING);
    assert_eq!(output.stdout, "sat\n(((> (str.len x) 3) true))\n");
    assert!(output.stderr.contains("; probe: class=conjunctive assertions=2 "), "{}", output.stderr);
    let arm = "; arm: lengths-first, because the formula is of class conjunctive\n";
    assert!(output.stderr.ends_with(arm), "{}", output.stderr);
    for arm in ["sequence-first", "arrangement-first", "cases-first", "learned"] {
        let output = smelt_with_input(&["solve", "--arm", arm], COMMUTING);
        assert_eq!((output.stdout.lines().next(), output.stderr.as_str()), (Some("sat"), ""), "{arm}");
    }
    let output = smelt_with_input(&["solve", "--arm", "no-such-arm"], "");
    assert!(output.stderr.contains("`no-such-arm`") && output.stderr.contains("sequence-first"));
    assert_eq!(output.status, 2);
}

#[test]
fn two_arms_may_race() {
    let scripts =
        [COMMUTING.to_owned(), format!("(push 1){COMMUTING}(assert (= x \"ab\"))(check-sat)(pop 1)")];
    for script in scripts {
        let [alone, race] = ["1", "2"].map(|jobs| smelt_with_input(&["solve", "--jobs", jobs], &script));
        assert_eq!((race.stdout, race.status), (alone.stdout, 0));
    }
}

#[test]
fn a_developer_can_follow_what_happens() {
    let script = "(declare-const x String)(declare-const y String)(assert (not (= (str.++ x y) (str.++ y x))))(check-sat)";
    let output = smelt_with_input(&["solve", "--verbose", "--without", "guess"], script);
    assert_eq!(output.stdout, "sat\n");
    for step in
        ["; check: 1 assertions", "; simplify: ", "; part 1 of 1: ", "; length-abstraction: sat, effort "]
    {
        assert!(output.stderr.contains(step), "{step}: {}", output.stderr);
    }
    let silent = smelt_with_input(&["solve", "--without", "guess"], script);
    assert_eq!(silent.stderr, "");
}

/// More pigeons than holes: no solver of our kind comes to an end with this.
fn pigeons(count: usize) -> String {
    let name = |pigeon: usize, hole: usize| format!("p{pigeon}in{hole}");
    let mut script = String::new();
    for pigeon in 0..count {
        for hole in 0..count - 1 {
            script.push_str(&format!("(declare-const {} Bool)\n", name(pigeon, hole)));
        }
    }
    for pigeon in 0..count {
        let holes: Vec<String> = (0..count - 1).map(|hole| name(pigeon, hole)).collect();
        script.push_str(&format!("(assert (or {}))\n", holes.join(" ")));
    }
    for hole in 0..count - 1 {
        for first in 0..count {
            for second in 0..first {
                let (first, second) = (name(first, hole), name(second, hole));
                script.push_str(&format!("(assert (or (not {first}) (not {second})))\n"));
            }
        }
    }
    script
}

#[test]
fn a_check_that_is_interrupted_answers_unknown() {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::process::{Command, Stdio};

    let mut child = Command::new(env!("CARGO_BIN_EXE_smelt"))
        .args(["solve", "--verbose", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(format!("{}(check-sat)\n", pigeons(24)).as_bytes()).unwrap();
    stdin.flush().unwrap();
    // Once it says that it checks, it can be interrupted.
    let mut steps = BufReader::new(child.stderr.take().unwrap());
    let mut step = String::new();
    steps.read_line(&mut step).unwrap();
    assert!(step.starts_with("; check: "), "{step}");
    let reader = std::thread::spawn(move || steps.read_to_string(&mut String::new()).map(drop));
    let kill = format!("kill -INT {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    let mut stdout = String::new();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    assert_eq!(stdout, "unknown\n");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    reader.join().unwrap().unwrap();
    drop(stdin);
}

#[test]
fn no_engine_refutes_words_that_are_too_long_to_count() {
    let script = "(declare-const x String)(assert (str.in_re x (re.inter ((_ re.loop 65536 65536) ((_ re.loop 65536 \
                  65536) ((_ re.loop 65536 65536) ((_ re.loop 65536 65536) re.allchar)))) (re.* (re.++ re.allchar \
                  re.allchar)))))(check-sat)";
    for engine in ["cases", "length-abstraction", "arrangement", "sequence"] {
        let output = smelt_with_input(&["solve", "--engine", engine], script);
        assert_eq!((output.stdout.as_str(), output.status), ("unknown\n", 0), "{engine}: {}", output.stderr);
    }
}

#[test]
fn a_constant_may_become_a_definition() {
    let script = "(push 1)(declare-const n Int)(assert (> n 1))(check-sat)(pop 1)\n\
                  (define-fun n () Int 1)(assert (> n 1))(check-sat)";
    let output = smelt_with_input(&["solve"], script);
    assert_eq!((output.stdout.as_str(), output.status), ("sat\nunsat\n", 0), "{}", output.stderr);
}

#[test]
fn a_rejected_assertion_goes_with_its_scope() {
    let script = "(declare-const x String)\n(push 1)(assert (= x 1))(check-sat)(pop 1)\n\
                  (assert (= x \"a\"))(check-sat)(get-value (x))";
    let output = smelt_with_input(&["solve"], script);
    assert!(output.stdout.starts_with("(error"), "{}", output.stdout);
    assert!(output.stdout.ends_with("unknown\nsat\n((x \"a\"))\n"), "{}", output.stdout);
}
