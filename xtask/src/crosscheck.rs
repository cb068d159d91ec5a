//! Compares our evaluator with real solvers on random ground terms.
//!
//! Terms are drawn over every operator of the table, evaluated by us, and given to Z3 and cvc5 with the question whether
//! they have that value. Some of them are asked a second time with their literals hidden, so that the solver
//! proper must find the value and not its constant folder. Every difference is shrunk to the smallest part that shows
//! it and printed; who is right is for a person to say, by the standard.
//!
//! Terms of the extension theories (sets, relations, bags, functions and their like) are drawn by `--extensions`.
//!
//! Which operators a solver takes is found out by asking it before the run.

mod catalogue;
mod extensions;
mod generate;
mod judge;
mod literals;
mod open;
mod question;
mod tally;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Parser;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use smelt_semantics::unknown::Unknown;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::term_text;
use smelt_smtlib::read::read_term;
use smelt_smtlib::sort::SortKind;
use smelt_smtlib::term::Term;
use smelt_smtlib::walk::subterms;

use catalogue::{Area, Catalogue, Form};
use generate::{Generator, Ground};
use judge::{Answer, Judge, Mode, Solver};
use question::{Skip, Valued, evaluate, question};
use tally::{Disagreement, Tally};

use crate::task;

/// Compare the evaluator with Z3 and cvc5 on random ground terms
#[derive(Debug, Parser)]
#[command(name = "cargo xtask crosscheck")]
struct Options {
    /// Terms with a value to compare
    #[arg(long, default_value_t = 20_000)]
    terms: u64,
    /// Where the random numbers start
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The z3 binary; without it z3 is not asked
    #[arg(long)]
    z3: Option<PathBuf>,
    /// The folder of an unpacked cvc5 wheel; without it cvc5 is not asked
    #[arg(long)]
    cvc5: Option<PathBuf>,
    /// Only terms with an operator of these theories at the top, or `datatypes` [default: all]
    #[arg(long, num_args = 1..)]
    theory: Vec<String>,
    /// Terms of the extension theories instead; `--theory` then takes their areas, such as `sets` or `bags`
    #[arg(long)]
    extensions: bool,
    /// The share of terms that is asked again with hidden literals
    #[arg(long, default_value_t = 0.05)]
    hidden: f64,
    /// Terms in one query
    #[arg(long, default_value_t = 100)]
    batch: u64,
    /// Workers, each with processes of its own
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Where the report goes [default: stdout]
    #[arg(long)]
    out: Option<PathBuf>,
}

/// Runs the task with its arguments, the first of which is its name.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    task::main(args, |options: &Options| {
        if options.extensions {
            return extensions::run(options);
        }
        let tally = run(options)?;
        Ok(tally.disagreements.len() + tally.misread.len())
    })
}

/// Which forms a solver takes.
#[derive(Debug, Default)]
struct Taken {
    /// It decides terms of these.
    decided: BTreeSet<Form>,
    /// It does not reject terms of these.
    read: BTreeSet<Form>,
}

type Accepted = BTreeMap<Solver, Taken>;

fn run(options: &Options) -> Result<Tally> {
    let areas = areas(options)?;
    let start = Instant::now();
    // The catalogue does not depend on the seed: a seed then means the same terms whatever was drawn for it.
    let catalogue = Catalogue::new(&mut Xoshiro256PlusPlus::seed_from_u64(0));
    let forms: Vec<Form> = areas.iter().flat_map(|area| catalogue.forms(*area)).collect();
    let all_forms: Vec<Form> = Area::ALL.iter().flat_map(|area| catalogue.forms(*area)).collect();
    let accepted = probe(options, &catalogue, &all_forms)?;
    for (solver, taken) in &accepted {
        eprintln!("{} decides {} of {} forms", solver.name(), taken.decided.len(), all_forms.len());
    }
    eprintln!("probing took {:.1} s", start.elapsed().as_secs_f64());
    let batches = options.terms.div_ceil(options.batch);
    let write_report = |tally: &Tally| -> Result<()> {
        let text = tally.report(&command_line(options), &forms, |form, solver| {
            accepted.get(&solver).is_some_and(|taken| taken.read.contains(&form))
        });
        match &options.out {
            Some(path) => {
                std::fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))
            }
            None => {
                print!("{text}");
                Ok(())
            }
        }
    };
    let total = Mutex::new(Tally::default());
    task::share_out(options.jobs, batches, |numbers| {
        let mut judges = judges(options);
        while let Some(number) = numbers.take() {
            let area = areas[(number % areas.len() as u64) as usize];
            let batch = Batch { options, catalogue: &catalogue, accepted: &accepted, number, area };
            let tally = batch.run(&mut judges)?;
            let mut total = total.lock().expect("no worker panics while it holds the lock");
            for found in &tally.disagreements {
                eprintln!(
                    "differs: {} {} {}\n  ours   {}\n  theirs {}",
                    found.solver.name(),
                    found.mode.name(),
                    found.term,
                    found.our_value,
                    found.their_value
                );
            }
            total.merge(tally);
            if number.is_multiple_of(50) {
                eprintln!("{} of {} terms", total.total(), options.terms);
            }
            // Long runs may be stopped: what is counted so far is on disk.
            if number % 500 == 499 && options.out.is_some() {
                write_report(&total)?;
            }
        }
        Ok(())
    })?;
    let tally = total.into_inner().expect("no worker panicked while it held the lock");
    write_report(&tally)?;
    eprintln!(
        "{} terms in {:.0} s; z3 judged {}, cvc5 {}; {} disagreements",
        tally.total(),
        start.elapsed().as_secs_f64(),
        tally.judged(Solver::Z3, Mode::Fold),
        tally.judged(Solver::Cvc5, Mode::Fold),
        tally.disagreements.len()
    );
    Ok(tally)
}

