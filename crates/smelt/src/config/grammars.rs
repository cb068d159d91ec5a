//! Grammars that the user names: those that come with smelt, and files.

use std::fs;
use std::io;

use smelt_smtlib::diagnostic::{Diagnostics, nearest};
use smelt_smtlib::snippet::Severity;
use smelt_testgen::enumeration::built_in::{BUILT_IN, BuiltIn};
use smelt_testgen::enumeration::grammar::Grammar;
use smelt_testgen::enumeration::{Enumeration, Parameters, problems};

use crate::config::words::UnknownWord;
use crate::error::CliError;
use crate::render::diagnostics;

/// The formulas of the grammar with this name or in this file.
pub(crate) fn read_grammar(name: &str, parameters: &Parameters) -> Result<Enumeration, CliError> {
    let file;
    let (source, is_trusted) = match BuiltIn::named(name) {
        Some(built_in) => (built_in.source, true),
        None => {
            file =
                fs::read_to_string(name).map_err(|error| CliError::Usage(unknown_grammar(name, &error)))?;
            (file.as_str(), false)
        }
    };
    let found: Diagnostics = match Grammar::parse(source) {
        Err(found) => found,
        Ok(grammar) => match Enumeration::new(&grammar, parameters) {
            Err(found) => found,
            // Tests check the grammars that come with smelt.
            Ok(enumeration) if is_trusted => return Ok(enumeration),
            Ok(enumeration) => match problems(&grammar, source, parameters) {
                found if found.is_empty() => return Ok(enumeration),
                found => found.into(),
            },
        },
    };
    Err(CliError::Diagnostics(diagnostics::render(name, source, Severity::Error, &found)))
}

fn unknown_grammar(name: &str, error: &io::Error) -> String {
    if error.kind() != io::ErrorKind::NotFound || name.contains(['/', '.']) {
        return format!("cannot read grammar `{name}`: {error}");
    }
    let names = BUILT_IN.iter().map(|built_in| built_in.name);
    match nearest(name, names.clone()) {
        Some(near) => format!("there is no grammar and no file `{name}`; did you mean `{near}`?"),
        None => UnknownWord::new("grammar", name, names).to_string(),
    }
}
