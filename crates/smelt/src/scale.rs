//! `smelt scale`: how the time of solvers grows with a formula.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use smelt_campaign::slowdown::scaling::{Curve, Scale, scale};
use smelt_report::growth::{self, Fit, Law, fit};
use smelt_runner::timing::{Conditions, Timing};
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer, script_text};
use smelt_smtlib::term::Terms;
use smelt_testgen::scaling::{Grown, grow};
use smelt_testgen::seed::Seed;

use crate::error::{CliError, Exit, cannot_write};
use crate::inputs;
use crate::interrupt;
use crate::memory::MemoryArg;
use crate::solvers::{find_or_install_chosen, installation, make_ready, probing_ends};
use crate::streams::Streams;

/// Measure how the time of solvers grows with a formula
///
/// The formula becomes a family: its string literals are repeated n times, its numbers multiplied by n, or both. A folder
/// with files 1.smt2, 2.smt2 and so on is a family as it is. Solvers are measured on it for growing n, in turn and in
/// processor time, until they do not decide in time. Growth is linear, polynomial or exponential, whichever fits best, by
/// least squares on logarithms; nothing is said of times that grow by less than ten times or fit badly.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: smelt scale smelt-campaign/findings/slowdown-1a2b3c4d5e/case.smt2 --solver z3@4.8.7 --solver z3@4.8.8 -o growth.svg"
)]
pub(crate) struct Args {
    /// The formula, or a folder with one for each n
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A solver: a path, NAME, NAME@VERSION, or NAME=COMMAND LINE that reads standard input; repeatable
    #[arg(short, long = "solver", value_name = "SOLVER", required = true)]
    solvers: Vec<String>,
    /// What grows: strings, numbers or all [default: each that makes a difference]
    #[arg(long, value_name = "WHAT", value_parser = ["strings", "numbers", "all"])]
    grow: Option<String>,
    /// The largest n
    #[arg(long, value_name = "N", default_value_t = 64)]
    most: u32,
    /// Processor time allowed for each run, in seconds
    #[arg(short, long, value_name = "SECS", default_value_t = 10.0)]
    timeout: f64,
    #[command(flatten)]
    pub(crate) memory: MemoryArg,
    /// How often each formula is run; the median counts
    #[arg(long, value_name = "N", default_value_t = 3)]
    repeats: usize,
    /// Where to write a plot as SVG [default: nowhere]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON object per solver and family instead of text [default: text]
    #[arg(long)]
    json: bool,
}

/// One line of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
struct Line<'r> {
    family: &'r str,
    solver: &'r str,
    start_ms: f64,
    n: &'r [u32],
    /// Medians; nothing where it did not decide.
    cpu_ms: &'r [Option<f64>],
    /// `linear`, `polynomial` or `exponential`; nothing if there is no telling.
    growth: Option<&'static str>,
    exponent: Option<f64>,
    base: Option<f64>,
    error: Option<f64>,
    /// What the machine was like meanwhile.
    machine: &'r Conditions,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    if !args.timeout.is_finite() || args.timeout <= 0.0 {
        return Err(CliError::usage("the timeout must be a positive number of seconds"));
    }
    if args.repeats == 0 || args.most < 2 {
        return Err(CliError::usage("there must be a run at least, and n must grow"));
    }
    let families = if args.file.is_dir() {
        folder(args)?
    } else {
        let input = inputs::collect(std::slice::from_ref(&args.file)).remove(0);
        grown(args, &inputs::read(&input?)?)?
    };
    let place = installation();
    let chosen = find_or_install_chosen(&place, &args.solvers, streams)?;
    let stop = interrupt::stop_when_asked();
    let mut targets = Vec::new();
    for chosen in chosen {
        let name = chosen.solver.name.clone();
        let mut target = make_ready(chosen.solver.clone(), &place.cache(), probing_ends(None), streams)
            .map_err(|error| error.context(format_args!("cannot run `{name}`")))?;
        chosen.demand_of(&mut target);
        target.leave_safe_mode();
        targets.push(target);
    }
    let mut drawn = Vec::new();
    let timing = Timing::begin(1);
    for family in families {
        let wanted = Scale {
            targets: &targets,
            formulas: &family.formulas,
            repeats: args.repeats,
            timeout_secs: args.timeout,
        };
        let curves = scale(&wanted, &stop).map_err(|error| CliError::environment(error.to_string()))?;
        let reached = curves.iter().map(|curve| curve.measured.len()).max().unwrap_or(0);
        let sizes = family.sizes[..reached].to_vec();
        let curves: Vec<growth::Curve> = curves.iter().map(|curve| fitted(curve, &sizes)).collect();
        let machine = timing.conditions();
        if args.json {
            for curve in &curves {
                streams.json_line(&line(&family.name, &sizes, curve, &machine))?;
            }
        } else {
            print(&family, &sizes, &curves, streams)?;
        }
        drawn.push((family.title, sizes, curves));
    }
    if let Some(path) = &args.output {
        let title = format!("Processor time of {}", args.file.display());
        let figure = growth::figure(&title, &drawn).svg();
        fs::write(path, figure)
            .map_err(|error| CliError::Environment(cannot_write(path.display(), &error)))?;
    }
    if let Some(warning) = timing.conditions().warning() {
        streams.message(&format!("{warning}\n"))?;
    }
    Ok(Exit::Done)
}

