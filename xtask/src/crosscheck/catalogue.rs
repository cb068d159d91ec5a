//! Which applications there are: for each sort the operators, with indices and argument sorts, that make a term of it.
//!
//! The operator table says what an operator takes in patterns. Instead of solving these for a wanted sort, we draw
//! indices and argument sorts from small pools, let the sort checker say what results, and keep that by result. So
//! whatever the table can express is covered, and nothing here knows a signature.

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use rustc_hash::{FxHashMap, FxHashSet};
use smelt_semantics::environment::Environment;
use smelt_smtlib::op::{Attribute, Constructor, Op, Signature, SortPattern, Theory};
use smelt_smtlib::read::{Scope, read_script};
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Index, Terms};

use super::judge::Solver;

/// The datatypes that terms are made over; solvers read it before anything else.
pub const PRELUDE: &str = include_str!("prelude.smt2");

/// Widths of bit-vectors, the usual ones several times.
const WIDTHS: &[u32] = &[1, 1, 2, 2, 3, 3, 4, 4, 8, 8, 16, 16, 32, 32, 33, 33, 64, 64, 65, 65];
const MAX_DRAWN_WIDTH: u32 = 70;
/// No term is wider than this.
const MAX_WIDTH: u32 = 140;
/// Formats of floating-point numbers.
const FORMATS: &[(u32, u32)] = &[
    (2, 2),
    (2, 3),
    (3, 2),
    (3, 3),
    (3, 5),
    (4, 9),
    (2, 7),
    (5, 11),
    (8, 24),
    (11, 53),
    (7, 2),
    (2, 12),
    (3, 14),
];
/// How many applications are kept of one form, and how often we draw for them.
const MAX_PRODUCTIONS: usize = 400;
const DRAWS: usize = 12_000;

/// Numbers of repetitions that no solver can unroll.
const HUGE_COUNTS: &[u64] = &[1_000, 65_535, 65_536, 1 << 31, u32::MAX as u64];

/// How the arguments of an operator are beyond the usual.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shape {
    Usual,
    /// Three or more.
    Long,
    /// One, where the operator is for two.
    Single,
    /// Integers among reals.
    Mixed,
    /// Counts beyond what can be unrolled.
    Huge,
}

/// A way to make a term that solvers can know or not: an overload of an operator, or a part of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    /// An overload of an operator, by its position, and the shape of its arguments.
    Op {
        op: Op,
        overload: u8,
        shape: Shape,
    },
    /// A comparison of what an operator, or a selector, is where the standard leaves it open.
    Open {
        op: Option<Op>,
    },
    /// Equality and the like of regular languages, which few solvers decide.
    OfLanguages {
        op: Op,
    },
    Constructor,
    /// With an integer in a field of reals.
    MixedConstructor,
    Selector,
    /// Of a datatype with or without parameters: Z3 finds the former only if it is used at one sort.
    Tester {
        is_parametric: bool,
    },
    Updater {
        is_parametric: bool,
    },
    Match,
    Let,
}

impl Form {
    /// The name of the form for a person.
    pub fn name(self) -> String {
        match self {
            Form::Open { op: Some(op) } => format!("open values of `{}`", op.info().name),
            Form::Open { op: None } => "open values of selectors".to_owned(),
            Form::Op { op, overload, shape } => {
                let info = op.info();
                let mut name = if info.indices.is_empty() {
                    info.name.to_owned()
                } else {
                    format!("(_ {} {})", info.name, info.indices.join(" "))
                };
                if info.signatures.len() > 1 || same_name_twice(op) {
                    name.push_str(&format!(" : {}", info.signatures[usize::from(overload)].text));
                }
                name.push_str(match shape {
                    Shape::Usual => "",
                    Shape::Long => " (3 or more arguments)",
                    Shape::Single => " (1 argument)",
                    Shape::Mixed => " (Int for Real)",
                    Shape::Huge => " (huge counts)",
                });
                name
            }
            Form::OfLanguages { op } => format!("{} : RegLan", op.info().name),
            Form::Constructor => "constructor".to_owned(),
            Form::MixedConstructor => "constructor (Int for Real)".to_owned(),
            Form::Selector => "selector".to_owned(),
            Form::Tester { is_parametric } => of_parametric("tester", is_parametric),
            Form::Updater { is_parametric } => of_parametric("updater", is_parametric),
            Form::Match => "match".to_owned(),
            Form::Let => "let".to_owned(),
        }
    }

