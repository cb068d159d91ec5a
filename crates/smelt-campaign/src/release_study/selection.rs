//! Which formulas of a grammar a study is about: the first ones, and larger ones drawn by chance.
//!
//! Small formulas show most bugs and are a bounded guarantee; larger ones tell more about speed. So half of the list
//! are the first formulas in order, and the others are drawn: first a size, each with the same chance, then a formula of
//! that size, each with the same chance. The list depends on the grammar and these numbers only.

use std::collections::BTreeSet;

use dashu_int::UBig;
use smelt_store::study::FormulaRecord;
use smelt_testgen::enumeration::Enumeration;
use smelt_testgen::random::Random;

/// How the formulas of a theory are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormulaSelection {
    /// How many there are.
    pub formulas: u32,
    /// The largest size that is drawn.
    pub max_size: u32,
    /// Where chance starts.
    pub random_seed: u64,
}

/// So many draws in a row that give nothing new mean that there is nothing new.
const MAX_IDLE_DRAWS: u32 = 1000;

/// The formulas; fewer if the grammar does not have so many.
pub fn select(enumeration: &mut Enumeration, selection: &FormulaSelection) -> Vec<FormulaRecord> {
    let mut formulas = Vec::new();
    let in_order = u64::from(selection.formulas.div_ceil(2));
    let mut last_size = 0;
    if let Some(mut cursor) = enumeration.from(&UBig::ZERO) {
        for number in 0..in_order {
            last_size = cursor.size();
            formulas.push(record(&UBig::from(number), last_size, cursor.text()));
            if !cursor.advance() {
                return formulas;
            }
        }
    }
    let largest = enumeration.largest_size().unwrap_or(u32::MAX).min(selection.max_size.max(last_size));
    let mut sizes: Vec<u32> = (last_size..=largest).collect();
    sizes.retain(|size| !enumeration.count(*size).is_zero());
    let mut random = Random::new(selection.random_seed);
    let mut drawn: BTreeSet<UBig> = BTreeSet::new();
    let mut idle_draws = 0;
    while formulas.len() < selection.formulas as usize && idle_draws < MAX_IDLE_DRAWS {
        idle_draws += 1;
        let Some(size) = random.choose(&sizes).copied() else { break };
        let Some(index) = enumeration.sample(size, &mut random) else { continue };
        if index < UBig::from(in_order) || !drawn.insert(index.clone()) {
            continue;
        }
        let script = enumeration.nth(&index).expect("what is drawn exists");
        formulas.push(record(&index, size, &script));
        idle_draws = 0;
    }
    formulas
}

fn record(index: &UBig, size: u32, script: &str) -> FormulaRecord {
    FormulaRecord { grammar_index: index.to_string(), size, script: script.to_owned() }
}

#[cfg(test)]
mod tests {
    use smelt_testgen::enumeration::Parameters;
    use smelt_testgen::enumeration::built_in::BuiltIn;

    use super::*;

    fn strings(selection: FormulaSelection) -> Vec<FormulaRecord> {
        let grammar = BuiltIn::named("strings").unwrap().grammar();
        let mut enumeration = Enumeration::new(&grammar, &Parameters::default()).unwrap();
        select(&mut enumeration, &selection)
    }

    const SELECTION: FormulaSelection = FormulaSelection { formulas: 300, max_size: 12, random_seed: 3 };

    #[test]
    fn the_list_depends_on_the_seed_and_nothing_else() {
        assert_eq!(strings(SELECTION), strings(SELECTION));
        assert_ne!(strings(SELECTION), strings(FormulaSelection { random_seed: 4, ..SELECTION }));
    }

    #[test]
    fn half_are_the_first_and_the_others_are_larger() {
        let formulas = strings(SELECTION);
        assert_eq!(formulas.len(), 300);
        for (number, formula) in formulas[..150].iter().enumerate() {
            assert_eq!(formula.grammar_index, number.to_string());
        }
        assert!(formulas[150..].iter().all(|formula| formula.size >= formulas[149].size));
        assert!(formulas.iter().any(|formula| formula.size == 12));
        assert!(formulas.iter().all(|formula| formula.size <= 12));
        let distinct: BTreeSet<&str> =
            formulas.iter().map(|formula| formula.grammar_index.as_str()).collect();
        assert_eq!(distinct.len(), 300);
    }
}