/// A family of formulas.
#[derive(Debug)]
struct Family {
    /// What it is called.
    name: String,
    /// What grows.
    title: String,
    /// The values of n, growing,
    sizes: Vec<u32>,
    /// and the formula for each.
    formulas: Vec<String>,
}

/// The families of a formula that is made larger.
fn grown(args: &Args, text: &str) -> Result<Vec<Family>, CliError> {
    let mut terms = Terms::new();
    let name = args.file.display().to_string();
    let seed = Seed::read(&mut terms, &name, text).map_err(|error| CliError::input(error.to_string()))?;
    let sizes = sizes(args.most);
    let mut families = Vec::new();
    for grown in grown_kinds(&mut terms, &seed, args.grow.as_deref()) {
        let formula = |size: &u32| {
            let larger = grow(&mut terms, &seed.script, grown, *size);
            let mut printer = Printer::new(&mut terms, Dialect::V26, Layout::Shared);
            printer.script(&larger);
            printer.finish()
        };
        let formulas = sizes.iter().map(formula).collect();
        let name = grown.name().to_owned();
        families.push(Family { title: format!("{name} times n"), name, sizes: sizes.clone(), formulas });
    }
    if families.is_empty() {
        return Err(CliError::input("the formula has no literals that could grow"));
    }
    Ok(families)
}

/// The family in a folder: the files whose names are numbers, up to the largest n.
fn folder(args: &Args) -> Result<Vec<Family>, CliError> {
    let cannot_read = |path: &Path, error: io::Error| CliError::unreadable(path.display(), &error);
    if args.grow.is_some() {
        return Err(CliError::usage("--grow is about a single formula; a folder has one for each n"));
    }
    let mut members = BTreeMap::new();
    for entry in fs::read_dir(&args.file).map_err(|error| cannot_read(&args.file, error))? {
        let path = entry.map_err(|error| cannot_read(&args.file, error))?.path();
        let number = path.file_stem().and_then(|stem| stem.to_str()?.parse::<u32>().ok());
        let is_script = path.extension().is_some_and(|extension| extension == "smt2");
        if let Some(number) = number.filter(|number| is_script && *number <= args.most) {
            let text = fs::read_to_string(&path).map_err(|error| cannot_read(&path, error))?;
            members.insert(number, text);
        }
    }
    if members.len() < 2 {
        let message = format!("`{}` has no files 1.smt2, 2.smt2 and so on", args.file.display());
        return Err(CliError::Input(message));
    }
    let name =
        args.file.file_name().map_or_else(|| "n".to_owned(), |name| name.to_string_lossy().into_owned());
    let (sizes, formulas) = members.into_iter().unzip();
    Ok(vec![Family { title: name.clone(), name, sizes, formulas }])
}

/// What can grow: what is wanted, or each that makes a formula of its own.
fn grown_kinds(terms: &mut Terms, seed: &Seed, wanted: Option<&str>) -> Vec<Grown> {
    let wanted = wanted.and_then(Grown::named);
    let mut texts = vec![script_text(terms, &seed.script)];
    let mut families = Vec::new();
    for grown in Grown::ALL {
        let larger = grow(terms, &seed.script, grown, 2);
        let text = script_text(terms, &larger);
        if wanted.is_none_or(|wanted| wanted == grown) && !texts.contains(&text) {
            texts.push(text);
            families.push(grown);
        }
    }
    families
}

