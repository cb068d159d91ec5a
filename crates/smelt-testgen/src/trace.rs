//! `trace`: an incremental session over the formulas of a seed, or of two.
//!
//! Levels are opened and closed, assertions and parts of them are asserted, checked, assumed and taken back, and what
//! they need is declared in the level in which it is needed first, and again when that is gone. Now and then all
//! assertions are reset, a constant of the same name comes back with another sort, or a definition with another body.
//! Each check asks about what is in force then, which [`smelt_oracle::flatten`] writes down as a script of its own.
//!
//! Which options are set at the start is drawn, of those that all solvers have. What a solver answers on the way is not
//! known here, so models and cores are asked for by the judge, and not by the case.

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::script::{Command, Definition, Role, Script};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::{free_names, subterms_as_read};

use crate::fresh_names::{new_name, symbols_of};
use crate::fusion::Concatenation;
use crate::mutant::Mutant;
use crate::mutation::has_labels;
use crate::random::Random;
use crate::technique::Technique;

/// Incremental sessions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sessions;

/// A session has at least so many steps,
const MIN_STEPS: u64 = 8;
/// and at most so many.
const MAX_STEPS: u64 = 120;
/// At most so many levels are open.
const MAX_LEVELS: usize = 24;
/// No formulas are drawn from more terms.
const MAX_TERMS: usize = 4_000;

/// How often each step is taken, in percent.
const STEPS: [(u64, Step); 8] = [
    (34, Step::Assert),
    (20, Step::Push),
    (14, Step::Pop),
    (18, Step::Check),
    (8, Step::CheckAssuming),
    (3, Step::Declare),
    (2, Step::Define),
    (1, Step::ResetAssertions),
];

#[derive(Debug, Clone, Copy)]
enum Step {
    Assert,
    Push,
    Pop,
    Check,
    CheckAssuming,
    Declare,
    Define,
    ResetAssertions,
}

/// Options that may be set at the start, all of them Boolean.
const OPTIONS: [&str; 3] = [GLOBAL_DECLARATIONS, ":produce-unsat-cores", ":produce-unsat-assumptions"];
const GLOBAL_DECLARATIONS: &str = ":global-declarations";
/// Each of them is set in one of so many sessions.
const OPTION_ONE_IN: u64 = 4;

impl Technique for Sessions {
    fn name(&self) -> &'static str {
        "trace"
    }

    fn summary(&self) -> &'static str {
        "an incremental session over a seed or two: levels, resets, assumptions, names that come back"
    }

    fn is_usual(&self) -> bool {
        false
    }

    fn chain_length(&self) -> u32 {
        1
    }

    fn max_bytes(&self, _: usize) -> usize {
        usize::MAX
    }

    fn step(&self, terms: &mut Terms, mutant: &mut Mutant<'_>, random: &mut Random) -> bool {
        if random.one_in(3) {
            // It stays as it is where no other seed fits.
            Concatenation.step(terms, mutant, random);
        }
        let Some(material) = Material::of(terms, &mutant.script) else { return false };
        let taken = mutant.symbols.get_or_init(|| symbols_of(&mutant.seed.source)).clone();
        let mut session = Session::new(&material, &mutant.script, taken);
        session.open(terms, random);
        let steps = MIN_STEPS + random.below(MAX_STEPS - MIN_STEPS);
        for _ in 0..steps {
            session.step(terms, random);
        }
        session.script.push(Command::CheckSat);
        mutant.truth.doubt();
        mutant.detail =
            format!("{} commands, {} levels opened", session.script.commands.len(), session.opened);
        mutant.script = session.script;
        true
    }
}

/// What sessions are made of.
struct Material {
    /// What comes first and is needed by all else: the logic, sorts and datatypes.
    base: Vec<Command>,
    /// Declared and defined functions.
    functions: Vec<Command>,
    /// For each name of a function its position.
    positions: FxHashMap<Symbol, usize>,
    assertions: Vec<Term>,
    /// Closed formulas in the assertions, and they themselves.
    formulas: Vec<Term>,
    /// Closed terms with a value that can be asked for.
    values: Vec<Term>,
}

