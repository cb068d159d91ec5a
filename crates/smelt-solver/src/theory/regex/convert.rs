//! From ground terms to regular expressions.
//!
//! Nested concatenations and unions are flattened on the way, so that a chain of n of them costs n steps, whichever way it
//! leans. What is not ground, or has counts beyond 2^64, is reported and left to the caller.

use rustc_hash::FxHashMap;
use smelt_semantics::string::{MAX_CHAR, Str};
use smelt_semantics::{Budget, LimitReached};
use smelt_smtlib::op::Op;
use smelt_smtlib::term::{Head, Index, Literal, Term, Terms};

use super::{Re, Regexes};
use smelt_semantics::letters::LetterSet;

/// Cost of one term.
const TERM_COST: u64 = 200;

/// Why a term did not become a regular expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unconverted {
    /// This part is not a constant that we can read.
    NotGround(Term),
    /// The budget is spent.
    LimitReached,
}

impl From<LimitReached> for Unconverted {
    fn from(_: LimitReached) -> Self {
        Unconverted::LimitReached
    }
}

impl Regexes {
    /// The language that a ground term denotes.
    pub fn from_term(&mut self, terms: &Terms, term: Term, budget: &mut Budget) -> Result<Re, Unconverted> {
        let mut done: FxHashMap<Term, Re> = FxHashMap::default();
        // The operands of a term are found once, when it is first seen.
        let mut pending: Vec<(Term, Option<Vec<Term>>)> = vec![(term, None)];
        while let Some((top, operands)) = pending.pop() {
            if done.contains_key(&top) {
                continue;
            }
            match operands {
                None => {
                    budget.spend(TERM_COST)?;
                    let operands = regex_operands(terms, top, budget)?;
                    let missing: Vec<Term> =
                        operands.iter().copied().filter(|operand| !done.contains_key(operand)).collect();
                    pending.push((top, Some(operands)));
                    pending.extend(missing.into_iter().map(|operand| (operand, None)));
                }
                Some(operands) => {
                    let operands: Vec<Re> = operands.iter().map(|operand| done[operand]).collect();
                    budget.spend(TERM_COST + 50 * operands.len() as u64)?;
                    if terms.op(top) == Some(Op::ReConcat) {
                        // Factors of factors are written out.
                        let factors: usize = operands.iter().map(|operand| self.factor_count(*operand)).sum();
                        budget.spend(50 * factors as u64)?;
                        if factors > MAX_LEAVES {
                            return Err(Unconverted::LimitReached);
                        }
                    }
                    let re = self.apply(terms, top, &operands)?;
                    done.insert(top, re);
                }
            }
        }
        Ok(done[&term])
    }

    fn apply(&mut self, terms: &Terms, term: Term, operands: &[Re]) -> Result<Re, Unconverted> {
        let not_ground = Unconverted::NotGround(term);
        let Head::Op(op, indices) = terms.head(term) else {
            // An annotation; everything else was refused before.
            return Ok(operands[0]);
        };
        let count_at = |position: usize| match terms.indices(indices).get(position) {
            Some(Index::Number(count)) => Ok(*count),
            _ => Err(not_ground),
        };
        let count_of = |position: usize| {
            let Some(&arg) = terms.args(term).get(position) else { return Err(not_ground) };
            match terms.head(arg) {
                Head::Literal(Literal::Numeral, text) => {
                    terms.text(text).parse::<u64>().map_err(|_| not_ground)
                }
                _ => Err(not_ground),
            }
        };
        Ok(match op {
            Op::ReNone => Re::NONE,
            Op::ReAll => Re::ALL,
            Op::ReAllChar => Re::ALLCHAR,
            Op::StrToRe => self.word(&ground_word(terms, terms.args(term)[0])?),
            Op::ReRange => {
                let low = ground_word(terms, terms.args(term)[0])?;
                let high = ground_word(terms, terms.args(term)[1])?;
                match (&*low, &*high) {
                    (&[low], &[high]) => self.letters(LetterSet::range(low, high)),
                    _ => Re::NONE,
                }
            }
            Op::ReConcat => self.concat(operands),
            Op::ReUnion => self.union(operands),
            Op::ReInter => self.inter(operands),
            Op::ReStar => self.star(operands[0]),
            Op::RePlus => self.repeat(operands[0], 1, None),
            Op::ReOpt => self.optional(operands[0]),
            Op::ReComp => self.complement(operands[0]),
            Op::ReDiff => {
                let removed = self.union(&operands[1..]);
                self.difference(operands[0], removed)
            }
            Op::RePower => self.repeat(operands[0], count_at(0)?, Some(count_at(0)?)),
            Op::ReLoop => self.repeat(operands[0], count_at(0)?, Some(count_at(1)?)),
            Op::ReLoopFrom => self.repeat(operands[0], count_at(0)?, None),
            Op::ReLoopBetween => self.repeat(operands[0], count_of(1)?, Some(count_of(2)?)),
            _ => return Err(not_ground),
        })
    }
}

