use super::*;
use crate::read::{Scope, read_script, read_term};
use crate::substitute::expand_lets;
use crate::walk::graph_size;

fn symbol_text(text: &str) -> String {
    let mut out = String::new();
    write_symbol(text, &mut out);
    out
}

#[test]
fn symbols_get_bars_where_they_need_them() {
    for plain in ["x", "str.++", "~!@$%^&*_-+=<>.?/", "a1", "-1", "é"] {
        assert_eq!(symbol_text(plain), plain);
    }
    for quoted in
        ["", "a b", "1a", "12", "let", "_", "!", "as", "par", "STRING", "(", "a;b", "a\nb", ":k", "#x1", "\""]
    {
        assert_eq!(symbol_text(quoted), format!("|{quoted}|"));
    }
}

#[test]
fn quoted_names_survive_in_every_place() {
    let source = "(declare-sort |a b| 0)
(declare-fun |let| (|a b| Int) |a b|)
(declare-const || |a b|)
(declare-datatypes ((|1 d| 0)) (((|1 c| (|1 s| Int)))))
(declare-const d |1 d|)
(assert (forall ((|x y| Int)) (= || (|let| || |x y|))))
(assert (let ((|as| 1)) (= |as| (|1 s| d))))
(assert (and ((_ is |1 c|) d) (= d ((_ update |1 s|) d 1))))
(assert (match d (((|1 c| |!|) (= |!| 0)))))
(assert (! true :named |n n|))
";
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, source);
    assert_eq!(reading.diagnostics, []);
    assert_eq!(script_text(&mut terms, &reading.script), source);
}

#[test]
fn needless_bars_are_left_out() {
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, "(declare-const |x| Int)(assert (|and| (= |x| 1)))");
    assert_eq!(script_text(&mut terms, &reading.script), "(declare-const x Int)\n(assert (and (= x 1)))\n");
}

/// A term whose tree has 2^`depth` leaves.
fn exponential(terms: &mut Terms, depth: u32) -> Term {
    let x = terms.symbols.intern("x");
    let mut term = terms.constant(x, Sort::INT);
    for _ in 0..depth {
        term = terms.apply(Op::Add, &[], &[term, term]).unwrap();
    }
    terms.apply(Op::Eq, &[], &[term, term]).unwrap()
}

fn scope_with_x(terms: &mut Terms) -> Scope {
    read_script(terms, "(declare-const x Int)").scope
}

#[test]
fn a_graph_is_printed_in_linear_size_and_read_back() {
    let mut terms = Terms::new();
    let term = exponential(&mut terms, 1000);
    let text = term_text(&mut terms, term);
    assert!(text.len() < 50 * 1000, "{}", text.len());
    let mut scope = scope_with_x(&mut terms);
    let again = read_term(&mut terms, &mut scope, &text, Dialect::V26).unwrap();
    assert_ne!(again, term);
    assert_eq!(expand_lets(&mut terms, again), term);
}

#[test]
fn a_graph_is_printed_the_same_every_time() {
    let mut terms = Terms::new();
    let term = exponential(&mut terms, 100);
    assert_eq!(term_text(&mut terms, term), term_text(&mut terms, term));
}

#[test]
fn names_of_shared_terms_avoid_the_names_in_the_term() {
    let mut terms = Terms::new();
    let source = "(declare-const s!0 Int)(assert (= (+ s!0 1) (+ s!0 1)))";
    let reading = read_script(&mut terms, source);
    let assertion = reading.script.assertions().next().unwrap();
    let shared = share(&mut terms, assertion);
    assert_eq!(term_text(&mut terms, shared), "(let ((s!1 (+ s!0 1))) (= s!1 s!1))");
}

