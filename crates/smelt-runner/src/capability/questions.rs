//! What a solver is asked to learn what it takes: one tiny script per operator, overload and sort.
//!
//! The questions come from the operator table. Every overload is applied to variables of fitting sorts, with the
//! number of arguments of its signature and, where it takes more, with one more.

use smelt_smtlib::op::{Attribute, Dialect, Op, Signature, SortPattern, Theory};
use smelt_smtlib::print::{Layout, Printer};
use smelt_smtlib::read::read_script_as;
use smelt_smtlib::script::Command;
use smelt_smtlib::sort::{Sort, SortClass, SortKind};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Index, Literal, Term, Terms};

use super::{Capabilities, Feature, Shape};
use crate::numbers::Numbers;

/// One thing that a solver is asked.
#[derive(Debug, Clone)]
pub(super) struct Question {
    pub subject: Subject,
    /// Declarations, an assertion and a check.
    pub script: String,
    /// The classes of the sorts that occur: nobody is asked about sorts that it does not know.
    pub sorts: Vec<SortClass>,
    /// The same with literals instead of variables: some operators, such as ranges of characters, want those.
    pub literal_script: Option<String>,
    /// Where it is asked again if it is refused in the usual logic.
    pub context: Context,
}

/// What comes before questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// The logic that formulas without one get.
    Usual,
    /// One in which functions are values.
    Functions,
    /// A heap from integers to integers. Solvers with heaps have no levels.
    Heap,
}

impl Context {
    /// The context in which a solver may take more of a theory than in the usual one.
    fn of(op: Op) -> Context {
        match op.info().theory {
            Theory::Separation => Context::Heap,
            Theory::HigherOrder
            | Theory::Tuples
            | Theory::Sets
            | Theory::Relations
            | Theory::Bags
            | Theory::Nullables => Context::Functions,
            _ => Context::Usual,
        }
    }
}

impl Question {
    /// Whether a solver that takes this takes what is asked about.
    pub(super) fn is_taken_by(&self, known: &Capabilities) -> bool {
        match &self.subject {
            Subject::Sort(class) => !known.refused_sorts.contains(class),
            Subject::Application(op, shape) => known.taken.contains(&(*op, *shape)),
            Subject::Spelling(_, spelling) => known.spellings.get(*spelling) == Some(&true),
            Subject::Feature(feature) => known.takes_feature(*feature).is_ok(),
        }
    }
}

/// What a question is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Subject {
    /// A class of sorts.
    Sort(SortClass),
    /// An operator at arguments of some sorts.
    Application(Op, Shape),
    /// A spelling of an operator.
    Spelling(Op, &'static str),
    /// Something else of the language.
    Feature(Feature),
}

/// Widths of bit-vectors that are tried for each argument; one of them fits every signature.
const WIDTHS: [u32; 7] = [8, 16, 1, 5, 10, 23, 32];

/// A format of floating-point numbers: the bits of exponents and significands.
pub(super) type Format = (u32, u32);

/// Half precision: quick, where it is taken.
pub(super) const HALF: Format = (5, 11);
/// Single precision.
pub(super) const SINGLE: Format = (8, 24);

/// What is asked of a solver before all else: which sorts it knows.
pub(super) fn sorts(numbers: Numbers) -> Vec<Question> {
    let mut maker = Maker::new(Dialect::V26, SINGLE, numbers);
    // Languages are not declared.
    let declared = SortClass::ALL.into_iter().filter(|class| *class != SortClass::RegLan);
    declared
        .map(|class| {
            let sort = maker.sort(class);
            let var = maker.arg(sort, 0);
            let claim = maker.terms.apply(Op::Eq, &[], &[var, var]).expect("every sort has equality");
            maker.question(Subject::Sort(class), claim)
        })
        .collect()
}

/// Whether other formats than single and double precision are taken.
pub(super) fn other_formats(dialect: Dialect) -> Question {
    Maker::new(dialect, HALF, Numbers::Integers).other_formats()
}

