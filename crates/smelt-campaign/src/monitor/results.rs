//! Results for machines, and files with them: JUnit XML and SARIF 2.1.0.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use serde_json::{Value, json};
use smelt_oracle::finding::Class;
use smelt_oracle::foreign_text::html;

use super::MonitorTally;
use super::baseline::KnownDifferences;
use super::compare::{Difference, DifferenceCulprit};
use crate::dialogue::CannotWrite;

/// Where results are written; none for nowhere.
#[derive(Debug, Clone, Copy)]
pub struct ResultFiles<'f> {
    /// All differences, for another time.
    pub baseline: Option<&'f Path>,
    /// What came of each grammar, as JUnit XML.
    pub junit: Option<&'f Path>,
    /// The differences that are new, as SARIF, with their formulas beside it.
    pub sarif: Option<&'f Path>,
}

impl ResultFiles<'_> {
    /// Writes the files, and makes their folders.
    pub fn write(
        &self,
        known: &KnownDifferences,
        tallies: &[MonitorTally],
        differences: &[Difference],
    ) -> Result<(), CannotWrite> {
        let new: Vec<&Difference> =
            differences.iter().filter(|difference| known.is_news(difference)).collect();
        let mut files: BTreeMap<PathBuf, String> = BTreeMap::new();
        if let Some(path) = self.baseline {
            let own = differences.iter().filter(|difference| difference.is_failure());
            let entries = own.map(|difference| (difference.key(), difference.essence.clone()));
            files.insert(path.to_owned(), known.with(entries));
        }
        if let Some(path) = self.junit {
            files.insert(path.to_owned(), junit(tallies, &new));
        }
        if let Some(path) = self.sarif {
            files.insert(path.to_owned(), sarif(path, &new));
            for difference in &new {
                files.insert(formula_file(path, difference), difference.formula.clone());
            }
        }
        for (path, text) in files {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let made = folder.map_or(Ok(()), fs::create_dir_all);
            made.and_then(|()| fs::write(&path, text)).map_err(CannotWrite::to(&path))?;
        }
        Ok(())
    }
}

/// A suite for each grammar: one test that tells what holds, and one that fails for each new difference.
fn junit(tallies: &[MonitorTally], new: &[&Difference]) -> String {
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n".to_owned();
    for tally in tallies {
        let failures: Vec<&&Difference> =
            new.iter().filter(|difference| difference.grammar == tally.grammar).collect();
        let name = html(&tally.grammar);
        text.push_str(&format!(
            "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{}\">\n",
            failures.len() + 1,
            failures.len()
        ));
        text.push_str(&format!(
            "    <testcase classname=\"{name}\" name=\"all formulas\"><system-out>{}</system-out></testcase>\n",
            html(&tally.guarantee())
        ));
        for difference in failures {
            text.push_str(&format!(
                "    <testcase classname=\"{name}\" name=\"formula {}\"><failure type=\"{}\" message=\"{}\">{}\
                 </failure></testcase>\n",
                difference.index,
                difference.class.word(),
                html(&difference.message),
                html(&difference.formula)
            ));
        }
        text.push_str("  </testsuite>\n");
    }
    text.push_str("</testsuites>\n");
    text
}

/// The file for the formula of a difference, in the folder that belongs to a SARIF file. Code scanning shows results in
/// files only.
fn formula_file(sarif: &Path, difference: &Difference) -> PathBuf {
    let name = format!("{}-{}.smt2", difference.class.word(), difference.key().hash);
    sarif.with_extension("formulas").join(name)
}

/// A result for each new difference, whose formula is in the file that [`formula_file`] says.
fn sarif(path: &Path, new: &[&Difference]) -> String {
    let results: Vec<Value> = new.iter().map(|difference| result(path, difference)).collect();
    let rules: Vec<Value> = Class::ALL.into_iter().map(rule).collect();
    let driver = json!({
        "name": "smelt",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    });
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver },
            "invocations": [{ "executionSuccessful": true }],
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

fn result(path: &Path, difference: &Difference) -> Value {
    let class = difference.class;
    let key = difference.key();
    let place = format!("{}/{}", difference.grammar, difference.index);
    let lines: Vec<&str> = difference.formula.lines().collect();
    let first = lines.iter().position(|line| line.starts_with("(assert")).unwrap_or(0);
    json!({
        "ruleId": class.word(),
        "ruleIndex": Class::ALL.iter().position(|known| *known == class),
        "level": if difference.culprit == DifferenceCulprit::Open { "warning" } else { "error" },
        "message": { "text": format!("{}\n{}", difference.message, difference.formula) },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": uri(&formula_file(path, difference)) },
                "region": { "startLine": first + 1, "endLine": lines.len().max(first + 1) },
            },
            "logicalLocations": [{ "fullyQualifiedName": place }],
        }],
        "partialFingerprints": { "smeltFormula/v1": format!("{}:{}:{}", key.hash, key.class, key.solver) },
    })
}

/// What a class means, for people who see a result of it.
fn rule(class: Class) -> Value {
    let about = class.about();
    let (level, advice) = match class {
        Class::Disputed => ("warning", "Find out by hand which of the two solvers is wrong."),
        Class::Drift => ("note", "Nothing is wrong: the solver follows an earlier version of the standard."),
        class if class.severity() == "low" || class.severity() == "medium" => {
            ("warning", "Run the solver on the file of the result.")
        }
        _ => (
            "error",
            "Run the solver on the file of the result: the message says what is wrong with its answer.",
        ),
    };
    let name: String = class.word().split('-').map(capitalized).collect();
    json!({
        "id": class.word(),
        "name": name,
        "shortDescription": { "text": format!("A solver {about}") },
        "fullDescription": { "text": format!("A solver {about}. Severity: {}.", class.severity()) },
        "help": { "text": format!("A solver {about}. {advice} A difference that is known is left out with `smelt monitor --baseline FILE`, which `--update-baseline` writes.") },
        "defaultConfiguration": { "level": level },
        "properties": { "tags": ["solver", class.severity()] },
    })
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A path as a URI: relative to the folder of the build, or absolute.
fn uri(path: &Path) -> String {
    let parts: Vec<String> = path
        .components()
        .filter_map(|component| match component {
            Component::Normal(part) => Some(encoded(&part.to_string_lossy())),
            Component::ParentDir => Some("..".to_owned()),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
        })
        .collect();
    let joined = parts.join("/");
    if path.is_absolute() { format!("file:///{joined}") } else { joined }
}

/// A part of a path in which all but letters, digits and a few signs is written as in URIs.
fn encoded(part: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    part.bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_as_uris() {
        assert_eq!(uri(Path::new("out dir/./a.formulas/b.smt2")), "out%20dir/a.formulas/b.smt2");
        assert_eq!(uri(Path::new("/a/b")), "file:///a/b");
    }

    #[test]
    fn every_class_has_a_rule_with_help() {
        for class in Class::ALL {
            let rule = rule(class);
            assert_eq!(rule["id"], class.word());
            assert!(rule["help"]["text"].as_str().unwrap().contains(class.about()));
        }
        assert_eq!(rule(Class::SoundnessRefutation)["name"], "SoundnessRefutation");
    }
}
