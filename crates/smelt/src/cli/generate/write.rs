//! Writes cases to standard output, or to a folder with one file a case and a line of JSON for each on request.

use std::fs;
use std::io::Write;
use std::path::Path;

use serde::Serialize;

use super::CommonArgs;
use crate::error::{CliError, cannot_write};
use crate::render::streams::Streams;

/// Where cases go.
pub(super) struct CaseWriter<'a> {
    /// The folder; none for standard output.
    folder: Option<&'a Path>,
    json: bool,
}

/// One line of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
struct Line<'c> {
    id: &'c str,
    technique: &'c str,
    expect: &'static str,
    /// What the expectation rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    claim: Option<&'c str>,
    file: &'c str,
    lineage: &'c str,
}

/// What is known of a case besides its text.
pub(super) struct Origin<'c> {
    /// The technique that made it.
    pub technique: &'c str,
    /// `sat`, `unsat` or `none`.
    pub expect: &'static str,
    /// What that rests on; none if nothing is claimed.
    pub claim: Option<&'c str>,
    /// Where it comes from, in one line.
    pub lineage: &'c str,
}

impl<'a> CaseWriter<'a> {
    /// Makes the folder, if the cases go to one.
    pub(super) fn new(args: &'a CommonArgs) -> Result<Self, CliError> {
        let folder = (args.out != Path::new("-")).then_some(args.out.as_path());
        match folder {
            None if args.json => {
                return Err(CliError::usage("--json needs a folder for the cases, given by --out"));
            }
            None => {}
            Some(folder) => fs::create_dir_all(folder).map_err(|error| {
                CliError::Environment(format!("cannot make folder `{}`: {error}", folder.display()))
            })?,
        }
        Ok(CaseWriter { folder, json: args.json })
    }

    /// Whether cases go to standard output.
    pub(super) fn is_stream(&self) -> bool {
        self.folder.is_none()
    }

    /// Writes a case, whose text is given in parts. The id is only needed for a file.
    pub(super) fn write(
        &self,
        id: impl FnOnce() -> String,
        parts: &[&[u8]],
        origin: &Origin<'_>,
        streams: &mut Streams,
    ) -> Result<(), CliError> {
        let Some(folder) = self.folder else {
            let results = streams.scripts();
            for part in parts {
                results.write_all(part)?;
            }
            return Ok(());
        };
        let id = id();
        let file = folder.join(format!("{id}.smt2")).display().to_string();
        fs::write(&file, parts.concat())
            .map_err(|error| CliError::Environment(cannot_write(&file, &error)))?;
        if self.json {
            let Origin { technique, expect, claim, lineage } = *origin;
            streams.json_line(&Line { id: &id, technique, expect, claim, file: &file, lineage })?;
        }
        Ok(())
    }
}
