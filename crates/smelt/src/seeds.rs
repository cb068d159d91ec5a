//! Seeds for hunts and for generation: files below paths, or the built-in ones.

use std::path::{Path, PathBuf};

use smelt_campaign::campaign::record_seed;
use smelt_store::configuration::{Origin, SeedRecord};
use smelt_testgen::built_in::SEEDS;

use crate::exit::Failure;
use crate::inputs::{self, Input};
use crate::report;
use crate::streams::Streams;

/// Seeds with their texts, and as they are recorded.
pub(crate) type FoundSeeds = (Vec<(String, String)>, Vec<SeedRecord>);

/// The seeds below paths, or the built-in ones; none if there are none.
pub(crate) fn find_seeds(paths: &[PathBuf], streams: &mut Streams) -> Result<Option<FoundSeeds>, Failure> {
    let (mut texts, mut records) = (Vec::new(), Vec::new());
    if paths.is_empty() {
        for seed in SEEDS {
            records.push(record_seed(seed.name, Origin::BuiltIn, seed.source));
            texts.push((seed.name.to_owned(), seed.source.to_owned()));
        }
    }
    for input in inputs::collect(paths) {
        match input.and_then(|input| Ok((inputs::read(&input)?, input))) {
            Ok((text, input)) => {
                let name = input.name();
                let origin = match &input {
                    Input::File(path) => Origin::File(absolute(path)),
                    Input::Stdin => Origin::Text(text.clone()),
                };
                records.push(record_seed(&name, origin, &text));
                texts.push((name, text));
            }
            Err(problem) => streams.message(&report::render_unreadable(&problem))?,
        }
    }
    Ok((!texts.is_empty()).then_some((texts, records)))
}

fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}