/// What is asked about operators and other features, in the names and escapes of a dialect, about numbers of a format and
/// arrays of these numbers.
pub(super) fn language(dialect: Dialect, format: Format, numbers: Numbers) -> Vec<Question> {
    let mut maker = Maker::new(dialect, format, numbers);
    let mut questions = Vec::new();
    for op in Op::all().filter(|op| !is_asked_otherwise(*op)) {
        let start = questions.len();
        for signature in &op.info().signatures {
            maker.applications(op, signature, &mut questions);
        }
        let Some(first) = questions.get(start).cloned() else { continue };
        let printed = op.spelling(dialect);
        for spelling in std::iter::once(op.info().name).chain(op.info().old_names.iter().copied()) {
            if !op.info().old_names.is_empty() {
                questions.push(Question {
                    subject: Subject::Spelling(op, spelling),
                    script: respelled(&first.script, printed, spelling),
                    sorts: first.sorts.clone(),
                    literal_script: None,
                    context: first.context,
                });
            }
        }
    }
    for feature in Feature::ALL {
        let (script, sorts) = match feature {
            Feature::WideCharacters => (maker.wide_characters(), vec![SortClass::String]),
            Feature::OtherFloatFormats => (maker.other_formats().script, vec![SortClass::Float]),
            _ => (numbers.in_script(feature.script()), Vec::new()),
        };
        let (literal_script, context) = match feature {
            // Where functions are values, they are no arrays.
            Feature::Lambdas => (Some(numbers.in_script(LAMBDA_AS_FUNCTION)), Context::Functions),
            _ => (None, Context::Usual),
        };
        questions.push(Question {
            subject: Subject::Feature(feature),
            script,
            sorts,
            literal_script,
            context,
        });
    }
    questions
}

const LAMBDA_AS_FUNCTION: &str =
    "(declare-fun f (Int) Int)\n(assert (= f (lambda ((x Int)) x)))\n(check-sat)\n";

/// Whether an operator is not asked about by itself: one that applies a function that is a term, which solvers take if
/// they take the sort of functions, and one that limits a sort that the script declares.
fn is_asked_otherwise(op: Op) -> bool {
    matches!(op, Op::Apply | Op::ApplyTerm | Op::FmfCard)
}

/// A script with one operator spelled otherwise.
fn respelled(script: &str, printed: &str, spelling: &str) -> String {
    let is_end = |text: &str| text.starts_with([' ', ')']);
    let mut result = String::new();
    let mut rest = script;
    while let Some(position) = rest.find(printed) {
        let (before, after) = (&rest[..position], &rest[position + printed.len()..]);
        result.push_str(before);
        let is_name = before.ends_with(['(', ' ']) && is_end(after);
        result.push_str(if is_name { spelling } else { printed });
        rest = after;
    }
    result + rest
}

/// Makes terms and prints questions.
struct Maker {
    terms: Terms,
    dialect: Dialect,
    format: Format,
    numbers: Numbers,
}

impl Maker {
    fn new(dialect: Dialect, format: Format, numbers: Numbers) -> Self {
        Maker { terms: Terms::new(), dialect, format, numbers }
    }

    /// A sort of a class.
    fn sort(&mut self, class: SortClass) -> Sort {
        let sorts = &mut self.terms.sorts;
        let number = match self.numbers {
            Numbers::Integers => Sort::INT,
            Numbers::BitVectors => sorts.bit_vec(8),
        };
        match class {
            SortClass::Bool => Sort::BOOL,
            SortClass::Int => Sort::INT,
            SortClass::Other => number,
            SortClass::Real => Sort::REAL,
            SortClass::String => Sort::STRING,
            SortClass::RegLan => Sort::REG_LAN,
            SortClass::RoundingMode => Sort::ROUNDING_MODE,
            SortClass::BitVec => sorts.bit_vec(8),
            SortClass::Float => sorts.float(self.format.0, self.format.1),
            SortClass::Array => sorts.array(number, number),
            SortClass::Seq => sorts.intern(SortKind::Seq(number)),
            SortClass::Set => sorts.set(number),
            SortClass::Bag => sorts.bag(number),
            SortClass::Tuple => sorts.tuple(&[number, number]),
            SortClass::FiniteField => {
                let order = self.terms.symbols.intern("11");
                self.terms.sorts.intern(SortKind::FiniteField(order))
            }
            SortClass::Nullable => sorts.intern(SortKind::Nullable(number)),
            SortClass::FiniteSet => sorts.intern(SortKind::FiniteSet(number)),
            SortClass::Function => sorts.arrow(&[number, number]),
        }
    }

