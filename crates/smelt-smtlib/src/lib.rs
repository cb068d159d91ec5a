//! SMT-LIB text to typed, hash-consed terms and back.
//!
//! Two layers. [`sexp`] reads anything balanced and never loses a byte. [`read`] turns it into [`script::Script`]s
//! over [`term::Terms`], sort-checked by the one table of operators in [`op`]; what the table does not know is carried
//! along as opaque. [`print`] is the way back.
//!
//! The crate is pure: no files, no clock, no processes. Nothing recurses on the depth of a term.

pub mod build;
pub mod canonical;
pub mod diagnostic;
pub mod dialect;
mod hash_index;
mod logic;
pub mod op;
pub mod print;
pub mod read;
pub mod rename;
mod reserved;
pub mod script;
pub mod sexp;
pub mod share;
pub mod sort;
pub mod source;
pub mod substitute;
pub mod symbol;
pub mod term;
pub mod transfer;
pub mod typing;
pub mod walk;
