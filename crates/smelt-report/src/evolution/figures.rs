//! The figures of a study, after Figures 7.9 and 7.11 to 7.14 of the thesis: theories as rows, lineages as columns.

use smelt_oracle::finding::Class;

use super::{Results, Study, Theory};
use crate::plot::{Axes, Figure, Mark, Panel, Row, Scale, Series, Shape, Style};

/// A figure with the name of its file and what there is to know about it.
#[derive(Debug, Clone)]
pub struct Named {
    /// The file, without its ending.
    pub name: &'static str,
    /// What it shows, in a sentence or two.
    pub caption: String,
    /// The figure.
    pub figure: Figure,
}

/// All figures.
pub fn figures(study: &Study) -> Vec<Named> {
    let first = seconds(study.timeouts.first().copied().unwrap_or(0.0));
    let last = seconds(study.timeouts.last().copied().unwrap_or(0.0));
    let mode = match study.configuration.mode.as_str() {
        "cold" => "Every run was a process of its own, so start-up counts.",
        _ => "Formulas were run in sessions, so start-up does not count.",
    };
    vec![
        Named {
            name: "bugs",
            caption: "Formulas on which a release is wrong or crashes, each seen again in a fresh process. Formulas \
                that it rejects and older definitions of operators do not count."
                .to_owned(),
            figure: bugs(study),
        },
        Named {
            name: "solved-lowest",
            caption: format!("What came of the formulas within {first} of processor time. {mode}"),
            figure: answers_at_lowest(study, &first),
        },
        Named {
            name: "solved-by-timeout",
            caption: format!("Solved formulas by time limit; a line for each release. {mode}"),
            figure: by_timeout(study),
        },
        Named {
            name: "solved-highest",
            caption: format!("Formulas solved within {last} of processor time."),
            figure: over_releases(
                study,
                Look::lines(&format!("Solved within {last}"), "formulas"),
                &|results, _| Some(f64::from(results.solved_at_last())),
            ),
        },
        Named {
            name: "joint-time",
            caption: format!(
                "Processor time on the formulas that all releases of a column solve; how many these are stands in the \
                 table below. {mode}"
            ),
            figure: over_releases(
                study,
                Look::separate_lines("Cumulative time on jointly solved formulas", "seconds"),
                &|results, joint| (joint > 0).then_some(results.joint_secs),
            ),
        },
        Named {
            name: "throughput",
            caption: format!("Solved formulas per second of processor time, all runs counted. {mode}"),
            figure: over_releases(
                study,
                Look::separate_lines("Throughput", "formulas per second"),
                &|results, _| results.throughput(),
            ),
        },
    ]
}

/// A number of seconds as people say it.
pub(super) fn seconds(seconds: f64) -> String {
    let denominator = 1.0 / seconds;
    match seconds < 1.0 && denominator.fract() == 0.0 {
        true => format!("1/{denominator} s"),
        false => format!("{seconds} s"),
    }
}

/// What a figure looks like, whatever it shows.
struct Look<'l> {
    title: &'l str,
    unit: &'l str,
    scale: Scale,
    axes: Axes,
    mark: Mark,
    legend: Vec<(String, Style)>,
}

impl<'l> Look<'l> {
    /// Lines of numbers that can be compared within a row.
    fn lines(title: &'l str, unit: &'l str) -> Self {
        let (scale, axes, mark) = (Scale::Linear, Axes::PerRow, Mark::Lines);
        Look { title, unit, scale, axes, mark, legend: Vec::new() }
    }

    /// Lines of numbers that cannot: columns are about different formulas, or too far apart.
    fn separate_lines(title: &'l str, unit: &'l str) -> Self {
        Look { axes: Axes::PerPanel, ..Look::lines(title, unit) }
    }
}

/// One value of each release, as a line. The value may depend on how many formulas are solved by all.
fn over_releases(study: &Study, look: Look<'_>, value: &dyn Fn(&Results, u32) -> Option<f64>) -> Figure {
    let style = Style::new("#1f5fa8", Shape::Circle);
    let name = look.unit.to_owned();
    let series = |theory: &Theory, group: usize| {
        let joint = theory.jointly_solved[group];
        let values = theory.results[group]
            .iter()
            .map(|results| if results.runs == 0 { None } else { value(results, joint) });
        vec![Series { name: name.clone(), style: style.clone(), values: values.collect() }]
    };
    figure(study, look, &series)
}

/// What makes the series of a panel, for a theory and the number of a group.
type SeriesOf<'s> = &'s dyn Fn(&Theory, usize) -> Vec<Series>;

