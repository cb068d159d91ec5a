//! Theories: their constants, which are written in a text, and their operations, which come from the operator table.

use smelt_smtlib::op::{self, Dialect, Op};
use smelt_smtlib::read::{Scope, read_term};
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::term::{Index, Term, Terms};
use smelt_smtlib::typing::sort_of_application;

use super::Settings;
use crate::blocks::blocks;
use crate::operators::{OperatorSet, is_portable, may_be};

/// A theory that tests are made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Theory {
    /// Strings, regular languages as constants, and integers where strings need them.
    Strings,
    /// Integers.
    Ints,
    /// Reals, and integers where reals are converted.
    Reals,
    /// Bit-vectors of four bits.
    BitVectors,
    /// Floating point of sixteen bits.
    Floats,
}

impl Theory {
    /// All of them.
    pub const ALL: [Theory; 5] =
        [Theory::Strings, Theory::Ints, Theory::Reals, Theory::BitVectors, Theory::Floats];

    /// The name that users see.
    pub fn name(self) -> &'static str {
        match self {
            Theory::Strings => "strings",
            Theory::Ints => "ints",
            Theory::Reals => "reals",
            Theory::BitVectors => "bitvectors",
            Theory::Floats => "floats",
        }
    }

    /// Whether an operator at arguments of these sorts is an operation of the theory.
    fn has(self, op: Op, args: &[Sort]) -> bool {
        let theory = op.info().theory;
        match self {
            Theory::Strings => theory == op::Theory::Strings,
            Theory::Ints => theory == op::Theory::Ints && args.iter().all(|sort| *sort == Sort::INT),
            Theory::Reals => match theory {
                op::Theory::Ints => args.iter().all(|sort| *sort == Sort::REAL),
                theory => theory == op::Theory::Reals,
            },
            Theory::BitVectors => theory == op::Theory::BitVectors,
            Theory::Floats => theory == op::Theory::Floats,
        }
    }
}

/// What a constant is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Boundary values for operations to be run on.
    Assignment,
    /// The few constants of which terms are made.
    Pool,
}

/// An operator at arguments of given sorts, with its indices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Operation {
    pub op: Op,
    pub indices: Vec<Index>,
    pub params: Vec<Sort>,
    pub result: Sort,
}

/// Constants, and the operations on their sorts.
#[derive(Debug)]
pub(super) struct Vocabulary {
    pub constants: Vec<Term>,
    pub operations: Vec<Operation>,
}

impl Vocabulary {
    /// What tests of a theory are made of.
    pub(super) fn new(terms: &mut Terms, settings: &Settings, purpose: Purpose) -> Vocabulary {
        let name = if settings.is_paper { "paper" } else { settings.theory.name() };
        let constants = read_constants(terms, name, purpose);
        let mut sorts: Vec<Sort> = Vec::new();
        for constant in &constants {
            let sort = terms.sort(*constant);
            if !sorts.contains(&sort) {
                sorts.push(sort);
            }
        }
        let mut operations = operations(terms, settings.theory, &sorts);
        if settings.is_paper {
            operations.retain(|operation| PAPER.contains(&operation.op));
        }
        Vocabulary { constants, operations }
    }

    /// The constants of a sort.
    pub(super) fn of_sort(&self, terms: &Terms, sort: Sort) -> Vec<Term> {
        self.constants.iter().copied().filter(|constant| terms.sort(*constant) == sort).collect()
    }
}

/// The operations of the paper.
const PAPER: &[Op] = &[
    Op::StrAt,
    Op::StrConcat,
    Op::StrFromInt,
    Op::StrReplace,
    Op::StrSubstr,
    Op::StrIndexof,
    Op::StrLen,
    Op::StrToInt,
    Op::StrContains,
    Op::Eq,
    Op::StrPrefixof,
    Op::StrSuffixof,
];

