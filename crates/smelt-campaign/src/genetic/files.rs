//! What a genetic search writes: formulas, tables, figures and a page, each file replaced as a whole.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use super::state::Rerun;
use super::{GeneticResult, Member, Plan};
use smelt_report::plot::{Axes, Figure, Mark, Panel, Row, Scale, Series, Shape, Style};
use smelt_runner::files::write_whole;

/// The command that judges the formulas of the front again and records what is found.
fn recording(plan: &Plan, dir: &Path) -> String {
    let solvers: String = plan.about.given.iter().map(|solver| format!(" --solver '{solver}'")).collect();
    format!(
        "smelt hunt {} --technique unchanged --judge hang,slowdown --timeout {}{solvers}",
        dir.join("front").display(),
        plan.confirm_secs
    )
}

/// The numbers of Table I, the confirmed formulas, and those that were not run again yet.
pub fn summary(plan: &Plan, outcome: &GeneticResult, dir: &Path) -> String {
    let confirmed = outcome.front.iter().filter(|member| member.is_confirmed()).count();
    let mut text = format!(
        "{confirmed} of {} formulas of the front reach {} s while a reference answers",
        outcome.front.len(),
        plan.confirm_secs,
    );
    if outcome.open() > 0 {
        let _ = write!(text, ", {} were not run at {} s yet", outcome.open(), plan.confirm_secs);
    }
    let _ = writeln!(text, "; {} generations, {} formulas run", outcome.history.len(), outcome.evaluated);
    if outcome.front.is_empty() {
        let _ = writeln!(text, "the front is empty: no formula was run to its end");
    } else {
        let mean = |value: &dyn Fn(&Member) -> f64| {
            outcome.front.iter().map(value).sum::<f64>() / outcome.front.len() as f64
        };
        let _ = writeln!(
            text,
            "mean time score {:.2}, mean complexity {:.1}, behaviours covered {} in all, {:.1} a formula of the front",
            mean(&|member| member.individual.time),
            mean(&|member| member.individual.complexity as f64),
            outcome.rows,
            mean(&|member| member.individual.measured.covered.rows() as f64),
        );
    }
    for (number, member) in (1..).zip(&outcome.front) {
        let Some(Rerun { reference: Some((name, answer, seconds)), .. }) = &member.rerun else { continue };
        if member.is_confirmed() {
            let _ = writeln!(
                text,
                "front/{number:02}.smt2: complexity {}, {name} says {} after {seconds:.2} s",
                member.individual.complexity,
                answer.word(),
            );
        }
    }
    if confirmed > 0 {
        let _ = writeln!(text, "findings of them, with five runs each: {}", recording(plan, dir));
    }
    if !outcome.crashes.is_empty() || !outcome.disagreements.is_empty() {
        let _ = writeln!(
            text,
            "on the way: {} crashes, {} formulas that solvers decide differently; judge them with `smelt hunt --technique unchanged`",
            outcome.crashes.len(),
            outcome.disagreements.len(),
        );
    }
    text
}

/// The message to a user who has stopped a search.
pub fn stopped(outcome: &GeneticResult, dir: &Path) -> String {
    format!(
        "stopped, {} of {} formulas of the front are not confirmed or refuted yet; continue with `smelt hunt --technique \
         genetic --resume --dir {}`\n",
        outcome.open(),
        outcome.front.len(),
        dir.display()
    )
}

/// Writes formulas, tables, figures and a page; what was there of an earlier moment is replaced.
pub fn write(plan: &Plan, outcome: &GeneticResult, dir: &Path) -> io::Result<()> {
    write_formulas(&dir.join("crashes"), outcome.crashes.iter().map(String::as_str), 3)?;
    write_formulas(&dir.join("disagreements"), outcome.disagreements.iter().map(String::as_str), 3)?;
    write_formulas(
        &dir.join("front"),
        outcome.front.iter().map(|member| member.individual.text.as_str()),
        2,
    )?;
    replace(&dir.join("front.csv"), &front_table(outcome))?;
    replace(&dir.join("generations.csv"), &generations_table(outcome))?;
    // A figure needs a point at least.
    if !outcome.history.is_empty() {
        replace(&dir.join(CONVERGENCE), &convergence(outcome).svg())?;
    }
    if !outcome.front.is_empty() {
        replace(&dir.join(FRONT), &front_figure(outcome).svg())?;
    }
    replace(&dir.join("report.md"), &page(plan, outcome, dir))
}

const CONVERGENCE: &str = "convergence.svg";
const FRONT: &str = "front.svg";

/// Replaces a file as a whole.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    write_whole(path, text.as_bytes())
}

/// Replaces a folder by one with these formulas, whose names are numbers with this many digits; an empty folder is not made.
fn write_formulas<'t>(
    folder: &Path,
    texts: impl ExactSizeIterator<Item = &'t str>,
    digits: usize,
) -> io::Result<()> {
    let (partial, old) = (folder.with_extension("partial"), folder.with_extension("old"));
    for leftover in [&partial, &old] {
        if leftover.exists() {
            fs::remove_dir_all(leftover)?;
        }
    }
    let is_empty = texts.len() == 0;
    fs::create_dir_all(&partial)?;
    for (number, text) in (1..).zip(texts) {
        fs::write(partial.join(format!("{number:0digits$}.smt2")), text)?;
    }
    if folder.exists() {
        fs::rename(folder, &old)?;
        fs::rename(&partial, folder)?;
        fs::remove_dir_all(&old)
    } else if is_empty {
        fs::remove_dir(&partial)
    } else {
        fs::rename(&partial, folder)
    }
}

