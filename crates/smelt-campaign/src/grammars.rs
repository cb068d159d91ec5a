//! Grammars that users name: those that come with smelt, and files.

use std::fs;
use std::io;

use smelt_smtlib::diagnostic::{Diagnostics, nearest};
use smelt_testgen::enumeration::built_in::{BUILT_IN, BuiltIn};
use smelt_testgen::enumeration::grammar::Grammar;
use smelt_testgen::enumeration::{Enumeration, Parameters, problems};

/// Why there are no formulas of a grammar.
#[derive(Debug, thiserror::Error)]
pub enum GrammarError {
    /// The file cannot be read.
    #[error("cannot read grammar `{name}`: {error}")]
    Unreadable {
        /// Its name.
        name: String,
        /// What the system says.
        error: io::Error,
    },
    /// There is none with this name, and no such file.
    #[error("{}", unknown(.0))]
    Unknown(String),
    /// It is not a grammar whose formulas can be enumerated.
    #[error("{problems}")]
    Ill {
        /// Its name.
        name: String,
        /// Its text.
        text: String,
        /// What is wrong with it.
        problems: Diagnostics,
    },
}

/// The formulas of the grammar with this name or in this file.
pub fn read_grammar(name: &str, parameters: &Parameters) -> Result<Enumeration, GrammarError> {
    let (text, is_trusted) = match BuiltIn::named(name) {
        Some(built_in) => (built_in.source.to_owned(), true),
        None => (fs::read_to_string(name).map_err(|error| missing(name, error))?, false),
    };
    let found: Diagnostics = match Grammar::parse(&text) {
        Err(found) => found,
        Ok(grammar) => match Enumeration::new(&grammar, parameters) {
            Err(found) => found,
            // Tests check the grammars that come with smelt.
            Ok(enumeration) if is_trusted => return Ok(enumeration),
            Ok(enumeration) => match problems(&grammar, &text, parameters) {
                found if found.is_empty() => return Ok(enumeration),
                found => found.into(),
            },
        },
    };
    Err(GrammarError::Ill { name: name.to_owned(), text, problems: found })
}

fn missing(name: &str, error: io::Error) -> GrammarError {
    if error.kind() != io::ErrorKind::NotFound || name.contains(['/', '.']) {
        return GrammarError::Unreadable { name: name.to_owned(), error };
    }
    GrammarError::Unknown(name.to_owned())
}

fn unknown(name: &str) -> String {
    let names = BUILT_IN.iter().map(|built_in| built_in.name);
    match nearest(name, names.clone()) {
        Some(near) => format!("there is no grammar and no file `{name}`; did you mean `{near}`?"),
        None => {
            let known: Vec<&str> = names.collect();
            format!("unknown grammar `{name}` (expected one of: {})", known.join(", "))
        }
    }
}
