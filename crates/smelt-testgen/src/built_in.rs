//! Seeds of our own, so that a hunt needs no files.

/// One built-in seed.
#[derive(Debug, Clone, Copy)]
pub struct BuiltInSeed {
    /// Its name.
    pub name: &'static str,
    /// Its text, which starts with its expectation.
    pub source: &'static str,
}

macro_rules! seeds {
    ($($name:literal)*) => {
        &[$(BuiltInSeed {
            name: $name,
            source: include_str!(concat!("../testdata/seeds/", $name, ".smt2")),
        },)*]
    };
}

/// All built-in seeds.
pub const SEEDS: &[BuiltInSeed] = seeds! {
    "arrays-differ"
    "arrays-of-words"
    "at-is-short"
    "between-integers"
    "bits-and-sum"
    "bits-division"
    "bits-sliced"
    "bound-words"
    "chosen-words"
    "code-out-of-range"
    "code-points"
    "complement-and-intersection"
    "concat-length"
    "contains-transitive"
    "defined-predicate"
    "difference-of-languages"
    "digits-negative"
    "digits-round-trip"
    "divisible-sum"
    "division-rounds-down"
    "email-like"
    "every-integer"
    "floats-nan"
    "floats-not-associative"
    "functions-agree"
    "indexof-beyond-end"
    "indexof-second"
    "linear-infeasible"
    "lists"
    "loop-range"
    "order-prefix"
    "order-strict"
    "pigeons"
    "power-and-option"
    "prefix-and-suffix"
    "replace-all-shrinks"
    "replace-by-language"
    "replace-first-only"
    "star-and-length"
    "substr-covers"
    "substr-negative"
    "triangle"
    "word-equation-commutes"
    "word-equation-parity"
};
