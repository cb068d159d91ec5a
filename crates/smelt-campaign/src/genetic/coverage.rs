//! Which lines of its source a solver executed, if it was built to tell.
//!
//! A solver that was built with `gcc --coverage` leaves `.gcda` files beside its objects when it exits; `gcov` reads them.
//! One that was built with the source coverage of LLVM leaves a profile, which `llvm-profdata` and `llvm-cov` read. Both
//! tools are found on the PATH.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::Deserialize;
use smelt_runner::cold::{self, End};
use smelt_runner::limits::Limits;
use smelt_runner::solver::Invocation;
use smelt_testgen::search::evolution::Covered;

use crate::configure::error::RequestError;

/// Where it is known from what a solver did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Provider {
    /// From the statistics that it prints: which counters, and how large.
    #[default]
    Statistics,
    /// From `.gcda` files in and below a folder.
    Gcov {
        /// The folder in which the solver was built.
        folder: PathBuf,
    },
    /// From the source coverage of LLVM.
    Llvm {
        /// The program, which has the map from counters to lines.
        program: PathBuf,
    },
}

/// How long a tool may take, in seconds.
const TOOL_SECS: f64 = 300.0;

impl FromStr for Provider {
    type Err = RequestError;

    /// Reads `statistics`, `gcov=FOLDER` or `llvm=PROGRAM`.
    fn from_str(text: &str) -> Result<Provider, RequestError> {
        match text.split_once('=') {
            None if text == "statistics" => Ok(Provider::Statistics),
            Some(("gcov", folder)) if !folder.is_empty() => Ok(Provider::Gcov { folder: folder.into() }),
            Some(("llvm", program)) if !program.is_empty() => Ok(Provider::Llvm { program: program.into() }),
            _ => Err(RequestError::UnknownWord {
                what: "provider of coverage",
                word: text.to_owned(),
                expected: vec!["statistics", "gcov=FOLDER", "llvm=PROGRAM"],
            }),
        }
    }
}

impl Provider {
    /// Whether it neither starts a program nor changes files outside of the folder of the search.
    pub fn is_harmless(&self) -> bool {
        matches!(self, Provider::Statistics)
    }

    /// As it is read from the command line.
    pub fn text(&self) -> String {
        match self {
            Provider::Statistics => "statistics".to_owned(),
            Provider::Gcov { folder } => format!("gcov={}", folder.display()),
            Provider::Llvm { program } => format!("llvm={}", program.display()),
        }
    }

    /// What must be in the environment of the solver.
    pub(super) fn environment(&self, scratch: &Path) -> Vec<(OsString, OsString)> {
        match self {
            Provider::Llvm { .. } => vec![("LLVM_PROFILE_FILE".into(), raw_profile(scratch).into())],
            Provider::Statistics | Provider::Gcov { .. } => Vec::new(),
        }
    }

    /// Forgets what earlier runs have left.
    pub fn before(&self, scratch: &Path) -> io::Result<()> {
        match self {
            Provider::Statistics => Ok(()),
            Provider::Gcov { folder } => data_files(folder)?.iter().try_for_each(fs::remove_file),
            Provider::Llvm { .. } => match fs::remove_file(raw_profile(scratch)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            },
        }
    }

    /// What the last run covered; none if statistics have to tell. A solver that was killed leaves nothing.
    pub fn after(&self, scratch: &Path) -> io::Result<Option<Covered>> {
        match self {
            Provider::Statistics => Ok(None),
            Provider::Gcov { folder } => {
                let files = data_files(folder)?;
                if files.is_empty() {
                    return Ok(Some(Covered::default()));
                }
                let mut args: Vec<OsString> = vec!["--json-format".into(), "--stdout".into()];
                args.extend(files.into_iter().map(OsString::from));
                gcov_lines(&tool("gcov", args)?).map(Some)
            }
            Provider::Llvm { program } => {
                let raw = raw_profile(scratch);
                if !raw.exists() {
                    return Ok(Some(Covered::default()));
                }
                let merged = scratch.join("coverage.profdata");
                let args =
                    vec!["merge".into(), "-sparse".into(), raw.into(), "-o".into(), merged.clone().into()];
                tool("llvm-profdata", args)?;
                let mut profile = OsString::from("-instr-profile=");
                profile.push(&merged);
                let args = vec!["export".into(), program.clone().into(), profile];
                llvm_lines(&tool("llvm-cov", args)?).map(Some)
            }
        }
    }
}

