use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::read_script_as;

use super::*;

fn takes(capabilities: &Capabilities, script: &str) -> Result<(), Lacking> {
    let mut terms = Terms::new();
    let reading = read_script_as(&mut terms, script, Dialect::V26);
    assert!(reading.diagnostics.is_empty(), "{script}: {:?}", reading.diagnostics);
    capabilities.takes(&terms, &reading.script, &ScriptProfile::of(&terms, &reading.script))
}

fn shape(classes: &[SortClass]) -> Shape {
    Shape(classes.iter().fold(0, |packed, class| packed << 5 | (*class as u64 + 1)))
}

fn refusing(op: Op, classes: &[SortClass]) -> Capabilities {
    Capabilities { refused: [(op, shape(classes))].into_iter().collect(), ..Capabilities::default() }
}

#[test]
fn nothing_known_means_everything_is_sent() {
    assert_eq!(
        takes(&Capabilities::default(), "(declare-const x Int)(assert (forall ((y Int)) (> x y)))"),
        Ok(())
    );
}

#[test]
fn a_refused_operator_is_not_sent() {
    let capabilities = refusing(Op::StrRev, &[SortClass::String]);
    let script = "(declare-const s String)(assert (= s (str.rev s)))";
    assert_eq!(takes(&capabilities, script), Err(Lacking::Operator(Op::StrRev)));
    assert_eq!(takes(&capabilities, "(declare-const s String)(assert (= s (str.++ s s)))"), Ok(()));
}

#[test]
fn an_operator_may_be_refused_at_some_arguments_only() {
    use SortClass::Int;
    let mut capabilities = refusing(Op::Lt, &[Int, Int, Int]);
    capabilities.taken.insert((Op::Lt, shape(&[Int, Int])));
    assert_eq!(takes(&capabilities, "(assert (< 1 2))"), Ok(()));
    assert_eq!(takes(&capabilities, "(assert (< 1 2 3))"), Err(Lacking::Operator(Op::Lt)));
    // Four arguments are like three.
    assert_eq!(takes(&capabilities, "(assert (< 1 2 3 4))"), Err(Lacking::Operator(Op::Lt)));
    // Reals were not asked about, and integers are known.
    assert_eq!(takes(&capabilities, "(assert (< 1.0 2.0))"), Ok(()));
}

#[test]
fn a_refused_sort_is_not_sent_even_inside_of_another() {
    let capabilities = Capabilities { refused_sorts: vec![SortClass::String], ..Capabilities::default() };
    assert_eq!(takes(&capabilities, "(declare-const s String)"), Err(Lacking::Sort(SortClass::String)));
    assert!(takes(&capabilities, "(declare-fun f (Int) (Array Int String))").is_err());
    assert_eq!(takes(&capabilities, "(declare-const x Int)"), Ok(()));
}

#[test]
fn refused_features_are_not_sent() {
    for feature in Feature::ALL.into_iter().filter(|feature| !feature.script().is_empty()) {
        let capabilities = Capabilities { refused_features: vec![feature], ..Capabilities::default() };
        assert_eq!(takes(&capabilities, feature.script()), Err(Lacking::Feature(feature)));
        assert_eq!(takes(&capabilities, "(declare-const p Bool)(assert p)"), Ok(()));
    }
}

#[test]
fn small_floats_are_not_sent_to_solvers_of_single_and_double_precision() {
    let refused_features = vec![Feature::OtherFloatFormats];
    let capabilities = Capabilities { refused_features, ..Capabilities::default() };
    let lacking = Err(Lacking::Feature(Feature::OtherFloatFormats));
    assert_eq!(takes(&capabilities, "(declare-const x Float16)"), lacking);
    assert_eq!(takes(&capabilities, "(declare-fun f (Int) (Array Int (_ FloatingPoint 3 5)))"), lacking);
    let inner = "(declare-const x Float32)(assert (fp.isNaN ((_ to_fp 5 11) RNE x)))";
    assert_eq!(takes(&capabilities, inner), lacking);
    let usual =
        "(declare-const x Float32)(declare-const y Float64)(assert (fp.eq y ((_ to_fp 11 53) RNE x)))";
    assert_eq!(takes(&capabilities, usual), Ok(()));
}

#[test]
fn characters_above_255_are_not_sent_to_solvers_of_bytes() {
    let capabilities =
        Capabilities { refused_features: vec![Feature::WideCharacters], ..Capabilities::default() };
    let lacking = Err(Lacking::Feature(Feature::WideCharacters));
    assert_eq!(takes(&capabilities, r#"(assert (= "\u{100}" "a"))"#), lacking);
    assert_eq!(takes(&capabilities, r#"(assert (= (_ char #x100) "a"))"#), lacking);
    assert_eq!(takes(&capabilities, "(assert (= \"\u{1F600}\" \"a\"))"), lacking);
    assert_eq!(takes(&capabilities, r#"(assert (= "\u{ff}" (_ char #xff)))"#), Ok(()));
}

#[test]
fn what_is_known_survives_writing_and_reading() {
    let mut capabilities = refusing(Op::StrRev, &[SortClass::String]);
    capabilities.taken.insert((Op::Sub, shape(&[SortClass::Int, SortClass::Int])));
    capabilities.refused_sorts.push(SortClass::Seq);
    capabilities.refused_features.push(Feature::Match);
    capabilities.commands.insert("reset".to_owned(), false);
    capabilities.spellings.insert("str.to.int".to_owned(), true);
    let text = serde_json::to_string(&capabilities).unwrap();
    assert_eq!(serde_json::from_str::<Capabilities>(&text).unwrap(), capabilities);
}

#[test]
fn shapes_are_named() {
    assert_eq!(shape(&[SortClass::Bool, SortClass::Seq, SortClass::Int]).text(), "Bool Seq Int");
}
