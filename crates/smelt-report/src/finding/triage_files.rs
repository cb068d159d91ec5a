//! What triage adds to the folder of a finding: the reduced formula with all evidence about it, the options that it needs,
//! since when releases show it, and with how many random seeds.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use smelt_oracle::foreign_text::{markdown_code, markdown_text};
use smelt_oracle::run::Answer;
use smelt_oracle::signature::Signature;
use smelt_oracle::slowness::Tally;
use smelt_runner::files::write_whole;
use smelt_store::finding::Finding;

use super::exhibit::{self, Exhibit};
use super::replay_script::{self, file_for};

/// Since when releases show a finding, as in `history.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dating {
    /// The version of this format.
    pub format: u32,
    /// The first release that shows it, or the earliest that takes the formula if that shows it already.
    pub first_bad: Option<String>,
    /// The last release before it that does not.
    pub last_good: Option<String>,
    /// The first release after all that show it.
    pub fixed: Option<String>,
    /// Whether releases show it, do not, and show it again.
    pub more_may_exist: bool,
    /// What the releases that were asked are: `good`, `bad`, or milliseconds.
    pub seen: Vec<(String, serde_json::Value)>,
    /// Releases that were asked without a result, with their answers: a timeout is not a fix.
    #[serde(default)]
    pub undecided: Vec<(String, String)>,
    /// Releases that were not asked.
    #[serde(default)]
    pub not_tested: Vec<String>,
}

/// The version of `history.json` and of `triage.json`.
pub const FORMAT: u32 = 1;

/// What came of reducing a finding, as in `triage.json`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Triage {
    /// The version of this format.
    pub format: u32,
    /// Whether nothing more can be done, or else there was no time left.
    pub is_finished: bool,
    /// Of the options that were drawn for the culprit, those that it needs; none if none were drawn.
    pub options: Option<Vec<String>>,
    /// A finding of the campaign that seems to have the same cause, if that one stands for both.
    pub same_as: Option<String>,
    /// The newest release of the culprit's family, asked about the formula shown.
    #[serde(default)]
    pub newest: Option<Newest>,
    /// Where duplicates were looked for, in words; none if they were not.
    #[serde(default)]
    pub searched: Option<String>,
    /// Where it crashes, as a debugger says, if the solver does not: a [`Signature`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
}

/// What the newest release does with a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Newest {
    /// The release.
    pub release: String,
    /// Whether it shows the finding; none if its run does not tell.
    pub shows: Option<bool>,
    /// Its answer.
    pub answer: Option<Answer>,
}

impl Newest {
    fn text(&self) -> String {
        let answer = self.answer.map_or_else(
            || "it does not take it".to_owned(),
            |answer| format!("its answer is `{}`", answer.word()),
        );
        let release = markdown_text(&self.release);
        match self.shows {
            Some(true) => format!("Still there in {release}, the newest release that is installed.\n"),
            Some(false) => {
                format!("Not shown by {release}, the newest release that is installed: {answer}.\n")
            }
            None => format!("Not decided for {release}, the newest release that is installed: {answer}.\n"),
        }
    }
}

impl Triage {
    /// Writes it to the folder of a finding.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        write_whole(&folder.join(TRIAGE), (serde_json::to_string_pretty(self)? + "\n").as_bytes())
    }

    /// Sentences for a report.
    pub fn text(&self) -> String {
        let options = match self.options.as_deref() {
            None => String::new(),
            Some([]) => "None of the drawn options is needed to show it.\n".to_owned(),
            Some(needed) => format!("Of the drawn options, it needs {}.\n", markdown_code(&needed.join(" "))),
        };
        let same = match &self.same_as {
            Some(other) => format!("It seems to have the same cause as {}.\n", markdown_text(other)),
            None => match &self.searched {
                Some(searched) => format!("No duplicate among {}.\n", markdown_text(searched)),
                None => String::new(),
            },
        };
        let newest = self.newest.as_ref().map_or_else(String::new, Newest::text);
        let stack = self.stack.as_deref().map_or_else(String::new, |stack| {
            let Signature { kind, places } = Signature::parse(stack);
            let places: Vec<String> = places.iter().map(|place| markdown_code(place)).collect();
            format!(
                "Crashes with {} in {} (innermost first, by gdb).\n",
                markdown_text(&kind),
                places.join(", ")
            )
        });
        format!("{stack}{newest}{options}{same}")
    }
}

/// What a release that shows a finding is in a dating.
const BAD: &str = "bad";

