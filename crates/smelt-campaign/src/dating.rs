//! What triage adds to the folder of a finding: the reduced formula, the options that it needs, since when releases show
//! it, and with how many random seeds.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use smelt_oracle::slowness::Tally;

/// Since when releases show a finding, as in `history.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
}

impl Triage {
    /// Writes it to the folder of a finding.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let partial = folder.join("triage.partial");
        fs::write(&partial, serde_json::to_string_pretty(self)? + "\n")?;
        fs::rename(&partial, folder.join(TRIAGE))
    }

    /// Sentences for a report.
    pub(crate) fn text(&self) -> String {
        let options = match self.options.as_deref() {
            None => String::new(),
            Some([]) => "None of the drawn options is needed to show it.\n".to_owned(),
            Some(needed) => format!("Of the drawn options, it needs `{}`.\n", needed.join(" ")),
        };
        let same = match &self.same_as {
            Some(other) => format!("It seems to have the same cause as {other}.\n"),
            None => String::new(),
        };
        format!("{options}{same}")
    }
}

/// The file with what came of reducing.
const TRIAGE: &str = "triage.json";

/// The file with a dating.
const HISTORY: &str = "history.json";

/// The file that says with how many random seeds a slowdown shows.
const SEEDS: &str = "seeds.json";

/// The file with a reduced formula.
const REDUCED: &str = "reduced.smt2";

/// The file with the reduced formula before it, of a finding about two.
const REDUCED_BEFORE: &str = "reduced-before.smt2";

impl Dating {
    /// Writes it to the folder of a finding.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let partial = folder.join("history.partial");
        fs::write(&partial, serde_json::to_string_pretty(self)? + "\n")?;
        fs::rename(&partial, folder.join(HISTORY))
    }

    /// Sentences for a report.
    pub(crate) fn text(&self) -> String {
        let Some(first_bad) = &self.first_bad else { return String::new() };
        let before = match &self.last_good {
            Some(last_good) => format!("First bad release: {first_bad}; {last_good} does not show it.\n"),
            None => format!("Shown by {first_bad} already, the earliest release that was asked.\n"),
        };
        let after = match &self.fixed {
            Some(fixed) => format!("Not shown any more by {fixed}.\n"),
            None => String::new(),
        };
        let doubt = if self.more_may_exist {
            "Releases do not agree in one row: more changes may exist.\n"
        } else {
            ""
        };
        format!("{before}{after}{doubt}")
    }
}

/// All that triage has added to a folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Added {
    /// The reduced formula.
    pub reduced: Option<String>,
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
    /// What is in a folder; nothing if there is no folder.
    pub fn read(folder: &Path) -> Added {
        let read = |name: &str| fs::read_to_string(folder.join(name)).ok();
        let dating: Option<Dating> = read(HISTORY).and_then(|text| serde_json::from_str(&text).ok());
        let triage: Option<Triage> = read(TRIAGE).and_then(|text| serde_json::from_str(&text).ok());
        Added {
            reduced: read(REDUCED),
            before: read(REDUCED_BEFORE),
            triage: triage.filter(|triage| triage.format <= FORMAT),
            dating: dating.filter(|dating| dating.format <= FORMAT),
            seeds: read(SEEDS).and_then(|text| serde_json::from_str(&text).ok()),
        }
    }

    /// Writes it to a folder.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        if let Some(reduced) = &self.reduced {
            fs::write(folder.join(REDUCED), reduced)?;
        }
        if let Some(before) = &self.before {
            fs::write(folder.join(REDUCED_BEFORE), before)?;
        }
        self.triage.as_ref().map_or(Ok(()), |triage| triage.write(folder))?;
        if let Some(seeds) = &self.seeds {
            write_seeds(seeds, folder)?;
        }
        self.dating.as_ref().map_or(Ok(()), |dating| dating.write(folder))
    }
}

/// Writes with how many random seeds a slowdown shows to the folder of its finding.
pub(crate) fn write_seeds(seeds: &Tally, folder: &Path) -> io::Result<()> {
    let partial = folder.join("seeds.partial");
    fs::write(&partial, serde_json::to_string(seeds)? + "\n")?;
    fs::rename(&partial, folder.join(SEEDS))
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
        }
    }

    #[test]
    fn reports_say_since_when() {
        let text = dating(Some("z3@4.8.6.0"), Some("z3@4.8.8.0")).text();
        assert_eq!(
            text,
            "First bad release: z3@4.8.7.0; z3@4.8.6.0 does not show it.\nNot shown any more by z3@4.8.8.0.\n"
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
            before: Some("(assert true)\n".to_owned()),
            triage: Some(triage),
            dating: Some(dating(None, None)),
            seeds: Some(Tally { shown: 12, tried: 30 }),
        };
        added.write(folder.path()).unwrap();
        assert_eq!(Added::read(folder.path()), added);
    }
}