    /// Whether a solver runs out of time or memory on most terms of this form: cvc5 unrolls counts.
    pub fn exhausts(self, solver: Solver) -> bool {
        solver == Solver::Cvc5 && matches!(self, Form::Op { shape: Shape::Huge, .. })
    }

    /// The area in which terms with this form at the top are counted.
    pub fn area(self) -> Area {
        match self {
            Form::Op { op, .. } | Form::OfLanguages { op } | Form::Open { op: Some(op) } => {
                Area::Theory(op.info().theory)
            }
            Form::Constructor
            | Form::MixedConstructor
            | Form::Selector
            | Form::Tester { .. }
            | Form::Updater { .. }
            | Form::Match
            | Form::Open { op: None } => Area::Datatypes,
            Form::Let => Area::Theory(Theory::Core),
        }
    }
}

fn of_parametric(name: &str, is_parametric: bool) -> String {
    if is_parametric { format!("{name} of a parametric datatype") } else { name.to_owned() }
}

fn same_name_twice(op: Op) -> bool {
    Op::named(op.info().name).len() > 1
}

/// Operators that the standard leaves open on some arguments.
pub const OPEN: [Op; 11] = [
    Op::IntDiv,
    Op::Mod,
    Op::Power,
    Op::RealDiv,
    Op::FpMin,
    Op::FpMax,
    Op::FpToUbv,
    Op::FpToSbv,
    Op::FpToReal,
    Op::FpToIeeeBv,
    Op::SeqNth,
];

/// A theory, or the datatypes, which have no operators in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Area {
    Theory(Theory),
    Datatypes,
}

impl Area {
    /// The areas in which terms are made. Transcendental functions have no rational values.
    pub const ALL: [Area; 10] = [
        Area::Theory(Theory::Core),
        Area::Theory(Theory::Ints),
        Area::Theory(Theory::Reals),
        Area::Theory(Theory::BitVectors),
        Area::Theory(Theory::Floats),
        Area::Theory(Theory::Arrays),
        Area::Theory(Theory::Strings),
        Area::Theory(Theory::Regexes),
        Area::Theory(Theory::Sequences),
        Area::Datatypes,
    ];

    /// The name, as `--theory` takes it.
    pub fn name(self) -> String {
        match self {
            Area::Theory(theory) => format!("{theory:?}").to_lowercase(),
            Area::Datatypes => "datatypes".to_owned(),
        }
    }
}

/// The head of an application.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Maker {
    Op(Op, Vec<Index>),
    /// A constructor; qualified by its sort if its arguments do not determine that.
    Constructor(Symbol, bool),
    Selector(Symbol),
    Tester(Symbol),
    Updater(Symbol),
    Match,
}

/// An application: what stands at the head, the sorts of the arguments and of the result.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Production {
    pub form: Form,
    pub maker: Maker,
    pub args: Vec<Sort>,
    pub sort: Sort,
}

/// A constructor of an instance of a datatype, with the sorts of its fields.
#[derive(Debug, Clone)]
pub struct ConstructorOf {
    pub name: Symbol,
    pub fields: Vec<(Symbol, Sort)>,
    pub is_qualified: bool,
}

/// All applications, and the arena in which their sorts live.
pub struct Catalogue {
    pub terms: Terms,
    pub scope: Scope,
    pub environment: Environment,
    pub productions: Vec<Production>,
    by_form: FxHashMap<Form, Vec<u32>>,
    by_sort: FxHashMap<Sort, Vec<(Form, Vec<u32>)>>,
    pub datatypes: FxHashMap<Sort, Vec<ConstructorOf>>,
    /// All datatype sorts in a fixed order.
    pub datatype_sorts: Vec<Sort>,
}

