//! What came of a hunt, for people: totals, what each technique has found, findings, and solvers that were hardly tested.
//!
//! The same as one JSON object is in [`json`].

pub mod json;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use smelt_oracle::finding_id::FindingId;
use smelt_report::finding::listing::ShownSize;
use smelt_store::finding::Finding;
use smelt_store::totals::Totals;

use crate::allocation::TechniqueYield;
use crate::hunt::Plan;
use crate::record::Findings;

/// A table of what each technique has found.
pub fn yields_table(plan: &Plan, yields: &[TechniqueYield]) -> String {
    let mut text = format!(
        "{:<18} {:>8} {:>9} {:>14} {:>9}\n",
        "technique", "cases", "claims", "new shapes", "findings"
    );
    for ((technique, _), found) in plan.techniques.iter().zip(yields) {
        let claims = 100.0 * found.claims as f64 / found.cases.max(1) as f64;
        text += &format!(
            "{:<18} {:>8} {claims:>7.1} % {:>14} {:>9}\n",
            technique.name(),
            found.cases,
            found.shapes,
            found.findings
        );
    }
    text.push('\n');
    text
}

/// What a user must know of solvers that refuse or fail on much of what they are sent, by their positions.
pub fn warnings(totals: &Totals, names: &[String]) -> Vec<(usize, String)> {
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

/// A solver is judged by what it ran only after this many formulas.
const MIN_FORMULAS: u64 = 20;

/// Why a hunt does not say that solvers are right about what it made: it hardly asked one of them, or that one hardly
/// answered.
pub fn vacuities(totals: &Totals, names: &[String]) -> Vec<String> {
    let mut vacuities = Vec::new();
    if totals.cases == 0 && totals.all_not_sent() > 0 {
        vacuities.push("nothing was tested: no solver takes any of the formulas that were made".to_owned());
        return vacuities;
    }
    for (position, name) in names.iter().enumerate() {
        let meant = totals.meant_for(position);
        let (runs, refused) =
            totals.refusals.get(&position).map_or((0, 0), |refusals| (refusals.runs, refusals.refused));
        if meant >= MIN_FORMULAS && 2 * runs < meant {
            vacuities.push(format!(
                "{name} is hardly tested: it was sent {runs} of {meant} formulas, and does not take the others"
            ));
        } else if runs >= MIN_FORMULAS && 2 * refused > runs {
            vacuities
                .push(format!("{name} is hardly tested: it refuses or fails on {refused} of {runs} runs"));
        }
    }
    vacuities
}

/// Formulas that were sent to no solver, and runs that the machine had no time for, in lines.
fn notes(totals: &Totals) -> Vec<String> {
    let mut notes = Vec::new();
    let not_sent = totals.all_not_sent();
    if not_sent > 0 {
        let mut reasons: Vec<(&String, u64)> =
            totals.not_sent.iter().map(|(reason, count)| (reason, *count)).collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let named: Vec<&str> = reasons.iter().take(MAX_REASONS).map(|(reason, _)| reason.as_str()).collect();
        let more = if reasons.len() > MAX_REASONS { ", .." } else { "" };
        notes.push(format!(
            "{not_sent} more formulas were sent to no solver, because none takes them ({}{more})",
            named.join(", ")
        ));
    }
    if totals.repeated > 0 {
        notes.push(format!(
            "{} runs were ended by the clock, not by processor time, and repeated; {} were ended by it again",
            totals.repeated, totals.starved
        ));
    }
    notes
}

/// At most this many reasons are named.
const MAX_REASONS: usize = 3;

/// The totals and the findings of a campaign. `same` says of findings which other one is the same bug.
pub fn text(
    dir: &Path,
    totals: &Totals,
    findings: &Findings,
    same: &BTreeMap<FindingId, FindingId>,
) -> String {
    let mut text = totals_text(totals);
    let all = findings.all();
    if all.is_empty() {
        return text + "no findings\n";
    }
    let bug_of = |finding: &Finding| same.get(&finding.id).cloned().unwrap_or_else(|| finding.id.clone());
    let bugs = |findings: &[&Finding]| findings.iter().map(|one| bug_of(one)).collect::<BTreeSet<_>>().len();
    text += &format!(
        "\n{:<22} {:<24} {:>5} {:>8} {:>7}  smallest\n",
        "class", "solver", "bugs", "findings", "cases"
    );
    let mut rest = all.as_slice();
    while let Some(first) = rest.first() {
        let is_same = |finding: &&&Finding| {
            finding.verdict.class == first.verdict.class && finding.verdict.culprit == first.verdict.culprit
        };
        let count = rest.iter().take_while(is_same).count();
        let row = &rest[..count];
        let cases: u64 = row.iter().map(|finding| finding.count.max(1)).sum();
        let culprit = first.verdict.culprit.as_deref().unwrap_or("-");
        let smallest = row.iter().min_by_key(|one| ShownSize::of(one, &findings.added(&one.id)).bytes);
        text += &format!(
            "{:<22} {culprit:<24} {:>5} {count:>8} {cases:>7}  {}\n",
            first.verdict.class.word(),
            bugs(row),
            smallest.map_or("-", |finding| finding.id.as_str())
        );
        rest = &rest[count..];
    }
    let (bugs, count) = (bugs(&all), all.len());
    if bugs < count {
        text += &format!("{count} findings, {bugs} bugs as far as formulas and crashes tell\n");
    }
    text + &format!("\nreports: {}/findings/*/report.md\n", dir.display())
}

fn totals_text(totals: &Totals) -> String {
    let seconds = totals.elapsed.as_secs_f64();
    let per_second = |count: u64| count as f64 / seconds.max(0.001);
    let [accepted, refuted, undecided] = totals.models;
    let mut text = format!(
        "{} cases ({:.0}/s), {} runs ({:.0}/s) in {seconds:.0} s\n",
        totals.cases,
        per_second(totals.cases),
        totals.runs,
        per_second(totals.runs)
    );
    if let Some(share) = totals.solver_share() {
        text += &format!(
            "processor time: {:.1} s in solvers, {:.1} s in smelt, so {:.1} % in solvers\n",
            totals.solver_cpu.as_secs_f64(),
            totals.own_cpu.as_secs_f64(),
            share * 100.0
        );
    }
    text += &format!("answers: {}\n", answers(totals));
    text += &format!("models: {accepted} accepted, {refuted} refuted, {undecided} undecided\n");
    for note in notes(totals) {
        text += &format!("{note}\n");
    }
    if totals.unconfirmed > 0 {
        text += &format!("{} verdicts did not show again in fresh processes\n", totals.unconfirmed);
    }
    text
}

/// How a hunt goes that has made these totals from those before in this time, in a line.
pub fn progress_line(totals: &Totals, before: &Totals, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64().max(0.001);
    let per_second = |now: u64, before: u64| now.saturating_sub(before) as f64 / seconds;
    // The end of the line is cut off on a narrow terminal.
    let mut parts = vec![
        findings_by_class(totals),
        format!("{} cases ({:.0}/s)", totals.cases, per_second(totals.cases, before.cases)),
        format!("{} runs ({:.0}/s)", totals.runs, per_second(totals.runs, before.runs)),
    ];
    parts.extend(totals.solver_share().map(|share| format!("{:.0} % in solvers", share * 100.0)));
    parts.extend(Some(answers(totals)).filter(|answers| !answers.is_empty()));
    parts.join(", ")
}

/// The runs by answer, in words.
fn answers(totals: &Totals) -> String {
    let answers: Vec<String> =
        totals.answers.iter().map(|(answer, count)| format!("{} {count}", answer.word())).collect();
    answers.join(" ")
}

/// The findings by class, in words.
fn findings_by_class(totals: &Totals) -> String {
    if totals.findings.is_empty() {
        return "no findings".to_owned();
    }
    let classes: Vec<String> =
        totals.findings.iter().map(|(class, count)| format!("{class} {count}")).collect();
    format!("findings: {}", classes.join(" "))
}

#[cfg(test)]
mod tests {
    use smelt_oracle::run::Answer;

    use super::*;

    #[test]
    fn findings_come_first_so_that_a_narrow_terminal_shows_them() {
        let mut totals = Totals { cases: 99, runs: 237, ..Totals::default() };
        let line = |totals: &Totals| progress_line(totals, &Totals::default(), Duration::from_secs(1));
        assert!(line(&totals).starts_with("no findings, 99 cases"), "{}", line(&totals));
        totals.findings.push(("crash".to_owned(), 2));
        assert!(line(&totals).starts_with("findings: crash 2, 99 cases"));
    }

    #[test]
    fn a_solver_that_ran_less_than_half_or_failed_on_more_than_half_is_hardly_tested() {
        let names = ["z3".to_owned(), "cvc5".to_owned()];
        let vacuities_of = |runs: u64, refused: u64, not_sent: u64, withheld: u64| {
            let mut totals = Totals { cases: 100, ..Totals::default() };
            totals.not_sent.insert("str.<".to_owned(), not_sent);
            totals.withheld.insert(1, withheld);
            for (position, runs, refused) in [(0, 100, 0), (1, runs, refused)] {
                let refusals = totals.refusals.entry(position).or_default();
                (0..refused).for_each(|_| refusals.add(Answer::Rejected, None));
                (0..runs - refused).for_each(|_| refusals.add(Answer::Sat, None));
            }
            vacuities(&totals, &names)
        };
        assert!(vacuities_of(50, 25, 0, 0).is_empty());
        assert!(vacuities_of(49, 0, 0, 0)[0].starts_with("cvc5 is hardly tested: it was sent 49 of 100"));
        assert!(vacuities_of(49, 0, 0, 2).is_empty());
        assert!(vacuities_of(50, 0, 1, 0)[0].contains("50 of 101 formulas"));
        assert!(vacuities_of(50, 26, 0, 0)[0].contains("refuses or fails on 26 of 50 runs"));
        assert_eq!(vacuities_of(100, 0, 101, 0).len(), 2, "nor is what no solver takes");
        let nothing = Totals { not_sent: [("x".to_owned(), 1)].into(), ..Totals::default() };
        assert!(vacuities(&nothing, &names)[0].starts_with("nothing was tested"));
    }

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