#[test]
fn what_depends_on_a_binder_is_shared_inside_of_it() {
    let mut terms = Terms::new();
    let source = "(declare-const y Int)(assert (and (= (+ y 1) (+ y 1)) (forall ((x Int)) (= (+ x 1) (+ x 1) (+ y 1)))))";
    let reading = read_script(&mut terms, source);
    let assertion = reading.script.assertions().next().unwrap();
    let shared = share(&mut terms, assertion);
    assert_eq!(
        term_text(&mut terms, shared),
        "(let ((s!1 (+ y 1))) (and (= s!1 s!1) (forall ((x Int)) (let ((s!0 (+ x 1))) (= s!0 s!0 (+ y 1))))))"
    );
    assert_eq!(expand_lets(&mut terms, shared), assertion);
}

#[test]
fn small_trees_and_large_ones_without_much_repetition_are_written_out() {
    let mut terms = Terms::new();
    let term = exponential(&mut terms, 10);
    assert!(!term_text(&mut terms, term).contains("let"));
    let sum =
        format!("(+{})", (0..70_000).map(|number| format!(" (* 2 {})", number / 2)).collect::<String>());
    let term = read_term(&mut terms, &mut Scope::new(), &sum, Dialect::V26).unwrap();
    assert!(graph_size(&terms, term) < 70_000 * 2);
    assert_eq!(term_text(&mut terms, term), sum);
}

#[test]
fn flat_layout_never_shares() {
    let mut terms = Terms::new();
    let term = exponential(&mut terms, 16);
    let mut printer = Printer::new(&mut terms, Dialect::V26, Layout::Flat);
    printer.term(term);
    assert!(!printer.finish().contains("let"));
}

const SOURCE: &str = "; one\n(declare-const  x Int) ; two\n\n(assert   (= x 1))\n(check-sat)\n; end\n";

#[test]
fn an_unchanged_script_is_printed_byte_for_byte() {
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, SOURCE);
    assert_eq!(script_text_preserving(&mut terms, &reading.script, SOURCE), SOURCE);
}

#[test]
fn a_replaced_command_stands_where_the_old_one_stood() {
    let mut terms = Terms::new();
    let mut script = read_script(&mut terms, SOURCE).script;
    let assertion = terms.bool(false);
    script.replace(1, Command::Assert(assertion));
    assert_eq!(
        script_text_preserving(&mut terms, &script, SOURCE),
        "; one\n(declare-const  x Int) ; two\n\n(assert false)\n(check-sat)\n; end\n"
    );
}

#[test]
fn removed_and_moved_commands_leave_nothing_behind() {
    let mut terms = Terms::new();
    let mut script = read_script(&mut terms, SOURCE).script;
    script.commands.remove(1);
    script.origins.remove(1);
    assert_eq!(
        script_text_preserving(&mut terms, &script, SOURCE),
        "; one\n(declare-const  x Int) ; two\n\n\n(check-sat)\n; end\n"
    );
    script.commands.swap(0, 1);
    script.origins.swap(0, 1);
    assert_eq!(
        script_text_preserving(&mut terms, &script, SOURCE),
        "; one\n ; two\n\n\n(check-sat)\n(declare-const  x Int)\n; end\n"
    );
}

#[test]
fn the_old_dialect_has_its_own_names_and_escapes() {
    let mut terms = Terms::new();
    let source = "(declare-const s String)(assert (str.in_re s (str.to_re \"\\u{e9}\\u{a}\")))(assert (= 1 (str.to_int s)))";
    let reading = read_script(&mut terms, source);
    let mut printer = Printer::new(&mut terms, Dialect::V25, Layout::Shared);
    printer.script(&reading.script);
    assert_eq!(
        printer.finish(),
        "(declare-const s String)\n(assert (str.in.re s (str.to.re \"\\xe9\\x0a\")))\n(assert (= 1 (str.to.int s)))\n"
    );
}

#[test]
fn what_was_not_read_as_a_command_is_copied() {
    // After some lists without an end, reading gives up; what follows is no command, though it looks like some.
    let source = "(a\n(check-sat)\n".repeat(30);
    let mut terms = Terms::new();
    let script = read_script(&mut terms, &source).script;
    assert_eq!(script_text_preserving(&mut terms, &script, &source), source);
}
