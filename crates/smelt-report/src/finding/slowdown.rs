//! What a report says of a slowdown.

use smelt_oracle::foreign_text::markdown_text;
use smelt_oracle::slowness::{Measured, Tally};
use smelt_testgen::search::dtw;

/// Which solvers a slowdown is about, besides the slow one.
#[derive(Debug, Clone, Copy)]
pub struct Compared<'c> {
    /// The fastest of the others.
    pub reference: &'c str,
    /// The first solver that is slow.
    pub first_bad: &'c str,
}

/// The times of all solvers, who is to be compared, and how stable it is.
pub fn text(measured: &[Measured], compared: &Compared<'_>, seeds: Option<Tally>) -> String {
    let Compared { reference, first_bad } = *compared;
    let mut text = String::from(
        "Processor time in ms, all solvers measured in turn:\n\n| solver | answer | median | runs |\n|---|---|---|---|\n",
    );
    for one in measured {
        let runs: Vec<String> = one.runs.iter().map(|run| format!("{:.0}", run.cpu_ms)).collect();
        let (median, words) = (one.median_ms(), one.words());
        let solver = markdown_text(&one.solver).replace('|', "\\|");
        text.push_str(&format!("| {solver} | {words} | {median:.0} | {} |\n", runs.join(" ")));
    }
    if let Some(ratio) = ratio(measured, reference) {
        text.push_str(&format!(
            "\nIt takes {ratio:.1} times as long as {}, or more where it was stopped.\n",
            markdown_text(reference)
        ));
    }
    if measured.len() > 2 {
        text.push_str(&format!("The first of these that is slow: {}.\n", markdown_text(first_bad)));
    }
    match seeds {
        Some(seeds) => text.push_str(&format!(
            "It shows with {} of the random seeds 1 to {} (class {}).\n",
            seeds.shown,
            seeds.tried,
            seeds.class()
        )),
        None => text.push_str("It was not tried with other random seeds.\n"),
    }
    text
}

/// How many times slower the last solver is than a reference, by the medians.
pub fn ratio(measured: &[Measured], reference: &str) -> Option<f64> {
    let slow = measured.last()?;
    let fast = measured.iter().find(|one| one.solver == reference)?;
    // A solver that takes no measurable time would make everything infinitely slow.
    Some(slow.median_ms() / fast.median_ms().max(1.0))
}

/// Times that differ by no more than this factor from release to release look alike.
const ALIKE: f64 = 2.0;

/// For each of some findings the number of its pattern of times, from zero. Slowdowns with one cause often have one pattern:
/// two findings share it if their medians, stretched along the releases as fits best, differ by less than a factor of two on
/// average.
pub fn patterns(all: &[&[Measured]]) -> Vec<usize> {
    let logs = |measured: &[Measured]| -> Vec<f64> {
        measured.iter().map(|one| one.median_ms().max(1.0).ln()).collect()
    };
    let mut first_of: Vec<Vec<f64>> = Vec::new();
    let mut numbers = Vec::new();
    for measured in all {
        let times = logs(measured);
        let is_alike = |first: &Vec<f64>| dtw::distance(first, &times) < ALIKE.ln() * times.len() as f64;
        let number = first_of.iter().position(is_alike).unwrap_or_else(|| {
            first_of.push(times);
            first_of.len() - 1
        });
        numbers.push(number);
    }
    numbers
}

#[cfg(test)]
mod tests {
    use smelt_oracle::run::Answer;
    use smelt_oracle::slowness::Measurement;

    use super::*;

    #[test]
    fn times_that_look_alike_are_one_pattern() {
        let measured = |times: &[f64]| -> Vec<Measured> {
            let one = |cpu_ms: &f64| Measured {
                solver: "s".to_owned(),
                runs: vec![Measurement { answer: Answer::Sat, cpu_ms: *cpu_ms }],
            };
            times.iter().map(one).collect()
        };
        let all = [
            measured(&[20.0, 25.0, 3000.0]),
            measured(&[30.0, 3000.0, 3000.0]),
            measured(&[20.0, 20.0, 2500.0]),
            measured(&[900.0, 950.0, 3000.0]),
        ];
        let all: Vec<&[Measured]> = all.iter().map(Vec::as_slice).collect();
        // The second jumps one release earlier, which stretching does not see.
        assert_eq!(patterns(&all), [0, 0, 0, 1]);
        assert_eq!(patterns(&[]), [0; 0]);
    }

    #[test]
    fn reports_have_all_times() {
        let measured = |solver: &str, answer, times: [f64; 2]| Measured {
            solver: solver.to_owned(),
            runs: times.map(|cpu_ms| Measurement { answer, cpu_ms }).to_vec(),
        };
        let all = [
            measured("z3@1", Answer::Sat, [20.0, 24.4]),
            measured("z3@2", Answer::Sat, [1900.0, 2000.0]),
            measured("z3@3", Answer::Timeout, [3000.0, 3000.0]),
        ];
        let compared = Compared { reference: "z3@1", first_bad: "z3@2" };
        let report = text(&all, &compared, Some(Tally { shown: 28, tried: 30 }));
        assert!(report.contains("| z3@1 | sat | 20 | 20 24 |\n"), "{report}");
        assert!(report.contains("| z3@3 | timeout | 3000 | 3000 3000 |\n"), "{report}");
        assert!(report.contains("It takes 150.0 times as long as z3@1"), "{report}");
        assert!(report.contains("The first of these that is slow: z3@2.\n"), "{report}");
        assert!(report.contains("28 of the random seeds 1 to 30 (class 20-29)"), "{report}");
        assert!(text(&all[..2], &compared, None).ends_with("not tried with other random seeds.\n"));
    }
}
