//! Seeds for hunts and for generation: files below paths, or the built-in ones.

use std::path::{Path, PathBuf};

use smelt_store::configuration::{Origin, SeedRecord};
use smelt_testgen::built_in::SEEDS;

use crate::campaign::record_seed;
use crate::inputs::{self, ScriptInput, UnreadableInput};

/// Seeds with their texts, and as they are recorded.
#[derive(Debug, Clone, Default)]
pub struct FoundSeeds {
    /// Names and texts.
    pub texts: Vec<(String, String)>,
    /// The same as they are recorded.
    pub records: Vec<SeedRecord>,
    /// Inputs that cannot be read.
    pub unreadable: Vec<UnreadableInput>,
}

/// The seeds below paths, or the built-in ones if there are no paths.
pub fn find_seeds(paths: &[PathBuf]) -> FoundSeeds {
    let mut found = FoundSeeds::default();
    if paths.is_empty() {
        for seed in SEEDS {
            found.records.push(record_seed(seed.name, Origin::BuiltIn, seed.source));
            found.texts.push((seed.name.to_owned(), seed.source.to_owned()));
        }
    }
    for input in inputs::collect(paths) {
        match input.and_then(|input| Ok((inputs::read(&input)?, input))) {
            Ok((text, input)) => {
                let name = input.name();
                let origin = match &input {
                    ScriptInput::File(path) => Origin::File(absolute(path)),
                    ScriptInput::Stdin => Origin::Text(text.clone()),
                };
                found.records.push(record_seed(&name, origin, &text));
                found.texts.push((name, text));
            }
            Err(problem) => found.unreadable.push(problem),
        }
    }
    found
}

fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}
