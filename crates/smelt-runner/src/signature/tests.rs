use std::path::Path;

use super::*;

/// What is expected of a sample, and what the program printed.
fn sample(text: &str) -> (Vec<&str>, String) {
    let expected = text.lines().map_while(|line| line.strip_prefix("expect: ")).collect::<Vec<_>>();
    let printed: Vec<&str> = text.lines().skip(expected.len()).collect();
    (expected, printed.join("\n"))
}

fn in_lines(failures: &Failures) -> Vec<String> {
    let fatal = failures.fatal.iter().map(|signature| format!("fatal: {signature}"));
    fatal.chain(failures.reports.iter().map(|signature| format!("report: {signature}"))).collect()
}

#[test]
fn what_programs_print_when_they_fail_has_a_signature() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/crashes");
    let mut samples = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "txt") {
            continue;
        }
        samples += 1;
        let text = std::fs::read_to_string(&path).unwrap();
        let (expected, printed) = sample(&text);
        assert_eq!(in_lines(&read("", &printed)), expected, "{}", path.display());
        assert_eq!(in_lines(&read(&printed, "")), expected, "{} on standard output", path.display());
    }
    assert!(samples > 20);
}

#[test]
fn a_signature_does_not_depend_on_addresses_and_operands() {
    let report = |address: &str, size: &str| {
        let text = format!(
            "==9==ERROR: AddressSanitizer: heap-buffer-overflow on address {address} at pc {address}\n\
             READ of size {size} at {address} thread T0\n    #0 {address} in look /src/a.c:{size}\n"
        );
        read("", &text).fatal
    };
    assert_eq!(report("0x602000000014", "4"), report("0x7f0000000014", "80"));
    let overflow = |left: &str| {
        let text = format!("/src/a.c:3:4: runtime error: signed integer overflow: {left} + 1 cannot be\n");
        read("", &text).reports
    };
    assert_eq!(overflow("2147483647"), overflow("-7"));
    assert_eq!(overflow("1").len(), 1);
}

#[test]
fn functions_are_named_without_results_parameters_and_arguments_of_templates() {
    let names = [
        ("sol::Box<std::pair<int, int> >::get(unsigned int)", "sol::Box::get"),
        ("void smt::context::internalize<true>(expr*, bool)", "smt::context::internalize"),
        ("(anonymous namespace)::walk(int)", "(anonymous)::walk"),
        ("foo::operator<<(std::ostream&, int)", "foo::operator<<"),
        ("foo::operator()(int) const", "foo::operator()"),
        ("foo::operator bool() const", "foo::operator bool"),
        ("main::{lambda(int)#1}::operator()(int) const", "main::{lambda#1}::operator()"),
        ("simplify.part.0.cold", "simplify"),
        ("name[abi:cxx11](int)", "name"),
        ("<solver::Heap<T> as core::ops::Index<usize>>::index", "solver::Heap::index"),
        ("solver::solve::h0123456789abcdef", "solver::solve"),
        ("main", "main"),
    ];
    for (text, expected) in names {
        assert_eq!(stack::function_name(text), expected);
    }
}

#[test]
fn mutual_recursion_has_one_signature_wherever_the_stack_ends() {
    let overflow = |first: &str, second: &str| {
        let mut text =
            "==9==ERROR: AddressSanitizer: stack-overflow on address 0x7ff (pc 0x55 bp 0x7f)\n".to_owned();
        for frame in 0..40 {
            let name = if frame % 2 == 0 { first } else { second };
            text.push_str(&format!("    #{frame} 0x55 in {name} /src/a.c:{frame}\n"));
        }
        read("", &text).fatal
    };
    assert_eq!(overflow("even", "odd"), overflow("odd", "even"));
    assert_eq!(overflow("even", "odd").unwrap().places, ["even", "odd"]);
}

#[test]
fn both_orders_of_a_data_race_have_one_signature() {
    let race = |first: &str, second: &str| {
        let text = format!(
            "WARNING: ThreadSanitizer: data race (pid=9)\n  Write of size 4 at 0x55 by thread T2:\n    #0 {first} \
             /src/a.c:7 (tsan+0x1277)\n\n  Previous read of size 4 at 0x55 by thread T1:\n    #0 {second} /src/a.c:9 \
             (tsan+0x129b)\n\nSUMMARY: ThreadSanitizer: data race /src/a.c:7 in {first}\n"
        );
        read("", &text).reports
    };
    assert_eq!(race("push", "pop"), race("pop", "push"));
    assert_eq!(race("push", "pop")[0].places, ["pop", "push"]);
}

#[test]
fn the_end_of_a_long_output_is_read() {
    let text =
        format!("{}==9==ERROR: AddressSanitizer: SEGV on unknown address 0x0\n", "x\n".repeat(1 << 20));
    assert_eq!(read("", &text).fatal, Some(Signature::of_kind("AddressSanitizer: SEGV")));
}

#[test]
fn ordinary_output_is_no_failure() {
    let texts = [
        "sat\n((define-fun s () String \"runtime error: x\"))\n",
        "(error \"line 1 column 2: invalid declaration\")\n",
        "unsat\nWARNING: ThreadSanitizer\n",
        "(:reason-unknown \"incomplete\")\n*** \n",
    ];
    for text in texts {
        assert_eq!(read(text, text), Failures::default(), "{text}");
    }
}
