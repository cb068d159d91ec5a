use rustc_hash::FxHashSet;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::read_script_as;
use smelt_smtlib::term::Terms;

use super::built_in::BUILT_IN;
use super::*;

fn enumeration(name: &str) -> Enumeration {
    let grammar = built_in::BuiltIn::named(name).expect("there is such a grammar").grammar();
    Enumeration::new(&grammar, &Parameters::default()).expect("built-in grammars compile")
}

/// The formulas with these indices, in one line each.
fn formulas(source: &str, count: usize) -> Vec<String> {
    let grammar = Grammar::parse(source).expect("the grammar is well-formed");
    let parameters = Parameters { layout: Layout::OneLine, ..Parameters::default() };
    let mut enumeration = Enumeration::new(&grammar, &parameters).expect("the grammar compiles");
    let mut cursor = enumeration.from(&UBig::ZERO).expect("there are formulas");
    let mut found = vec![cursor.text().trim().to_owned()];
    while found.len() < count && cursor.advance() {
        found.push(cursor.text().trim().to_owned());
    }
    found
}

#[test]
fn the_examples_of_the_thesis_have_sizes_4_and_5() {
    let mut core = enumeration("core");
    let declarations = "(declare-const a Bool) (declare-const b Bool)";
    for (assertion, size) in [("false", 4), ("true", 4), ("b", 4), ("(not false)", 5)] {
        let index = core.index_of(&format!("{declarations} (assert {assertion}) (check-sat)"));
        let index = index.expect("the grammar has the formula");
        assert_eq!(core.size_at(&index), Some(size), "{assertion}");
    }
}

#[test]
fn the_first_formulas_of_core_are_these() {
    let mut core = enumeration("core");
    let texts: Vec<String> = (0_u32..6).filter_map(|index| core.nth(&index.into())).collect();
    assert_eq!(texts[0], "(declare-const a Bool)\n(declare-const b Bool)\n(assert true)\n(check-sat)\n");
    assert!(texts[5].contains("(assert (not false))"), "{}", texts[5]);
    let counts: Vec<String> = (3..8).map(|size| core.count(size).to_string()).collect();
    assert_eq!(counts, ["0", "4", "4", "84", "308"]);
}

#[test]
fn all_built_in_grammars_are_enumerated_as_they_are_counted_and_never_repeat_themselves() {
    for built_in in BUILT_IN {
        let mut enumeration = enumeration(built_in.name);
        let mut by_size: Vec<u64> = Vec::new();
        let mut seen = FxHashSet::default();
        let mut cursor = enumeration.from(&UBig::ZERO).expect("there are formulas");
        for _ in 0..20_000 {
            by_size.resize(cursor.size() as usize + 1, 0);
            by_size[cursor.size() as usize] += 1;
            assert!(seen.insert(cursor.text().to_owned()), "{}: {}", built_in.name, cursor.text());
            assert!(cursor.advance());
        }
        let complete = by_size.len() - 1;
        for (size, found) in by_size[..complete].iter().enumerate() {
            assert_eq!(*enumeration.count(size as u32), (*found).into(), "{} {size}", built_in.name);
        }
    }
}

#[test]
fn the_walk_meets_the_formulas_that_indices_give_and_they_have_these_indices() {
    for built_in in BUILT_IN {
        let mut enumeration = enumeration(built_in.name);
        let mut other = enumeration.clone();
        for start in ["0", "70", "12345678901234567890", "1000000000000000000000000000000000000000000"] {
            let start: UBig = start.parse().expect("this is a number");
            let mut cursor = enumeration.from(&start).expect("there are formulas");
            let mut index = start;
            for _ in 0..200 {
                assert_eq!(other.nth(&index).as_deref(), Some(cursor.text()), "{} {index}", built_in.name);
                assert_eq!(other.index_of(cursor.text()), Some(index.clone()), "{}", built_in.name);
                assert!(cursor.advance());
                index += UBig::ONE;
            }
        }
    }
}

#[test]
fn all_formulas_are_well_sorted() {
    let check = |name: &str, text: &str| {
        let problems = read_script_as(&mut Terms::new(), text, Dialect::V26).diagnostics;
        assert!(problems.is_empty(), "{name}: {text}\n{problems:?}");
    };
    for built_in in BUILT_IN {
        let mut enumeration = enumeration(built_in.name);
        let mut cursor = enumeration.from(&UBig::ZERO).expect("there are formulas");
        for _ in 0..2000 {
            check(built_in.name, cursor.text());
            assert!(cursor.advance());
        }
        let mut random = Random::new(1);
        for size in [12, 20, 40, 100] {
            for _ in 0..60 {
                let index = enumeration.sample(size, &mut random).expect("there are formulas of this size");
                check(built_in.name, &enumeration.nth(&index).expect("sampled indices exist"));
            }
        }
    }
}

