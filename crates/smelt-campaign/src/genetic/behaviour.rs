//! What a solver did, by what it says of itself: its statistics, and the trace of Z3.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use smelt_runner::cold;
use smelt_runner::family::Family;
use smelt_runner::limits::Limits;
use smelt_testgen::search::evolution::{Covered, Trace};

use smelt_trial::target::Target;

/// Counters that measure the machine and not the solver.
const MACHINE: [&str; 5] = ["time", "memory", "alloc", "rlimit", "seconds"];

/// So many lines of a trace are looked at: a second of Z3 gives more than a hundred thousand.
const MAX_TRACE_LINES: usize = 50_000;

/// A trace is of so many seconds of processor time at most.
const MAX_TRACE_SECS: f64 = 1.0;

/// The counters in what a solver printed, `:name number` as Z3 does or `name = number` as cvc5 does.
pub(super) fn statistics(output: &str) -> Vec<(String, f64)> {
    let mut counters = Vec::new();
    let mut words = output.split_whitespace().peekable();
    let mut before = "";
    while let Some(word) = words.next() {
        let number = |text: &str| text.trim_end_matches([')', ',']).parse::<f64>().ok();
        let bare = word.trim_start_matches('(');
        if let (Some(name), Some(value)) =
            (bare.strip_prefix(':'), words.peek().and_then(|next| number(next)))
        {
            counters.push((name.to_owned(), value));
        } else if let ("=", Some(value)) = (word, words.peek().and_then(|next| number(next)))
            && !before.is_empty()
        {
            counters.push((before.to_owned(), value));
        }
        before = bare;
    }
    counters.retain(|(name, value)| {
        value.is_finite() && *value >= 1.0 && !MACHINE.iter().any(|word| name.to_lowercase().contains(word))
    });
    counters
}

/// Counters as coverage: the logarithm of each counter is a row.
pub(super) fn signature(counters: &[(String, f64)]) -> Covered {
    let mut covered = Covered::default();
    for (name, value) in counters {
        covered.files.entry(name.clone()).or_default().insert(value.log2().floor() as u64, 1);
    }
    covered
}

/// What was covered as a trace, for solvers that give none.
pub(super) fn as_trace(covered: &Covered) -> Trace {
    let lines: Vec<String> = covered
        .files
        .iter()
        .flat_map(|(file, rows)| rows.keys().map(move |row| format!("{file} {row}")))
        .collect();
    Trace::of_lines(lines.iter().map(String::as_bytes))
}

/// A solver whose runs are traced.
pub(super) struct Traced<'t> {
    pub target: &'t Target,
    /// A folder for the file with the trace.
    pub scratch: &'t Path,
    /// Set if the user wants an end.
    pub stop: &'t AtomicBool,
}

/// The trace of a run, if the solver can give one.
pub(super) fn traced(watched: &Traced<'_>, text: &str, seconds: f64) -> io::Result<Option<Trace>> {
    let Traced { target, scratch, stop } = watched;
    if target.solver.family != Family::Z3 {
        return Ok(None);
    }
    let file = scratch.join("trace.log");
    let mut tracing = target.solver.invocation.clone();
    let name = format!("trace_file_name={}", file.display());
    tracing.args.extend(["trace=true".into(), name.into()]);
    // It writes a file that we read.
    tracing.is_confined = false;
    let usual = Limits::for_seconds(seconds.min(MAX_TRACE_SECS));
    let limits = Limits { wall: usual.cpu * 5 + Duration::from_secs(1), ..usual };
    cold::run_until(&tracing, text, &limits, stop)?;
    let Ok(opened) = File::open(&file) else { return Ok(None) };
    let lines: Vec<Vec<u8>> =
        BufReader::new(opened).split(b'\n').take(MAX_TRACE_LINES).collect::<io::Result<_>>()?;
    fs::remove_file(&file)?;
    Ok(Some(Trace::of_lines(lines.iter().map(Vec::as_slice))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_z3_are_read() {
        let output =
            "unknown\n(:added-eqs 10375\n :max-memory 21.5\n :time 1.00\n :conflicts 0\n :num-checks 1)\n";
        let expected = [("added-eqs".to_owned(), 10375.0), ("num-checks".to_owned(), 1.0)];
        assert_eq!(statistics(output), expected);
    }

    #[test]
    fn counters_of_cvc5_are_read() {
        let output = "sat\nglobal::totalTime = 5ms\ntheory::strings::inferences = 12\n(:x)";
        assert_eq!(statistics(output), [("theory::strings::inferences".to_owned(), 12.0)]);
    }

    #[test]
    fn a_row_is_the_size_of_a_counter() {
        let counters = [("a".to_owned(), 1.0), ("b".to_owned(), 1023.0), ("b".to_owned(), 1024.0)];
        let covered = signature(&counters);
        assert_eq!(covered.files["a"].keys().copied().collect::<Vec<_>>(), [0]);
        assert_eq!(covered.files["b"].keys().copied().collect::<Vec<_>>(), [9, 10]);
        assert_eq!(as_trace(&covered).len(), 3);
    }
}
