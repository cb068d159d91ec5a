//! Findings: told apart, recorded, and exported to one folder each, complete or not there at all.
//!
//! The record is the truth. A folder that is missing is written again from it, and a folder that the record does not
//! know is taken in.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_oracle::case::Lineage;
use smelt_oracle::finding::{Class, Evidence, Verdict};
use smelt_oracle::finding_id::FindingId;
use smelt_oracle::signature::Signature;
use smelt_oracle::slowness::Tally;
use smelt_report::finding::replay_script::{self, BEFORE, CASE, file_for};
use smelt_report::finding::triage_files::{Added, read_plain, write_seeds};
use smelt_report::finding::{culprit, report};
use smelt_runner::files::{PARTIAL, hidden_folder, replace_folder};
use smelt_smtlib::op::{Op, Theory};
use smelt_store::error::{StoreError, refuse_link};
use smelt_store::finding::Finding;
use smelt_store::recorder::Recorder;
use smelt_store::store::{Store, database};
use smelt_testgen::variant;

/// At most this many findings are kept per group (see [`group_of`]).
const MAX_ALIKE: usize = 3;

/// The place in the order of cases of findings that came with their folders: before all others.
const TAKEN_IN: u64 = 0;
/// The place of findings whose case a hunt that was killed had not recorded: after all others, until it is done again.
const NOT_RECORDED: u64 = u64::MAX;

/// What a confirmed verdict counts for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// The finding that it is, whether that is kept or there are enough others like it.
    pub id: FindingId,
    /// What those have in common that are most likely one bug.
    pub alike: u64,
}

/// The findings of a campaign.
///
/// Of each group, the first few in the order of cases are kept, not the first that arrive, each with the first case that
/// reproduces it. So the findings of a campaign depend neither on the speed of its workers nor on when it was killed.
/// A recorded finding is dropped when enough others of its group turn out to come before it. All cases of a finding
/// have the same group.
#[derive(Debug)]
pub struct Findings {
    campaign: PathBuf,
    /// By group, the places of findings in the order of cases and their ids.
    alike: FxHashMap<String, BTreeSet<(u64, FindingId)>>,
    findings: FxHashMap<FindingId, Finding>,
    /// Findings whose folders do not tell their counts.
    changed: FxHashSet<FindingId>,
}

impl Findings {
    /// The findings of a campaign. Record and folders are brought together: a finding without its folder gets it, and a
    /// folder without its finding is taken in.
    pub fn open(campaign: &Path, store: &mut Store) -> Result<Findings, StoreError> {
        let folder = folder_of_all(campaign);
        refuse_link(&folder)?;
        fs::create_dir_all(&folder).map_err(|error| StoreError::of_files(&folder, error))?;
        remove_partial(&folder);
        // A folder that is damaged is written again if the record knows it, and is not ours to judge otherwise.
        let exported: Vec<Finding> = list_folders(campaign)?.into_iter().flatten().collect();
        let known = store.findings()?;
        refuse_links(campaign, known.iter().chain(&exported))?;
        let is_known = |id: &FindingId| known.iter().any(|finding| finding.id == *id);
        for finding in exported.iter().filter(|finding| !is_known(&finding.id)) {
            store.take_in(finding)?;
        }
        let mut findings = Findings {
            campaign: campaign.to_owned(),
            alike: FxHashMap::default(),
            findings: FxHashMap::default(),
            changed: FxHashSet::default(),
        };
        findings.find_places(store)?;
        for finding in store.findings()? {
            let id = finding.id.clone();
            match exported.iter().find(|folder| folder.id == id) {
                None => findings.write(&finding)?,
                Some(folder) if folder.count != finding.count || folder.script != finding.script => {
                    findings.changed.insert(id.clone());
                }
                Some(_) => {}
            }
            findings.findings.insert(id, finding);
        }
        Ok(findings)
    }

    /// Finds the places of recorded findings in the order of cases, and drops what a hunt that was killed had begun to
    /// drop.
    fn find_places(&mut self, store: &mut Store) -> Result<(), StoreError> {
        let (seen, taken_in) = (store.seen()?, store.taken_in()?);
        for finding in store.findings()? {
            let in_cases = seen.iter().find(|one| finding.id == *one.id);
            let place = match in_cases {
                // One that came with its folder is never dropped.
                _ if taken_in.contains(finding.id.as_str()) => TAKEN_IN,
                Some(one) => one.first_case,
                None => NOT_RECORDED,
            };
            self.alike.entry(group_of(&finding)).or_default().insert((place, finding.id));
        }
        for alike in self.alike.values_mut() {
            for id in take_surplus(alike) {
                remove_folder(&self.campaign, &id)?;
                store.drop_finding(id.as_str())?;
            }
        }
        Ok(())
    }