#[test]
fn an_index_of_400_digits_is_a_formula_and_back() {
    let mut core = enumeration("core");
    let index: UBig = format!("1{}7", "0".repeat(400)).parse().expect("this is a number");
    let text = core.nth(&index).expect("there are infinitely many formulas");
    assert_eq!(core.index_of(&text), Some(index));
}

#[test]
fn counts_that_were_saved_are_as_good_as_counting() {
    let mut counted = enumeration("strings");
    let index = UBig::from(10_u8).pow(60);
    let formula = counted.nth(&index);
    let mut restored = enumeration("strings");
    assert_eq!(restored.identity(), counted.identity());
    assert!(restored.restore(&counted.counts()));
    assert_eq!(restored.counted_sizes(), counted.counted_sizes());
    assert_eq!(restored.nth(&index), formula);
    let larger = UBig::from(10_u8).pow(70);
    assert_eq!(restored.nth(&larger), counted.nth(&larger));
}

#[test]
fn bytes_that_are_no_counts_change_nothing() {
    let mut strings = enumeration("strings");
    let before = strings.count(9).clone();
    let counts = strings.counts();
    for bytes in [&counts[..counts.len() - 1], &[counts.as_slice(), &[0]].concat(), &[7], &[]] {
        assert!(!strings.restore(bytes));
        assert_eq!(*strings.count(9), before);
    }
}

#[test]
fn repetitions_cost_one_each() {
    let source = "x: 'a' | 'b'; start: '(f' x* ')' '(g' x? ')';";
    let found = formulas(source, 8);
    assert_eq!(
        found,
        [
            "(f) (g)",
            "(f a) (g)",
            "(f b) (g)",
            "(f) (g a)",
            "(f) (g b)",
            "(f a a) (g)",
            "(f a b) (g)",
            "(f b a) (g)"
        ]
    );
}

#[test]
fn exact_repetitions_are_written_out() {
    assert_eq!(
        formulas("start: 'a'{3} ('b' | '(c)'){2};", 9),
        ["a a a b b", "a a a b (c)", "a a a (c) b", "a a a (c) (c)"]
    );
}

#[test]
fn grammars_without_recursion_end() {
    let grammar = Grammar::parse("x: 'a' | 'b'; start: x x;").expect("the grammar is well-formed");
    let mut enumeration = Enumeration::new(&grammar, &Parameters::default()).expect("the grammar compiles");
    assert_eq!(enumeration.largest_size(), Some(1));
    assert_eq!(enumeration.nth(&3_u32.into()).as_deref(), Some("b\nb\n"));
    assert_eq!(enumeration.nth(&4_u32.into()), None);
}

/// A grammar with this text has one problem: at this text, with this message.
fn check_problem(source: &str, place: &str, message: &str) {
    let problems = match Grammar::parse(source) {
        Err(problems) => problems,
        Ok(grammar) => match Enumeration::new(&grammar, &Parameters::default()) {
            Err(problems) => problems,
            Ok(_) => problems(&grammar, source, &Parameters::default()).into(),
        },
    };
    let [problem] = &problems[..] else { panic!("{problems:?}") };
    assert!(problem.message.contains(message), "{}", problem.message);
    assert_eq!(problem.span.text(source), place);
}

#[test]
fn problems_of_the_text_of_a_grammar_have_places() {
    check_problem("start: 'a' 'b;", "'", "not closed");
    check_problem("start: 'a' $ 'b';", "$", "no meaning");
    check_problem("start: 'a' | ;", ";", "cannot be empty");
    check_problem("start: 'a' ''", "''", "cannot be empty");
    check_problem("x: 'a' start: x;", "start", "does not end");
    check_problem("start: ('a' | 'b';", ";", "`)` is missing");
    check_problem("start: 'a'{many};", "many", "in braces");
    check_problem("start: 'a'", "", "`;` is missing");
    check_problem(
        "declarations { var; } start: declarations var;",
        ";",
        "sort of these variables is missing",
    );
}

