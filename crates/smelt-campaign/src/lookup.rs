//! Findings of a campaign that users name.

use std::path::{Path, PathBuf};

use smelt_store::error::StoreError;
use smelt_store::finding::Finding;

use crate::campaign::Campaign;
use crate::configure::hint::in_campaign;
use crate::record::list;

/// Why a finding cannot be found.
#[derive(Debug, thiserror::Error)]
pub enum LookupError {
    /// There are no findings to look at.
    #[error(
        "there is no campaign in `{}`; name its folder with --dir, or start one with `smelt hunt`",
        .0.display()
    )]
    NoCampaign(PathBuf),
    /// No id begins like this.
    #[error("no finding `{id}` (`{}` lists all)", in_campaign("smelt findings", dir))]
    Unknown {
        /// What was asked for.
        id: String,
        /// The campaign.
        dir: PathBuf,
    },
    /// Several do.
    #[error("{0} findings begin with `{1}`; give more of the id")]
    Ambiguous(usize, String),
    /// They cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The findings of a campaign.
pub fn findings_of(dir: &Path) -> Result<Vec<Finding>, LookupError> {
    if !Campaign::exists(dir) && !dir.join("findings").is_dir() {
        return Err(LookupError::NoCampaign(dir.to_owned()));
    }
    Ok(list(dir)?)
}

/// The finding of a campaign whose id is this or begins with it.
pub fn finding_named(id: &str, dir: &Path) -> Result<Finding, LookupError> {
    one_of(findings_of(dir)?, id, dir)
}

/// The one of these findings whose id is this or begins with it.
pub fn one_of(findings: Vec<Finding>, id: &str, dir: &Path) -> Result<Finding, LookupError> {
    let mut alike: Vec<Finding> = Vec::new();
    for finding in findings {
        if finding.id == *id {
            return Ok(finding);
        }
        if finding.id.as_str().starts_with(id) {
            alike.push(finding);
        }
    }
    match (alike.pop(), alike.len()) {
        (Some(one), 0) => Ok(one),
        (Some(_), more) => Err(LookupError::Ambiguous(more + 1, id.to_owned())),
        (None, _) => Err(LookupError::Unknown { id: id.to_owned(), dir: dir.to_owned() }),
    }
}
