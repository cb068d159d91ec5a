//! `smelt generate enumerate` from end to end.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn smelt_in(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_smelt"))
        .args(["generate", "enumerate"])
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// What is printed for some arguments, which must be right.
fn made(args: &[&str]) -> String {
    let output = smelt_in(Path::new("."), args);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn check_refused(folder: &Path, args: &[&str], part: &str) {
    let output = smelt_in(folder, args);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let messages = String::from_utf8(output.stderr).unwrap();
    assert!(messages.contains(part), "{messages}");
}

#[test]
fn every_case_says_where_it_comes_from() {
    let text = made(&["--grammar", "core", "--start", "4", "--count", "2"]);
    let expected = "; expect: none\n; technique: enumerate\n\
        ; lineage: grammar core, variables 2, asserts 1, index 4\n\
        (declare-const a Bool)\n(declare-const b Bool)\n(assert (not true))\n(check-sat)\n";
    assert!(text.starts_with(expected), "{text}");
    assert_eq!(text.matches("; expect: none\n").count(), 2, "{text}");
}

#[test]
fn the_compact_stream_has_a_line_for_each_formula() {
    let text =
        made(&["--grammar", "core", "--compact", "--count", "3", "--variables", "1", "--asserts", "2"]);
    assert_eq!(
        text,
        "(declare-const a Bool) (assert true) (assert true) (check-sat)\n\
        (declare-const a Bool) (assert true) (assert false) (check-sat)\n\
        (declare-const a Bool) (assert true) (assert a) (check-sat)\n"
    );
}

#[test]
fn shards_together_are_the_whole() {
    let range = ["--grammar", "ints", "--compact", "--start", "1000", "--count", "100"];
    let whole = made(&range);
    let parts: String =
        ["1/3", "2/3", "3/3"].iter().map(|shard| made(&[&range[..], &["--shard", shard]].concat())).collect();
    assert_eq!(whole, parts);
}

#[test]
fn counts_and_sizes_agree() {
    let counted = made(&["--grammar", "core", "--count-only", "--max-size", "7"]);
    assert!(counted.contains("size 7: 308 formulas, from index 92 on\n"), "{counted}");
    assert!(counted.ends_with("up to size 7: 400 formulas\n"), "{counted}");
    let lines = made(&["--grammar", "core", "--compact", "--size", "7", "--count", "100000"]);
    assert_eq!(lines.lines().count(), 308);
    let lines = made(&["--grammar", "core", "--compact", "--max-size", "7", "--count", "100000"]);
    assert_eq!(lines.lines().count(), 400);
    let fewer =
        made(&["--grammar", "core", "--count-only", "--max-size", "7", "--symmetry", "all", "--json"]);
    let last: Value = serde_json::from_str(fewer.lines().last().unwrap()).unwrap();
    assert!(last["count"].as_str().unwrap().parse::<u32>().unwrap() < 308, "{fewer}");
}

#[test]
fn a_formula_has_the_index_by_which_it_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let index = "123456789012345678901234567890";
    let text = made(&["--grammar", "strings", "--start", index, "--count", "1"]);
    std::fs::write(folder.path().join("a.smt2"), text).unwrap();
    let output = smelt_in(folder.path(), &["--grammar", "strings", "--index-of", "a.smt2"]);
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), index);
    check_refused(folder.path(), &["--grammar", "core", "--index-of", "a.smt2"], "does not have the formula");
}

#[test]
fn formulas_are_drawn_by_chance_and_the_same_for_the_same_seed() {
    let args = ["--grammar", "strings", "--compact", "--random", "--size", "12", "--count", "20", "--seed"];
    let draw = |seed: &str| made(&[&args[..], &[seed]].concat());
    assert_eq!(draw("1"), draw("1"));
    assert_ne!(draw("1"), draw("2"));
}

#[test]
fn cases_go_to_files_and_json_tells_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let output = smelt_in(
        folder.path(),
        &["--grammar", "uf", "--start", "10^40", "--count", "3", "--out", "cases", "--json"],
    );
    let lines = String::from_utf8(output.stdout).unwrap();
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!(last["id"], "enumerate-000003");
    assert_eq!(last["expect"], "none");
    let text = std::fs::read_to_string(folder.path().join(last["file"].as_str().unwrap())).unwrap();
    let lineage = text.lines().nth(2).unwrap().strip_prefix("; lineage: ").unwrap();
    assert_eq!(last["lineage"], lineage);
    assert!(lineage.ends_with("index 10000000000000000000000000000000000000002"), "{lineage}");
}

#[test]
fn a_grammar_of_a_file_is_read_and_its_errors_point_at_the_place() {
    let folder = tempfile::tempdir().unwrap();
    let write = |text: &str| std::fs::write(folder.path().join("my.grammar"), text).unwrap();
    write("term [Int]: '0' | '(+' term term ')';\nstart: '(assert (= 0' term '))' '(check-sat)';\n");
    let output = smelt_in(folder.path(), &["--grammar", "my.grammar", "--compact", "--count", "2"]);
    let lines = String::from_utf8(output.stdout).unwrap();
    assert_eq!(lines, "(assert (= 0 0)) (check-sat)\n(assert (= 0 (+ 0 0))) (check-sat)\n");
    write("term [Int]: '0' | '(+' term trem ')';\nstart: '(assert (= 0' term '))';\n");
    let pointer = "my.grammar:1:29\n  |\n1 | term [Int]: '0' | '(+' term trem ')';\n  |                             ^^^^\n\
        help: did you mean `term`?";
    check_refused(folder.path(), &["--grammar", "my.grammar"], pointer);
    write("term [Int]: '0' | '(not' term ')';\nstart: '(assert (= 0' term '))';\n");
    check_refused(folder.path(), &["--grammar", "my.grammar"], "my.grammar:1:");
    write("term: '0' | '(f' term ')' | '0';\nstart: '(assert (= 0' term '))';\n");
    check_refused(folder.path(), &["--grammar", "my.grammar"], "my.grammar:1:29");
}

#[test]
fn what_cannot_be_done_is_told() {
    let here = Path::new(".");
    check_refused(here, &[], "--grammar <NAME|FILE>");
    check_refused(here, &["--grammar", "strngs"], "did you mean `strings`?");
    check_refused(here, &["--grammar", "core", "--random"], "needs --size or --max-size");
    check_refused(here, &["--grammar", "core", "--json"], "--json needs a folder");
    check_refused(here, &["--grammar", "core", "--max-size", "2"], "no formulas in this range");
    check_refused(here, &["--grammar", "core", "--shard", "4/3"], "I from 1 to N");
}