    /// Takes a finding of the case at this place in the order of cases, and says for which finding it counts. One that is
    /// new is recorded first and exported then.
    pub fn add(
        &mut self,
        mut finding: Finding,
        place: u64,
        recorder: &Recorder,
    ) -> Result<Counted, StoreError> {
        let (id, group) = (finding.id.clone(), group_of(&finding));
        let counted = Counted { id: id.clone(), alike: number_of(&group) };
        let alike = self.alike.entry(group.clone()).or_default();
        if let Some(known) = self.findings.get_mut(&id) {
            known.count += 1;
            self.changed.insert(id.clone());
            let before = alike.iter().find(|(_, known)| *known == id).cloned();
            let Some(before) = before.filter(|(before, _)| place < *before) else { return Ok(counted) };
            alike.remove(&before);
            alike.insert((place, id));
            let surplus = take_surplus(alike);
            finding.count = known.count;
            recorder.replace_finding(finding.clone())?;
            *known = finding;
            self.drop_surplus(surplus, &group, recorder)?;
            return Ok(counted);
        }
        alike.insert((place, id.clone()));
        let mut surplus = take_surplus(alike);
        if surplus.contains(&id) {
            surplus.retain(|other| *other != id);
            self.count_for_first(&group, 1);
        } else {
            self.keep(finding, recorder)?;
        }
        self.drop_surplus(surplus, &group, recorder)?;
        Ok(counted)
    }

    /// Drops the findings of a group that are too many.
    fn drop_surplus(
        &mut self,
        surplus: Vec<FindingId>,
        group: &str,
        recorder: &Recorder,
    ) -> Result<(), StoreError> {
        for id in surplus {
            let cases = self.drop(&id, recorder)?;
            self.count_for_first(group, cases);
        }
        Ok(())
    }

    /// The record tells which finding of a group the cases of dropped ones count for in the end; this is for the folder.
    fn count_for_first(&mut self, group: &str, cases: u64) {
        let Some((_, id)) = self.alike.get(group).and_then(BTreeSet::first) else { return };
        if let Some(first) = self.findings.get_mut(id) {
            first.count += cases;
            self.changed.insert(id.clone());
        }
    }

    fn keep(&mut self, finding: Finding, recorder: &Recorder) -> Result<(), StoreError> {
        recorder.finding(finding.clone())?;
        self.write(&finding)?;
        self.findings.insert(finding.id.clone(), finding);
        Ok(())
    }

    /// Drops a finding, its folder first: a folder without its finding would be taken in again. Says how often it was
    /// seen.
    fn drop(&mut self, id: &FindingId, recorder: &Recorder) -> Result<u64, StoreError> {
        let Some(dropped) = self.findings.remove(id) else { return Ok(0) };
        self.changed.remove(id);
        remove_folder(&self.campaign, id)?;
        recorder.drop_finding(id.as_str(), dropped.verdict.class.word())?;
        Ok(dropped.count)
    }

    /// Writes a folder under another name and renames it, so that it is never seen half done.
    fn write(&self, finding: &Finding) -> Result<(), StoreError> {
        let folder = folder_of(&self.campaign, &finding.id);
        export(finding, &folder).map_err(|error| file_error(&self.campaign, &folder, error))
    }

    /// Brings the folders up to date with the counts.
    pub fn flush(&mut self) -> Result<(), StoreError> {
        for id in std::mem::take(&mut self.changed) {
            if let Some(finding) = self.findings.get(&id) {
                self.write(finding)?;
            }
        }
        Ok(())
    }

    /// A finding with its case.
    pub(crate) fn get(&self, id: &FindingId) -> Option<&Finding> {
        self.findings.get(id)
    }

    /// What triage has added to a finding.
    pub fn added(&self, id: &FindingId) -> Added {
        Added::read(&folder_of(&self.campaign, id))
    }

    /// Adds to the folder of a finding with how many random seeds it shows.
    pub(crate) fn add_seeds(&self, id: &FindingId, seeds: &Tally) -> Result<(), StoreError> {
        let Some(finding) = self.findings.get(id) else { return Ok(()) };
        let folder = folder_of(&self.campaign, id);
        write_seeds(seeds, &folder).map_err(|error| file_error(&self.campaign, &folder, error))?;
        self.write(finding)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.findings.len()
    }

