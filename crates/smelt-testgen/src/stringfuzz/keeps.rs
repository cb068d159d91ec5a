//! What of an answer a transformer keeps, by the operators of a script.
//!
//! A transformer maps words and numbers, and thereby models: renaming letters and reversing words map them to each other
//! one to one, repeating letters maps them one to one into others. It keeps the answer if every operator of the script
//! gives the mapped result for mapped arguments. Tests try this claim on random formulas and models.

use smelt_smtlib::op::{Op, Theory};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Head, Literal, Term, Terms};
use smelt_smtlib::walk::subterms;

/// What of the answer of a script stays when it is transformed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// Nothing is claimed.
    Nothing,
    /// If the script is satisfiable, so is the new one.
    Sat,
    /// Both are satisfiable, or both are not.
    Answer,
}

impl Keeps {
    /// What it says, for people.
    pub fn word(self) -> &'static str {
        match self {
            Keeps::Nothing => "nothing",
            Keeps::Sat => "sat",
            Keeps::Answer => "the answer",
        }
    }
}

/// Whether letters can be renamed, one to one, without changing the answer, as far as operators go: ranges are another
/// matter. `keeps_digits` says that no digit is renamed.
pub(super) fn allows_renaming(terms: &Terms, script: &Script, keeps_digits: bool) -> bool {
    is_plain(terms, script, |op| match op {
        Op::StrLt | Op::StrLe | Op::StrToCode | Op::StrFromCode => false,
        Op::StrToLower | Op::StrToUpper | Op::Char => false,
        Op::StrIsDigit | Op::StrToInt | Op::StrFromInt => keeps_digits,
        _ => true,
    })
}

/// Whether all words can be reversed without changing the answer; prefixes then become suffixes.
pub(super) fn allows_reversing(terms: &Terms, script: &Script) -> bool {
    is_plain(terms, script, |op| match op.info().theory {
        Theory::Strings => matches!(
            op,
            Op::Char
                | Op::StrConcat
                | Op::StrLen
                | Op::StrPrefixof
                | Op::StrSuffixof
                | Op::StrContains
                | Op::StrIsDigit
                | Op::StrToCode
                | Op::StrFromCode
                | Op::StrInRe
                | Op::StrRev
                | Op::StrToLower
                | Op::StrToUpper
        ),
        _ => true,
    })
}

/// Whether a model stays one when all letters of its words are repeated and all numbers multiplied.
pub(super) fn allows_multiplying(terms: &Terms, script: &Script) -> bool {
    is_plain(terms, script, |op| match op.info().theory {
        Theory::Ints => {
            matches!(op, Op::Neg | Op::Sub | Op::Add | Op::Abs | Op::Le | Op::Lt | Op::Ge | Op::Gt)
        }
        Theory::Strings => matches!(
            op,
            Op::StrConcat
                | Op::StrLen
                | Op::StrLt
                | Op::StrLe
                | Op::StrSubstr
                | Op::StrPrefixof
                | Op::StrSuffixof
                | Op::StrContains
                | Op::StrReplace
                | Op::StrReplaceAll
                | Op::StrInRe
        ),
        // The languages must be the images of what they were, so that a product of them is one too.
        Theory::Regexes => matches!(
            op,
            Op::StrToRe
                | Op::ReNone
                | Op::ReConcat
                | Op::ReUnion
                | Op::ReInter
                | Op::ReDiff
                | Op::ReStar
                | Op::RePlus
                | Op::ReOpt
                | Op::RePower
                | Op::ReLoop
        ),
        _ => true,
    })
}

/// Whether a script is made of declared constants, literals and operators of which `allows` holds, over Booleans, integers,
/// strings and regular expressions.
fn is_plain(terms: &Terms, script: &Script, allows: impl Fn(Op) -> bool) -> bool {
    let is_command_plain = |command: &Command| match command {
        Command::DeclareFun(_, params, _) => params.is_empty(),
        Command::DeclareConst(..) | Command::Assert(_) | Command::CheckSat => true,
        Command::SetLogic(_) | Command::SetInfo(..) | Command::SetOption(..) | Command::Exit => true,
        Command::GetModel | Command::Echo(_) | Command::GetInfo(_) => true,
        _ => false,
    };
    let is_term_plain = |term: &Term| {
        let sort = terms.sort(*term);
        let is_known = matches!(sort, Sort::BOOL | Sort::INT | Sort::STRING | Sort::REG_LAN);
        let is_usual = match terms.head(*term) {
            Head::Op(op, _) => {
                matches!(op.info().theory, Theory::Core | Theory::Ints | Theory::Strings | Theory::Regexes)
                    && allows(op)
            }
            Head::Literal(literal, _) => matches!(literal, Literal::Numeral | Literal::Str),
            Head::Global(_) => terms.args(*term).is_empty(),
            _ => false,
        };
        is_known && is_usual
    };
    let roots: Vec<Term> = script.assertions().collect();
    script.commands.iter().all(is_command_plain) && subterms(terms, &roots).iter().all(is_term_plain)
}
