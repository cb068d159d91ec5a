//! What must hold of any input, however broken: the bodies of the fuzz targets, and the seeds they start from.
//!
//! Each module has one function `check`, which panics if a property fails. The targets in `fuzz_targets/` call it on what
//! libFuzzer makes up; the tests here call it on the seeds, so that a stable toolchain finds gross mistakes.

pub mod eval;
pub mod parse;
pub mod print;
pub mod seeds;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_properties_hold_of_all_seeds() {
        for (name, seed) in seeds::all() {
            eprintln!("{name}");
            parse::check(&seed);
            print::check(&seed);
            eval::check(&seed);
        }
    }
}