    /// The sort that a pattern stands for if its variables are the numbers that the solver has.
    fn instance(&mut self, pattern: &SortPattern) -> Sort {
        match pattern {
            SortPattern::Fixed(sort) => *sort,
            SortPattern::Var(_) => self.sort(SortClass::Other),
            SortPattern::BitVec(_) => self.sort(SortClass::BitVec),
            SortPattern::Float(..) => self.sort(SortClass::Float),
            SortPattern::Field(_) => self.sort(SortClass::FiniteField),
            SortPattern::Applied(constructor, parts) => {
                let parts: Vec<Sort> = parts.iter().map(|part| self.instance(part)).collect();
                let kind = constructor.apply(&parts).expect("the table applies constructors rightly");
                self.terms.sorts.intern(kind)
            }
        }
    }

    /// A term of a sort: a variable, or, because regular languages are no values, one of those.
    fn arg(&mut self, sort: Sort, number: usize) -> Term {
        if sort == Sort::REG_LAN {
            let text = ["a", "b", "c", "d"][number.min(3)];
            let literal = self.terms.literal(Literal::Str, text, Sort::STRING);
            return self.terms.apply(Op::StrToRe, &[], &[literal]).expect("a literal is a language");
        }
        let name = self.terms.symbols.intern(&format!("v{number}"));
        self.terms.constant(name, sort)
    }

    /// A literal of the sort of a term; the term itself if its sort has none.
    fn literal_like(&mut self, term: Term) -> Term {
        let sort = self.terms.sort(term);
        let (literal, text) = match *self.terms.sorts.kind(sort) {
            SortKind::Bool => return self.terms.bool(true),
            SortKind::Int => (Literal::Numeral, "1".to_owned()),
            SortKind::Real => (Literal::Decimal, "1.0".to_owned()),
            SortKind::String => (Literal::Str, "a".to_owned()),
            SortKind::BitVec(width) => (Literal::Binary, "1".repeat(width as usize)),
            _ => return term,
        };
        self.terms.literal(literal, &text, sort)
    }

    /// Questions about one overload, at all sorts that matter.
    fn applications(&mut self, op: Op, signature: &Signature, questions: &mut Vec<Question>) {
        for params in self.instances(op, signature) {
            let mut arities = vec![params.len()];
            if op.info().attribute != Attribute::Fixed {
                arities.push(params.len() + 1);
            }
            for arity in arities {
                let Some(last) = params.last() else {
                    self.push_application(op, &[], questions);
                    continue;
                };
                let mut params = params.clone();
                params.resize(arity, last.clone());
                self.push_application(op, &params, questions);
            }
        }
    }

    /// The sorts that each parameter may have: with sort variables, one instance for each class of sorts. A heap has
    /// sorts that are declared.
    fn instances(&mut self, op: Op, signature: &Signature) -> Vec<Vec<Vec<Sort>>> {
        let is_open = |param: &SortPattern| matches!(param, SortPattern::Var(_));
        let has_open = Context::of(op) != Context::Heap && signature.params.iter().any(is_open);
        let classes: &[SortClass] = if has_open { &SortClass::ALL } else { &[SortClass::Int] };
        classes
            .iter()
            .map(|class| signature.params.iter().map(|param| self.candidates(param, *class)).collect())
            .collect()
    }

    fn candidates(&mut self, param: &SortPattern, class: SortClass) -> Vec<Sort> {
        match param {
            SortPattern::Fixed(sort) => vec![*sort],
            SortPattern::Var(_) => vec![self.sort(class)],
            SortPattern::BitVec(_) => WIDTHS.map(|width| self.terms.sorts.bit_vec(width)).to_vec(),
            SortPattern::Float(..) | SortPattern::Field(_) | SortPattern::Applied(..) => {
                vec![self.instance(param)]
            }
        }
    }