#[test]
fn problems_of_rules_have_places() {
    check_problem("bool: 'a'; start: bol;", "bol", "no rule `bol`");
    check_problem("x: 'a'; x: 'b'; start: x;", "x", "already");
    check_problem("x: 'a'; start: 'b';", "x", "never used");
    check_problem("x: '(f' x ')'; start: x | 'b';", "x", "derives nothing");
    check_problem("start: '(f' | 'a';", "'(f'", "parentheses");
    check_problem("x: 'a'?; start: x 'b';", "'a'?", "can be empty");
    check_problem("x: 'a';", "", "no rule `start`");
    check_problem("start: '\"a';", "'\"a'", "not closed");
}

#[test]
fn problems_of_sorts_have_places() {
    let check = |rules: &str, place: &str, message: &str| {
        let start = "start: declarations '(assert' atom ')' '(check-sat)';";
        check_problem(&format!("declarations {{ var [Int]; }} {rules} {start}"), place, message);
    };
    check("atom [Bool]: '(<' var var ')' | '(+' var var ')';", "'(+' var var ')'", "no term of sort Bool");
    check("atom [Bool]: '(' op var ')'; op: 'not' | 'abs';", "var", "no term of sort Bool");
    check(
        "flag [Bool]: 'true'; atom [Bool]: '(=' (var | flag)+ ')';",
        "'(=' (var | flag)+ ')'",
        "no term of sort Bool",
    );
    check("atom [Bool]: '(p' var ')';", "'(p'", "p");
    check(
        "atom [Bool]: '(not' atom+ ')' | 'true' | '(= 0' var ')';",
        "'(not' atom+ ')'",
        "no term of sort Bool",
    );
    check(
        "atom [Bool]: '(exists ((k Int))' inner ')' | inner; inner [Bool, k Int]: '(= k' var ')';",
        "inner",
        "k",
    );
}

#[test]
fn guards_know_what_is_bound() {
    let source = "declarations { var [Int]; } atom [Bool]: '(exists ((k Int))' inner ')';
        inner [Bool, k Int]: '(= k' var ')'; start: declarations '(assert' atom ')';";
    let grammar = Grammar::parse(source).expect("the grammar is well-formed");
    assert_eq!(problems(&grammar, source, &Parameters::default()), []);
}

#[test]
fn all_built_in_grammars_are_well_sorted_by_their_guards_and_unambiguous() {
    for built_in in BUILT_IN {
        for (variables, asserts) in [(2, 1), (5, 2)] {
            let parameters = Parameters { variables, asserts, ..Parameters::default() };
            let found = problems(&built_in.grammar(), built_in.source, &parameters);
            assert!(found.is_empty(), "{}: {found:?}", built_in.name);
        }
    }
}

#[test]
fn what_would_come_twice_is_found() {
    check_problem("start: 'a' | 'b' | 'a';", "'a'", "line 1, column 8");
    check_problem("x: 'a' | '(f' x ')'; y: 'b' | '(f' y ')' | 'a'; start: x | y;", "y", "line 1, column 56");
    check_problem("x: 'a'; start: '(f' x+ x+ ')';", "'(f' x+ x+ ')'", "in two ways");
    check_problem("x: 'a' | 'b'; start: x+ x?;", "x+ x?", "in two ways");
    check_problem("x: 'a'; xs: xs x | x; start: xs;", "xs x", "at its end only");
}

#[test]
fn what_only_looks_alike_is_not_complained_of() {
    for source in [
        "x: 'a' | '(f' x ')'; y: 'b' | '(f' y ')'; start: x | y;",
        "x: 'a'; y: 'b'; start: '(f' x+ y+ ')' | '(f' y x* ')';",
        "x: 'a'; start: '(f' x ')' | '(f' x x ')' | '((f)' x ')';",
        "xs: 'a' xs | 'a'; start: xs 'b' xs;",
    ] {
        let grammar = Grammar::parse(source).expect("the grammar is well-formed");
        assert_eq!(problems(&grammar, source, &Parameters::default()), [], "{source}");
    }
}

/// The formulas of a built-in grammar up to a size, with and without symmetries.
fn formulas_up_to(name: &str, size: u32, variables: u32, symmetry: Symmetry) -> FxHashSet<String> {
    let grammar = built_in::BuiltIn::named(name).expect("there is such a grammar").grammar();
    let parameters = Parameters { variables, symmetry, ..Parameters::default() };
    let mut enumeration = Enumeration::new(&grammar, &parameters).expect("built-in grammars compile");
    let count = enumeration.count_below(size + 1).clone();
    let mut other = enumeration.clone();
    let mut cursor = enumeration.from(&UBig::ZERO).expect("there are formulas");
    let mut found = FxHashSet::default();
    let mut index = UBig::ZERO;
    while cursor.size() <= size {
        assert!(found.insert(cursor.text().to_owned()), "{name} repeats itself: {}", cursor.text());
        if found.len() % 7 == 0 {
            assert_eq!(other.nth(&index).as_deref(), Some(cursor.text()), "{name} {index}");
            assert_eq!(other.index_of(cursor.text()), Some(index.clone()), "{name} {}", cursor.text());
        }
        index += UBig::ONE;
        if !cursor.advance() {
            break;
        }
    }
    assert_eq!(index, count, "{name}");
    found
}

