//! What triage adds to the folder of a finding: the reduced formula, since when releases show it, and with how many random
//! seeds.

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

/// The version of `history.json`.
pub const FORMAT: u32 = 1;

/// The file with a dating.
const HISTORY: &str = "history.json";

/// The file that says with how many random seeds a slowdown shows.
const SEEDS: &str = "seeds.json";

/// The file with a reduced formula.
const REDUCED: &str = "reduced.smt2";

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
        let seeds = read(SEEDS).and_then(|text| serde_json::from_str(&text).ok());
        Added { reduced: read(REDUCED), dating: dating.filter(|dating| dating.format <= FORMAT), seeds }
    }

    /// Writes it to a folder.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        if let Some(reduced) = &self.reduced {
            fs::write(folder.join(REDUCED), reduced)?;
        }
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
    fn what_was_added_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Added::read(folder.path()), Added::default());
        let added = Added {
            reduced: Some("(check-sat)\n".to_owned()),
            dating: Some(dating(None, None)),
            seeds: Some(Tally { shown: 12, tried: 30 }),
        };
        added.write(folder.path()).unwrap();
        assert_eq!(Added::read(folder.path()), added);
    }
}