fn areas(options: &Options) -> Result<Vec<Area>> {
    if options.theory.is_empty() {
        return Ok(Area::ALL.to_vec());
    }
    options
        .theory
        .iter()
        .map(|name| {
            let known: Vec<String> = Area::ALL.iter().map(|area| area.name()).collect();
            Area::ALL
                .into_iter()
                .find(|area| area.name() == *name)
                .with_context(|| format!("unknown theory `{name}`; known are {}", known.join(", ")))
        })
        .collect()
}

fn judges(options: &Options) -> Vec<Judge> {
    let z3 = options.z3.iter().map(|path| Judge::new(Solver::Z3, path.clone()));
    let cvc5 = options.cvc5.iter().map(|path| Judge::new(Solver::Cvc5, path.clone()));
    z3.chain(cvc5).collect()
}

fn command_line(options: &Options) -> String {
    let mut line = format!("cargo xtask crosscheck --terms {} --seed {}", options.terms, options.seed);
    for (flag, path) in [("--z3", &options.z3), ("--cvc5", &options.cvc5)] {
        // Where a solver lies on some machine is of no interest; its name has the release.
        if let Some(name) = path.as_ref().and_then(|path| path.file_name()) {
            line.push_str(&format!(" {flag} {}", name.display()));
        }
    }
    if !options.theory.is_empty() {
        line.push_str(&format!(" --theory {}", options.theory.join(" ")));
    }
    line.push_str(&format!(" --hidden {} --batch {} --jobs {}", options.hidden, options.batch, options.jobs));
    line
}

/// Asks each solver about some terms of every form; one that is decided or read is enough.
fn probe(options: &Options, catalogue: &Catalogue, forms: &[Form]) -> Result<Accepted> {
    const PROBES: usize = 8;
    let mut judges = judges(options);
    let mut accepted: Accepted = judges.iter().map(|judge| (judge.solver, Taken::default())).collect();
    for form in forms {
        let mut generator = Generator::new(catalogue, Xoshiro256PlusPlus::seed_from_u64(1));
        let ground: Vec<_> =
            (0..PROBES * 3).map(|_| generator.ground(*form, 0, &|other| other == *form).term).collect();
        let valued: Vec<Valued> = evaluate(&mut generator.terms, &catalogue.environment, &ground)
            .into_iter()
            .filter_map(Result::ok)
            .take(PROBES)
            .collect();
        for judge in judges.iter_mut().filter(|judge| !form.exhausts(judge.solver)) {
            let questions: Vec<String> = valued
                .iter()
                .map(|valued| question(&mut generator.terms, valued, Mode::Fold, judge.solver))
                .collect();
            let answers = judge.ask(Mode::Fold, &questions)?;
            let taken = accepted.entry(judge.solver).or_default();
            if answers.iter().any(|answer| matches!(answer, Answer::Agrees | Answer::Differs)) {
                taken.decided.insert(*form);
            }
            if answers.iter().any(|answer| !matches!(answer, Answer::Rejected(_))) {
                taken.read.insert(*form);
            }
        }
    }
    Ok(accepted)
}

/// One batch of terms; what it draws depends on the seed and its number alone.
struct Batch<'a> {
    options: &'a Options,
    catalogue: &'a Catalogue,
    accepted: &'a Accepted,
    number: u64,
    area: Area,
}

