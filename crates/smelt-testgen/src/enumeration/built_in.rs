//! The grammars that come with smelt: files in the folder `grammars` of this crate, which say what they correct.

use super::grammar::Grammar;

/// A grammar that comes with smelt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its id, which users see.
    pub name: &'static str,
    /// What its formulas are about, in one line.
    pub about: &'static str,
    /// The text of its file.
    pub source: &'static str,
}

macro_rules! built_in {
    ($($name:literal $about:literal;)*) => {
        &[$(BuiltIn {
            name: $name,
            about: $about,
            source: include_str!(concat!("../../grammars/", $name, ".grammar")),
        }),*]
    };
}

/// All of them: first the eight of the thesis.
pub const BUILT_IN: &[BuiltIn] = built_in! {
    "core" "Boolean terms";
    "ints" "integer arithmetic";
    "reals" "real arithmetic";
    "realints" "mixed integer and real arithmetic";
    "bitvectors" "bit vectors of 64 bits";
    "arrays" "arrays from bit vectors to bit vectors";
    "fp" "floating point numbers of double precision";
    "strings" "strings and regular expressions";
    "strings-rich" "strings, regular expressions, codes and integer arithmetic";
    "sequences" "sequences of integers";
    "datatypes" "lists of integers as a datatype";
    "uf" "equality with uninterpreted functions";
    "quantified-ints" "integer arithmetic with one or two nested quantifiers";
    "sets" "finite sets of integers, as cvc5 has them";
    "relations" "relations between integers, as cvc5 has them";
    "bags" "bags of integers, as cvc5 has them";
    "finite-fields" "the field of seven elements, as cvc5 has it";
    "higher-order" "functions from integers to integers as values";
    "transcendentals" "real arithmetic with sine, cosine and tangent";
};

impl BuiltIn {
    /// The one with this name, in upper or lower case.
    pub fn named(name: &str) -> Option<&'static BuiltIn> {
        BUILT_IN.iter().find(|built_in| built_in.name.eq_ignore_ascii_case(name))
    }

    /// What its file says.
    pub fn grammar(&self) -> Grammar {
        Grammar::parse(self.source).expect("the built-in grammars are well-formed")
    }
}