    /// Asks about the first choice of sorts that the table allows, if there is one.
    fn push_application(&mut self, op: Op, params: &[Vec<Sort>], questions: &mut Vec<Question>) {
        let indices = self.indices(op);
        let choices: usize = params.iter().map(Vec::len).product();
        for choice in 0..choices {
            let mut rest = choice;
            let args: Vec<Term> = params
                .iter()
                .enumerate()
                .map(|(number, sorts)| {
                    let sort = sorts[rest % sorts.len()];
                    rest /= sorts.len();
                    self.arg(sort, number)
                })
                .collect();
            let result = &op.info().signatures[0].result;
            let ascribed = op.info().is_ascribed.then(|| self.instance(result));
            let Ok(term) = self.terms.apply_ascribed(op, &indices, &args, ascribed) else { continue };
            // Widths that make a number of another format would ask about that too.
            let is_other = |kind: &SortKind| matches!(kind, SortKind::Float(e, s) if (*e, *s) != self.format);
            if is_other(self.terms.sorts.kind(self.terms.sort(term))) {
                continue;
            }
            let shape = Shape::of(&self.terms, op, &args);
            let subject = Subject::Application(op, shape);
            let claim = self.claim_about(term);
            let literals: Vec<Term> = args.iter().map(|arg| self.literal_like(*arg)).collect();
            let with_literals = self.terms.apply_ascribed(op, &indices, &literals, ascribed).ok();
            // The variable of a sort variable may be what another overload was asked about.
            if !questions.iter().any(|question| question.subject == subject) {
                let literal_claim = with_literals
                    .filter(|with_literals| *with_literals != term)
                    .map(|term| self.claim_about(term));
                let literal_script = literal_claim.map(|claim| self.question(subject.clone(), claim).script);
                let mut question = Question { literal_script, ..self.question(subject, claim) };
                if question.context == Context::Usual {
                    question.context = Context::of(op);
                }
                // Spellings that two operators share may stand for the other one at these sorts.
                if self.reads_back(&question) {
                    questions.push(question);
                }
            }
            return;
        }
    }

    fn indices(&mut self, op: Op) -> Vec<Index> {
        match op {
            // Columns that there are, of the same sort.
            _ if op.info().takes_any_indices => vec![Index::Number(0), Index::Number(0)],
            Op::TupleSelect | Op::TupleUpdate => vec![Index::Number(0)],
            _ => op.info().indices.iter().map(|name| self.index(name)).collect(),
        }
    }

    fn index(&mut self, name: &str) -> Index {
        match name {
            "e" => Index::Number(u64::from(self.format.0)),
            "s" => Index::Number(u64::from(self.format.1)),
            "x" => Index::Text(self.terms.symbols.intern("#x41")),
            "f" => Index::Text(self.terms.symbols.intern("=")),
            "j" => Index::Number(1),
            "i" => Index::Number(2),
            _ => Index::Number(3),
        }
    }

    /// Something to assert that has the term in it.
    fn claim_about(&mut self, term: Term) -> Term {
        let sort = self.terms.sort(term);
        if sort == Sort::BOOL {
            return term;
        }
        let (op, args) = if sort == Sort::REG_LAN {
            (Op::StrInRe, [self.arg(Sort::STRING, 9), term])
        } else {
            (Op::Eq, [term, self.arg(sort, 9)])
        };
        self.terms.apply(op, &[], &args).expect("membership and equality take these sorts")
    }

    fn reads_back(&self, question: &Question) -> bool {
        let scripts = std::iter::once(&question.script).chain(&question.literal_script);
        scripts
            .into_iter()
            .all(|script| read_script_as(&mut Terms::new(), script, self.dialect).diagnostics.is_empty())
    }

    fn question(&mut self, subject: Subject, claim: Term) -> Question {
        let mut script = String::new();
        let mut sorts = Vec::new();
        let mut declared: Vec<Symbol> = Vec::new();
        for term in smelt_smtlib::walk::subterms(&self.terms, &[claim]) {
            let sort = self.terms.sort(term);
            sorts.push(SortClass::of(self.terms.sorts.kind(sort)));
            if let smelt_smtlib::term::Head::Global(name) = self.terms.head(term)
                && !declared.contains(&name)
            {
                declared.push(name);
                script.push_str(&self.printed(&Command::DeclareFun(name, Vec::new(), sort)));
            }
        }
        sorts.sort_unstable();
        sorts.dedup();
        script.push_str(&self.printed(&Command::Assert(claim)));
        script.push_str("(check-sat)\n");
        let has_functions = sorts.contains(&SortClass::Function);
        let context = if has_functions { Context::Functions } else { Context::Usual };
        Question { subject, script, sorts, literal_script: None, context }
    }