/// Longer concatenations are not written out, nor are longer chains of one operator or longer words.
const MAX_LEAVES: usize = 1 << 20;

/// The operands of a term that are regular expressions; chains of one operator at once.
fn regex_operands(terms: &Terms, term: Term, budget: &mut Budget) -> Result<Vec<Term>, Unconverted> {
    match terms.head(term) {
        Head::Annotated(_) => return Ok(vec![terms.args(term)[0]]),
        Head::Op(Op::StrToRe | Op::ReRange, _) => return Ok(Vec::new()),
        Head::Op(Op::ReConcat | Op::ReUnion, _) => {}
        Head::Op(Op::RePower | Op::ReLoop | Op::ReLoopFrom | Op::ReLoopBetween, _) => {
            return Ok(vec![terms.args(term)[0]]);
        }
        Head::Op(..) => return Ok(terms.args(term).to_vec()),
        _ => return Err(Unconverted::NotGround(term)),
    }
    let head = terms.head(term);
    let mut leaves = Vec::new();
    let mut pending: Vec<Term> = terms.args(term).iter().rev().copied().collect();
    while let Some(next) = pending.pop() {
        budget.spend(8)?;
        if leaves.len() + pending.len() > MAX_LEAVES {
            // What is shared stays shared.
            return Ok(terms.args(term).to_vec());
        }
        if terms.head(next) == head {
            pending.extend(terms.args(next).iter().rev());
        } else {
            leaves.push(next);
        }
    }
    Ok(leaves)
}

/// The word that a ground string term denotes, if it is made of literals only.
fn ground_word(terms: &Terms, term: Term) -> Result<Vec<u32>, Unconverted> {
    let mut letters = Vec::new();
    let mut pending = vec![term];
    while let Some(part) = pending.pop() {
        if letters.len() + pending.len() > MAX_LEAVES {
            return Err(Unconverted::LimitReached);
        }
        match terms.head(part) {
            Head::Literal(Literal::Str, text) => {
                let text = Str::from_literal(terms.text(text)).map_err(|_| Unconverted::NotGround(part))?;
                letters.extend_from_slice(text.chars());
            }
            Head::Op(Op::StrConcat, _) => pending.extend(terms.args(part).iter().rev()),
            Head::Op(Op::Char, indices) => {
                let letter = match terms.indices(indices) {
                    [Index::Text(text)] => {
                        let digits = terms.text(*text).strip_prefix("#x");
                        digits.and_then(|digits| u32::from_str_radix(digits, 16).ok())
                    }
                    [Index::Number(number)] => u32::try_from(*number).ok(),
                    _ => None,
                };
                match letter {
                    Some(letter) if letter <= MAX_CHAR => letters.push(letter),
                    _ => return Err(Unconverted::NotGround(part)),
                }
            }
            _ => return Err(Unconverted::NotGround(part)),
        }
    }
    Ok(letters)
}
