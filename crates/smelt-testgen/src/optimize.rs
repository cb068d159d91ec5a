//! `optimize`: turns seeds into optimization problems.
//!
//! Numbers and bit-vectors of a seed are to be made as large or as small as they can be, formulas of it become soft
//! constraints, and several objectives are weighed against each other in all ways that z3 has. Before that the seed may
//! be changed a little, and constants may get bounds: most objectives of an arbitrary formula have none.
//!
//! Objectives leave the models of a script as they are, so what is known of it stays known. Only some solvers take them;
//! the others are sent the script without: see `smelt_oracle::objectives`. The judge `optimum` looks at the values.

use smelt_oracle::objectives::{PRIORITY, Priority};
use smelt_semantics::literal;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::script::{Command, Extension, ExtensionPart, Role, Script};
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::term::{Head, Literal, Term, Terms};
use smelt_smtlib::walk::{subterms_as_read, tree_size};

use crate::ground_truth::Truth;
use crate::mutant::Mutant;
use crate::mutation::{GenerativeMutation, has_labels};
use crate::random::Random;
use crate::technique::Technique;

/// Optimization problems over the terms of seeds.
#[derive(Debug, Clone, Default)]
pub struct Optimize {
    generative: GenerativeMutation,
}

/// At most so many changes are made to a seed.
const MAX_CHANGES: u64 = 2;
/// At most so many terms are optimized, and there are at most so many soft constraints.
const MAX_GOALS: u64 = 3;
const MAX_SOFT: u64 = 4;
/// Larger terms are not optimized.
const MAX_NODES: u64 = 80;
/// Constants get bounds once in so many cases.
const BOUNDS_ONE_IN: u64 = 2;
/// How to optimize is said once in so many cases.
const ENGINE_ONE_IN: u64 = 4;

/// Options that change how a solver searches and not what it must find. All releases of z3 since 4.8 know them.
const ENGINES: &[(&str, &str)] = &[
    (":opt.optsmt_engine", "symba"),
    (":opt.maxsat_engine", "wmax"),
    (":opt.maxsat_engine", "pd-maxres"),
    (":opt.elim_01", "false"),
    (":opt.enable_sat", "false"),
];

const WEIGHTS: [&str; 7] = ["1", "2", "3", "0.5", "0.25", "7", "10"];
const GROUPS: [&str; 3] = ["", "a", "b"];

impl Technique for Optimize {
    fn name(&self) -> &'static str {
        "optimize"
    }

    fn summary(&self) -> &'static str {
        "make terms as large or small as they can be, with soft constraints (judge `optimum`)"
    }

    /// Few solvers take objectives.
    fn is_usual(&self) -> bool {
        false
    }

    fn chain_length(&self) -> u32 {
        16
    }

    fn max_bytes(&self, _: usize) -> usize {
        usize::MAX
    }

    fn step(&self, terms: &mut Terms, mutant: &mut Mutant<'_>, random: &mut Random) -> bool {
        let mut script = mutant.seed.script.clone();
        let mut truth = mutant.seed.truth.clone();
        let changes = random.below(MAX_CHANGES + 1);
        let operators = mutant.operators(terms, random);
        for _ in 0..changes {
            if self.generative.change(terms, &mut script, operators, random) {
                truth.doubt();
            }
        }
        let bounds = if random.one_in(BOUNDS_ONE_IN) { bounds(terms, &script, random) } else { Vec::new() };
        if !bounds.is_empty() {
            truth.doubt();
        }
        let assertions: Vec<Term> = script.assertions().collect();
        // A name that stands for a part of an assertion may stand for another one elsewhere.
        if assertions.iter().any(|assertion| has_labels(terms, *assertion)) {
            return false;
        }
        let mut objectives = goals(terms, &script, &assertions, random);
        if objectives.is_empty() || random.one_in(3) {
            objectives.extend(soft_constraints(terms, &assertions, random));
        }
        if objectives.is_empty() {
            return false;
        }
        random_order(&mut objectives, random);
        let priority = Priority::ALL[random.position(Priority::ALL.len())];
        let mut made = script.emptied();
        made.push(option(terms, PRIORITY, priority.word()));
        if random.one_in(ENGINE_ONE_IN) {
            let (name, value) = ENGINES[random.position(ENGINES.len())];
            made.push(option(terms, name, value));
        }
        mutant.detail = format!("{} objectives, {}", objectives.len(), priority.word());
        for command in &script.commands {
            if command.role() == Role::Check {
                for command in bounds.iter().chain(&objectives) {
                    made.push(command.clone());
                }
            }
            made.push(command.clone());
        }
        mutant.truth = match truth {
            Truth::Unsat(_) => Truth::all_unsat(&made),
            other => other,
        };
        mutant.script = made;
        true
    }
}

