//! A study on one page of HTML that needs nothing besides itself.

use smelt_oracle::finding::Class;

use super::figures::{Named, seconds};
use super::{Results, Study, Trigger};
use crate::plot::number;
use smelt_oracle::foreign_text::html;

/// So many triggers of a release and class are shown; `triggers.csv` has all.
const MAX_SHOWN: usize = 3;

/// The page with all figures and tables.
pub fn page(study: &Study, figures: &[Named]) -> String {
    let mut body = head(study);
    body.push_str(&overview(study));
    for named in figures {
        body.push_str(&format!(
            "<section><h2 id=\"{0}\">{1}</h2>\n<p>{2} <a href=\"{0}.svg\">{0}.svg</a></p>\n<div class=\"wide\">{3}</div>\
             </section>\n",
            named.name,
            html(&named.figure.title),
            html(&named.caption),
            named.figure.svg()
        ));
    }
    body.push_str(&by_theory(study));
    body.push_str(&triggers(study));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width\">\n<title>Evolution study</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         {body}</body>\n</html>\n"
    )
}

const STYLE: &str = "
body { font: 15px/1.45 system-ui, sans-serif; color: #222; background: #fff; max-width: 1280px; margin: 2em auto; padding: 0 1.2em; }
h1 { font-size: 1.6em; } h2 { font-size: 1.2em; margin-top: 2em; }
.wide { overflow-x: auto; } .wide svg { max-width: none; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13px; margin: 0.6em 0; }
th, td { padding: 2px 9px; text-align: right; border-bottom: 1px solid #e4e4e4; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } thead th { border-bottom: 1px solid #888; }
tr.clean { background: #eef6ee; } td.bad { color: #c62828; font-weight: 600; } td.zero { color: #aaa; }
pre { background: #f6f6f6; padding: 0.6em; overflow-x: auto; font-size: 12.5px; }
details { margin: 0.3em 0; } summary { cursor: pointer; }
";

fn head(study: &Study) -> String {
    let configuration = &study.configuration;
    let releases: usize = study.groups.iter().map(|group| group.releases.len()).sum();
    let theories: Vec<&str> = study.theories.iter().map(|theory| theory.name.as_str()).collect();
    let missing: u32 = study.rows().map(|(theory, _, results)| theory.formulas - results.runs).sum();
    let is_partial = match missing {
        0 => String::new(),
        _ => format!("<p><strong>{missing} runs are missing: the study is not complete.</strong></p>\n"),
    };
    format!(
        "<h1>Evolution study</h1>\n{is_partial}<p>{releases} releases on up to {} formulas of each of {}; {} runs at \
         {}, from which all smaller time limits follow. Answers are compared with those of {} and with models that \
         smelt has evaluated.</p>\n",
        configuration.formulas,
        html(&theories.join(", ")),
        html(&configuration.mode),
        seconds(configuration.timeout_secs),
        html(&configuration.references.join(", "))
    )
}

/// A table from its head and rows.
fn table(columns: &[&str], rows: &[String]) -> String {
    let head: String = columns.iter().map(|column| format!("<th>{}</th>", html(column))).collect();
    format!(
        "<div class=\"wide\"><table><thead><tr>{head}</tr></thead><tbody>\n{}</tbody></table></div>\n",
        rows.concat()
    )
}

fn cell(count: u32, is_bad: bool) -> String {
    let class = match (count, is_bad) {
        (0, _) => " class=\"zero\"",
        (_, true) => " class=\"bad\"",
        (_, false) => "",
    };
    format!("<td{class}>{count}</td>")
}

/// Bug triggers of each release, over all theories, the newest release first, as in Figure 7.10.
fn overview(study: &Study) -> String {
    let mut text = "<section><h2>Bug triggers over all theories</h2>\n<p>Releases without a trigger are shaded. \
        <em>Disputed</em>: it contradicts a reference, and no model tells who is wrong. <em>Older definition</em>: an \
        operator meant something else in this release. Neither is counted as a bug.</p>\n"
        .to_owned();
    for (position, group) in study.groups.iter().enumerate() {
        let mut rows = Vec::new();
        for (number, release) in group.releases.iter().enumerate().rev() {
            let all: Vec<&Results> =
                study.theories.iter().map(|theory| &theory.results[position][number]).collect();
            let sum = |count: &dyn Fn(&Results) -> u32| all.iter().map(|results| count(results)).sum::<u32>();
            let of = |class: Class| sum(&|results| results.of_class(class));
            let clean = if sum(&Results::bugs) == 0 { " class=\"clean\"" } else { "" };
            rows.push(format!(
                "<tr{clean}><td>{}</td>{}{}{}{}{}</tr>\n",
                html(&release.name),
                cell(sum(&Results::unsound), true),
                cell(of(Class::InvalidModel), true),
                cell(of(Class::Crash), true),
                cell(of(Class::Disputed), false),
                cell(of(Class::Drift), false),
            ));
        }
        let columns =
            [group.name.as_str(), "unsound", "invalid model", "crash", "disputed", "older definition"];
        text.push_str(&table(&columns, &rows));
    }
    text.push_str("</section>\n");
    text
}

/// Everything about each theory.
fn by_theory(study: &Study) -> String {
    let first = format!("solved in {}", seconds(study.timeouts.first().copied().unwrap_or(0.0)));
    let last = format!("in {}", seconds(study.timeouts.last().copied().unwrap_or(0.0)));
    let columns = [
        "release",
        "sat",
        "unsat",
        "unknown",
        "timeout",
        "rejected",
        "crash",
        "unsound",
        "invalid model",
        "disputed",
        "older definition",
        &first,
        &last,
        "joint s",
        "all s",
        "solved/s",
    ];
    let mut text = "<section><h2>By theory</h2>\n".to_owned();
    for theory in &study.theories {
        let known = theory.known.iter().filter(|(_, count)| *count > 0);
        let known: Vec<String> = known.map(|(status, count)| format!("{count} {}", status.words())).collect();
        let joint: Vec<String> = study
            .groups
            .iter()
            .zip(&theory.jointly_solved)
            .map(|(group, count)| format!("{count} by all of {}", group.name))
            .collect();
        text.push_str(&format!(
            "<h3>{}</h3>\n<p>{} formulas: {}. Solved {}.</p>\n",
            html(&theory.name),
            theory.formulas,
            html(&known.join(", ")),
            html(&joint.join(", "))
        ));
        for (reference, count) in &theory.wrong_references {
            text.push_str(&format!(
                "<p><strong>Reference {} says unsat of {count} formulas that have a model.</strong></p>\n",
                html(reference)
            ));
        }
        let mut rows = Vec::new();
        for (release, results) in
            study.groups.iter().flat_map(|group| &group.releases).zip(theory.results.iter().flatten())
        {
            let plain = [results.sat, results.unsat, results.unknown, results.timeout, results.rejected];
            let plain: String = plain.iter().map(|count| cell(*count, false)).collect();
            rows.push(format!(
                "<tr><td>{}</td>{plain}{}{}{}{}{}{}{}<td>{}</td><td>{}</td><td>{}</td></tr>\n",
                html(&release.name),
                cell(results.of_class(Class::Crash), true),
                cell(results.unsound(), true),
                cell(results.of_class(Class::InvalidModel), true),
                cell(results.of_class(Class::Disputed), false),
                cell(results.of_class(Class::Drift), false),
                cell(results.solved.first().copied().unwrap_or(0), false),
                cell(results.solved_at_last(), false),
                number(results.joint_secs),
                number(results.cpu_secs),
                results.throughput().map(number).unwrap_or_default(),
            ));
        }
        text.push_str(&table(&columns, &rows));
    }
    text.push_str("</section>\n");
    text
}

/// Triggers of one release, theory and class.
type Alike<'t> = ((&'t str, &'t str, Class), Vec<&'t Trigger>);

/// The smallest triggers of each release and class.
fn triggers(study: &Study) -> String {
    let mut text =
        "<section><h2>Smallest triggers</h2>\n<p>All of them are in <a href=\"triggers.csv\">triggers.csv\
        </a>.</p>\n"
            .to_owned();
    let mut shown: Vec<Alike<'_>> = Vec::new();
    for trigger in &study.triggers {
        let key = (trigger.solver.as_str(), trigger.theory.as_str(), trigger.class);
        match shown.iter_mut().find(|(known, _)| *known == key) {
            Some((_, members)) => members.push(trigger),
            None => shown.push((key, vec![trigger])),
        }
    }
    for ((solver, theory, class), mut members) in shown {
        members.sort_by_key(|trigger| (trigger.formula.script.len(), trigger.number));
        let count = members.len();
        let summary = format!("{solver} {} on {count} formulas of {theory}", class.about());
        text.push_str(&format!("<details><summary>{}</summary>\n", html(&summary)));
        for trigger in members.into_iter().take(MAX_SHOWN) {
            let note = match trigger.note.is_empty() {
                true => String::new(),
                false => format!("<p>{}</p>\n", html(&trigger.note)),
            };
            text.push_str(&format!("{note}<pre>{}</pre>\n", html(trigger.formula.script.trim_end())));
        }
        text.push_str("</details>\n");
    }
    text.push_str("</section>\n");
    text
}
