//! The names that every arena of terms starts with: those of operators, then the words that SMT-LIB reserves.
//!
//! The table is made when this crate is compiled, because making it would be most of the work of a program that reads
//! a small formula. A name's position is the number of its symbol in every arena.

use crate::op::{Op, ROWS, Spelling};
use crate::symbol::{FixedSymbols, Symbol};
use crate::term::ClosureKind;

/// Reserved words that can stand at the head of a list where a term is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keyword {
    Let,
    Forall,
    Exists,
    Lambda,
    Match,
    Annotation,
    Indexed,
    As,
    Par,
    Choice,
    Witness,
    Comprehension,
    /// A word that SMT-LIB reserves and that starts no term.
    Other,
}

impl Keyword {
    /// Whether no script may declare the word. `lambda` became reserved with SMT-LIB 2.7.
    pub(crate) fn is_always_reserved(self) -> bool {
        self.closure().is_none() && self != Keyword::Lambda
    }

    /// The binder of a solver extension that the word starts, unless the script declares the word.
    pub(crate) fn closure(self) -> Option<ClosureKind> {
        match self {
            Keyword::Choice => Some(ClosureKind::Choice),
            Keyword::Witness => Some(ClosureKind::Witness),
            Keyword::Comprehension => Some(ClosureKind::Comprehension),
            _ => None,
        }
    }
}

const KEYWORDS: &[(&str, Keyword)] = &[
    ("let", Keyword::Let),
    ("forall", Keyword::Forall),
    ("exists", Keyword::Exists),
    ("lambda", Keyword::Lambda),
    ("match", Keyword::Match),
    ("!", Keyword::Annotation),
    ("_", Keyword::Indexed),
    ("as", Keyword::As),
    ("par", Keyword::Par),
    ("choice", Keyword::Choice),
    ("witness", Keyword::Witness),
    ("set.comprehension", Keyword::Comprehension),
    ("BINARY", Keyword::Other),
    ("DECIMAL", Keyword::Other),
    ("HEXADECIMAL", Keyword::Other),
    ("NUMERAL", Keyword::Other),
    ("STRING", Keyword::Other),
];

/// The table of all reserved names.
pub(crate) static RESERVED: Reserved = Reserved::of_the_language();

/// Names, and what they stand for.
pub(crate) struct Reserved {
    /// Names of operators in the order of their first row, then keywords.
    symbols: FixedSymbols,
    /// How many names are those of operators.
    operator_names: usize,
    spellings: [Spelling; FixedSymbols::ROOM],
    /// The operators of all names, name after name.
    ops: [Op; FixedSymbols::ROOM],
    /// Where the operators of each name start, and where the last ones end.
    starts: [u16; FixedSymbols::ROOM],
}

impl Reserved {
    const fn of_the_language() -> Self {
        let mut symbols = FixedSymbols::new();
        let mut spellings = [Spelling::Neutral; FixedSymbols::ROOM];
        // At first how many operators the name before has.
        let mut starts = [0; FixedSymbols::ROOM];
        let mut row = 0;
        while row < ROWS.len() {
            let mut position = 0;
            while position <= ROWS[row].old_names.len() {
                let (name, spelling) = ROWS[row].name_at(position);
                let known = symbols.len();
                let symbol = symbols.intern(name);
                if symbols.len() > known {
                    spellings[symbol] = spelling;
                }
                starts[symbol + 1] += 1;
                position += 1;
            }
            row += 1;
        }
        let operator_names = symbols.len();
        let mut name = 0;
        while name < operator_names {
            starts[name + 1] += starts[name];
            name += 1;
        }
        // Operators of one name stay in the order of their rows.
        let mut ops = [Op::True; FixedSymbols::ROOM];
        let mut next = starts;
        let mut row = 0;
        while row < ROWS.len() {
            let mut position = 0;
            while position <= ROWS[row].old_names.len() {
                let symbol = symbols.intern(ROWS[row].name_at(position).0);
                ops[next[symbol] as usize] = ROWS[row].op;
                next[symbol] += 1;
                position += 1;
            }
            row += 1;
        }
        let mut keyword = 0;
        while keyword < KEYWORDS.len() {
            let symbol = symbols.intern(KEYWORDS[keyword].0);
            assert!(symbol == operator_names + keyword, "no operator is spelled as a keyword");
            keyword += 1;
        }
        Reserved { symbols, operator_names, spellings, ops, starts }
    }

    /// What arenas start with.
    pub(crate) fn symbols(&self) -> &FixedSymbols {
        &self.symbols
    }

    /// Every name of an operator.
    pub(crate) fn operator_names(&self) -> impl Iterator<Item = &str> {
        (0..self.operator_names as u32).map(|number| self.symbols.text(Symbol(number)))
    }

    /// The symbol of a reserved name.
    pub(crate) fn get(&self, name: &str) -> Option<Symbol> {
        self.symbols.get(name)
    }

    /// What a symbol says of the dialect of the text that uses it.
    #[inline]
    pub(crate) fn spelling(&self, symbol: Symbol) -> Spelling {
        if symbol.index() < self.operator_names { self.spellings[symbol.index()] } else { Spelling::Neutral }
    }

    /// The operators that a symbol may stand for when nobody declared it.
    #[inline]
    pub(crate) fn ops(&self, symbol: Symbol) -> &[Op] {
        if symbol.index() >= self.operator_names {
            return &[];
        }
        let [start, end] = [self.starts[symbol.index()], self.starts[symbol.index() + 1]];
        &self.ops[usize::from(start)..usize::from(end)]
    }

    /// The reserved word that a symbol is, if it is one.
    #[inline]
    pub(crate) fn keyword(&self, symbol: Symbol) -> Option<Keyword> {
        let position = symbol.index().checked_sub(self.operator_names)?;
        KEYWORDS.get(position).map(|(_, keyword)| *keyword)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_whether_it_is_old() {
        let spelling = |name: &str| RESERVED.spelling(RESERVED.get(name).unwrap());
        assert_eq!(spelling("str.in.re"), Spelling::Old);
        assert_eq!(spelling("str.in_re"), Spelling::New);
        assert_eq!(spelling("str.len"), Spelling::Neutral);
        assert_eq!(spelling("let"), Spelling::Neutral);
    }

    #[test]
    fn a_keyword_is_no_operator() {
        let keyword = RESERVED.get("forall").unwrap();
        assert_eq!(RESERVED.keyword(keyword), Some(Keyword::Forall));
        assert!(RESERVED.ops(keyword).is_empty());
        assert_eq!(RESERVED.keyword(RESERVED.get("and").unwrap()), None);
    }

    #[test]
    fn every_operator_is_found_by_all_its_names() {
        for op in Op::all() {
            let info = op.info();
            for name in info.old_names.iter().chain([&info.name]) {
                assert!(Op::named(name).contains(&op), "{name}");
            }
        }
        assert_eq!(RESERVED.operator_names().count(), RESERVED.operator_names);
    }
}