fn figure(study: &Study, look: Look<'_>, series: SeriesOf<'_>) -> Figure {
    let row = |theory: &Theory| Row {
        name: theory.name.clone(),
        panels: (0..study.groups.len())
            .map(|group| Panel {
                labels: study.groups[group].releases.iter().map(|release| release.label.clone()).collect(),
                mark: look.mark,
                series: series(theory, group),
            })
            .collect(),
    };
    Figure {
        title: look.title.to_owned(),
        unit: look.unit.to_owned(),
        columns: study.groups.iter().map(|group| group.name.clone()).collect(),
        rows: study.theories.iter().map(row).collect(),
        legend: look.legend,
        scale: look.scale,
        axes: look.axes,
    }
}

/// A number of formulas.
type Count = fn(&Results) -> u32;

fn bugs(study: &Study) -> Figure {
    let kinds: [(&str, Style, Count); 3] = [
        ("unsound", Style::new("#c62828", Shape::Circle), Results::unsound),
        ("invalid model", Style::new("#2e7d32", Shape::Square), |results| {
            results.of_class(Class::InvalidModel)
        }),
        ("crash", Style::new("#1f5fa8", Shape::Triangle), |results| results.of_class(Class::Crash)),
    ];
    let legend = kinds.iter().map(|(name, style, _)| ((*name).to_owned(), style.clone())).collect();
    let series = |theory: &Theory, group: usize| {
        kinds
            .iter()
            .map(|(name, style, count)| Series {
                name: (*name).to_owned(),
                style: style.clone(),
                values: theory.results[group]
                    .iter()
                    .map(|results| (results.runs > 0).then(|| f64::from(count(results))))
                    .collect(),
            })
            .collect()
    };
    let look =
        Look { scale: Scale::Logarithmic, legend, ..Look::lines("Bug triggers by release", "triggers") };
    figure(study, look, &series)
}

fn answers_at_lowest(study: &Study, first: &str) -> Figure {
    let kinds: [(&str, &str, Count); 5] = [
        ("solved", "#2e7d32", |results| results.solved[0]),
        ("unknown", "#f9a825", |results| results.unknown_within[0]),
        ("crash or wrong", "#c62828", |results| results.crash + results.unsound()),
        ("rejected", "#6d4c8d", |results| results.rejected),
        ("not in time", "#c9c9c9", |results| {
            let others = results.solved[0]
                + results.unknown_within[0]
                + results.crash
                + results.unsound()
                + results.rejected;
            results.runs.saturating_sub(others)
        }),
    ];
    let style = |colour: &str| Style::new(colour, Shape::Square);
    let legend = kinds.iter().map(|(name, colour, _)| ((*name).to_owned(), style(colour))).collect();
    let series = |theory: &Theory, group: usize| {
        kinds
            .iter()
            .map(|(name, colour, count)| Series {
                name: (*name).to_owned(),
                style: style(colour),
                values: theory.results[group].iter().map(|results| Some(f64::from(count(results)))).collect(),
            })
            .collect()
    };
    let title = format!("Formulas within {first}");
    figure(study, Look { mark: Mark::Bars, legend, ..Look::lines(&title, "formulas") }, &series)
}

/// Lines from old to new, from blue to red.
fn by_timeout(study: &Study) -> Figure {
    let labels: Vec<String> = study.timeouts.iter().map(|timeout| seconds(*timeout)).collect();
    let colour = |position: usize, count: usize| {
        let share = if count > 1 { position as f64 / (count - 1) as f64 } else { 1.0 };
        let [red, green, blue] = [(0x6b, 0xc0), (0xae, 0x1c), (0xe6, 0x3c)]
            .map(|(old, new)| f64::from(old) + share * (f64::from(new) - f64::from(old)));
        format!("#{:02x}{:02x}{:02x}", red as u8, green as u8, blue as u8)
    };
    let row = |theory: &Theory| Row {
        name: theory.name.clone(),
        panels: study
            .groups
            .iter()
            .zip(&theory.results)
            .map(|(group, results)| Panel {
                labels: labels.clone(),
                mark: Mark::Lines,
                series: group
                    .releases
                    .iter()
                    .zip(results)
                    .enumerate()
                    .filter(|(_, (_, results))| results.runs > 0)
                    .map(|(position, (release, results))| Series {
                        name: release.label.clone(),
                        style: Style::new(&colour(position, group.releases.len()), Shape::Circle),
                        values: results.solved.iter().map(|solved| Some(f64::from(*solved))).collect(),
                    })
                    .collect(),
            })
            .collect(),
    };
    let legend = vec![
        ("oldest release".to_owned(), Style::new(&colour(0, 2), Shape::Circle)),
        ("newest release".to_owned(), Style::new(&colour(1, 2), Shape::Circle)),
    ];
    Figure {
        title: "Solved formulas by time limit".to_owned(),
        unit: "formulas".to_owned(),
        columns: study.groups.iter().map(|group| group.name.clone()).collect(),
        rows: study.theories.iter().map(row).collect(),
        legend,
        scale: Scale::Linear,
        axes: Axes::PerRow,
    }
}
