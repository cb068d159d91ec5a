//! Terms drawn from the operator table itself: every row can be used, and what is printed is read back.

use proptest::prelude::*;
use rustc_hash::FxHashMap;

use super::*;
use crate::op::{Dialect, SortPattern, Theory};
use crate::print::{Layout, Printer};
use crate::read::read_script_as;
use crate::script::{Command, Script};
use crate::sort::SortKind;

/// Random numbers that the test fixes (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }
}

/// Terms made so far, by sort.
struct Pool {
    terms: Terms,
    random: Random,
    by_sort: FxHashMap<Sort, Vec<Term>>,
    constants: Vec<Term>,
}

impl Pool {
    fn new(seed: u64) -> Self {
        Pool {
            terms: Terms::new(),
            random: Random(seed | 1),
            by_sort: FxHashMap::default(),
            constants: Vec::new(),
        }
    }

    /// Some sort that a pattern can stand for, given what its variables stand for already.
    fn sort(&mut self, pattern: &SortPattern, bindings: &Bindings) -> Option<Sort> {
        let sorts = &mut self.terms.sorts;
        match pattern {
            SortPattern::Applied(constructor, parts) => {
                // Parts with the same variable are the same.
                let mut around = bindings.clone();
                let mut made = Vec::new();
                for part in parts {
                    let sort = self.sort(part, &around)?;
                    if !around.matches(&mut self.terms.sorts, part, sort) {
                        return None;
                    }
                    made.push(sort);
                }
                Some(self.terms.sorts.intern(constructor.apply(&made)?))
            }
            SortPattern::Field(_) => match bindings.build(sorts, pattern)? {
                Sort::UNKNOWN => {
                    let order = self.terms.symbols.intern("11");
                    Some(self.terms.sorts.intern(SortKind::FiniteField(order)))
                }
                sort => Some(sort),
            },
            _ => match bindings.build(sorts, pattern)? {
                Sort::UNKNOWN => Some(match pattern {
                    SortPattern::BitVec(_) => sorts.bit_vec(1 + self.random.below(8) as u32),
                    SortPattern::Float(..) => {
                        sorts.float(2 + self.random.below(4) as u32, 2 + self.random.below(6) as u32)
                    }
                    _ => [Sort::BOOL, Sort::INT, Sort::REAL, Sort::STRING][self.random.below(4)],
                }),
                sort => Some(sort),
            },
        }
    }

    /// A term of this sort: one made before, or a new constant.
    fn term(&mut self, sort: Sort) -> Term {
        let known = self.by_sort.entry(sort).or_default();
        if known.len() > 2 && self.random.below(4) > 0 {
            return known[self.random.below(known.len())];
        }
        let name = self.terms.symbols.intern(&format!("k{}", self.constants.len()));
        let constant = self.terms.constant(name, sort);
        self.constants.push(constant);
        known.push(constant);
        constant
    }

    /// Applies an operator by one of its signatures; none if the numbers drawn do not satisfy its conditions.
    fn apply(&mut self, op: Op, signature: &Signature) -> Option<Term> {
        let info = op.info();
        let indices: Vec<Index> = match op {
            Op::Char => vec![Index::Text(self.terms.symbols.intern("#x1F600"))],
            Op::FmfCard => vec![Index::Text(self.terms.symbols.intern("Int")), Index::Number(2)],
            Op::ArrayMapOp | Op::NullableLiftOp => vec![Index::Text(self.terms.symbols.intern("="))],
            _ if info.takes_any_indices => vec![Index::Number(0), Index::Number(0)],
            // The example takes the first component.
            Op::TupleSelect | Op::TupleUpdate => vec![Index::Number(0)],
            _ => info.indices.iter().map(|_| Index::Number(self.random.below(7) as u64)).collect(),
        };
        let mut bindings = Bindings::with_indices(&index_numbers(&indices));
        let arity = match info.attribute {
            Attribute::Fixed => signature.params.len(),
            _ => 2 + self.random.below(3),
        };
        let mut args = Vec::new();
        for position in 0..arity {
            // The width of a concatenation grows with every step; its later parts are free again.
            let pattern = &signature.params[position.min(signature.params.len() - 1)];
            let is_free = info.attribute == Attribute::LeftAssoc && op == Op::Concat;
            let around = if is_free { Bindings::default() } else { bindings.clone() };
            let sort = self.sort(pattern, &around)?;
            if !is_free && !bindings.matches(&mut self.terms.sorts, pattern, sort) {
                return None;
            }
            args.push(self.term(sort));
        }
        if !bindings.satisfy(&signature.conditions) {
            return None;
        }
        let ascribed = if info.is_ascribed { Some(self.sort(&signature.result, &bindings)?) } else { None };
        // Numbers out of range are the only reason to refuse.
        bindings.build(&mut self.terms.sorts, &signature.result)?;
        let result = self.terms.apply_ascribed(op, &indices, &args, ascribed);
        let term = result.unwrap_or_else(|error| panic!("{op:?} {}: {error:?}", signature.text));
        self.by_sort.entry(self.terms.sort(term)).or_default().push(term);
        Some(term)
    }