fn front_table(outcome: &GeneticResult) -> String {
    let mut front = String::from(
        "file,time_score,target_secs,reference_secs,coverage_score,rows,complexity,confirm_target,confirm_target_secs,\
         confirm_reference,confirm_reference_secs,confirmed\n",
    );
    for (number, member) in (1..).zip(&outcome.front) {
        let individual = &member.individual;
        let _ = write!(
            front,
            "front/{number:02}.smt2,{:.3},{:.3},{:.3},{},{},{}",
            individual.time,
            individual.measured.target_secs,
            individual.measured.reference_secs,
            individual.coverage,
            individual.measured.covered.rows(),
            individual.complexity,
        );
        // Nothing is said of a formula that was not run again.
        let Some(Rerun { target: (answer, seconds), reference, .. }) = &member.rerun else {
            front.push_str(",,,,,\n");
            continue;
        };
        let (name, reference_secs) = match reference {
            Some((name, _, seconds)) => (name.as_str(), format!("{seconds:.3}")),
            None => ("", String::new()),
        };
        let _ = writeln!(
            front,
            ",{},{seconds:.3},{name},{reference_secs},{}",
            answer.word(),
            member.is_confirmed()
        );
    }
    front
}

fn generations_table(outcome: &GeneticResult) -> String {
    let mut table =
        String::from("generation,formulas,mean_time_score,best_time_score,mean_complexity,rows\n");
    for generation in &outcome.history {
        let _ = writeln!(
            table,
            "{},{},{:.4},{:.4},{:.2},{}",
            generation.number,
            generation.evaluated,
            generation.mean_time,
            generation.best_time,
            generation.mean_complexity,
            generation.rows,
        );
    }
    table
}

fn page(plan: &Plan, outcome: &GeneticResult, dir: &Path) -> String {
    let names: Vec<&str> = plan.targets.iter().map(|target| target.solver.name.as_str()).collect();
    let figures = [
        ("convergence", CONVERGENCE, outcome.history.is_empty()),
        ("front", FRONT, outcome.front.is_empty()),
    ];
    let figures: String = figures
        .iter()
        .filter(|(_, _, is_empty)| !is_empty)
        .map(|(name, file, _)| format!("![{name}]({file})\n\n"))
        .collect();
    format!(
        "# Genetic search for slow formulas\n\nSolvers, the target last: {}.\nVariant {}, population {}, random seed {}, {} s a run, \
         {} s to confirm, {:.0} s in all.\n\n```text\n{}```\n\n{figures}Numbers: `front.csv`, `generations.csv`.\n",
        names.join(", "),
        plan.search.variant.name,
        plan.search.population,
        plan.random_seed,
        plan.timeout_secs,
        plan.confirm_secs,
        outcome.elapsed.as_secs_f64(),
        summary(plan, outcome, dir),
    )
}

/// How time scores, complexity and coverage went from generation to generation.
fn convergence(outcome: &GeneticResult) -> Figure {
    let history = &outcome.history;
    let labels: Vec<String> = history.iter().map(|generation| generation.number.to_string()).collect();
    let mean = Style::new("#1f77b4", Shape::Circle);
    let best = Style::new("#d62728", Shape::Square);
    let series = |name: &str, style: &Style, values: Vec<f64>| Series {
        name: name.to_owned(),
        style: style.clone(),
        values: values.into_iter().map(Some).collect(),
    };
    let row = |name: &str, series: Vec<Series>| Row {
        name: name.to_owned(),
        panels: vec![Panel { labels: labels.clone(), mark: Mark::Lines, series }],
    };
    let times = vec![
        series("mean", &mean, history.iter().map(|generation| generation.mean_time).collect()),
        series("best", &best, history.iter().map(|generation| generation.best_time).collect()),
    ];
    let complexity = history.iter().map(|generation| generation.mean_complexity).collect();
    let rows = history.iter().map(|generation| generation.rows as f64).collect();
    Figure {
        title: "Generations".to_owned(),
        // The name of each row says its unit.
        unit: String::new(),
        columns: vec!["generation".to_owned()],
        rows: vec![
            row("time score, s", times),
            row("complexity", vec![series("mean", &mean, complexity)]),
            row("behaviours", vec![series("all", &best, rows)]),
        ],
        legend: vec![("mean".to_owned(), mean.clone()), ("best or all".to_owned(), best.clone())],
        scale: Scale::Linear,
        axes: Axes::PerPanel,
    }
}

/// The time scores of the front over its complexities.
fn front_figure(outcome: &GeneticResult) -> Figure {
    let mut front: Vec<&Member> = outcome.front.iter().collect();
    front.sort_by_key(|member| (member.individual.complexity, member.individual.number));
    let styles = [Style::new("#d62728", Shape::Square), Style::new("#1f77b4", Shape::Circle)];
    let series = |name: &str, style: &Style, is_wanted: &dyn Fn(&Member) -> bool| Series {
        name: name.to_owned(),
        style: style.clone(),
        values: front.iter().map(|member| is_wanted(member).then_some(member.individual.time)).collect(),
    };
    let panel = Panel {
        labels: front.iter().map(|member| member.individual.complexity.to_string()).collect(),
        mark: Mark::Lines,
        series: vec![
            series("confirmed", &styles[0], &Member::is_confirmed),
            series("not confirmed", &styles[1], &|member| !member.is_confirmed()),
        ],
    };
    Figure {
        title: "Front by complexity".to_owned(),
        unit: "time score in seconds".to_owned(),
        columns: vec!["complexity".to_owned()],
        rows: vec![Row { name: "time score".to_owned(), panels: vec![panel] }],
        legend: vec![
            ("confirmed".to_owned(), styles[0].clone()),
            ("not confirmed".to_owned(), styles[1].clone()),
        ],
        scale: Scale::Linear,
        axes: Axes::PerRow,
    }
}