impl Catalogue {
    /// Draws the catalogue; the same generator gives the same one.
    pub fn new(rng: &mut Xoshiro256PlusPlus) -> Catalogue {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, PRELUDE);
        assert!(reading.diagnostics.is_empty(), "the prelude is well-formed: {:?}", reading.diagnostics);
        let environment = Environment::of(&terms, &reading.script.commands);
        let mut catalogue = Catalogue {
            terms,
            scope: reading.scope,
            environment,
            productions: Vec::new(),
            by_form: FxHashMap::default(),
            by_sort: FxHashMap::default(),
            datatypes: FxHashMap::default(),
            datatype_sorts: Vec::new(),
        };
        let datatype_sorts = catalogue.datatype_instances();
        let pool = Pool::new(&mut catalogue.terms, &datatype_sorts);
        let mut seen = FxHashSet::default();
        for op in Op::all().filter(|op| is_drawn(*op)) {
            for overload in 0..op.info().signatures.len() {
                catalogue.draw_overload(&pool, op, overload, &mut seen, rng);
            }
        }
        for sort in datatype_sorts {
            catalogue.add_datatype(sort, &pool);
        }
        catalogue
    }

    /// The forms of an area, in a fixed order.
    pub fn forms(&self, area: Area) -> Vec<Form> {
        let mut forms: Vec<Form> = self.by_form.keys().copied().filter(|form| form.area() == area).collect();
        let open = OPEN.iter().map(|op| Some(*op)).chain([None]).map(|op| Form::Open { op });
        forms.extend([Form::Let].into_iter().chain(open).filter(|form| form.area() == area));
        forms.sort();
        forms
    }

    /// The applications of a form.
    pub fn of_form(&self, form: Form) -> &[u32] {
        self.by_form.get(&form).map_or(&[], Vec::as_slice)
    }

    /// The applications that make a sort, by form.
    pub fn of_sort(&self, sort: Sort) -> &[(Form, Vec<u32>)] {
        self.by_sort.get(&sort).map_or(&[], Vec::as_slice)
    }

    fn add(&mut self, production: Production) {
        let id = self.productions.len() as u32;
        let (form, sort) = (production.form, production.sort);
        self.productions.push(production);
        self.by_form.entry(form).or_default().push(id);
        let forms = self.by_sort.entry(sort).or_default();
        match forms.iter_mut().find(|(known, _)| *known == form) {
            Some((_, ids)) => ids.push(id),
            None => forms.push((form, vec![id])),
        }
    }

    fn draw_overload(
        &mut self,
        pool: &Pool,
        op: Op,
        overload: usize,
        seen: &mut FxHashSet<Production>,
        rng: &mut Xoshiro256PlusPlus,
    ) {
        let info = op.info();
        let signature = &info.signatures[overload];
        let mut counts: FxHashMap<Form, usize> = FxHashMap::default();
        for _ in 0..DRAWS {
            let indices = pool.indices(&mut self.terms, op, rng);
            let Some((args, ascribed)) = pool.arguments(&mut self.terms, op, signature, rng) else {
                continue;
            };
            // Another overload may come first for these arguments; then this draw is not ours.
            let Some(sort) = self.result(op, overload, &indices, &args, ascribed) else { continue };
            if !pool.allows(&self.terms, sort) {
                continue;
            }
            let is_of_languages =
                args.contains(&Sort::REG_LAN) && matches!(signature.params.last(), Some(SortPattern::Var(_)));
            let form = if is_of_languages {
                Form::OfLanguages { op }
            } else {
                Form::Op { op, overload: overload as u8, shape: self.shape(op, overload, &indices, &args) }
            };
            let count = counts.entry(form).or_default();
            let production = Production { form, maker: Maker::Op(op, indices), args, sort };
            if *count < MAX_PRODUCTIONS && seen.insert(production.clone()) {
                *count += 1;
                self.add(production);
            }
            let is_full = counts.values().all(|count| *count >= MAX_PRODUCTIONS);
            let has_all_forms = info.attribute == Attribute::Fixed || counts.len() > 2;
            if is_full && has_all_forms {
                break;
            }
        }
    }

    fn result(
        &mut self,
        op: Op,
        overload: usize,
        indices: &[Index],
        args: &[Sort],
        ascribed: Option<Sort>,
    ) -> Option<Sort> {
        // Arguments that are exactly those of another overload are not for this one, though an Int may be a Real.
        let is_exact = |signature: &Signature| match &signature.fixed {
            Some((params, _)) => {
                let wanted = |position: usize| params.get(position.min(params.len().saturating_sub(1)));
                args.iter().enumerate().all(|(position, arg)| wanted(position) == Some(arg))
            }
            None => false,
        };
        let mut others = op.info().signatures.iter().enumerate().filter(|(number, _)| *number != overload);
        if others.any(|(_, signature)| is_exact(signature)) {
            return None;
        }
        match ascribed {
            Some(sort) => Some(sort),
            None => smelt_smtlib::typing::sort_of_application(&mut self.terms.sorts, op, indices, args).ok(),
        }
    }

    /// How the arguments of an application are beyond the usual.
    fn shape(&self, op: Op, overload: usize, indices: &[Index], args: &[Sort]) -> Shape {
        let params = &op.info().signatures[overload].params;
        let is_huge = |index: &Index| matches!(index, Index::Number(count) if HUGE_COUNTS.contains(count));
        let parts = args.first().map_or_else(Vec::new, |first| self.terms.sorts.components(*first));
        let is_coerced = |(position, arg): (usize, &Sort)| match params[position.min(params.len() - 1)] {
            _ if *arg != Sort::INT => false,
            SortPattern::Fixed(sort) => sort == Sort::REAL,
            // The index or the element of an array, or one of several arguments of a sort.
            SortPattern::Var(_) if matches!(params[0], SortPattern::Applied(Constructor::Array, _)) => {
                parts.get(position - 1) == Some(&Sort::REAL)
            }
            SortPattern::Var(_) => args.contains(&Sort::REAL),
            _ => false,
        };
        if op.info().theory == Theory::Regexes && indices.iter().any(is_huge) {
            Shape::Huge
        } else if args.iter().enumerate().any(is_coerced) {
            Shape::Mixed
        } else if op.info().attribute == Attribute::Fixed || args.len() == 2 {
            Shape::Usual
        } else if args.len() == 1 {
            Shape::Single
        } else {
            Shape::Long
        }
    }

    fn datatype_instances(&mut self) -> Vec<Sort> {
        let mut named = |name: &str, args: &[Sort]| {
            let name = self.terms.symbols.intern(name);
            self.terms.sorts.intern(SortKind::Named(name, args.into()))
        };
        let option = named("Option", &[Sort::INT]);
        let sorts = vec![
            named("Color", &[]),
            named("IntList", &[]),
            named("Entry", &[]),
            named("Shape", &[]),
            option,
            named("Option", &[option]),
            named("Pair", &[Sort::INT, Sort::BOOL]),
            named("Pair", &[Sort::STRING, option]),
            named("Tree", &[]),
            named("Forest", &[]),
        ];
        for &sort in &sorts {
            let constructors = self.constructors(sort);
            self.datatypes.insert(sort, constructors);
        }
        self.datatype_sorts = sorts.clone();
        sorts
    }

    fn constructors(&mut self, sort: Sort) -> Vec<ConstructorOf> {
        let SortKind::Named(name, arguments) = self.terms.sorts.kind(sort).clone() else {
            unreachable!("instances of datatypes are named")
        };
        let datatype = self.environment.datatype(name).expect("the prelude declares every instance").clone();
        let bindings: Vec<(Symbol, Sort)> =
            datatype.params.iter().copied().zip(arguments.iter().copied()).collect();
        let constructors = datatype.constructors.iter().map(|constructor| ConstructorOf {
            name: constructor.name,
            fields: constructor
                .selectors
                .iter()
                .map(|(selector, field)| (*selector, self.terms.sorts.instantiate(*field, &bindings)))
                .collect(),
            is_qualified: !bindings.is_empty() && constructor.selectors.is_empty(),
        });
        constructors.collect()
    }

    fn add_datatype(&mut self, sort: Sort, pool: &Pool) {
        let constructors = self.datatypes[&sort].clone();
        let is_parametric = !self.terms.sorts.components(sort).is_empty();
        let mut add = |form, maker, args, sort| self.add(Production { form, maker, args, sort });
        for constructor in &constructors {
            let fields = constructor.fields.iter().map(|(_, field)| *field).collect();
            let maker = Maker::Constructor(constructor.name, constructor.is_qualified);
            let fields: Vec<Sort> = fields;
            if fields.contains(&Sort::REAL) {
                let mixed = |field: &Sort| if *field == Sort::REAL { Sort::INT } else { *field };
                let mixed = fields.iter().map(mixed).collect();
                add(Form::MixedConstructor, maker.clone(), mixed, sort);
            }
            add(Form::Constructor, maker, fields, sort);
            add(Form::Tester { is_parametric }, Maker::Tester(constructor.name), vec![sort], Sort::BOOL);
            for (selector, field) in &constructor.fields {
                add(Form::Selector, Maker::Selector(*selector), vec![sort], *field);
                add(Form::Updater { is_parametric }, Maker::Updater(*selector), vec![sort, *field], sort);
            }
        }
        for result in &pool.elements {
            let mut args = vec![sort];
            args.extend(constructors.iter().map(|_| *result));
            add(Form::Match, Maker::Match, args, *result);
        }
    }
}