/// The file with what came of reducing.
const TRIAGE: &str = "triage.json";

/// The file with a dating.
const HISTORY: &str = "history.json";

/// The file that says with how many random seeds a slowdown shows.
const SEEDS: &str = "seeds.json";

/// The file with the formula that reports show, in the words of the culprit.
pub const REDUCED: &str = "reduced.smt2";

/// The file with the reduced formula as SMT-LIB 2.6, from which a reduction is resumed.
pub const REDUCED_PLAIN: &str = "reduced-2.6.smt2";

/// The file with what the culprit is asked about its own evidence.
pub const ITSELF: &str = "itself.smt2";

/// The file with the evidence about the formula that reports show.
const SHOWN: &str = "shown.json";

/// The file with the reduced formula before it, of a finding about two.
pub const REDUCED_BEFORE: &str = "reduced-before.smt2";

impl Dating {
    /// Writes it to the folder of a finding.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        write_whole(&folder.join(HISTORY), (serde_json::to_string_pretty(self)? + "\n").as_bytes())
    }

    /// Sentences for a report.
    pub fn text(&self) -> String {
        let Some(first_bad) = self.first_bad.as_deref().map(markdown_text) else { return self.rest() };
        let before = match self.last_good.as_deref().map(markdown_text) {
            Some(last_good) => {
                format!("First bad release tested: {first_bad}; {last_good} does not show it.\n")
            }
            None => format!("Shown by {first_bad} already, the earliest release that was asked.\n"),
        };
        let after = match self.fixed.as_deref().map(markdown_text) {
            Some(fixed) => match self.seen.iter().rfind(|(_, value)| value == BAD) {
                Some((last_bad, _)) => {
                    format!(
                        "Fixed in {fixed}; {} is the last tested release that reproduces it.\n",
                        markdown_text(last_bad)
                    )
                }
                None => format!("Fixed in {fixed}.\n"),
            },
            None => String::new(),
        };
        let doubt = if self.more_may_exist {
            "Releases do not agree in one row: more changes may exist.\n"
        } else {
            ""
        };
        format!("{before}{after}{doubt}{}", self.rest())
    }

    /// The releases that tell nothing.
    fn rest(&self) -> String {
        let undecided = self.undecided.iter();
        let undecided = undecided
            .map(|(release, answer)| format!("{} ({})", markdown_text(release), markdown_code(answer)));
        let undecided = undecided.collect::<Vec<_>>().join(", ");
        let mut text = String::new();
        if !undecided.is_empty() {
            text.push_str(&format!("Undecided: {undecided}.\n"));
        }
        if !self.not_tested.is_empty() {
            text.push_str(&format!("Not tested: {}.\n", markdown_text(&self.not_tested.join(", "))));
        }
        text
    }
}

/// All that triage has added to a folder.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Added {
    /// The reduced formula as SMT-LIB 2.6.
    pub reduced: Option<String>,
    /// The formula that reports show, with all evidence about it.
    pub shown: Option<Exhibit>,
    /// The reduced formula before it, of a finding about two.
    pub before: Option<String>,
    /// What came of reducing it.
    pub triage: Option<Triage>,
    /// Since when releases show it.
    pub dating: Option<Dating>,
    /// With how many random seeds of the solvers it shows.
    pub seeds: Option<Tally>,
}

impl Added {
    /// What is in a folder, as far as it can be read, to show it.
    pub fn read(folder: &Path) -> Added {
        Added::load(folder).unwrap_or_default()
    }

    /// What is in a folder; nothing if there is no folder. A file that is there and cannot be read is an error, because
    /// writing the folder again would lose it.
    pub fn load(folder: &Path) -> io::Result<Added> {
        let read = |name: &str| read_plain(&folder.join(name));
        let dating: Option<Dating> = read(HISTORY)?.and_then(|text| serde_json::from_str(&text).ok());
        let triage: Option<Triage> = read(TRIAGE)?.and_then(|text| serde_json::from_str(&text).ok());
        let shown: Option<Exhibit> = read(SHOWN)?.and_then(|text| serde_json::from_str(&text).ok());
        // Earlier versions kept the formula as SMT-LIB 2.6 in the file that is now in the words of the culprit.
        let reduced = match read(REDUCED_PLAIN)? {
            None if shown.is_none() => read(REDUCED)?,
            plain => plain,
        };
        Ok(Added {
            reduced,
            shown: shown.filter(|shown| shown.format <= exhibit::FORMAT),
            before: read(REDUCED_BEFORE)?,
            triage: triage.filter(|triage| triage.format <= FORMAT),
            dating: dating.filter(|dating| dating.format <= FORMAT),
            seeds: read(SEEDS)?.and_then(|text| serde_json::from_str(&text).ok()),
        })
    }