fn read_constants(terms: &mut Terms, name: &str, purpose: Purpose) -> Vec<Term> {
    let purpose = match purpose {
        Purpose::Assignment => "assignment",
        Purpose::Pool => "pool",
    };
    let blocks = blocks(include_str!("../../testdata/construct/constants.txt"))
        .expect("the built-in constants are in blocks");
    let block = blocks
        .iter()
        .find(|block| block.words == [name, purpose])
        .expect("every theory has constants for both purposes");
    let mut scope = Scope::new();
    let mut read = |line: &&str| read_term(terms, &mut scope, line, Dialect::V26);
    block.lines.iter().map(|line| read(line).expect("the built-in constants are terms")).collect()
}

/// The standard operators of a theory at arguments of these sorts, and equality of its values.
fn operations(terms: &mut Terms, theory: Theory, sorts: &[Sort]) -> Vec<Operation> {
    let mut operations: Vec<Operation> = Vec::new();
    for op in OperatorSet::standard().iter() {
        for signature in &op.info().signatures {
            let fits = |pattern, sort| may_be(&terms.sorts, pattern, sort);
            let choices: Vec<Vec<Sort>> = signature
                .params
                .iter()
                .map(|pattern| sorts.iter().copied().filter(|sort| fits(pattern, *sort)).collect())
                .collect();
            for params in products(&choices) {
                if params.is_empty() || !theory.has(op, &params) || !is_portable(&terms.sorts, op, &params) {
                    continue;
                }
                for indices in index_lists(terms, op, &params, sorts) {
                    let Ok(result) = sort_of_application(&mut terms.sorts, op, &indices, &params) else {
                        continue;
                    };
                    let operation = Operation { op, indices, params: params.clone(), result };
                    if !operations.contains(&operation) {
                        operations.push(operation);
                    }
                }
            }
        }
    }
    // The first constant is one of the values that the theory is about.
    let params = vec![sorts[0]; 2];
    operations.push(Operation { op: Op::Eq, indices: Vec::new(), params, result: Sort::BOOL });
    operations
}

/// All ways to choose one of each list.
fn products(choices: &[Vec<Sort>]) -> Vec<Vec<Sort>> {
    choices.iter().fold(vec![Vec::new()], |chosen, sorts| {
        chosen
            .iter()
            .flat_map(|chosen: &Vec<Sort>| {
                sorts.iter().map(|sort| chosen.iter().copied().chain([*sort]).collect())
            })
            .collect()
    })
}

/// Indices to try with an operator; some may not fit.
fn index_lists(terms: &Terms, op: Op, params: &[Sort], sorts: &[Sort]) -> Vec<Vec<Index>> {
    if op.info().indices.is_empty() {
        return vec![Vec::new()];
    }
    let width = match terms.sorts.kind(params[0]) {
        SortKind::BitVec(width) => u64::from(*width),
        _ => 0,
    };
    let lists: Vec<Vec<u64>> = match op {
        Op::Extract => {
            vec![vec![width - 1, 0], vec![width - 1, width - 1], vec![width.saturating_sub(2), 1]]
        }
        Op::Repeat => vec![vec![1], vec![2]],
        Op::ZeroExtend | Op::SignExtend => vec![vec![0], vec![3]],
        Op::RotateLeft | Op::RotateRight => vec![vec![1], vec![width]],
        Op::FpToUbv | Op::FpToSbv => vec![vec![8]],
        Op::ToFp | Op::ToFpUnsigned => sorts
            .iter()
            .filter_map(|sort| match terms.sorts.kind(*sort) {
                SortKind::Float(exponent, significand) => {
                    Some(vec![u64::from(*exponent), u64::from(*significand)])
                }
                _ => None,
            })
            .collect(),
        // An indexed operator that nobody taught us indices for is left out.
        _ => Vec::new(),
    };
    lists.into_iter().map(|list| list.into_iter().map(Index::Number).collect()).collect()
}