fn option(terms: &mut Terms, name: &str, value: &str) -> Command {
    let (name, value) = (terms.symbols.intern(name), terms.symbols.intern(value));
    Command::SetOption(name, Some(value))
}

fn random_order(commands: &mut Vec<Command>, random: &mut Random) {
    let mut left = std::mem::take(commands);
    while let Some(command) = random.take(&mut left) {
        commands.push(command);
    }
}

/// The declared constants of sorts that can be optimized, and the lengths of strings.
fn constants(terms: &mut Terms, script: &Script) -> Vec<Term> {
    let mut found = Vec::new();
    for command in &script.commands {
        let (name, sort) = match command {
            Command::DeclareConst(name, sort) => (*name, *sort),
            Command::DeclareFun(name, params, sort) if params.is_empty() => (*name, *sort),
            _ => continue,
        };
        let constant = terms.constant(name, sort);
        if is_number(terms, sort) {
            found.push(constant);
        } else if sort == Sort::STRING {
            found.push(build::len(terms, constant));
        }
    }
    found
}

fn is_number(terms: &Terms, sort: Sort) -> bool {
    matches!(terms.sorts.kind(sort), SortKind::Int | SortKind::Real | SortKind::BitVec(_))
}

/// Bounds for constants, some of them strict.
fn bounds(terms: &mut Terms, script: &Script, random: &mut Random) -> Vec<Command> {
    const LOW: [i32; 4] = [-20, -1, 0, 3];
    const WIDTHS: [i32; 4] = [0, 1, 9, 1000];
    let mut commands = Vec::new();
    for constant in constants(terms, script) {
        let sort = terms.sort(constant);
        if !matches!(terms.sorts.kind(sort), SortKind::Int | SortKind::Real) || random.one_in(4) {
            continue;
        }
        let low = LOW[random.position(LOW.len())];
        let ends = [(low, Op::Le, Op::Lt), (low + WIDTHS[random.position(WIDTHS.len())], Op::Ge, Op::Gt)];
        for (end, weak, strict) in ends {
            let end = number(terms, end, sort);
            let op = if random.one_in(3) { strict } else { weak };
            let bound = terms.apply(op, &[], &[end, constant]);
            commands.extend(bound.ok().map(Command::Assert));
        }
    }
    commands
}

fn number(terms: &mut Terms, value: i32, sort: Sort) -> Term {
    if sort == Sort::INT {
        return literal::int(terms, &value.into());
    }
    let magnitude = terms.literal(Literal::Decimal, &format!("{}.0", value.unsigned_abs()), sort);
    if value < 0 { build::apply(terms, Op::Neg, &[magnitude]) } else { magnitude }
}

/// Terms that are to be as large or as small as they can be.
fn goals(terms: &mut Terms, script: &Script, assertions: &[Term], random: &mut Random) -> Vec<Command> {
    let constants = constants(terms, script);
    let parts: Vec<Term> = subterms_as_read(terms, assertions)
        .into_iter()
        .filter(|term| {
            is_number(terms, terms.sort(*term))
                && !terms.has_locals(*term)
                && !matches!(terms.head(*term), Head::Literal(..))
                && tree_size(terms, *term) <= MAX_NODES
        })
        .collect();
    let mut commands = Vec::new();
    for _ in 0..1 + random.below(MAX_GOALS) {
        let from = if random.one_in(2) { &constants } else { &parts };
        let Some(first) = random.choose(from).or_else(|| random.choose(&parts)).copied() else { continue };
        let term = combined(terms, first, &constants, &parts, random);
        let word = if random.one_in(2) { "maximize" } else { "minimize" };
        commands.push(extension(word, vec![ExtensionPart::Term(term)]));
    }
    commands
}

/// A term, or a small combination of it with another.
fn combined(terms: &mut Terms, first: Term, constants: &[Term], parts: &[Term], random: &mut Random) -> Term {
    let sort = terms.sort(first);
    let others: Vec<Term> =
        constants.iter().chain(parts).copied().filter(|term| terms.sort(*term) == sort).collect();
    let is_bits = matches!(terms.sorts.kind(sort), SortKind::BitVec(_));
    let made = match (random.below(6), random.choose(&others).copied()) {
        (0, _) if is_bits => terms.apply(Op::BvNeg, &[], &[first]),
        (0, _) => terms.apply(Op::Neg, &[], &[first]),
        (1, Some(second)) if is_bits => terms.apply(Op::BvAdd, &[], &[first, second]),
        (1, Some(second)) => terms.apply(Op::Add, &[], &[first, second]),
        (2, Some(second)) if is_bits => terms.apply(Op::BvXor, &[], &[first, second]),
        (2, Some(second)) => terms.apply(Op::Sub, &[], &[first, second]),
        _ => return first,
    };
    made.unwrap_or(first)
}