impl Material {
    /// What a script in the form of seeds has; none if it cannot be taken apart.
    fn of(terms: &Terms, script: &Script) -> Option<Material> {
        let assertions: Vec<Term> = script.assertions().collect();
        let mut material = Material {
            base: Vec::new(),
            functions: Vec::new(),
            positions: FxHashMap::default(),
            assertions,
            formulas: Vec::new(),
            values: Vec::new(),
        };
        if script.terms().any(|term| has_labels(terms, term)) || material.assertions.is_empty() {
            return None;
        }
        for command in &script.commands {
            let names = names_of(command);
            match command.role() {
                Role::Declaration if !names.is_empty() => {
                    let position = material.functions.len();
                    material.positions.extend(names.into_iter().map(|name| (name, position)));
                    material.functions.push(command.clone());
                }
                Role::Declaration | Role::Setting => material.base.push(command.clone()),
                Role::Assertion | Role::Check => {}
                Role::Scope | Role::Question | Role::Unknown => return None,
            }
        }
        let all = subterms_as_read(terms, &material.assertions);
        if all.len() > MAX_TERMS {
            return None;
        }
        // Assertions are closed, whatever is bound in them.
        let is_closed = |term: &Term| !terms.has_locals(*term) || material.assertions.contains(term);
        for term in all.into_iter().filter(is_closed).collect::<Vec<_>>() {
            match terms.sort(term) {
                Sort::BOOL => material.formulas.push(term),
                Sort::REG_LAN | Sort::UNKNOWN => {}
                _ if terms.is_binder(term) => {}
                _ => material.values.push(term),
            }
        }
        Some(material)
    }
}

/// The names of the functions that a command declares or defines; none if it does something else.
fn names_of(command: &Command) -> Vec<Symbol> {
    match command {
        Command::DeclareConst(name, _) | Command::DeclareFun(name, ..) => vec![*name],
        other => other.definitions().iter().map(|definition| definition.name).collect(),
    }
}

/// A session under way.
struct Session<'m> {
    material: &'m Material,
    script: Script,
    /// For each open level, the outermost first, the functions that were declared in it.
    levels: Vec<Vec<usize>>,
    keeps_declarations: bool,
    /// Whether assertions are reset: not in most sessions in which names are free again then, because some solvers keep
    /// them, and a session ends for us with the first error.
    may_reset: bool,
    /// Names that are not free.
    taken: FxHashSet<String>,
    /// The name that comes back, and the level in which it is declared now.
    returning: Option<Returning>,
    /// How many levels were opened.
    opened: usize,
}

struct Returning {
    name: Symbol,
    level: Option<usize>,
}

impl<'m> Session<'m> {
    fn new(material: &'m Material, seed: &Script, taken: FxHashSet<String>) -> Self {
        Session {
            material,
            script: seed.emptied(),
            levels: vec![Vec::new()],
            keeps_declarations: false,
            may_reset: false,
            taken,
            returning: None,
            opened: 0,
        }
    }

    /// Options, and what all else needs.
    fn open(&mut self, terms: &mut Terms, random: &mut Random) {
        for option in OPTIONS {
            if random.one_in(OPTION_ONE_IN) {
                self.keeps_declarations |= option == GLOBAL_DECLARATIONS;
                let (option, yes) = (terms.symbols.intern(option), terms.symbols.intern("true"));
                self.script.push(Command::SetOption(option, Some(yes)));
            }
        }
        self.may_reset = self.keeps_declarations || random.one_in(OPTION_ONE_IN);
        self.material.base.iter().for_each(|command| self.script.push(command.clone()));
    }

    fn step(&mut self, terms: &mut Terms, random: &mut Random) {
        match drawn_step(random) {
            Step::Assert => {
                let formula = self.formula(terms, random);
                self.assert(terms, formula);
            }
            Step::Push if self.levels.len() <= MAX_LEVELS => {
                let count = if random.one_in(8) { 2 } else { 1 };
                self.script.push(Command::Push(count));
                self.levels.resize(self.levels.len() + count as usize, Vec::new());
                self.opened += count as usize;
            }
            Step::Pop if self.levels.len() > 1 => {
                let most = if random.one_in(6) { self.levels.len() - 1 } else { 1 };
                self.close(1 + random.position(most));
            }
            Step::ResetAssertions if self.may_reset => self.reset(),
            Step::Push | Step::Pop | Step::Check | Step::ResetAssertions => {
                self.script.push(Command::CheckSat);
            }
            Step::CheckAssuming => self.check_assuming(terms, random),
            Step::Declare => self.declare(terms, random),
            Step::Define => self.define(terms, random),
        }
    }

