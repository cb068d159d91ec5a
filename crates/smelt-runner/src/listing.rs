//! Which releases of a solver there are, as the package client says, kept for a day.
//!
//! To ask takes seconds and a network, and the answer changes a few times a year.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::family::Family;
use crate::files::write_whole;
use crate::versions::{Client, InstallError, Store, choose};

/// A list that is older is asked for anew.
const FRESH: Duration = Duration::from_secs(24 * 60 * 60);

/// A list of versions and when it was asked for.
#[derive(Debug, Serialize, Deserialize)]
struct Listing {
    asked_secs: u64,
    versions: Vec<String>,
}

impl Store {
    /// The versions that a request stands for by the list that was asked for last, if that was not long ago and has some.
    pub fn listed(&self, family: Family, request: &str) -> Option<Vec<String>> {
        let text = fs::read_to_string(self.listing_path(family)).ok()?;
        let listing: Listing = serde_json::from_str(&text).ok()?;
        let age = now_secs().checked_sub(listing.asked_secs)?;
        let versions: Vec<&str> = listing.versions.iter().map(String::as_str).collect();
        Some(choose(&versions, request)).filter(|chosen| age < FRESH.as_secs() && !chosen.is_empty())
    }

    /// The versions that a request stands for, asked for now: one version, `latest`, or all of a range `4.8.5..4.8.12`.
    pub fn resolve(
        &self,
        client: &Client,
        family: Family,
        request: &str,
    ) -> Result<Vec<String>, InstallError> {
        let (package, versions) = client.available(family)?;
        let listing = Listing { asked_secs: now_secs(), versions };
        // Without a list the next command asks again, which is no error.
        if let Ok(text) = serde_json::to_string(&listing)
            && fs::create_dir_all(self.root()).is_ok()
        {
            let _ = write_whole(&self.listing_path(family), text.as_bytes());
        }
        let available: Vec<&str> = listing.versions.iter().map(String::as_str).collect();
        let chosen = choose(&available, request);
        if chosen.is_empty() {
            let shown: Vec<&str> = available.iter().take(12).copied().collect();
            return Err(InstallError::NoVersion {
                package: package.to_owned(),
                version: request.to_owned(),
                available: if shown.is_empty() {
                    "none".to_owned()
                } else {
                    format!("{}, ..", shown.join(", "))
                },
            });
        }
        Ok(chosen)
    }

    fn listing_path(&self, family: Family) -> PathBuf {
        self.root().join(format!("{}-versions.json", family.name()))
    }
}

fn now_secs() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_releases_is_believed_for_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().to_owned());
        assert_eq!(store.listed(Family::Z3, "latest"), None);
        let write = |age: u64| {
            let versions = vec!["5.4.0.0".to_owned(), "4.8.7.0".to_owned()];
            let listing = Listing { asked_secs: now_secs() - age, versions };
            fs::write(store.listing_path(Family::Z3), serde_json::to_string(&listing).unwrap()).unwrap();
        };
        write(3600);
        assert_eq!(store.listed(Family::Z3, "latest"), Some(vec!["5.4.0.0".to_owned()]));
        assert_eq!(store.listed(Family::Z3, "4.8..5.4").map(|found| found.len()), Some(2));
        assert_eq!(store.listed(Family::Z3, "9"), None);
        assert_eq!(store.listed(Family::Cvc5, "latest"), None);
        write(25 * 3600);
        assert_eq!(store.listed(Family::Z3, "latest"), None);
    }
}