/// Sorts and numbers to draw from.
struct Pool {
    /// Sorts for sort variables.
    elements: Vec<Sort>,
    arrays: Vec<Sort>,
    sequences: Vec<Sort>,
}

impl Pool {
    fn new(terms: &mut Terms, datatypes: &[Sort]) -> Pool {
        let sorts = &mut terms.sorts;
        let (bv1, bv2, bv4, bv8, bv32) =
            (sorts.bit_vec(1), sorts.bit_vec(2), sorts.bit_vec(4), sorts.bit_vec(8), sorts.bit_vec(32));
        let nested = sorts.array(Sort::INT, Sort::BOOL);
        let arrays = vec![
            sorts.array(Sort::INT, Sort::INT),
            nested,
            sorts.array(Sort::BOOL, Sort::INT),
            sorts.array(Sort::BOOL, Sort::BOOL),
            sorts.array(bv1, bv4),
            sorts.array(bv2, Sort::BOOL),
            sorts.array(bv8, bv8),
            sorts.array(Sort::STRING, Sort::INT),
            sorts.array(Sort::INT, Sort::STRING),
            sorts.array(Sort::INT, Sort::REAL),
            sorts.array(Sort::REAL, bv2),
            sorts.array(datatypes[0], Sort::INT),
            sorts.array(Sort::INT, nested),
            sorts.array(nested, Sort::INT),
        ];
        let of_ints = sorts.intern(SortKind::Seq(Sort::INT));
        let sequences = vec![
            of_ints,
            sorts.intern(SortKind::Seq(Sort::BOOL)),
            sorts.intern(SortKind::Seq(bv4)),
            sorts.intern(SortKind::Seq(Sort::STRING)),
            sorts.intern(SortKind::Seq(of_ints)),
        ];
        let mut elements = vec![
            Sort::BOOL,
            Sort::INT,
            Sort::REAL,
            Sort::STRING,
            Sort::ROUNDING_MODE,
            Sort::REG_LAN,
            bv1,
            bv4,
            bv32,
            sorts.float(3, 5),
            sorts.float(5, 11),
            sorts.float(2, 3),
            of_ints,
        ];
        elements.extend(&arrays[..7]);
        elements.extend(datatypes);
        Pool { elements, arrays, sequences }
    }

