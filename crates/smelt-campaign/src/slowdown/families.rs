//! Families of formulas that grow, measured, with the law of growth that fits: as text and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use serde::Serialize;
use smelt_report::growth::{self, Fit, Law, fit};
use smelt_runner::timing::Conditions;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer, script_text};
use smelt_smtlib::term::Terms;
use smelt_testgen::scaling::{Grown, grow};
use smelt_testgen::seed::{Seed, SeedError};
use smelt_trial::target::Target;

use super::scaling::{FamilyCurve, FamilyScale, scale};
use crate::hunt::HuntError;

/// Why there is no family.
#[derive(Debug, thiserror::Error)]
pub enum FamilyError {
    /// The formula cannot be used.
    #[error(transparent)]
    Seed(#[from] SeedError),
    /// Nothing of the formula can grow.
    #[error("the formula has no literals that could grow")]
    NothingGrows,
    /// A file or the folder cannot be read.
    #[error("cannot read `{}`: {error}", path.display())]
    Unreadable {
        /// The file or the folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The folder has too few files.
    #[error("`{}` has no files 1.smt2, 2.smt2 and so on", .0.display())]
    NoFiles(PathBuf),
}

/// A family of formulas.
#[derive(Debug)]
pub struct GrowingFamily {
    /// What it is called.
    pub name: String,
    /// What grows.
    pub title: String,
    /// The values of n, growing,
    pub sizes: Vec<u32>,
    /// and the formula for each.
    pub formulas: Vec<String>,
}

/// The families of a formula that is made larger, up to the largest n; of what is wanted, or of each that makes a
/// difference.
pub fn grown_families(
    name: &str,
    text: &str,
    wanted: Option<Grown>,
    most: u32,
) -> Result<Vec<GrowingFamily>, FamilyError> {
    let mut terms = Terms::new();
    let seed = Seed::read(&mut terms, name, text)?;
    let sizes = sizes(most);
    let mut families = Vec::new();
    for grown in grown_kinds(&mut terms, &seed, wanted) {
        let formula = |size: &u32| {
            let larger = grow(&mut terms, &seed.script, grown, *size);
            let mut printer = Printer::new(&mut terms, Dialect::V26, Layout::Shared);
            printer.script(&larger);
            printer.finish()
        };
        let formulas = sizes.iter().map(formula).collect();
        let name = grown.name().to_owned();
        let title = format!("{name} times n");
        families.push(GrowingFamily { title, name, sizes: sizes.clone(), formulas });
    }
    if families.is_empty() { Err(FamilyError::NothingGrows) } else { Ok(families) }
}

/// The family in a folder: the files whose names are numbers, up to the largest n.
pub fn family_in(folder: &Path, most: u32) -> Result<GrowingFamily, FamilyError> {
    let unreadable = |path: &Path, error| FamilyError::Unreadable { path: path.to_owned(), error };
    let mut members = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(|error| unreadable(folder, error))? {
        let path = entry.map_err(|error| unreadable(folder, error))?.path();
        let number = path.file_stem().and_then(|stem| stem.to_str()?.parse::<u32>().ok());
        let is_script = path.extension().is_some_and(|extension| extension == "smt2");
        if let Some(number) = number.filter(|number| is_script && *number <= most) {
            let text = fs::read_to_string(&path).map_err(|error| unreadable(&path, error))?;
            members.insert(number, text);
        }
    }
    if members.len() < 2 {
        return Err(FamilyError::NoFiles(folder.to_owned()));
    }
    let name = folder.file_name().map_or_else(|| "n".to_owned(), |name| name.to_string_lossy().into_owned());
    let (sizes, formulas) = members.into_iter().unzip();
    Ok(GrowingFamily { title: name.clone(), name, sizes, formulas })
}

/// What can grow: what is wanted, or each that makes another formula.
fn grown_kinds(terms: &mut Terms, seed: &Seed, wanted: Option<Grown>) -> Vec<Grown> {
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

/// A family that was measured.
#[derive(Debug)]
pub struct MeasuredFamily {
    /// What it is called.
    pub name: String,
    /// What grows.
    pub title: String,
    /// The values of n up to the last that was measured.
    pub sizes: Vec<u32>,
    /// What each solver takes.
    pub curves: Vec<growth::Curve>,
}

/// How families are measured.
#[derive(Debug)]
pub struct FamilyMeasuring<'m> {
    /// The solvers.
    pub targets: &'m [Target],
    /// How often each formula is run.
    pub repeats: usize,
    /// Processor time allowed for each run, in seconds.
    pub timeout_secs: f64,
}

impl FamilyMeasuring<'_> {
    /// Measures a family, until `stop` is set.
    pub fn measure(&self, family: GrowingFamily, stop: &AtomicBool) -> Result<MeasuredFamily, HuntError> {
        let FamilyMeasuring { targets, repeats, timeout_secs } = *self;
        let curves =
            scale(&FamilyScale { targets, formulas: &family.formulas, repeats, timeout_secs }, stop)?;
        let reached = curves.iter().map(|curve| curve.measured.len()).max().unwrap_or(0);
        let sizes = family.sizes[..reached].to_vec();
        let curves = curves.iter().map(|curve| fitted(curve, &sizes)).collect();
        Ok(MeasuredFamily { name: family.name, title: family.title, sizes, curves })
    }
}

fn fitted(curve: &FamilyCurve, sizes: &[u32]) -> growth::Curve {
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

/// One line of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
pub struct GrowthLine<'r> {
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

impl MeasuredFamily {
    /// The times as a table, and the law of each solver.
    pub fn text(&self) -> String {
        let width = self.curves.iter().map(|curve| curve.solver.len()).max().unwrap_or(0).max(9);
        let mut text = format!("{}\n{:>8}", self.title, "n");
        for curve in &self.curves {
            let _ = write!(text, " {:>width$}", curve.solver);
        }
        text.push('\n');
        for (number, size) in self.sizes.iter().enumerate() {
            let _ = write!(text, "{size:>8}");
            for curve in &self.curves {
                let time = curve.times_ms[number].map_or("-".to_owned(), |time| format!("{time:.0} ms"));
                let _ = write!(text, " {time:>width$}");
            }
            text.push('\n');
        }
        for curve in &self.curves {
            let law = curve.fit.as_ref().map_or_else(|problem| problem.text().to_owned(), Fit::text);
            let _ = writeln!(text, "{}: {law}", curve.solver);
        }
        text.push('\n');
        text
    }

    /// One line for each solver.
    pub fn lines<'r>(&'r self, machine: &'r Conditions) -> impl Iterator<Item = GrowthLine<'r>> {
        self.curves.iter().map(move |curve| line(&self.name, &self.sizes, curve, machine))
    }
}

fn line<'r>(
    family: &'r str,
    sizes: &'r [u32],
    curve: &'r growth::Curve,
    machine: &'r Conditions,
) -> GrowthLine<'r> {
    let law = curve.fit.ok().map(|fit| fit.law);
    GrowthLine {
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
