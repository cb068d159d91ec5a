//! Where findings crash that say no more than which signal ended the process: asked of a debugger, and kept in their
//! folders.

use std::io;
use std::path::Path;

use smelt_campaign::campaign::solver_of;
use smelt_campaign::record::export_with;
use smelt_campaign::solvers::{DEFAULT_TIMEOUT_SECS, culprit_of, family_of};
use smelt_oracle::finding::{Class, Evidence};
use smelt_oracle::signature::Signature;
use smelt_report::finding::triage_files::{Added, FORMAT, Triage};
use smelt_runner::crash_stack::crash_stack;
use smelt_runner::installation::Installation;
use smelt_runner::limits::Limits;
use smelt_store::finding::Finding;

/// Where a finding crashes: by what the solver printed, or else by what a debugger said of it in triage.
pub fn signature_of(finding: &Finding, added: &Added) -> Option<String> {
    match &finding.verdict.evidence {
        Evidence::Signature(signature) if Signature::parse(signature).names_a_place() => {
            Some(signature.clone())
        }
        _ => added.triage.as_ref()?.stack.clone(),
    }
}

/// Runs the crash of a finding once under a debugger, where it is not known, and adds the stack to its folder. The user
/// has agreed to its programs.
pub fn find_stack(place: &Installation, finding: &Finding, folder: &Path) -> io::Result<()> {
    let mut added = Added::load(folder)?;
    if finding.verdict.class != Class::Crash || signature_of(finding, &added).is_some() {
        return Ok(());
    }
    let Some(command) = culprit_of(finding) else { return Ok(()) };
    let solver = solver_of(command, family_of(command));
    if place.verify(&solver).is_err() {
        return Ok(());
    }
    let limits = Limits::for_seconds(finding.timeout_secs.unwrap_or(DEFAULT_TIMEOUT_SECS));
    let script = added.shown.as_ref().map_or(&finding.script, |shown| &shown.script);
    let Some(stack) = crash_stack(&solver.invocation, script, &limits) else { return Ok(()) };
    let earlier = added.triage.take().unwrap_or_default();
    added.triage = Some(Triage { format: FORMAT, stack: Some(stack.to_string()), ..earlier });
    export_with(finding, &added, folder)
}