    /// Whether terms of a result sort are wanted.
    fn allows(&self, terms: &Terms, sort: Sort) -> bool {
        match terms.sorts.kind(sort) {
            SortKind::BitVec(width) => *width <= MAX_WIDTH,
            SortKind::Float(exponent, significand) => FORMATS.contains(&(*exponent, *significand)),
            SortKind::Array(..) => self.arrays.contains(&sort),
            SortKind::Seq(_) => self.sequences.contains(&sort),
            _ => true,
        }
    }

    fn indices(&self, terms: &mut Terms, op: Op, rng: &mut Xoshiro256PlusPlus) -> Vec<Index> {
        let info = op.info();
        if op == Op::Char {
            let code =
                *[0x0, 0x30, 0x41, 0x61, 0x22, 0x5c, 0x7f, 0xff, 0x100, 0xd800, 0xffff, 0x10000, 0x2ffff]
                    .choose(rng)
                    .expect("the list is not empty");
            return vec![Index::Text(terms.symbols.intern(&format!("#x{code:x}")))];
        }
        match (info.theory, info.indices.len()) {
            (Theory::Floats, 2) => {
                let (exponent, significand) = draw_format(rng);
                vec![Index::Number(exponent.into()), Index::Number(significand.into())]
            }
            (Theory::Regexes, count) if rng.random_bool(0.03) => {
                (0..count).map(|_| Index::Number(*HUGE_COUNTS.choose(rng).expect("not empty"))).collect()
            }
            (Theory::Regexes, count) => (0..count)
                .map(|_| {
                    Index::Number(if rng.random_bool(0.9) {
                        rng.random_range(0..4)
                    } else {
                        rng.random_range(4..30)
                    })
                })
                .collect(),
            (Theory::Ints, count) => (0..count)
                .map(|_| {
                    Index::Number(if rng.random_bool(0.7) {
                        rng.random_range(1..9)
                    } else {
                        rng.random_range(1..200)
                    })
                })
                .collect(),
            (_, count) => (0..count)
                .map(|_| {
                    Index::Number(match rng.random_range(0..10) {
                        0..4 => rng.random_range(0..4),
                        4..8 => u64::from(draw_width(rng)),
                        _ => rng.random_range(0..MAX_WIDTH).into(),
                    })
                })
                .collect(),
        }
    }

