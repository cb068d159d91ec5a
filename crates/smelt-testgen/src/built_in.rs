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
    "concat-length"
};