    /// Declarations of the constants, and an assertion that each term equals itself.
    fn script(&mut self, made: &[Term]) -> Script {
        let mut script = Script::default();
        for constant in &self.constants {
            let Head::Global(name) = self.terms.head(*constant) else {
                unreachable!("constants are globals")
            };
            script.push(Command::DeclareConst(name, self.terms.sort(*constant)));
        }
        for term in made {
            let equation = self.terms.apply(Op::Eq, &[], &[*term, *term]).expect("every sort has equality");
            script.push(Command::Assert(equation));
        }
        script
    }
}

fn command_text(terms: &mut Terms, command: &Command) -> String {
    let mut printer = Printer::new(terms, Dialect::V26, Layout::Flat);
    printer.command(command);
    printer.finish()
}

fn check(mut pool: Pool, made: &[Term]) {
    let script = pool.script(made);
    for dialect in [Dialect::V26, Dialect::V25] {
        let mut printer = Printer::new(&mut pool.terms, dialect, Layout::Shared);
        printer.script(&script);
        let text = printer.finish();
        let reading = read_script_as(&mut pool.terms, &text, dialect);
        assert_eq!(reading.diagnostics, []);
        for (read, made) in reading.script.commands.iter().zip(&script.commands) {
            assert_eq!(read, made, "{dialect:?}: {}", command_text(&mut pool.terms, made));
        }
    }
}

/// The operators of a script: the sets of cvc5 and those of Z3 share names, and no script has both.
fn operators_without(theory: Theory) -> impl Iterator<Item = Op> {
    Op::all().filter(move |op| op.info().theory != theory)
}

#[test]
fn every_signature_of_every_operator_can_be_used_printed_and_read() {
    for left_out in [Theory::Sets, Theory::FiniteSets] {
        let mut pool = Pool::new(7);
        let mut made = Vec::new();
        for op in operators_without(left_out) {
            for signature in &op.info().signatures {
                let term = (0..1000).find_map(|_| pool.apply(op, signature));
                made.push(term.unwrap_or_else(|| panic!("{op:?} {} cannot be used", signature.text)));
            }
        }
        check(pool, &made);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_terms_over_the_table_are_printed_and_read_back(seed: u64) {
        let mut pool = Pool::new(seed);
        let left_out = if seed % 2 == 0 { Theory::Sets } else { Theory::FiniteSets };
        let ops: Vec<Op> = operators_without(left_out).collect();
        let mut made = Vec::new();
        for _ in 0..300 {
            let op = ops[pool.random.below(ops.len())];
            let signatures = &op.info().signatures;
            let signature = &signatures[pool.random.below(signatures.len())];
            made.extend(pool.apply(op, signature));
        }
        check(pool, &made);
    }
}

#[test]
fn the_fast_path_agrees_with_the_patterns() {
    let mut terms = Terms::new();
    let sorts = [Sort::BOOL, Sort::INT, Sort::REAL, Sort::STRING, Sort::REG_LAN, Sort::UNKNOWN];
    let constants: Vec<Term> = sorts
        .iter()
        .enumerate()
        .map(|(number, sort)| {
            let name = terms.symbols.intern(&format!("c{number}"));
            terms.constant(name, *sort)
        })
        .collect();
    for op in Op::all().filter(|op| op.info().indices.is_empty()) {
        for first in &constants {
            for second in &constants {
                for args in [vec![*first], vec![*first, *second], vec![*first, *second, *second]] {
                    let Some(plain) = terms.plain_sort(op, Indices::NONE, &args) else { continue };
                    let sorts: Vec<Sort> = args.iter().map(|arg| terms.sort(*arg)).collect();
                    assert_eq!(sort_of_application(&mut terms.sorts, op, &[], &sorts), Ok(plain), "{op:?}");
                }
            }
        }
    }
}

#[test]
fn a_quotient_of_one_integer_is_a_real() {
    let mut terms = Terms::new();
    let one = terms.literal(crate::term::Literal::Numeral, "1", Sort::INT);
    let quotient = terms.apply(Op::RealDiv, &[], &[one]).unwrap();
    let product = terms.apply(Op::Mul, &[], &[one]).unwrap();
    assert_eq!([quotient, product].map(|term| terms.sort(term)), [Sort::REAL, Sort::INT]);
}

#[test]
fn only_operators_that_a_solver_takes_with_one_argument_have_one() {
    let mut terms = Terms::new();
    let one = terms.literal(crate::term::Literal::Numeral, "1", Sort::INT);
    let word = terms.literal(crate::term::Literal::Str, "a", Sort::STRING);
    let holds = terms.bool(true);
    assert!(terms.apply(Op::Lt, &[], &[one]).is_ok());
    assert!(terms.apply(Op::Distinct, &[], &[one]).is_ok());
    for (op, arg) in
        [(Op::Sub, one), (Op::Eq, one), (Op::StrLt, word), (Op::Iff, holds), (Op::Implies, holds)]
    {
        assert!(terms.apply(op, &[], &[arg]).is_err(), "{op:?}");
    }
}