    /// The sorts of the arguments and the ascribed sort of the result where the operator wants one.
    fn arguments(
        &self,
        terms: &mut Terms,
        op: Op,
        signature: &Signature,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Option<(Vec<Sort>, Option<Sort>)> {
        let mut draw = Draw { pool: self, terms, vars: [None; 4], widths: Vec::new() };
        let ascribed = op
            .info()
            .is_ascribed
            .then(|| draw.sort(&signature.result, rng))
            .filter(|sort| *sort != Sort::UNKNOWN);
        if op.info().is_ascribed && ascribed.is_none() {
            return None;
        }
        let mut args: Vec<Sort> = signature.params.iter().map(|param| draw.sort(param, rng)).collect();
        if op.info().attribute != Attribute::Fixed && rng.random_bool(0.1) {
            args.truncate(1);
        } else if op.info().attribute != Attribute::Fixed && rng.random_bool(0.5) {
            for _ in 0..rng.random_range(1..3) {
                // Widths of concatenated vectors need not agree.
                let is_same_sort = signature.params[0] == signature.params[1];
                if !is_same_sort {
                    draw.widths.clear();
                }
                args.push(draw.sort(&signature.params[1], rng));
            }
        }
        if rng.random_bool(0.2) {
            // An Int may stand for a Real.
            for arg in args.iter_mut().filter(|arg| **arg == Sort::REAL) {
                *arg = if rng.random_bool(0.6) { Sort::INT } else { Sort::REAL };
            }
        }
        Some((args, ascribed))
    }
}

/// Whether terms with an operator are drawn: those of the theories of which values are drawn, as far as they have a
/// meaning.
pub fn is_drawn(op: Op) -> bool {
    const WITHOUT_MEANING: &[Op] = &[
        Op::AtMost,
        Op::AtLeast,
        Op::PbLe,
        Op::PbGe,
        Op::PbEq,
        Op::Rem,
        Op::ParametricIntAnd,
        Op::BvUdivI,
        Op::BvSdivI,
        Op::BvUremI,
        Op::BvSremI,
        Op::BvSmodI,
        Op::MakeBv,
        Op::BvIte,
        Op::ToFpScaled,
        Op::SelectFunction,
        Op::StoreFunction,
        Op::ConstFunction,
        Op::SeqStrConcat,
        Op::SeqStrLen,
        Op::SeqStrAt,
        Op::SeqStrSubstr,
        Op::SeqStrContains,
        Op::SeqStrIndexof,
        Op::SeqStrReplace,
        Op::SeqStrReplaceAll,
        Op::SeqStrPrefixof,
        Op::SeqStrSuffixof,
        Op::SeqStrUpdate,
        Op::SeqStrRev,
        Op::ToFpBv,
        Op::ToFpFp,
        Op::ToFpReal,
        Op::ToFpSigned,
        Op::EqRange,
        Op::ArrayDefault,
        Op::ArrayExt,
        Op::ArrayUnion,
        Op::ArrayIntersection,
        Op::ArraySetMinus,
        Op::ArrayComplement,
        Op::ArraySubset,
        Op::ArrayCard,
        Op::ArrayHasSize,
        Op::SeqIndexofFromStart,
        Op::SeqLastIndexof,
        Op::SeqMap,
        Op::SeqMapi,
        Op::SeqFoldl,
        Op::SeqFoldli,
        Op::SeqFoldLeft,
        Op::SeqFoldLefti,
    ];
    let is_covered = matches!(
        op.info().theory,
        Theory::Core
            | Theory::Ints
            | Theory::Reals
            | Theory::BitVectors
            | Theory::Floats
            | Theory::Arrays
            | Theory::Strings
            | Theory::Regexes
            | Theory::Sequences
    );
    is_covered && !WITHOUT_MEANING.contains(&op)
}

/// The drawing of the arguments of one application: equal patterns get equal sorts.
struct Draw<'a> {
    pool: &'a Pool,
    terms: &'a mut Terms,
    vars: [Option<Sort>; 4],
    widths: Vec<(SortPattern, Sort)>,
}

