//! What came of a hunt, as a table.

use std::io::Write;
use std::path::Path;

use smelt_campaign::hunt::Plan;
use smelt_campaign::record::Findings;
use smelt_campaign::rounds::TechniqueYield;
use smelt_store::finding::Finding;
use smelt_store::totals::Totals;

use super::progress::answers;
use crate::exit::{Exit, Failure};
use crate::streams::Streams;

/// Prints what each technique has found.
pub(super) fn print_yields(
    plan: &Plan,
    yields: &[TechniqueYield],
    streams: &mut Streams,
) -> Result<(), Failure> {
    let out = streams.results();
    writeln!(
        out,
        "{:<18} {:>8} {:>9} {:>14} {:>9}",
        "technique", "cases", "claims", "new behaviours", "findings"
    )?;
    for ((technique, _), found) in plan.techniques.iter().zip(yields) {
        let claims = 100.0 * found.claims as f64 / found.cases.max(1) as f64;
        writeln!(
            out,
            "{:<18} {:>8} {claims:>7.1} % {:>14} {:>9}",
            technique.name(),
            found.cases,
            found.behaviours,
            found.findings
        )?;
    }
    writeln!(out)?;
    Ok(())
}

/// What a user must know of solvers that refuse or fail on much of what they are sent, by their positions.
pub(super) fn warnings(totals: &Totals, names: &[String]) -> Vec<(usize, String)> {
    let frequent = totals.refusals.iter().filter(|(_, refusals)| refusals.is_frequent());
    frequent
        .filter_map(|(position, refusals)| {
            let name = names.get(*position)?;
            let quoted = refusals.most_common().map_or_else(String::new, |(message, count)| {
                format!("; the most common message, seen {count} times, is `{message}`")
            });
            let share = format!("{} of {} runs", refusals.refused, refusals.runs);
            Some((*position, format!("warning: {name} refuses or fails on {share}{quoted}")))
        })
        .collect()
}

/// Prints which solvers refuse or fail on much of what they were sent.
pub(super) fn print_warnings(
    totals: &Totals,
    names: &[String],
    streams: &mut Streams,
) -> Result<(), Failure> {
    for (_, warning) in warnings(totals, names) {
        writeln!(streams.results(), "{warning}\n")?;
    }
    Ok(())
}

/// Prints the totals and the findings of a campaign.
pub(super) fn print(
    dir: &Path,
    totals: &Totals,
    findings: &Findings,
    streams: &mut Streams,
) -> Result<Exit, Failure> {
    let seconds = totals.elapsed.as_secs_f64();
    let per_second = |count: u64| count as f64 / seconds.max(0.001);
    let [accepted, refuted, undecided] = totals.models;
    let out = streams.results();
    writeln!(
        out,
        "{} cases ({:.0}/s), {} runs ({:.0}/s) in {seconds:.0} s",
        totals.cases,
        per_second(totals.cases),
        totals.runs,
        per_second(totals.runs)
    )?;
    if let Some(share) = totals.solver_share() {
        writeln!(
            out,
            "processor time: {:.1} s in solvers, {:.1} s in smelt, so {:.1} % in solvers",
            totals.solver_cpu.as_secs_f64(),
            totals.own_cpu.as_secs_f64(),
            share * 100.0
        )?;
    }
    writeln!(out, "answers: {}", answers(totals))?;
    writeln!(out, "models: {accepted} accepted, {refuted} refuted, {undecided} undecided")?;
    if totals.unconfirmed > 0 {
        writeln!(out, "{} verdicts did not show again in fresh processes", totals.unconfirmed)?;
    }
    let all = findings.all();
    if all.is_empty() {
        writeln!(out, "no findings")?;
        return Ok(Exit::Done);
    }
    writeln!(out, "\n{:<22} {:<24} {:>8} {:>7}  smallest", "class", "solver", "findings", "cases")?;
    let mut rest = all.as_slice();
    while let Some(first) = rest.first() {
        let is_same = |finding: &&&Finding| {
            finding.verdict.class == first.verdict.class && finding.verdict.culprit == first.verdict.culprit
        };
        let count = rest.iter().take_while(is_same).count();
        let cases: u64 = rest[..count].iter().map(|finding| finding.count.max(1)).sum();
        let culprit = first.verdict.culprit.as_deref().unwrap_or("-");
        writeln!(
            out,
            "{:<22} {culprit:<24} {count:>8} {cases:>7}  {}",
            first.verdict.class.word(),
            first.id
        )?;
        rest = &rest[count..];
    }
    writeln!(out, "\nreports: {}/findings/*/report.md", dir.display())?;
    Ok(Exit::Findings)
}

#[cfg(test)]
mod tests {
    use smelt_oracle::run::Answer;

    use super::*;

    #[test]
    fn a_solver_that_refuses_often_is_named_with_what_it_says() {
        let mut totals = Totals::default();
        let names = ["z3".to_owned(), "cvc5".to_owned()];
        for position in 0..2 {
            let refusals = totals.refusals.entry(position).or_default();
            (0..30).for_each(|_| refusals.add(Answer::Sat, None));
        }
        assert!(warnings(&totals, &names).is_empty());
        let refusals = totals.refusals.entry(1).or_default();
        (0..30).for_each(|_| refusals.add(Answer::Error, Some("cannot pop beyond first pushed context")));
        assert_eq!(
            warnings(&totals, &names),
            [(
                1,
                "warning: cvc5 refuses or fails on 30 of 60 runs; the most common message, seen 30 times, \
                 is `cannot pop beyond first pushed context`"
                    .to_owned()
            )]
        );
    }
}