fn raw_profile(scratch: &Path) -> PathBuf {
    scratch.join("coverage.profraw")
}

/// The `.gcda` files in and below a folder, in order.
fn data_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut pending = vec![fs::canonicalize(folder)?];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "gcda") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Runs a tool that is on the PATH, and gives what it printed.
fn tool(name: &str, args: Vec<OsString>) -> io::Result<Vec<u8>> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let program = std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file());
    let Some(program) = program else {
        return Err(io::Error::new(io::ErrorKind::NotFound, format!("there is no `{name}` on the PATH")));
    };
    let invocation = Invocation { program, args, environment: Vec::new(), is_confined: false };
    let limits = Limits { output: 1 << 30, ..Limits::for_seconds(TOOL_SECS) };
    let raw = cold::run(&invocation, "", &limits)?;
    if raw.end != End::Exited(0) {
        let messages = String::from_utf8_lossy(&raw.stderr);
        let first = messages.lines().next().unwrap_or("no message").to_owned();
        return Err(io::Error::other(format!("`{name}` failed: {first}")));
    }
    Ok(raw.stdout)
}

/// What `gcov --json-format` prints for each data file.
#[derive(Debug, Deserialize)]
struct GcovReport {
    files: Vec<GcovFile>,
}

#[derive(Debug, Deserialize)]
struct GcovFile {
    file: String,
    lines: Vec<GcovLine>,
}

#[derive(Debug, Deserialize)]
struct GcovLine {
    line_number: u64,
    count: u64,
}

/// The executed lines in reports of gcov, one JSON object after the other. A line that several reports have, as those of
/// headers, is counted in all of them.
fn gcov_lines(reports: &[u8]) -> io::Result<Covered> {
    let mut covered = Covered::default();
    for report in serde_json::Deserializer::from_slice(reports).into_iter::<GcovReport>() {
        for GcovFile { file, lines } in report?.files {
            for GcovLine { line_number, count } in lines.into_iter().filter(|line| line.count > 0) {
                let rows = covered.files.entry(file.clone()).or_default();
                let sum = rows.entry(line_number).or_default();
                *sum = sum.saturating_add(count);
            }
        }
    }
    Ok(covered)
}

/// What `llvm-cov export` prints.
#[derive(Debug, Deserialize)]
struct LlvmReport {
    data: Vec<LlvmData>,
}

#[derive(Debug, Deserialize)]
struct LlvmData {
    files: Vec<LlvmFile>,
}

#[derive(Debug, Deserialize)]
struct LlvmFile {
    filename: String,
    /// Line, column, count, whether there is a count, and more that we do not need.
    segments: Vec<Vec<serde_json::Value>>,
}