/// Formulas that may be false at a cost.
fn soft_constraints(terms: &mut Terms, assertions: &[Term], random: &mut Random) -> Vec<Command> {
    let formulas: Vec<Term> = subterms_as_read(terms, assertions)
        .into_iter()
        .filter(|term| {
            terms.sort(*term) == Sort::BOOL
                && !terms.has_locals(*term)
                && terms.op(*term).is_none_or(|op| !matches!(op, Op::True | Op::False))
                && tree_size(terms, *term) <= MAX_NODES
        })
        .collect();
    let mut commands = Vec::new();
    for _ in 0..1 + random.below(MAX_SOFT) {
        let Some(formula) = random.choose(&formulas).copied() else { break };
        let formula = if random.one_in(2) { build::not(terms, formula) } else { formula };
        let mut parts = vec![ExtensionPart::Term(formula)];
        let mut attribute = |name: &str, value: &str| {
            for text in [name, value] {
                parts.push(ExtensionPart::Text(terms.symbols.intern(text)));
            }
        };
        if !random.one_in(3) {
            attribute(":weight", WEIGHTS[random.position(WEIGHTS.len())]);
        }
        match GROUPS[random.position(GROUPS.len())] {
            "" => {}
            group => attribute(":id", group),
        }
        commands.push(extension("assert-soft", parts));
    }
    commands
}

fn extension(word: &'static str, parts: Vec<ExtensionPart>) -> Command {
    Command::Extension(Extension { word, role: Role::Setting, parts })
}

#[cfg(test)]
mod tests {
    use smelt_oracle::case::Expectation;
    use smelt_oracle::objectives::{has_objectives, objectives, without_objectives};
    use smelt_smtlib::print::script_text;

    use super::*;
    use crate::chain::Chain;
    use crate::library::Library;
    use crate::seed::Seed;

    const SEED: &str = "; expect: sat\n(declare-const x Int)(declare-const r Real)(declare-const b (_ BitVec 4))\
        (declare-const s String)(assert (or (< (+ x 1) 5) (> r 0.5)))(assert (= (bvadd b #x1) #x3))(check-sat)";

    #[test]
    fn optimize() {
        let mut terms = Terms::new();
        let seed = Seed::read(&mut terms, "seed", SEED).unwrap();
        let library = Library::default();
        let mut words: Vec<&str> = Vec::new();
        for random_seed in 0..200 {
            let mut mutant = Mutant::new(&seed, &library);
            let mut random = Random::new(random_seed);
            assert!(Optimize::default().step(&mut terms, &mut mutant, &mut random));
            assert!(has_objectives(&mutant.script));
            let found = objectives(&mut terms, &mutant.script).unwrap();
            assert!(found.priority.is_some() && !found.list.is_empty());
            let text = script_text(&mut terms, &mutant.script);
            let wanted = [
                "(maximize ",
                "(minimize ",
                "(assert-soft ",
                ":weight 0.25",
                ":id b",
                "(str.len s)",
                " box)",
            ];
            words.extend(wanted.iter().filter(|word| text.contains(**word)));
        }
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), 7, "{words:?}");
    }

    #[test]
    fn objectives_leave_the_answer_as_it_is() {
        let mut terms = Terms::new();
        let source = "; expect: unsat\n(declare-const x Int)(assert (> x 5))(assert (< x 5))(check-sat)";
        let seed = Seed::read(&mut terms, "seed", source).unwrap();
        let library = Library::default();
        let mut known = 0;
        for random_seed in 0..40 {
            let technique = Optimize::default();
            let mut mutant = Mutant::new(&seed, &library);
            let mut random = Random::new(random_seed);
            assert!(technique.step(&mut terms, &mut mutant, &mut random));
            let plain = without_objectives(&terms, &mutant.script);
            if script_text(&mut terms, &plain) == script_text(&mut terms, &seed.script) {
                let mut chain = Chain::start(&mut terms, &seed, &technique, &library, random_seed);
                let case = chain.next(&mut terms).unwrap();
                assert_eq!(case.expectation, Expectation::Unsat);
                known += 1;
            }
        }
        assert!(known > 0);
    }
}
