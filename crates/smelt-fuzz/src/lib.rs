//! What must hold of any input, however broken: one function for each reader of foreign data, and seeds to change.
//!
//! A [`Target`] has a function `check`, which panics if a claim does not hold. The ordinary tests of this crate call it on
//! the seeds and on changes of them that are the same every time; `fuzz/` gives the same functions to libFuzzer. It does
//! not look at time or memory; libFuzzer does.

use std::borrow::Cow;

pub mod answer;
pub mod eval;
pub mod finding;
pub mod model;
pub mod mutate;
pub mod parse;
pub mod print;
pub mod seeds;
pub mod solve;
pub mod store;

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

/// A reader of foreign data, with what must hold of whatever it reads.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name, which is also that of the fuzz target.
    pub name: &'static str,
    /// Panics if something does not hold of an input.
    pub check: fn(&str),
    /// Inputs that a fuzzer starts from, each with a name.
    pub seeds: fn() -> Vec<(String, String)>,
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "parse", check: parse::check, seeds: seeds::scripts },
    Target { name: "print", check: print::check, seeds: seeds::scripts },
    Target { name: "eval", check: eval::check, seeds: seeds::scripts },
    Target { name: "model", check: model::check, seeds: seeds::models },
    Target { name: "solve", check: solve::check, seeds: seeds::problems },
    Target { name: "answer", check: answer::check, seeds: answer::seeds },
    Target { name: "finding", check: finding::check, seeds: finding::seeds },
    Target { name: "store", check: store::check, seeds: store::seeds },
];

/// Checks what a fuzzer made up for the target with this name.
pub fn check(name: &str, input: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a fuzz target has a name of ours");
    let text: Cow<'_, str> = String::from_utf8_lossy(input);
    (target.check)(&text);
}

/// The line between the parts of an input that has several.
pub const SEPARATOR: &str = "\n---\n";

/// The parts of an input; those that it does not have are empty.
pub(crate) fn parts<const N: usize>(input: &str) -> [&str; N] {
    let mut parts = input.splitn(N, SEPARATOR);
    std::array::from_fn(|_| parts.next().unwrap_or_default())
}