/// The same S-expressions with arguments of commutative operators sorted, after renaming variables in all ways.
fn class_of(text: &str, variables: u32, symmetry: Symmetry) -> String {
    let variables: Vec<String> = (0..variables).map(compile::variable_name).collect();
    let mut permutations = vec![Vec::new()];
    if symmetry.variables {
        for _ in &variables {
            permutations = permutations
                .into_iter()
                .flat_map(|before: Vec<String>| {
                    let rest: Vec<String> =
                        variables.iter().filter(|name| !before.contains(name)).cloned().collect();
                    rest.into_iter().map(move |name| [&before[..], &[name]].concat())
                })
                .collect();
        }
    } else {
        permutations = vec![variables.clone()];
    }
    let start = text.find("(assert").expect("there is an assertion");
    let renamed = |names: &Vec<String>| {
        let words = lexer::lexemes(&text[start..]).into_iter().map(|lexeme| {
            let position = variables.iter().position(|name| name == lexeme.text);
            position.map_or(lexeme.text.to_owned(), |position| names[position].clone())
        });
        let words: Vec<String> = words.collect();
        if symmetry.arguments { sorted(&words) } else { words.join(" ") }
    };
    permutations.iter().map(renamed).min().expect("there is a permutation")
}

/// Tokens as text, with the two arguments of commutative operators in the order of their texts.
fn sorted(words: &[String]) -> String {
    let mut open: Vec<Vec<String>> = vec![Vec::new()];
    for word in words {
        match word.as_str() {
            "(" => open.push(Vec::new()),
            ")" => {
                let mut parts = open.pop().expect("the parentheses match");
                let commutes = ["and", "or", "xor", "=", "distinct", "+", "*", "re.union", "re.inter"]
                    .contains(&&*parts[0]);
                if commutes {
                    parts[1..].sort();
                }
                let text = format!("({})", parts.join(" "));
                open.last_mut().expect("the parentheses match").push(text);
            }
            word => open.last_mut().expect("the parentheses match").push(word.to_owned()),
        }
    }
    open[0].join(" ")
}

#[test]
fn symmetry_breaking_keeps_one_formula_of_every_class() {
    let kinds = [
        Symmetry { variables: true, arguments: false },
        Symmetry { variables: false, arguments: true },
        Symmetry { variables: true, arguments: true },
    ];
    for (name, size, variables) in
        [("core", 7, 2), ("core", 6, 3), ("ints", 8, 2), ("strings", 7, 2), ("uf", 9, 2)]
    {
        let all = formulas_up_to(name, size, variables, Symmetry::default());
        for symmetry in kinds {
            let kept = formulas_up_to(name, size, variables, symmetry);
            assert!(kept.is_subset(&all) && kept.len() < all.len(), "{name}");
            let class = |text: &String| class_of(text, variables, symmetry);
            let classes: FxHashSet<String> = all.iter().map(class).collect();
            let kept_classes: FxHashSet<String> = kept.iter().map(class).collect();
            assert!(classes == kept_classes, "{name} {symmetry:?}");
            if !(symmetry.variables && symmetry.arguments) {
                assert_eq!(kept.len(), classes.len(), "{name} {symmetry:?}");
            }
        }
    }
}

#[test]
fn variables_of_several_sorts_are_renamed_apart() {
    let symmetry = Symmetry { variables: true, arguments: false };
    let all = formulas_up_to("realints", 8, 4, Symmetry::default());
    let kept = formulas_up_to("realints", 8, 4, symmetry);
    assert!(kept.is_subset(&all) && kept.len() < all.len());
    let uses = |formula: &&String, name: &str| {
        lexer::lexemes(formula).iter().filter(|word| word.text == name).count() > 1
    };
    // a and c are integers: c is used only where a is.
    assert!(kept.iter().filter(|formula| uses(formula, "c")).all(|formula| uses(&formula, "a")));
    assert!(kept.iter().any(|formula| uses(&formula, "c")));
}