    /// How many of them are different bugs, as far as class, culprit and operators tell.
    pub fn distinct(&self) -> usize {
        self.alike.values().filter(|ids| !ids.is_empty()).count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// All findings, the worst first.
    pub fn all(&self) -> Vec<&Finding> {
        let mut findings: Vec<&Finding> = self.findings.values().collect();
        findings.sort_by(|left, right| badness(left).cmp(&badness(right)));
        findings
    }
}

fn badness(finding: &Finding) -> (Class, bool, &Option<String>, usize, &FindingId) {
    let is_unsafe = finding.is_outside_safe_mode();
    (finding.verdict.class, is_unsafe, &finding.verdict.culprit, finding.bytes, &finding.id)
}

/// The findings of the campaign in a folder, the worst first: by its record, or by the folders if it has none.
pub fn list(campaign: &Path) -> Result<Vec<Finding>, StoreError> {
    let mut findings = match Store::open_existing(campaign)? {
        Some(store) => store.findings()?,
        None => list_folders(campaign)?.into_iter().collect::<Result<_, _>>()?,
    };
    refuse_links(campaign, &findings)?;
    for finding in &mut findings {
        // A hunt that was killed between a finding and its case has recorded no case for it yet.
        finding.count = finding.count.max(1);
    }
    findings.sort_by(|left, right| badness(left).cmp(&badness(right)));
    Ok(findings)
}

/// The folder of all findings of a campaign.
fn folder_of_all(campaign: &Path) -> PathBuf {
    campaign.join("findings")
}

/// The folder of a finding of a campaign.
pub fn folder_of(campaign: &Path, id: &FindingId) -> PathBuf {
    folder_of_all(campaign).join(id)
}

/// Refuses a campaign in which the folder of findings, or of one of these, is a link: what is written there would be
/// written elsewhere.
fn refuse_links<'r>(
    campaign: &Path,
    findings: impl IntoIterator<Item = &'r Finding>,
) -> Result<(), StoreError> {
    refuse_link(&folder_of_all(campaign))?;
    findings.into_iter().try_for_each(|finding| refuse_link(&folder_of(campaign, &finding.id)))
}

/// Writes a finding to a folder, which appears complete; the folder of the same finding is replaced, but what triage has
/// added to it stays.
pub fn export(finding: &Finding, folder: &Path) -> io::Result<()> {
    export_with(finding, &Added::load(folder)?, folder)
}

/// The same with what triage has added elsewhere.
pub fn export_with(finding: &Finding, added: &Added, folder: &Path) -> io::Result<()> {
    let is_there = is_replaceable(folder, &finding.id)?;
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let hidden = hidden_folder(parent)?;
    let partial = hidden.path();
    fs::write(partial.join("case.smt2"), &finding.script)?;
    for (solver, words) in &finding.other_words {
        fs::write(partial.join(file_for(CASE, solver)), words)?;
    }
    if let Evidence::EarlierLink { formula, .. } = &finding.verdict.evidence {
        fs::write(partial.join(BEFORE), formula)?;
    }
    fs::write(partial.join(FINDING), json(finding)?)?;
    added.write(partial)?;
    fs::write(partial.join("report.md"), report(finding, added))?;
    fs::write(partial.join("replay.sh"), replay_script::script(finding, added))?;
    if !is_there {
        return fs::rename(partial, folder);
    }
    // What was there is removed with the hidden folder.
    replace_folder(partial, folder)
}

/// Whether something is at the place of a finding's folder; an error if it is anything but a folder of this finding.
fn is_replaceable(folder: &Path, id: &FindingId) -> io::Result<bool> {
    let refused =
        |what: &str| Err(io::Error::other(format!("{what}, so it is not replaced by finding {id}")));
    match folder.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
        Ok(metadata) if !metadata.is_dir() => return refused("it is not a folder"),
        Ok(_) => {}
    }
    match read_plain(&folder.join(FINDING))? {
        Some(text) => match serde_json::from_str::<serde_json::Value>(&text) {
            Ok(found) if found["id"] != id.as_str() => refused("it is the folder of another finding"),
            // A damaged one too: whose else should a file of this name in a folder of this name be?
            _ => Ok(true),
        },
        None if fs::read_dir(folder)?.next().is_some() => refused("it holds files, but no finding"),
        None => Ok(true),
    }
}

/// The file that makes a folder one of a finding.
const FINDING: &str = "finding.json";

/// Removes the folder of a finding, if it is there: hidden first, because deleting takes several steps.
fn remove_folder(campaign: &Path, id: &FindingId) -> Result<(), StoreError> {
    let folder = folder_of(campaign, id);
    if !folder.join(FINDING).is_file() {
        return Ok(());
    }
    let removed = hidden_folder(&folder_of_all(campaign)).and_then(|hidden| {
        fs::rename(&folder, hidden.path())?;
        hidden.close()
    });
    removed.map_err(|error| file_error(campaign, &folder, error))
}