    fn assert(&mut self, terms: &Terms, formula: Term) {
        self.need(terms, formula);
        self.script.push(Command::Assert(formula));
    }

    /// Something to assert: most often an assertion, else a part of one or the negation of a part.
    fn formula(&self, terms: &mut Terms, random: &mut Random) -> Term {
        if random.below(100) < 55 {
            return self.material.assertions[random.position(self.material.assertions.len())];
        }
        let formula = self.part(random);
        if random.one_in(2) { build::not(terms, formula) } else { formula }
    }

    fn part(&self, random: &mut Random) -> Term {
        self.material.formulas[random.position(self.material.formulas.len())]
    }

    /// Declares what a term uses and is not in scope, in the innermost level.
    fn need(&mut self, terms: &Terms, term: Term) {
        let mut missing: Vec<usize> = Vec::new();
        let mut pending = vec![term];
        while let Some(term) = pending.pop() {
            for name in free_names(terms, term).globals {
                let Some(position) = self.material.positions.get(&name).copied() else { continue };
                if !missing.contains(&position) && !self.levels.iter().flatten().any(|one| *one == position) {
                    missing.push(position);
                    pending.extend(self.material.functions[position].terms());
                }
            }
        }
        missing.sort_unstable();
        for position in missing {
            self.script.push(self.material.functions[position].clone());
            let level = if self.keeps_declarations { 0 } else { self.levels.len() - 1 };
            self.levels[level].push(position);
        }
    }

    fn close(&mut self, count: usize) {
        self.script.push(Command::Pop(count as u32));
        self.levels.truncate(self.levels.len() - count);
        self.forget_returning(self.levels.len());
    }

    /// The name that comes back is free again if its level is gone.
    fn forget_returning(&mut self, levels: usize) {
        match &mut self.returning {
            Some(returning) if !self.keeps_declarations && returning.level.is_some_and(|at| at >= levels) => {
                returning.level = None;
            }
            _ => {}
        }
    }

    fn check_assuming(&mut self, terms: &mut Terms, random: &mut Random) {
        let is_constant =
            |term: &Term| matches!(terms.head(*term), Head::Global(_)) && terms.args(*term).is_empty();
        let constants: Vec<Term> = self.material.formulas.iter().copied().filter(is_constant).collect();
        let mut assumptions = Vec::new();
        for _ in 0..1 + random.below(3) {
            let drawn = match random.choose(&constants) {
                Some(constant) if !random.one_in(3) => *constant,
                _ => self.part(random),
            };
            let assumption = if random.one_in(2) { build::not(terms, drawn) } else { drawn };
            self.need(terms, assumption);
            if !assumptions.contains(&assumption) {
                assumptions.push(assumption);
            }
        }
        self.script.push(Command::CheckSatAssuming(assumptions));
    }

    /// The name that comes back, if it is free.
    fn free_name(&mut self, terms: &mut Terms) -> Option<Symbol> {
        let level = if self.keeps_declarations { 0 } else { self.levels.len() - 1 };
        match &mut self.returning {
            Some(Returning { level: Some(_), .. }) if !self.keeps_declarations => None,
            Some(returning) if !self.keeps_declarations => {
                returning.level = Some(level);
                Some(returning.name)
            }
            // Where names are never free again, each is new.
            _ => {
                let name = terms.symbols.intern(&new_name("again", &mut self.taken));
                self.returning = Some(Returning { name, level: Some(level) });
                Some(name)
            }
        }
    }

    /// A constant that is equal to some term: its name may have had another sort before.
    fn declare(&mut self, terms: &mut Terms, random: &mut Random) {
        let Some(value) = random.choose(&self.material.values).copied() else { return };
        let Some(name) = self.free_name(terms) else { return };
        self.need(terms, value);
        let sort = terms.sort(value);
        self.script.push(Command::DeclareConst(name, sort));
        let constant = terms.constant(name, sort);
        self.script.push(Command::Assert(build::apply(terms, Op::Eq, &[constant, value])));
    }

