//! The unsatisfiable categories: which variables and constants of which equivalences are replaced by which rows.
//!
//! Each test comes without patterns, and again with them if its quantifiers have some. Whether a core is minimal is
//! looked for only where nothing has been replaced, because it takes a model for each part of the core.

use smelt_smtlib::term::Terms;

use super::formula::Formula;
use super::row::{Kind, Reach, Row, built_in};
use super::verify::is_minimal;
use super::{Category, Settings, Test, Theory};
use crate::random::Random;

/// Makes all tests of a category.
pub(super) fn generate(settings: &Settings, category: Category, take: &mut dyn FnMut(Test) -> bool) {
    if settings.theory != Theory::Strings {
        return;
    }
    let mut terms = Terms::new();
    let rows = built_in(&mut terms);
    let mut random = Random::new(settings.random_seed);
    for row in rows.iter().filter(|row| row.kind == Kind::Equivalence) {
        let formula = Formula::of(row);
        for mut formula in changes(&mut terms, &formula, &rows, category) {
            if category != Category::Equivalence {
                for _ in 1..settings.rounds {
                    formula = changed_further(&mut terms, formula, &rows, &mut random);
                }
            }
            let plain = formula.without_patterns(&mut terms);
            let mut made = vec![test(&mut terms, category, &plain, false)];
            let patterned = test(&mut terms, category, &formula, true);
            if patterned.script != made[0].script {
                made.push(patterned);
            }
            if made.into_iter().any(|made| !take(made)) {
                return;
            }
        }
    }
}

/// All ways to change a formula that a category stands for.
pub(super) fn changes(
    terms: &mut Terms,
    formula: &Formula,
    rows: &[Row],
    category: Category,
) -> Vec<Formula> {
    let mut changed = Vec::new();
    match category {
        Category::Equivalence => changed.push(formula.clone()),
        Category::VariableReplacement => {
            for variable in formula.variables_of_premises(terms, true) {
                for row in rows.iter().filter(|row| matches!(row.kind, Kind::Variable(_))) {
                    changed.extend(formula.replace_variable(terms, variable, row, true));
                }
            }
        }
        Category::ConstantReplacement => {
            for row in rows.iter().filter(|row| row.kind == Kind::Constant) {
                changed.extend(formula.replace_constant(terms, row));
            }
        }
        Category::Noise => {
            for variable in formula.variables_of_premises(terms, false) {
                for row in rows.iter().filter(|row| matches!(row.kind, Kind::Variable(_))) {
                    changed.extend(formula.replace_variable(terms, variable, row, false));
                }
            }
            for variable in formula.bound_variables(terms) {
                for row in rows {
                    let is_allowed = match row.kind {
                        Kind::Variable(Reach::All) => true,
                        Kind::Variable(Reach::NotNegative) => formula.is_guarded(terms, variable),
                        _ => false,
                    };
                    if is_allowed {
                        changed.extend(formula.replace_bound(terms, variable, row));
                    }
                }
            }
        }
        Category::Operation | Category::ConstantAssignment | Category::TermSynthesis => {}
    }
    changed
}

/// A formula changed once more, by a category and a row drawn by chance.
fn changed_further(terms: &mut Terms, formula: Formula, rows: &[Row], random: &mut Random) -> Formula {
    let mut categories = vec![Category::VariableReplacement, Category::ConstantReplacement, Category::Noise];
    while let Some(category) = random.take(&mut categories) {
        let all = changes(terms, &formula, rows, category);
        if let Some(changed) = random.choose(&all) {
            return changed.clone();
        }
    }
    formula
}

fn test(terms: &mut Terms, category: Category, formula: &Formula, has_patterns: bool) -> Test {
    let suffix = if has_patterns { ", patterns" } else { "" };
    Test {
        category,
        detail: format!("{}{suffix}", formula.detail),
        script: formula.script(terms),
        model: Vec::new(),
        has_patterns,
        core: formula.core(),
        is_minimal: category == Category::Equivalence && is_minimal(terms, formula),
    }
}
