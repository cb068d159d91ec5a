//! Techniques: ways to make cases out of seeds.
//!
//! A [`seed::Seed`] is a script read once and brought into a simple form. A [`technique::Technique`] changes a script
//! step by step; a [`chain::Chain`] repeats its steps and gives a case after each of them. Everything that is
//! generated is well-sorted by construction, over the operators of an [`operators::OperatorSet`].
//!
//! The crate is pure: no files, no clock, no processes. Chance comes from one seeded [`random::Random`], and what is
//! generated does not depend on what else stands in the arena of terms.
//!
//! | to find | look in |
//! |---|---|
//! | scripts in the form that techniques work on | [`seed`]; the built-in ones in [`built_in`] |
//! | what is known of a script, and evaluating its model | [`ground_truth`] |
//! | what a technique changes: the script of a chain, with what is known | [`mutant`] |
//! | other seeds, drawn and renamed apart; small terms of all seeds | [`library`], `fresh_names.rs`, `term_pool.rs` |
//! | the techniques | [`technique`], `mutation/`, [`fusion`], [`weakening`], [`variant`], [`optimize`], [`trace`], [`unchanged`]; those that make formulas from nothing in `generated.rs` |
//! | fusion triples: their form, trying them, finding them | `fusion/`; the built-in ones in `testdata/fusion/triples.txt` |
//! | rules of weakening: their form, trying them, finding and using them in a formula | `weakening/`; the built-in ones in `testdata/weakening/rules.txt` |
//! | letters for widths and sorts in these texts; the values they are tried on | `shape.rs`, `small_domain.rs` |
//! | which operators are introduced, and which solvers read them; values and sorts to draw | [`operators`], [`readers`], `values.rs` |
//! | formulas that are sat or unsat by how they are made | [`construct`]; the categories in `construct/`, constants and theorems in `testdata/construct/` |
//! | all formulas of a grammar by their numbers | [`enumeration`]; the grammars in `grammars/`, their language in `enumeration/grammar.rs` |
//! | counting them, from an index to a formula and back, from one to the next | `enumeration/table.rs`, `rank.rs`, `recognise.rs`, `tree.rs` |
//! | is a grammar well-sorted, does it repeat itself, what is left out for symmetry | `enumeration/guard.rs`, `ambiguity.rs`, `symmetry.rs` |
//! | random formulas over strings, and single operators put into them | [`random_formula`]; growing terms and weights of operators in `random_formula/` |
//! | a case that was made without a chain, as text | [`made_case`] |
//! | StringFuzz's families and transformers, and what of the answer these keep | [`stringfuzz`] and below |
//! | the evolution of slow formulas | `search/evolution.rs`; sorting by dominance, objectives, traces, genetic operators and variants in `search/evolution/` |
//! | a chain of steps, made again from its lineage; its text | [`chain`], [`random`]; `print_cache.rs` |
//! | searches that are asked for a formula and told what runs of it cost | [`search`] |
//! | families of formulas with growing literals | [`scaling`] |
//! | the bandit over operators, its beliefs, the distance of times, the complexity of formulas, assertions that matter | `search/bandit.rs`, `thompson.rs`, `dtw.rs`, `complexity.rs`, `contingent.rs` |
//!
//! A case is expected to be sat only if the evaluator accepts a model of ours on the very case, which `chain.rs` does
//! for all techniques alike. It is expected to be unsat by how it was made: see the heads of `fusion.rs`,
//! `weakening.rs` and `construct.rs` for why. A technique that knows how a step changes what satisfies the script says
//! so in `Mutant::relation`; the judge of implications relies on it. Enumeration has no seeds and makes no claims;
//! why it is as it is, with numbers: `docs/design/enumeration.md`. Construct has no seeds and claims something of
//! every formula; how that is known: `docs/design/construct.md`. What random formulas, StringFuzz and evolution leave
//! open in the papers: `docs/design/slow-evolution.md`. What the paper on the bandit leaves open, and what is done
//! here: `docs/design/slowness.md`.

mod blocks;
pub mod built_in;
pub mod chain;
pub mod construct;
pub mod enumeration;
mod fresh_names;
pub mod fusion;
pub mod generated;
pub mod ground_truth;
pub mod library;
pub mod made_case;
pub mod mutant;
pub mod mutation;
pub mod operators;
pub mod optimize;
mod print_cache;
pub mod query_mutant;
pub mod random;
pub mod random_formula;
pub mod readers;
pub mod scaling;
pub mod search;
pub mod seed;
mod shape;
mod small_domain;
pub mod stringfuzz;
pub mod technique;
mod term_index;
mod term_pool;
pub mod trace;
pub mod unchanged;
mod values;
pub mod variant;
pub mod weakening;

#[cfg(test)]
mod tests;