/// What an error about the folder of a finding means: a folder that is missing may be missing with the whole campaign.
fn file_error(campaign: &Path, folder: &Path, error: io::Error) -> StoreError {
    let record = database(campaign);
    match error.kind() {
        io::ErrorKind::NotFound if !record.exists() => StoreError::Gone { path: record },
        _ => StoreError::of_files(folder, error),
    }
}

/// Removes what hunts that were killed left half done.
fn remove_partial(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') && name.ends_with(PARTIAL) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// The findings below a campaign's folder that are complete, by id, or what is wrong with them.
fn list_folders(campaign: &Path) -> Result<Vec<Result<Finding, StoreError>>, StoreError> {
    let folder = folder_of_all(campaign);
    let entries = fs::read_dir(&folder).map_err(|error| StoreError::of_files(&folder, error))?;
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    let is_hidden =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    folders.retain(|path| !is_hidden(path));
    Ok(folders.iter().filter_map(|folder| read_folder(folder)).collect())
}

/// The finding in a folder; nothing if the folder is not complete.
fn read_folder(folder: &Path) -> Option<Result<Finding, StoreError>> {
    let is_whole = folder.join("report.md").is_file() && folder.join("replay.sh").is_file();
    let file = folder.join(FINDING);
    let read = |path: &Path| read_plain(path).ok().flatten();
    let (text, script) = (read(&file).filter(|_| is_whole)?, read(&folder.join("case.smt2"))?);
    let damaged = |message: String| Some(Err(StoreError::Damaged { path: file.clone(), message }));
    match serde_json::from_str::<Finding>(&text) {
        Ok(finding) if !folder.ends_with(&finding.id) => {
            damaged(format!("the id is {}, but folders of findings are named by their ids", finding.id))
        }
        Ok(finding) => Some(Ok(Finding { script, ..finding })),
        Err(error) => damaged(error.to_string()),
    }
}

fn json(finding: &Finding) -> io::Result<String> {
    Ok(serde_json::to_string_pretty(finding)? + "\n")
}

/// Findings of a group are most likely one bug: the same class and culprit, and the same crash site or, where there is
/// none, the same operators. Those of Core tell bugs apart no more than names do.
fn group_of(finding: &Finding) -> String {
    group(&finding.verdict, &finding.operators)
}

fn group(verdict: &Verdict, operators: &[String]) -> String {
    let is_core = |name: &str| Op::named(name).iter().any(|op| op.info().theory == Theory::Core);
    let cause = match crash_site(verdict) {
        Some(signature) => signature.to_owned(),
        None => {
            let operators: Vec<&str> =
                operators.iter().map(String::as_str).filter(|name| !is_core(name)).collect();
            operators.join(" ")
        }
    };
    format!("{} {} {cause}", verdict.class.word(), culprit(verdict))
}

/// The signature of a crash, if it names a place in the program.
fn crash_site(verdict: &Verdict) -> Option<&str> {
    match &verdict.evidence {
        Evidence::Signature(signature) if Signature::parse(signature).names_a_place() => Some(signature),
        _ => None,
    }
}

/// Takes out the last findings of a group that has too many. While the case of one is not recorded, it is not known
/// which come last, so there may be several when it is.
fn take_surplus(alike: &mut BTreeSet<(u64, FindingId)>) -> Vec<FindingId> {
    let is_surplus = |place: u64| place > TAKEN_IN && place < NOT_RECORDED;
    let mut surplus = Vec::new();
    while alike.len() > MAX_ALIKE && alike.last().is_some_and(|(place, _)| is_surplus(*place)) {
        surplus.extend(alike.pop_last().map(|(_, id)| id));
    }
    surplus
}

/// A number for a text, the same on every machine.
fn number_of(text: &str) -> u64 {
    let hash = blake3::hash(text.as_bytes());
    let (first, _) = hash.as_bytes().split_first_chunk().expect("a hash has 32 bytes");
    u64::from_le_bytes(*first)
}

/// The same crash site, or the same formula with the same fault, is the same finding. Variants of a seed with the same
/// operators are one formula. The group is part of the id, so a finding has one group.
pub(crate) fn id_of(
    verdict: &Verdict,
    lineage: &Lineage,
    operators: &[String],
    canonical: &str,
) -> FindingId {
    let formula = match crash_site(verdict) {
        Some(_) => "",
        None if lineage.technique == variant::NAME => lineage.seed.as_str(),
        None => canonical,
    };
    let key = format!("{} {formula}", group(verdict, operators));
    FindingId::new(verdict.class, blake3::hash(key.as_bytes()).as_bytes())
}

#[cfg(test)]
mod tests;