impl Draw<'_> {
    fn sort(&mut self, pattern: &SortPattern, rng: &mut Xoshiro256PlusPlus) -> Sort {
        match pattern {
            SortPattern::Fixed(sort) => *sort,
            SortPattern::Var(var) => *self.vars[*var]
                .get_or_insert_with(|| *self.pool.elements.choose(rng).expect("the pool is not empty")),
            SortPattern::Applied(Constructor::Array, parts) => {
                let sort = *self.pool.arrays.choose(rng).expect("the pool is not empty");
                let SortKind::Array(index_sort, element_sort) = *self.terms.sorts.kind(sort) else {
                    unreachable!("the pool of arrays holds arrays")
                };
                let drawn = [self.bind(&parts[0], index_sort), self.bind(&parts[1], element_sort)];
                self.terms.sorts.array(drawn[0], drawn[1])
            }
            SortPattern::Applied(Constructor::Seq, parts) => {
                let sort = *self.pool.sequences.choose(rng).expect("the pool is not empty");
                let SortKind::Seq(element_sort) = *self.terms.sorts.kind(sort) else {
                    unreachable!("the pool of sequences holds sequences")
                };
                let element = self.bind(&parts[0], element_sort);
                self.terms.sorts.intern(SortKind::Seq(element))
            }
            SortPattern::Applied(..) | SortPattern::Field(_) => {
                unreachable!("no operator that is drawn has a parameter of the pattern {pattern:?}")
            }
            SortPattern::BitVec(_) | SortPattern::Float(..) => {
                if let Some((_, sort)) = self.widths.iter().find(|(known, _)| known == pattern) {
                    return *sort;
                }
                let sort = if matches!(pattern, SortPattern::BitVec(_)) {
                    let width = if rng.random_bool(0.15) { 1 } else { draw_width(rng) };
                    self.terms.sorts.bit_vec(width)
                } else {
                    let (exponent, significand) = draw_format(rng);
                    self.terms.sorts.float(exponent, significand)
                };
                self.widths.push((pattern.clone(), sort));
                sort
            }
        }
    }

    fn bind(&mut self, pattern: &SortPattern, sort: Sort) -> Sort {
        match pattern {
            SortPattern::Var(var) => *self.vars[*var].get_or_insert(sort),
            _ => sort,
        }
    }
}

fn draw_width(rng: &mut Xoshiro256PlusPlus) -> u32 {
    if rng.random_bool(0.6) {
        *WIDTHS.choose(rng).expect("the list is not empty")
    } else {
        rng.random_range(1..=MAX_DRAWN_WIDTH)
    }
}

fn draw_format(rng: &mut Xoshiro256PlusPlus) -> (u32, u32) {
    *FORMATS.choose(rng).expect("the list is not empty")
}