/// 1, 2, 3, 4, 6, 8, 12, 16 and so on.
fn sizes(most: u32) -> Vec<u32> {
    let powers = (0..32).map(|exponent| 1u32 << exponent);
    let both = powers.flat_map(|power| [Some(power), power.checked_mul(3).map(|triple| triple / 2)]);
    let mut sizes: Vec<u32> = both.flatten().filter(|size| *size <= most).collect();
    sizes.dedup();
    sizes
}

fn fitted(curve: &Curve, sizes: &[u32]) -> growth::Curve {
    let decided = |number: usize| {
        let measured = curve.measured.get(number)?;
        measured.decided().map(|_| measured.median_ms())
    };
    let times_ms: Vec<Option<f64>> = (0..sizes.len()).map(decided).collect();
    let points: Vec<(u32, f64)> =
        sizes.iter().zip(&times_ms).filter_map(|(size, time)| Some((*size, (*time)?))).collect();
    growth::Curve {
        solver: curve.solver.clone(),
        start_ms: curve.start_ms,
        fit: fit(&points, curve.start_ms),
        times_ms,
    }
}

fn print(
    family: &Family,
    sizes: &[u32],
    curves: &[growth::Curve],
    streams: &mut Streams,
) -> Result<(), CliError> {
    let width = curves.iter().map(|curve| curve.solver.len()).max().unwrap_or(0).max(9);
    let out = streams.results();
    writeln!(out, "{}", family.title)?;
    write!(out, "{:>8}", "n")?;
    for curve in curves {
        write!(out, " {:>width$}", curve.solver)?;
    }
    writeln!(out)?;
    for (number, size) in sizes.iter().enumerate() {
        write!(out, "{size:>8}")?;
        for curve in curves {
            let time = curve.times_ms[number].map_or("-".to_owned(), |time| format!("{time:.0} ms"));
            write!(out, " {time:>width$}")?;
        }
        writeln!(out)?;
    }
    for curve in curves {
        let text = curve.fit.as_ref().map_or_else(|problem| problem.text().to_owned(), Fit::text);
        writeln!(out, "{}: {text}", curve.solver)?;
    }
    writeln!(out)?;
    Ok(())
}

fn line<'r>(
    family: &'r str,
    sizes: &'r [u32],
    curve: &'r growth::Curve,
    machine: &'r Conditions,
) -> Line<'r> {
    let law = curve.fit.ok().map(|fit| fit.law);
    Line {
        family,
        solver: &curve.solver,
        start_ms: curve.start_ms,
        n: sizes,
        cpu_ms: &curve.times_ms,
        growth: law.map(|law| match law {
            Law::Linear => "linear",
            Law::Polynomial { .. } => "polynomial",
            Law::Exponential { .. } => "exponential",
        }),
        exponent: law.and_then(|law| match law {
            Law::Linear => Some(1.0),
            Law::Polynomial { exponent } => Some(exponent),
            Law::Exponential { .. } => None,
        }),
        base: law.and_then(|law| if let Law::Exponential { base } = law { Some(base) } else { None }),
        error: curve.fit.ok().map(|fit| fit.error),
        machine,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_grow_by_a_half_or_a_third() {
        assert_eq!(sizes(24), [1, 2, 3, 4, 6, 8, 12, 16, 24]);
        assert_eq!(sizes(2), [1, 2]);
        assert!(sizes(u32::MAX).is_sorted());
    }

    #[test]
    fn only_families_that_differ_are_measured() {
        let check = |assertion: &str, expected: &[Grown]| {
            let mut terms = Terms::new();
            let text = format!("(declare-const s String)(assert {assertion})(check-sat)");
            let seed = Seed::read(&mut terms, "s", &text).unwrap();
            assert_eq!(grown_kinds(&mut terms, &seed, None), expected);
        };
        check(r#"(= s "a")"#, &[Grown::Strings]);
        check(r#"(= (str.len s) 3)"#, &[Grown::Numbers]);
        check(r#"(= (str.len (str.++ s "a")) 3)"#, &[Grown::Strings, Grown::Numbers, Grown::All]);
        check(r#"(= s s)"#, &[]);
    }
}