    fn printed(&mut self, command: &Command) -> String {
        let mut printer = Printer::new(&mut self.terms, self.dialect, Layout::Flat);
        printer.command(command);
        printer.finish() + "\n"
    }

    /// Asks for a number of half precision that is less than its double: solvers see no answer without knowing the format.
    fn other_formats(&mut self) -> Question {
        let sort = self.terms.sorts.float(HALF.0, HALF.1);
        let mode = self.arg(Sort::ROUNDING_MODE, 0);
        let number = self.arg(sort, 1);
        let sum = self.terms.apply(Op::FpAdd, &[], &[mode, number, number]).expect("floats are added");
        let claim = self.terms.apply(Op::FpLt, &[], &[number, sum]).expect("floats are compared");
        self.question(Subject::Feature(Feature::OtherFloatFormats), claim)
    }

    /// Denies that a character above 255 is one character: only a solver that reads it otherwise finds this satisfiable.
    fn wide_characters(&mut self) -> String {
        let literal = self.terms.literal(Literal::Str, "\\u{1F600}", Sort::STRING);
        let one = self.terms.literal(Literal::Numeral, "1", Sort::INT);
        let length = self.terms.apply(Op::StrLen, &[], &[literal]).expect("strings have lengths");
        let same = self.terms.apply(Op::Eq, &[], &[length, one]).expect("lengths are integers");
        let claim = self.terms.apply(Op::Not, &[], &[same]).expect("equality is Boolean");
        self.question(Subject::Feature(Feature::WideCharacters), claim).script
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_is_asked_about_in_both_dialects() {
        for dialect in [Dialect::V26, Dialect::V25] {
            let questions = language(dialect, HALF, Numbers::Integers);
            for op in Op::all().filter(|op| !is_asked_otherwise(*op)) {
                let is_asked = |question: &Question| matches!(question.subject, Subject::Application(about, _) if about == op);
                assert!(questions.iter().any(is_asked), "{op:?}");
            }
        }
    }

    #[test]
    fn questions_are_well_sorted() {
        for dialect in [Dialect::V26, Dialect::V25] {
            for question in sorts(Numbers::Integers)
                .into_iter()
                .chain(language(dialect, HALF, Numbers::Integers))
                .chain(language(dialect, SINGLE, Numbers::BitVectors))
            {
                for script in std::iter::once(&question.script).chain(&question.literal_script) {
                    let reading = read_script_as(&mut Terms::new(), script, dialect);
                    assert!(reading.diagnostics.is_empty(), "{script}: {:?}", reading.diagnostics);
                }
            }
        }
    }

    #[test]
    fn overloads_and_further_arguments_are_asked_about_apart() {
        let questions = language(Dialect::V26, HALF, Numbers::Integers);
        let shapes = |op: Op| {
            questions
                .iter()
                .filter(|question| matches!(question.subject, Subject::Application(about, _) if about == op))
                .count()
        };
        assert_eq!(shapes(Op::Add), 4);
        assert_eq!(shapes(Op::BvSub), 1);
        assert_eq!(shapes(Op::StrLt), 2);
        assert!(shapes(Op::Eq) > 10);
    }

    #[test]
    fn questions_about_single_precision_are_about_no_other_format() {
        for question in language(Dialect::V26, SINGLE, Numbers::Integers) {
            if question.subject != Subject::Feature(Feature::OtherFloatFormats) {
                assert!(!question.script.contains("FloatingPoint 5 11"), "{}", question.script);
                assert!(!question.script.contains("Float16"), "{}", question.script);
            }
        }
        let is_about_fp = |question: &Question| matches!(question.subject, Subject::Application(Op::Fp, _));
        let asked = language(Dialect::V26, SINGLE, Numbers::Integers).into_iter().find(is_about_fp).unwrap();
        assert!(asked.script.contains("BitVec 23"), "{}", asked.script);
    }

    #[test]
    fn only_names_are_respelled() {
        assert_eq!(respelled("(a (f x) xf f) \"(f)\"", "f", "g"), "(a (g x) xf g) \"(g)\"");
    }
}
