//! SMT-LIB text to typed, hash-consed terms and back.
//!
//! Two layers. [`sexp`] reads anything balanced and never loses a byte. [`read`] turns it into [`script::Script`]s
//! over [`term::Terms`], sort-checked by the one table of operators in [`op`]; what the table does not know is carried
//! along as opaque. [`print`] is the way back.
//!
//! The crate is pure: no files, no clock, no processes. Nothing recurses on the depth of a term.
//!
//! | to find | look in |
//! |---|---|
//! | the operators, their spellings and sorts | `op/table.rs`; the language of its signatures in `op/signature.rs`; operators by name in `reserved.rs` |
//! | text to S-expressions, losing nothing | [`sexp`] |
//! | S-expressions to typed scripts, with recovery from errors | [`read`] and below |
//! | terms, sorts, symbols: arenas of interned values | [`term`], [`sort`], [`symbol`] |
//! | sort checking by the operator table | [`typing`]; of what no pattern describes, in `typing/computed.rs` |
//! | commands that solvers add | `script/extension.rs` |
//! | building terms; walking, replacing, renaming apart, canonical form | [`build`]; [`walk`], [`substitute`], [`canonical`] |
//! | copying terms from one arena to another | [`transfer`] |
//! | printing, and `let` for what repeats itself | [`print`], [`share`]; a text printed anew in either dialect in [`convert`] |
//! | how much of a script is understood, and whether printing keeps it | [`legibility`] |
//! | old spellings and escapes | [`dialect`] |
//! | what is wrong with a text, and where | [`diagnostic`], [`source`]; with the line and carets, for people, in [`snippet`] |
//!
//! A text is read in two layers. The lower one turns anything balanced into a tape of nodes with byte spans; the upper
//! one turns a tape into a command over typed terms. Reading never gives up: a problem becomes a diagnostic, its place
//! becomes opaque, and reading goes on.
//!
//! A term is pure syntax. Binders keep their names, `let` and annotations are nodes like any other, literals keep
//! their text; so printing gives back what was read.

pub mod build;
pub mod canonical;
pub mod convert;
pub mod diagnostic;
pub mod dialect;
mod hash_index;
pub mod legibility;
mod logic;
pub mod op;
pub mod print;
pub mod read;
pub mod rename;
mod reserved;
pub mod script;
pub mod sexp;
pub mod share;
pub mod snippet;
pub mod sort;
pub mod source;
pub mod substitute;
pub mod symbol;
pub mod term;
pub mod transfer;
pub mod typing;
pub mod walk;