/// The lines on which executed regions begin, with the largest count of those of a line.
fn llvm_lines(report: &[u8]) -> io::Result<Covered> {
    let report: LlvmReport = serde_json::from_slice(report)?;
    let mut covered = Covered::default();
    for file in report.data.into_iter().flat_map(|data| data.files) {
        let mut rows: BTreeMap<u64, u64> = BTreeMap::new();
        for segment in &file.segments {
            let number = |position: usize| segment.get(position).and_then(serde_json::Value::as_u64);
            let has_count = segment.get(3).and_then(serde_json::Value::as_bool) == Some(true);
            let (Some(line), Some(count)) = (number(0), number(2).filter(|count| has_count && *count > 0))
            else {
                continue;
            };
            let most = rows.entry(line).or_default();
            *most = (*most).max(count);
        }
        if !rows.is_empty() {
            covered.files.insert(file.filename, rows);
        }
    }
    Ok(covered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_have_names() {
        assert_eq!(Provider::from_str("statistics"), Ok(Provider::Statistics));
        assert_eq!(Provider::from_str("gcov=a/b"), Ok(Provider::Gcov { folder: "a/b".into() }));
        assert_eq!(Provider::from_str("llvm=z3"), Ok(Provider::Llvm { program: "z3".into() }));
        assert!(Provider::from_str("gcov=").is_err() && Provider::from_str("other").is_err());
    }

    #[test]
    fn executed_lines_of_gcov_are_read() {
        let reports =
            br#"{"files": [{"file": "a.c", "lines": [{"line_number": 1, "count": 2, "branches": []},
            {"line_number": 2, "count": 0}]}], "gcc_version": "12"}
            {"files": [{"file": "a.c", "lines": [{"line_number": 1, "count": 3}]}]}"#;
        let covered = gcov_lines(reports).unwrap();
        assert_eq!(
            covered.files["a.c"].iter().map(|(row, count)| (*row, *count)).collect::<Vec<_>>(),
            [(1, 5)]
        );
    }

    #[test]
    fn executed_regions_of_llvm_are_read() {
        let report = br#"{"data": [{"files": [{"filename": "a.cpp", "segments": [[3, 1, 4, true, true, false],
            [3, 9, 7, true, true, false], [5, 1, 0, true, true, false], [6, 2, 0, false, false, false]]}]}]}"#;
        let covered = llvm_lines(report).unwrap();
        assert_eq!(
            covered.files["a.cpp"].iter().map(|(row, count)| (*row, *count)).collect::<Vec<_>>(),
            [(3, 7)]
        );
    }

    /// A program that reads a number of lines and takes one way or the other, built with gcc if there is one.
    #[test]
    fn gcov_tells_which_lines_a_program_has_executed() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("small.c");
        fs::write(
            &source,
            "#include <stdio.h>\nint main(void) {\n  int letter, lines = 0;\n  while ((letter = getchar()) != EOF)\n    \
             if (letter == '\\n')\n      lines++;\n  if (lines > 2)\n    puts(\"many\");\n  else\n    puts(\"few\");\n  return 0;\n}\n",
        )
        .unwrap();
        let program = folder.path().join("small");
        let args = ["--coverage", "-O0", "-o"].map(OsString::from);
        let object = folder.path().join("small.o");
        let compile =
            [&args[..2], &["-c".into(), "-o".into(), object.clone().into(), source.into()]].concat();
        let link = [&args[..], &[program.clone().into(), object.into()]].concat();
        if tool("gcov", vec!["--version".into()]).is_err() || tool("gcc", compile).is_err() {
            println!("skipped: there is no gcc with gcov here");
            return;
        }
        tool("gcc", link).unwrap();
        let provider = Provider::Gcov { folder: folder.path().to_owned() };
        let rows_of = |input: &str| {
            provider.before(folder.path()).unwrap();
            let invocation = Invocation {
                program: program.clone(),
                args: Vec::new(),
                environment: Vec::new(),
                is_confined: false,
            };
            cold::run(&invocation, input, &Limits::for_seconds(5.0)).unwrap();
            let covered = provider.after(folder.path()).unwrap().unwrap();
            let (_, rows) = covered.files.into_iter().find(|(file, _)| file.ends_with("small.c")).unwrap();
            rows
        };
        let few = rows_of("a\n");
        assert!(few.contains_key(&10) && !few.contains_key(&8), "{few:?}");
        assert_eq!(few.get(&6), Some(&1));
        let many = rows_of("\n\n\n\n");
        assert!(many.contains_key(&8) && !many.contains_key(&10), "{many:?}");
        assert_eq!(many.get(&6), Some(&4));
        // Nothing of an earlier run is left.
        provider.before(folder.path()).unwrap();
        assert_eq!(provider.after(folder.path()).unwrap(), Some(Covered::default()));
    }
}
