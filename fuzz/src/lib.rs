//! What must hold of any input, however broken: the bodies of the fuzz targets, and the seeds they start from.
//!
//! Each module has one function `check`, which panics if a property fails. The targets in `fuzz_targets/` call it on what
//! libFuzzer makes up; the tests here call it on the seeds, so that a stable toolchain finds gross mistakes.

pub mod eval;
pub mod mutate;
pub mod parse;
pub mod print;
pub mod seeds;

use smelt_smtlib::read::read_script;
use smelt_smtlib::script::{Origin, Script};
use smelt_smtlib::source::Span;
use smelt_smtlib::term::Terms;

/// Where the commands of a script stand that was read and not changed.
pub fn places(script: &Script) -> Vec<Span> {
    let place = |origin: &Origin| match origin {
        Origin::Read(span) => Some(*span),
        Origin::Changed(_) | Origin::Made => None,
    };
    script.origins.iter().filter_map(place).collect()
}

/// The commands of a script that nothing is wrong with: a change seldom leaves all of them well-formed.
pub fn well_formed_part(source: &str) -> String {
    let mut text = source.to_owned();
    for _ in 0..4 {
        let reading = read_script(&mut Terms::new(), &text);
        if reading.diagnostics.is_empty() {
            return text;
        }
        let is_flawless = |span: &Span| {
            reading
                .diagnostics
                .iter()
                .all(|problem| problem.span.start >= span.end || problem.span.end <= span.start)
        };
        text = places(&reading.script)
            .into_iter()
            .filter(is_flawless)
            .map(|span| format!("{}\n", span.text(&text)))
            .collect();
    }
    String::new()
}

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