    /// Whether the formula that the report of a finding shows is not the case as it was found.
    pub fn is_reduced(&self, finding: &Finding) -> bool {
        self.shown.as_ref().is_some_and(|shown| finding.formula.as_ref() != Some(&shown.formula))
    }

    /// Writes it to a folder.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        if let Some(reduced) = &self.reduced {
            write_whole(&folder.join(REDUCED_PLAIN), reduced.as_bytes())?;
        }
        if let Some(shown) = &self.shown {
            write_whole(&folder.join(REDUCED), shown.script.as_bytes())?;
            for transcript in &shown.transcripts {
                if let Some(script) = &transcript.script {
                    let file = file_for(replay_script::REDUCED, &transcript.solver);
                    write_whole(&folder.join(file), script.as_bytes())?;
                }
            }
            if let Some(own) = &shown.itself {
                write_whole(&folder.join(ITSELF), own.script.as_bytes())?;
            }
            write_whole(&folder.join(SHOWN), (serde_json::to_string_pretty(shown)? + "\n").as_bytes())?;
        }
        if let Some(before) = &self.before {
            write_whole(&folder.join(REDUCED_BEFORE), before.as_bytes())?;
        }
        self.triage.as_ref().map_or(Ok(()), |triage| triage.write(folder))?;
        if let Some(seeds) = &self.seeds {
            write_seeds(seeds, folder)?;
        }
        self.dating.as_ref().map_or(Ok(()), |dating| dating.write(folder))
    }
}

/// The text of a regular file; none if there is no such file or it is not text, and for links, which may leave the
/// folder, and pipes, which may block.
pub fn read_plain(path: &Path) -> io::Result<Option<String>> {
    let is_missing =
        |error: &io::Error| matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Ok(None),
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(error),
    }
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if is_missing(&error) || error.kind() == io::ErrorKind::InvalidData => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes with how many random seeds a slowdown shows to the folder of its finding.
pub fn write_seeds(seeds: &Tally, folder: &Path) -> io::Result<()> {
    write_whole(&folder.join(SEEDS), (serde_json::to_string(seeds)? + "\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dating(last_good: Option<&str>, fixed: Option<&str>) -> Dating {
        Dating {
            format: FORMAT,
            first_bad: Some("z3@4.8.7.0".to_owned()),
            last_good: last_good.map(str::to_owned),
            fixed: fixed.map(str::to_owned),
            more_may_exist: false,
            seen: vec![("z3@4.8.7.0".to_owned(), "bad".into())],
            ..Dating::default()
        }
    }

    #[test]
    fn reports_say_since_when() {
        let text = dating(Some("z3@4.8.6.0"), Some("z3@4.8.8.0")).text();
        assert_eq!(
            text,
            "First bad release tested: z3@4.8.7.0; z3@4.8.6.0 does not show it.\nFixed in z3@4.8.8.0; z3@4.8.7.0 is the last tested release that reproduces it.\n"
        );
        assert!(dating(None, None).text().starts_with("Shown by z3@4.8.7.0 already"));
    }

    #[test]
    fn reports_say_which_options_are_needed() {
        let triage = |options: &[&str]| Triage {
            options: Some(options.iter().map(|option| (*option).to_owned()).collect()),
            same_as: Some("crash-1".to_owned()),
            ..Triage::default()
        };
        assert!(triage(&["a=1", "b"]).text().starts_with("Of the drawn options, it needs `a=1 b`.\n"));
        assert!(triage(&[]).text().starts_with("None of the drawn options"));
        assert!(triage(&[]).text().ends_with("the same cause as crash-1.\n"));
        assert_eq!(Triage::default().text(), "");
    }

    #[test]
    fn what_was_added_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Added::read(folder.path()), Added::default());
        let triage = Triage { format: FORMAT, options: Some(Vec::new()), ..Triage::default() };
        let added = Added {
            reduced: Some("(check-sat)\n".to_owned()),
            shown: None,
            before: Some("(assert true)\n".to_owned()),
            triage: Some(triage),
            dating: Some(dating(None, None)),
            seeds: Some(Tally { shown: 12, tried: 30 }),
        };
        added.write(folder.path()).unwrap();
        assert_eq!(Added::read(folder.path()), added);
    }
}