    /// A name for a formula, asserted: it may have stood for another before.
    fn define(&mut self, terms: &mut Terms, random: &mut Random) {
        let body = self.part(random);
        let Some(name) = self.free_name(terms) else { return };
        self.need(terms, body);
        self.script.push(Command::DefineFun(Definition { name, params: Vec::new(), sort: Sort::BOOL, body }));
        let constant = terms.constant(name, Sort::BOOL);
        self.script.push(Command::Assert(constant));
    }

    /// Takes back all assertions, and declarations unless they are kept.
    fn reset(&mut self) {
        self.script.push(Command::ResetAssertions);
        self.levels.truncate(1);
        if self.keeps_declarations {
            return;
        }
        self.levels[0].clear();
        self.forget_returning(0);
        let declarations = self.material.base.iter().filter(|command| command.role() == Role::Declaration);
        declarations.for_each(|command| self.script.push(command.clone()));
    }
}

fn drawn_step(random: &mut Random) -> Step {
    let mut drawn = random.below(100);
    for (share, step) in STEPS {
        match drawn.checked_sub(share) {
            Some(rest) => drawn = rest,
            None => return step,
        }
    }
    Step::Check
}

#[cfg(test)]
mod tests {
    use smelt_oracle::flatten::flatten_each;
    use smelt_smtlib::op::Dialect;
    use smelt_smtlib::print::script_text;
    use smelt_smtlib::read::read_script_as;

    use super::*;
    use crate::chain::Chain;
    use crate::library::Library;
    use crate::seed::Seed;

    const SEED: &str = "(declare-sort S 0)(declare-fun f (S) Int)(declare-const a S)(declare-const p Bool)\
         (declare-const s String)(define-fun g ((x Int)) Bool (> x (f a)))\
         (assert (or p (g 3)))(assert (= (f a) (str.len s)))(check-sat)";

    /// The cases of many chains.
    fn traces(source: &str) -> Vec<String> {
        let mut terms = Terms::new();
        let library = Library::new(vec![(
            "b".to_owned(),
            "(declare-const p Int)(assert (> p 3))(check-sat)".to_owned(),
        )]);
        let seed = Seed::read(&mut terms, "a", source).unwrap();
        let mut made = Vec::new();
        for random_seed in 0..300 {
            let mut chain = Chain::start(&mut terms, &seed, &Sessions, &library, random_seed);
            made.extend(chain.next(&mut terms).map(|case| case.script));
            assert_eq!(chain.dropped().cases, 0, "{:?}", chain.dropped());
        }
        made
    }

    #[test]
    fn trace() {
        let made = traces(SEED);
        assert_eq!(made.len(), 300);
        for word in
            ["(push 2)", "(pop 3)", "(check-sat-assuming", "(reset-assertions)", "(define-fun again ()"]
        {
            assert!(made.iter().any(|script| script.contains(word)), "{word}");
        }
        let comes_back = |script: &&String| {
            script.contains("(declare-const again Int)") && script.contains("(declare-const again S)")
        };
        assert!(made.iter().any(|script| comes_back(&script)));
        let many_levels = made.iter().filter(|script| script.matches("(push").count() > 17).count();
        assert!(many_levels > 20, "{many_levels}");
    }

    #[test]
    fn every_check_of_a_trace_has_a_plain_form_that_is_well_formed() {
        for script in traces(SEED) {
            let mut terms = Terms::new();
            let reading = read_script_as(&mut terms, &script, Dialect::V26);
            assert_eq!(reading.diagnostics, [], "{script}");
            for plain in flatten_each(&terms, &reading.script) {
                let text = script_text(&mut terms, &plain.expect("every effect is known"));
                assert_eq!(
                    read_script_as(&mut terms, &text, Dialect::V26).diagnostics,
                    [],
                    "{script}\n\n{text}"
                );
            }
        }
    }

    #[test]
    fn quantified_assertions_are_asserted_as_a_whole() {
        let made = traces("(declare-fun f (Int) Int)(assert (forall ((y Int)) (> (f y) y)))(check-sat)");
        assert_eq!(made.len(), 300);
    }

    #[test]
    fn assertions_with_names_are_not_taken_apart() {
        assert!(traces("(declare-const p Bool)(assert (! p :named q))(assert q)(check-sat)").is_empty());
    }
}
