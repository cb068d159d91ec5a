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
use smelt_smtlib::term::Terms;

/// The commands of a script that nothing is wrong with: a change seldom leaves all of them well-formed.
pub fn well_formed_part(source: &str) -> String {
    let mut text = source.to_owned();
    for _ in 0..4 {
        let reading = read_script(&mut Terms::new(), &text);
        if reading.diagnostics.is_empty() {
            return text;
        }
        let spans = reading.script.spans.iter().flatten();
        let is_flawless = |span: &&smelt_smtlib::source::Span| {
            reading
                .diagnostics
                .iter()
                .all(|problem| problem.span.start >= span.end || problem.span.end <= span.start)
        };
        text = spans.filter(is_flawless).map(|span| format!("{}\n", span.text(&text))).collect();
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
