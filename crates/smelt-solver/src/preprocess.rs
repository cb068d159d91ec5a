//! What happens to assertions before an engine sees them.
//!
//! [`lower`] takes binders, definitions and what we do not know out of the input, after [`recursive_maps`] has found the
//! recursive functions that are known by another name; [`quantifiers`] and [`language_ite`] say the same without quantifiers and
//! without choices between languages, where they can. [`simplify`] solves what needs no search, logging for each step how
//! a model of the rest becomes a model of the whole. [`functions`] replaces uninterpreted functions by constants,
//! [`unconstrained`] takes out what can be had at will, [`components`] splits what has nothing to do with each other.

pub mod components;
pub mod functions;
mod language_ite;
pub mod lower;
mod quantifiers;
pub mod recursive_maps;
pub mod replace;
pub mod simplify;
pub mod unconstrained;
