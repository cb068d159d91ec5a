//! No input makes the reader panic, and what it makes of any input can be printed and read again.

use proptest::prelude::*;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer, script_text_preserving};
use smelt_smtlib::read::read_script;
use smelt_smtlib::sexp::{Scanner, Tape};
use smelt_smtlib::source::line_column;
use smelt_smtlib::term::Terms;

/// Real-looking text, to be cut and mixed.
const SEED: &str = r#"(set-logic ALL)
(set-option :global-declarations true) ; a comment
(declare-datatypes ((List 1)) ((par (T) ((nil) (cons (head T) (tail (List T)))))))
(define-sort Map (K) (Array K Int))
(declare-fun f (Int (Map String)) (_ BitVec 8))
(declare-const l (List Int))
(define-funs-rec ((g ((x Int)) Int)) ((ite (> x 0) (g (- x 1)) 0)))
(push 1)
(assert (! (forall ((x Int) (y Real)) (! (< x y 2.5) :pattern ((g x)) :weight 3)) :named a))
(assert (let ((x 1) (|y z| "a""\u{e9}\x41")) (= |y z| (str.++ |y z| (_ char #x41)))))
(assert (match l ((nil true) ((cons h _) ((_ is cons) l)))))
(assert (= ((_ extract 3 0) #xaf) (_ bv3 4) #b0011 ((as const (Array Int Int)) 0)))
(assert (str.in.re "a" ((_ re.loop 1 3) (re.range "a" "z"))))
(pop 1)
(check-sat-assuming (a (not a)))
(get-value ((g 1) l))
(declare-datatypes (T) ((Old o (p (q T)))))
(exit)
"#;

fn check(text: &str) {
    let mut scanner = Scanner::new(text);
    let mut tape = Tape::new();
    while !matches!(scanner.read(&mut tape), Ok(false)) {}
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, text);
    for diagnostic in &reading.diagnostics {
        assert!(text.get(diagnostic.span.start as usize..diagnostic.span.end as usize).is_some());
        line_column(text, diagnostic.span.start);
    }
    for dialect in [Dialect::V26, Dialect::V25] {
        let mut printer = Printer::new(&mut terms, dialect, Layout::Shared);
        printer.script(&reading.script);
        let printed = printer.finish();
        let again = read_script(&mut terms, &printed);
        if reading.diagnostics.is_empty() && dialect == reading.script.dialect {
            assert_eq!(again.diagnostics, []);
            assert_eq!(again.script.commands, reading.script.commands);
        }
    }
    script_text_preserving(&mut terms, &reading.script, text);
}

#[test]
fn the_seed_has_no_problems_but_those_that_it_must_have() {
    let reading = read_script(&mut Terms::new(), SEED);
    assert_eq!(reading.diagnostics.len(), 1, "{:?}", reading.diagnostics);
    check(SEED);
}

#[test]
fn every_prefix_is_read() {
    for end in 0..SEED.len() {
        if SEED.is_char_boundary(end) {
            check(&SEED[..end]);
        }
    }
}

/// Pieces of the seed: atoms, parentheses, blanks.
fn pieces() -> Vec<&'static str> {
    let mut pieces = Vec::new();
    let mut rest = SEED;
    while !rest.is_empty() {
        let length = match rest.find(['(', ')', ' ', '\n', '"', '|']) {
            Some(0) => 1,
            Some(length) => length,
            None => rest.len(),
        };
        pieces.push(&rest[..length]);
        rest = &rest[length..];
    }
    pieces
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        check(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn random_marks_are_read(text in "[()\"|;:#_!\\\\ax01. \n]{0,200}") {
        check(&text);
    }

    #[test]
    fn mixed_pieces_are_read(choices in prop::collection::vec(any::<prop::sample::Index>(), 1..120)) {
        let pieces = pieces();
        let text: Vec<&str> = choices.iter().map(|choice| pieces[choice.index(pieces.len())]).collect();
        check(&text.join(" "));
    }

    #[test]
    fn damaged_text_is_read(
        damages in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..4u8), 1..8),
    ) {
        let mut pieces = pieces();
        for (place, other, kind) in damages {
            let (place, other) = (place.index(pieces.len()), other.index(pieces.len()));
            match kind {
                0 => drop(pieces.remove(place)),
                1 => pieces.insert(place, pieces[other]),
                2 => pieces.swap(place, other),
                _ => pieces[place] = pieces[other],
            }
        }
        check(&pieces.concat());
    }
}