impl Batch<'_> {
    fn run(&self, judges: &mut [Judge]) -> Result<Tally> {
        let mut tally = Tally::default();
        let seed = task::seed_of(self.options.seed, self.number);
        let mut generator = Generator::new(self.catalogue, Xoshiro256PlusPlus::seed_from_u64(seed));
        let drawn = self.draw(&mut generator, &mut tally);
        self.check_reading(&mut generator, &drawn, &mut tally);
        let hidden: Vec<Option<Mode>> =
            drawn.iter().map(|(ground, _)| self.hiding(&mut generator, ground.term)).collect();
        let mut folded_by = vec![0; drawn.len()];
        for judge in judges.iter_mut() {
            let positions: Vec<usize> =
                (0..drawn.len()).filter(|position| self.takes(judge.solver, &drawn[*position].0)).collect();
            for mode in Mode::ALL {
                let asked: Vec<usize> = positions
                    .iter()
                    .copied()
                    .filter(|position| mode == Mode::Fold || hidden[*position] == Some(mode))
                    .collect();
                let questions: Vec<String> = asked
                    .iter()
                    .map(|position| question(&mut generator.terms, &drawn[*position].1, mode, judge.solver))
                    .collect();
                let answers = judge.ask(mode, &questions)?;
                for ((position, question_text), answer) in asked.iter().zip(&questions).zip(&answers) {
                    let (ground, valued) = &drawn[*position];
                    tally.count(ground.top, judge.solver, mode, answer, question_text);
                    if mode == Mode::Fold && matches!(answer, Answer::Agrees | Answer::Differs) {
                        folded_by[*position] += 1;
                    }
                    if *answer == Answer::Differs {
                        let found = self.shrink(&mut generator, judge, mode, valued)?;
                        tally.disagreements.push(found);
                    }
                }
            }
        }
        for (position, (ground, valued)) in drawn.iter().enumerate() {
            *tally.terms.entry(ground.top).or_default() += 1;
            if valued.value == "true" {
                *tally.true_terms.entry(ground.top).or_default() += 1;
            }
            if folded_by[position] == 2 {
                *tally.judged_by_both.entry(ground.top).or_default() += 1;
            }
        }
        Ok(tally)
    }

    fn takes(&self, solver: Solver, ground: &Ground) -> bool {
        self.accepted.get(&solver).is_some_and(|taken| ground.forms.is_subset(&taken.decided))
    }

    /// Whether and how a term is asked about with hidden literals. Large ones take solvers too long.
    fn hiding(&self, generator: &mut Generator<'_>, term: Term) -> Option<Mode> {
        const MAX_PARTS: usize = 40;
        const MAX_SIGNIFICAND: u32 = 14;
        let is_hidden = generator.rng().random_bool(self.options.hidden);
        let mode = if generator.rng().random_bool(0.5) { Mode::ProveWithin } else { Mode::Prove };
        let parts = subterms(&generator.terms, &[term]);
        let is_large = |part: &Term| match generator.terms.sorts.kind(generator.terms.sort(*part)) {
            SortKind::Float(_, significand) => *significand > MAX_SIGNIFICAND,
            _ => false,
        };
        (is_hidden && parts.len() <= MAX_PARTS && !parts.iter().any(is_large)).then_some(mode)
    }

    /// Draws until there are enough terms with a value.
    fn draw(&self, generator: &mut Generator<'_>, tally: &mut Tally) -> Vec<(Ground, Valued)> {
        let forms = self.catalogue.forms(self.area);
        let mut drawn: Vec<(Ground, Valued)> = Vec::new();
        let mut rounds = 0;
        while (drawn.len() as u64) < self.options.batch && rounds < 20 {
            rounds += 1;
            let missing = self.options.batch as usize - drawn.len();
            let grounds: Vec<Ground> = (0..missing)
                .map(|_| {
                    let form = forms[generator.rng().random_range(0..forms.len())];
                    let depth = [0, 0, 0, 1, 1, 1, 2, 2, 3][generator.rng().random_range(0..9)];
                    let audience = self.audience(form, generator);
                    generator.ground(form, depth, &|other| {
                        audience.iter().all(|solver| self.accepted[solver].decided.contains(&other))
                    })
                })
                .collect();
            let terms: Vec<_> = grounds.iter().map(|ground| ground.term).collect();
            let outcomes = evaluate(&mut generator.terms, &self.catalogue.environment, &terms);
            for (ground, outcome) in grounds.into_iter().zip(outcomes) {
                match outcome {
                    Ok(valued) => drawn.push((ground, valued)),
                    Err(skip) => {
                        let reason = match skip {
                            Skip::Unknown(Unknown::Open(op)) => format!("open: `{}`", op.info().name),
                            Skip::Unknown(unknown) => unknown.kind().to_owned(),
                            Skip::NoText => "too long".to_owned(),
                        };
                        *tally.skipped.entry(reason).or_default() += 1;
                    }
                }
            }
        }
        drawn
    }

    /// The solvers that a term with this form at the top is made for: mostly all that take the form.
    fn audience(&self, form: Form, generator: &mut Generator<'_>) -> Vec<Solver> {
        let takers: Vec<Solver> = self
            .accepted
            .iter()
            .filter(|(_, taken)| taken.decided.contains(&form))
            .map(|(solver, _)| *solver)
            .collect();
        if takers.len() == 2 && generator.rng().random_bool(0.3) {
            return vec![takers[generator.rng().random_range(0..2)]];
        }
        takers
    }

    /// The text of a term reads back as the same term.
    fn check_reading(&self, generator: &mut Generator<'_>, drawn: &[(Ground, Valued)], tally: &mut Tally) {
        let mut scope = self.catalogue.scope.clone();
        for (_, valued) in drawn {
            let read = read_term(&mut generator.terms, &mut scope, &valued.text, Dialect::V26);
            if read.ok() != Some(valued.term) {
                tally.misread.push(valued.text.clone());
            }
        }
    }

    /// The smallest part of a term that the judge gives another value.
    fn shrink(
        &self,
        generator: &mut Generator<'_>,
        judge: &mut Judge,
        mode: Mode,
        valued: &Valued,
    ) -> Result<Disagreement> {
        let parts: Vec<_> = subterms(&generator.terms, &[valued.term])
            .into_iter()
            .filter(|part| !generator.terms.has_locals(*part) || *part == valued.term)
            .collect();
        let mut candidates: Vec<Valued> = evaluate(&mut generator.terms, &self.catalogue.environment, &parts)
            .into_iter()
            .filter_map(Result::ok)
            .collect();
        candidates.sort_by_key(|candidate| candidate.text.len());
        let questions: Vec<String> = candidates
            .iter()
            .map(|candidate| question(&mut generator.terms, candidate, mode, judge.solver))
            .collect();
        let answers = judge.ask(mode, &questions)?;
        let smallest = answers.iter().position(|answer| *answer == Answer::Differs);
        let (found, question_text) = match smallest {
            Some(position) => (candidates[position].clone(), questions[position].clone()),
            None => (valued.clone(), question(&mut generator.terms, valued, mode, judge.solver)),
        };
        let their_value = match mode {
            Mode::Fold => judge.value(&question::spelled_for(judge.solver, found.text.clone()))?,
            Mode::Prove | Mode::ProveWithin => "sat".to_owned(),
        };
        let top = match generator.terms.op(found.term) {
            Some(op) => op.info().name.to_owned(),
            None => term_text(&mut generator.terms, found.term).chars().take(20).collect(),
        };
        Ok(Disagreement {
            solver: judge.solver,
            mode,
            top,
            question: question_text,
            term: found.text,
            our_value: found.value,
            their_value,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use smelt_smtlib::op::Op;

    use super::catalogue::Shape;
    use super::*;

    static CATALOGUE: LazyLock<Catalogue> =
        LazyLock::new(|| Catalogue::new(&mut Xoshiro256PlusPlus::seed_from_u64(0)));

    /// Terms of every form, each with its text.
    fn texts(catalogue: &Catalogue, seed: u64) -> Vec<(Form, String)> {
        let mut generator = Generator::new(catalogue, Xoshiro256PlusPlus::seed_from_u64(seed));
        Area::ALL
            .into_iter()
            .flat_map(|area| catalogue.forms(area))
            .map(|form| {
                let ground = generator.ground(form, 2, &|_| true);
                (form, term_text(&mut generator.terms, ground.term))
            })
            .collect()
    }

    #[test]
    fn every_operator_with_rational_values_is_drawn() {
        let catalogue = &*CATALOGUE;
        let drawn: BTreeSet<Op> = Area::ALL
            .into_iter()
            .flat_map(|area| catalogue.forms(area))
            .filter_map(|form| match form {
                Form::Op { op, .. } => Some(op),
                _ => None,
            })
            .collect();
        let missing: Vec<Op> =
            Op::all().filter(|op| catalogue::is_drawn(*op) && !drawn.contains(op)).collect();
        assert_eq!(missing, []);
    }

    #[test]
    fn every_overload_is_drawn() {
        let catalogue = &*CATALOGUE;
        for op in Op::all().filter(|op| catalogue::is_drawn(*op)) {
            for overload in 0..op.info().signatures.len() {
                let form = Form::Op { op, overload: overload as u8, shape: Shape::Usual };
                assert!(!catalogue.of_form(form).is_empty(), "{}", form.name());
            }
        }
    }

    #[test]
    fn arguments_beyond_the_usual_are_drawn() {
        let names: BTreeSet<String> =
            Area::ALL.into_iter().flat_map(|area| CATALOGUE.forms(area)).map(Form::name).collect();
        for name in [
            "* : Real Real -> Real (1 argument)",
            "* : Real Real -> Real (Int for Real)",
            "<= : Int Int -> Bool (1 argument)",
            "= (Int for Real)",
            "ite (Int for Real)",
            "/ (Int for Real)",
            "select : (Array A B) A -> B (Int for Real)",
            "bvxnor (1 argument)",
            "re.union (1 argument)",
            "(_ re.loop i n) : RegLan -> RegLan (huge counts)",
            "constructor (Int for Real)",
            "open values of `div`",
            "open values of selectors",
        ] {
            assert!(names.contains(name), "{name}");
        }
    }

    #[test]
    fn comparisons_of_open_values_are_decided() {
        for op in catalogue::OPEN.iter().map(|op| Some(*op)).chain([None]) {
            let mut generator = Generator::new(&CATALOGUE, Xoshiro256PlusPlus::seed_from_u64(1));
            for _ in 0..50 {
                let ground = generator.ground(Form::Open { op }, 0, &|_| true);
                let text = term_text(&mut generator.terms, ground.term);
                let outcome =
                    evaluate(&mut generator.terms, &CATALOGUE.environment, &[ground.term]).remove(0);
                assert!(
                    !matches!(outcome, Err(Skip::Unknown(Unknown::Open(open))) if Some(open) == op),
                    "{text}: {outcome:?}"
                );
            }
        }
    }

    #[test]
    fn equal_seeds_give_equal_terms() {
        let catalogue = &*CATALOGUE;
        assert_eq!(texts(catalogue, 7), texts(catalogue, 7));
        assert_ne!(texts(catalogue, 7), texts(catalogue, 8));
    }

    #[test]
    fn terms_read_back_as_they_are() {
        let catalogue = &*CATALOGUE;
        for seed in 0..5 {
            let mut generator = Generator::new(catalogue, Xoshiro256PlusPlus::seed_from_u64(seed));
            for form in Area::ALL.into_iter().flat_map(|area| catalogue.forms(area)) {
                let term = generator.ground(form, 2, &|_| true).term;
                let text = term_text(&mut generator.terms, term);
                let mut scope = catalogue.scope.clone();
                assert_eq!(
                    read_term(&mut generator.terms, &mut scope, &text, Dialect::V26),
                    Ok(term),
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn hidden_literals_are_pinned() {
        let catalogue = &*CATALOGUE;
        let mut terms = catalogue.terms.clone();
        let mut scope = catalogue.scope.clone();
        let term = read_term(&mut terms, &mut scope, "(bvadd #b01 (bvneg #b10))", Dialect::V26).unwrap();
        let valued = evaluate(&mut terms, &catalogue.environment, &[term]).remove(0).unwrap();
        assert_eq!(
            question(&mut terms, &valued, Mode::Prove, Solver::Z3),
            "(declare-const c1 (_ BitVec 2)) (assert (bvule c1 #b10)) (assert (bvuge c1 #b10)) \
             (declare-const c2 (_ BitVec 2)) (assert (bvule c2 #b01)) (assert (bvuge c2 #b01)) \
             (assert (not (= (bvadd c2 (bvneg c1)) #b11)))"
        );
    }

    #[test]
    fn regular_expressions_keep_their_literals() {
        let catalogue = &*CATALOGUE;
        let mut terms = catalogue.terms.clone();
        let mut scope = catalogue.scope.clone();
        let text = r#"(str.in_re "a" (str.to_re "a"))"#;
        let term = read_term(&mut terms, &mut scope, text, Dialect::V26).unwrap();
        let valued = evaluate(&mut terms, &catalogue.environment, &[term]).remove(0).unwrap();
        assert_eq!(
            question(&mut terms, &valued, Mode::Prove, Solver::Cvc5),
            r#"(declare-const c1 String) (assert (= c1 "a")) (assert (not (= (str.in_re c1 (str.to_re "a")) true)))"#
        );
    }
}
