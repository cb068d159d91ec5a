//! Reading commands.

use super::scope::SortMeaning;
use super::{Declaration, DeclarationKind, Reader, Scope, excerpt};
use crate::diagnostic::{Diagnostic, Problem, nearest};
use crate::logic;
use crate::reserved::Keyword;
use crate::script::{Command, Constructor, Datatype, Definition, FORMS};
use crate::sexp::Kind;
use crate::sort::{Sort, SortKind};
use crate::symbol::Symbol;
use crate::term::{Term, Variable};

/// The commands of SMT-LIB 2.7 and what is much like them, with the form that messages show.
const COMMANDS: &[(&str, &str)] = &[
    ("assert", "(assert term)"),
    ("check-sat", "(check-sat)"),
    ("check-sat-assuming", "(check-sat-assuming (literal..))"),
    ("declare-codatatype", "(declare-codatatype name ((constructor (selector sort)..)..))"),
    ("declare-codatatypes", "(declare-codatatypes ((name arity)..) (datatype..))"),
    ("declare-const", "(declare-const name sort)"),
    ("declare-datatype", "(declare-datatype name ((constructor (selector sort)..)..))"),
    ("declare-datatypes", "(declare-datatypes ((name arity)..) (datatype..))"),
    ("declare-fun", "(declare-fun name (sort..) sort)"),
    ("declare-sort", "(declare-sort name arity)"),
    ("declare-sort-parameter", "(declare-sort-parameter name)"),
    ("declare-type-var", "(declare-type-var name)"),
    ("define-const", "(define-const name sort term)"),
    ("define-fun", "(define-fun name ((variable sort)..) sort term)"),
    ("define-fun-rec", "(define-fun-rec name ((variable sort)..) sort term)"),
    ("define-funs-rec", "(define-funs-rec ((name ((variable sort)..) sort)..) (term..))"),
    ("define-sort", "(define-sort name (parameter..) sort)"),
    ("echo", "(echo string)"),
    ("exit", "(exit)"),
    ("get-assertions", "(get-assertions)"),
    ("get-assignment", "(get-assignment)"),
    ("get-info", "(get-info :keyword)"),
    ("get-model", "(get-model)"),
    ("get-option", "(get-option :keyword)"),
    ("get-proof", "(get-proof)"),
    ("get-unsat-assumptions", "(get-unsat-assumptions)"),
    ("get-unsat-core", "(get-unsat-core)"),
    ("get-value", "(get-value (term..))"),
    ("pop", "(pop levels)"),
    ("push", "(push levels)"),
    ("reset", "(reset)"),
    ("reset-assertions", "(reset-assertions)"),
    ("set-info", "(set-info :keyword value)"),
    ("set-logic", "(set-logic name)"),
    ("set-option", "(set-option :keyword value)"),
];

/// Commands that solvers add and that are carried through as they are, next to those of [`FORMS`].
const EXTENSIONS: &[&str] = &[
    "add-soft",
    "assert-rewrite",
    "declare-map",
    "euf-project",
    "get-proof-graph",
    "get-user-tactics",
    "help",
    "help-tactic",
    "include",
    "load",
    "mbi",
    "model",
    "model-add",
    "model-del",
    "pred",
    "reset-preferences",
    "save",
    "set-initial-value",
];

impl Reader<'_> {
    /// Reads the command on the tape.
    pub(super) fn command(&mut self) -> Command {
        let parts: Vec<u32> = self.tape.children(0).collect();
        let name = match parts.first() {
            Some(head) if self.tape.node(*head).kind == Kind::Symbol => self.text(*head),
            _ => {
                let message = format!("expected a command in parentheses, found `{}`", excerpt(self.text(0)));
                self.report(Problem::Form, 0, message);
                return self.opaque_command();
            }
        };
        let before = self.diagnostics.len();
        let known = match self.known_command(name, &parts[1..]) {
            None if self.diagnostics.len() == before => self.extension(name, &parts[1..]),
            known => known,
        };
        match known {
            Some(command) => {
                if !self.unsorted.is_empty() {
                    self.report_unsorted(&command.terms());
                }
                command
            }
            None => {
                let of_extension = FORMS.iter().find(|form| form.word == name).map(|form| form.text);
                let known = COMMANDS.iter().find(|(known, _)| *known == name).map(|(_, form)| *form);
                if let Some(form) = known.or(of_extension) {
                    if self.diagnostics.len() == before {
                        self.report(Problem::Form, 0, format!("`{name}` has the form `{form}`"));
                    }
                } else if !EXTENSIONS.contains(&name) {
                    let candidates = COMMANDS.iter().map(|(known, _)| *known);
                    let candidates = candidates.chain(FORMS.iter().map(|form| form.word));
                    let candidates = candidates.chain(EXTENSIONS.iter().copied());
                    let near = self.may_suggest().then(|| nearest(name, candidates)).flatten();
                    let help = near.map(|near| format!("did you mean `{near}`?"));
                    self.report_with_help(
                        Problem::UnknownName,
                        parts[0],
                        format!("unknown command `{}`", excerpt(name)),
                        help,
                    );
                }
                self.opaque_command()
            }
        }
    }

    pub(super) fn opaque_command(&mut self) -> Command {
        Command::Opaque(self.verbatim(0))
    }

    /// Reads a command of SMT-LIB; nothing if the name is another's or the form is wrong.
    fn known_command(&mut self, name: &str, parts: &[u32]) -> Option<Command> {
        let is_codatatype = name.starts_with("declare-codatatype");
        Some(match (name, parts) {
            ("assert", [term]) => Command::Assert(self.formula(*term)),
            ("check-sat", []) => Command::CheckSat,
            ("check-sat-assuming", [literals]) if self.is_list(*literals) => Command::CheckSatAssuming(
                self.tape.children(*literals).map(|literal| self.formula(literal)).collect(),
            ),
            ("declare-const", [name, sort]) => {
                let (place, name) = (*name, self.symbol(*name, "a name"));
                let sort = self.sort(*sort);
                self.declare_function(place, name, Vec::new(), sort, DeclarationKind::Declared);
                Command::DeclareConst(name, sort)
            }
            ("declare-fun", [name, params, sort]) if self.is_list(*params) => {
                let (place, name) = (*name, self.symbol(*name, "a name"));
                let params: Vec<Sort> = self.tape.children(*params).map(|param| self.sort(param)).collect();
                let sort = self.sort(*sort);
                self.declare_function(place, name, params.clone(), sort, DeclarationKind::Declared);
                Command::DeclareFun(name, params, sort)
            }
            ("declare-datatype" | "declare-codatatype", [name, body]) => {
                self.declare_datatypes(&[(*name, None)], &[*body], is_codatatype)?
            }
            ("declare-datatypes" | "declare-codatatypes", [names, bodies])
                if self.is_list(*names) && self.is_list(*bodies) =>
            {
                self.read_datatypes(*names, *bodies, is_codatatype)?
            }
            ("declare-sort", [name, arity]) => {
                let (place, name) = (*name, self.symbol(*name, "a name"));
                let arity = self.number(*arity)?;
                self.declare_sort(place, name, SortMeaning::Declared(arity));
                Command::DeclareSort(name, arity)
            }
            // Z3 takes a missing arity as 0.
            ("declare-sort", [name]) => {
                let (place, name) = (*name, self.symbol(*name, "a name"));
                self.declare_sort(place, name, SortMeaning::Declared(0));
                Command::DeclareSort(name, 0)
            }
            // Z3 has another word for it.
            ("declare-sort-parameter" | "declare-type-var", [name]) => {
                let (place, name) = (*name, self.symbol(*name, "a name"));
                self.declare_sort(place, name, SortMeaning::Parameter);
                Command::DeclareSortParameter(name)
            }
            ("define-sort", [name, params, body]) if self.is_list(*params) => {
                let (place, name) = (*name, self.symbol(*name, "a name"));
                let params: Vec<Symbol> =
                    self.tape.children(*params).map(|param| self.symbol(param, "a parameter")).collect();
                let body = self.with_sort_parameters(&params, |reader| reader.sort(*body));
                self.declare_sort(place, name, SortMeaning::Defined(params.clone(), body));
                Command::DefineSort(name, params, body)
            }
            ("define-const", [name, sort, body]) => {
                let (place, name) = (*name, self.symbol(*name, "a name"));
                let sort = self.sort(*sort);
                let body = self.term_of_sort(*body, sort);
                self.declare_function(place, name, Vec::new(), sort, DeclarationKind::Defined);
                Command::DefineConst(Definition { name, params: Vec::new(), sort, body })
            }
            ("define-fun", [name, params, sort, body]) => {
                let (place, name) = (*name, self.symbol(*name, "a name"));
                let params = self.variables(*params)?;
                let sort = self.sort(*sort);
                let body = self.body(&params, *body, sort);
                self.declare_defined(place, name, &params, sort);
                Command::DefineFun(Definition { name, params, sort, body })
            }
            ("define-fun-rec", [name, params, sort, body]) => {
                let (place, name) = (*name, self.symbol(*name, "a name"));
                let params = self.variables(*params)?;
                let sort = self.sort(*sort);
                self.declare_defined(place, name, &params, sort);
                let body = self.body(&params, *body, sort);
                Command::DefineFunRec(Definition { name, params, sort, body })
            }
            ("define-funs-rec", [signatures, bodies]) => self.define_funs_rec(*signatures, *bodies)?,
            ("echo", [text]) if self.tape.node(*text).kind == Kind::Str => {
                Command::Echo(self.verbatim(*text))
            }
            ("exit", []) => Command::Exit,
            ("get-assertions", []) => Command::GetAssertions,
            ("get-assignment", []) => Command::GetAssignment,
            ("get-info", [keyword]) => Command::GetInfo(self.keyword(*keyword)?),
            ("get-model", []) => Command::GetModel,
            ("get-option", [keyword]) => Command::GetOption(self.keyword(*keyword)?),
            ("get-proof", []) => Command::GetProof,
            ("get-unsat-assumptions", []) => Command::GetUnsatAssumptions,
            ("get-unsat-core", []) => Command::GetUnsatCore,
            ("get-value", [terms]) if self.is_list(*terms) => {
                Command::GetValue(self.tape.children(*terms).map(|term| self.term(term)).collect())
            }
            ("pop", [] | [_]) => {
                let levels = parts.first().map_or(Some(1), |levels| self.number(*levels))?;
                if !self.scope.pop(levels) {
                    let message = format!(
                        "pop of {levels} where {} pushed",
                        match self.scope.depth() {
                            0 => "nothing is".to_owned(),
                            depth =>
                                format!("{depth} {}", if depth == 1 { "level is" } else { "levels are" }),
                        }
                    );
                    self.report(Problem::Scope, 0, message);
                }
                Command::Pop(levels)
            }
            ("push", [] | [_]) => {
                let levels = parts.first().map_or(Some(1), |levels| self.number(*levels))?;
                if self.scope.depth() + levels as usize > MAX_LEVELS {
                    self.report(Problem::Scope, 0, format!("at most {MAX_LEVELS} levels can be open"));
                    return Some(self.opaque_command());
                }
                self.scope.push(levels);
                Command::Push(levels)
            }
            ("reset", []) => {
                *self.scope = Scope::new();
                Command::Reset
            }
            ("reset-assertions", []) => {
                self.scope.reset_assertions();
                Command::ResetAssertions
            }
            ("set-info", [keyword, value @ ..]) => {
                let keyword = self.keyword(*keyword)?;
                Command::SetInfo(keyword, self.attribute_value(value)?)
            }
            ("set-logic", [logic]) => {
                let name = self.symbol(*logic, "the name of a logic");
                if !logic::is_known(self.terms.text(name)) {
                    let message = format!("unknown logic `{}`", self.terms.text(name));
                    let span = self.tape.node(*logic).span;
                    let diagnostic = Diagnostic::new(Problem::UnknownName, span, message);
                    self.diagnostics.push(diagnostic.with_help("`ALL` stands for everything a solver has"));
                }
                self.scope.is_higher_order = self.terms.text(name).starts_with("HO_");
                Command::SetLogic(name)
            }
            ("set-option", [keyword, value @ ..]) => {
                if self.text(*keyword) == ":global-declarations" {
                    self.scope.keeps_declarations =
                        value.first().is_some_and(|value| self.text(*value) == "true");
                }
                let keyword = self.keyword(*keyword)?;
                Command::SetOption(keyword, self.attribute_value(value)?)
            }
            _ => return None,
        })
    }

    fn keyword(&mut self, index: u32) -> Option<Symbol> {
        (self.tape.node(index).kind == Kind::Keyword).then(|| self.verbatim(index))
    }

    fn attribute_value(&mut self, value: &[u32]) -> Option<Option<Symbol>> {
        match value {
            [] => Some(None),
            [value] => Some(Some(self.verbatim(*value))),
            _ => None,
        }
    }

    pub(super) fn number(&mut self, index: u32) -> Option<u32> {
        (self.tape.node(index).kind == Kind::Numeral).then(|| self.text(index).parse().ok())?
    }

    /// Reads a body over parameters.
    fn body(&mut self, params: &[Variable], body: u32, sort: Sort) -> Term {
        for param in params {
            self.locals.bind(param.name, param.sort);
        }
        let term = self.term_of_sort(body, sort);
        self.locals.unbind(params.len());
        term
    }

    fn declare_defined(&mut self, place: u32, name: Symbol, params: &[Variable], sort: Sort) {
        let params = params.iter().map(|param| param.sort).collect();
        self.declare_function(place, name, params, sort, DeclarationKind::Defined);
    }

    /// Reads a definition without declaring its name.
    pub(super) fn model_definition(&mut self, place: u32) -> Option<Definition> {
        let parts: Vec<u32> = self.tape.children(place).collect();
        let (word, parts) = parts.split_first()?;
        match (self.text(*word), parts) {
            ("define-fun" | "define-fun-rec", [name, params, sort, body]) => {
                let name = self.as_symbol(*name)?;
                let params = self.variables(*params)?;
                let sort = self.sort(*sort);
                let body = self.body(&params, *body, sort);
                Some(Definition { name, params, sort, body })
            }
            ("define-const", [name, sort, body]) => {
                let name = self.as_symbol(*name)?;
                let sort = self.sort(*sort);
                let body = self.term_of_sort(*body, sort);
                Some(Definition { name, params: Vec::new(), sort, body })
            }
            _ => None,
        }
    }

    fn define_funs_rec(&mut self, signatures: u32, bodies: u32) -> Option<Command> {
        let bodies: Vec<u32> = self.tape.children(bodies).collect();
        let mut read = Vec::new();
        for signature in self.tape.children(signatures) {
            let parts: Vec<u32> = self.tape.children(signature).collect();
            let &[name, params, sort] = parts.as_slice() else { return None };
            let (place, name) = (name, self.symbol(name, "a name"));
            let params = self.variables(params)?;
            let sort = self.sort(sort);
            self.declare_defined(place, name, &params, sort);
            read.push((name, params, sort));
        }
        if read.len() != bodies.len() || read.is_empty() {
            return None;
        }
        let definitions = read
            .into_iter()
            .zip(bodies)
            .map(|((name, params, sort), body)| {
                let body = self.body(&params, body, sort);
                Definition { name, params, sort, body }
            })
            .collect();
        Some(Command::DefineFunsRec(definitions))
    }

    fn with_sort_parameters<T>(&mut self, params: &[Symbol], read: impl FnOnce(&mut Self) -> T) -> T {
        let before: Vec<_> = params.iter().map(|param| self.scope.shadow_sort(*param)).collect();
        let result = read(self);
        for (param, meaning) in params.iter().zip(before).rev() {
            self.scope.forget_sort(*param, meaning);
        }
        result
    }

    fn read_datatypes(&mut self, names: u32, bodies: u32, is_codatatype: bool) -> Option<Command> {
        let heads: Vec<u32> = self.tape.children(names).collect();
        let bodies: Vec<u32> = self.tape.children(bodies).collect();
        if heads.iter().all(|head| self.is_list(*head)) && !heads.is_empty() {
            let mut named = Vec::new();
            for head in heads {
                let parts: Vec<u32> = self.tape.children(head).collect();
                let &[name, arity] = parts.as_slice() else { return None };
                named.push((name, Some(self.number(arity)?)));
            }
            return if named.len() == bodies.len() {
                self.declare_datatypes(&named, &bodies, is_codatatype)
            } else {
                None
            };
        }
        self.read_old_datatypes(&heads, &bodies, is_codatatype)
    }

    /// Reads datatypes and declares them. An arity is given for each unless it follows from the body.
    fn declare_datatypes(
        &mut self,
        named: &[(u32, Option<u32>)],
        bodies: &[u32],
        is_codatatype: bool,
    ) -> Option<Command> {
        let mut heads = Vec::new();
        for ((place, arity), body) in named.iter().zip(bodies) {
            let name = self.symbol(*place, "a name");
            let (params, constructors) = self.datatype_parts(*body)?;
            if arity.is_some_and(|arity| arity as usize != params.len()) {
                let message = format!(
                    "datatype `{}` has another number of parameters than declared",
                    self.terms.text(name)
                );
                self.report(Problem::Sort, *body, message);
            }
            heads.push((*place, name, params, constructors));
        }
        // All names are known before the first field is read: datatypes may use each other.
        for (place, name, params, _) in &heads {
            let empty =
                Datatype { name: *name, params: params.clone(), constructors: Vec::new(), is_codatatype };
            self.declare_sort(*place, *name, SortMeaning::Datatype(empty));
        }
        let places: Vec<u32> = heads.iter().map(|(place, ..)| *place).collect();
        let mut datatypes = Vec::new();
        for (_, name, params, constructors) in heads {
            let constructors = self.constructors(&params, &constructors)?;
            datatypes.push(self.finish_datatype(Datatype { name, params, constructors, is_codatatype }));
        }
        if !is_codatatype {
            self.check_well_founded(&places, &datatypes);
        }
        Some(Command::DeclareDatatypes(datatypes))
    }

    /// The parameters and constructors of `((c ..)..)` or `(par (p..) ((c ..)..))`.
    fn datatype_parts(&mut self, body: u32) -> Option<(Vec<Symbol>, Vec<u32>)> {
        let parts: Vec<u32> = self.tape.children(body).collect();
        match parts.as_slice() {
            [] => None,
            [par, params, constructors] if self.text(*par) == "par" => {
                let params =
                    self.tape.children(*params).map(|param| self.symbol(param, "a parameter")).collect();
                Some((params, self.tape.children(*constructors).collect()))
            }
            constructors => Some((Vec::new(), constructors.to_vec())),
        }
    }

    /// Reads the constructors of a datatype with these parameters.
    fn constructors(&mut self, params: &[Symbol], constructors: &[u32]) -> Option<Vec<Constructor>> {
        self.with_sort_parameters(params, |reader| {
            constructors.iter().map(|constructor| reader.constructor(*constructor)).collect()
        })
    }

    /// Reads `c` or `(c (selector sort)..)`.
    fn constructor(&mut self, index: u32) -> Option<Constructor> {
        if !self.is_list(index) {
            return Some(Constructor { name: self.symbol(index, "a constructor"), selectors: Vec::new() });
        }
        let parts: Vec<u32> = self.tape.children(index).collect();
        let (name, fields) = parts.split_first()?;
        let name = self.symbol(*name, "a constructor");
        let mut selectors = Vec::new();
        for field in fields {
            let parts: Vec<u32> = self.tape.children(*field).collect();
            let &[selector, sort] = parts.as_slice() else { return None };
            selectors.push((self.symbol(selector, "a selector"), self.sort(sort)));
        }
        Some(Constructor { name, selectors })
    }

    /// Declares constructors and selectors of a datatype whose name is declared.
    fn finish_datatype(&mut self, datatype: Datatype) -> Datatype {
        let sort = self.generic_sort(&datatype);
        for constructor in &datatype.constructors {
            let fields = constructor.selectors.iter().map(|(_, sort)| *sort).collect();
            self.declare_function(
                0,
                constructor.name,
                fields,
                sort,
                DeclarationKind::Constructor(datatype.name),
            );
            for (selector, field) in &constructor.selectors {
                self.declare_function(
                    0,
                    *selector,
                    vec![sort],
                    *field,
                    DeclarationKind::Selector(datatype.name),
                );
            }
        }
        self.scope.declare_sort(datatype.name, SortMeaning::Datatype(datatype.clone()));
        datatype
    }

    /// Reads `(declare-datatypes (p..) ((name c (c (selector sort)..)..)..))`, as Z3 had it before SMT-LIB 2.6.
    fn read_old_datatypes(&mut self, params: &[u32], bodies: &[u32], is_codatatype: bool) -> Option<Command> {
        let params: Vec<Symbol> = params.iter().map(|param| self.symbol(*param, "a parameter")).collect();
        let mut heads = Vec::new();
        for body in bodies {
            let parts: Vec<u32> = self.tape.children(*body).collect();
            let (name, constructors) =
                parts.split_first().filter(|(_, constructors)| !constructors.is_empty())?;
            let (place, name) = (*name, self.symbol(*name, "a name"));
            heads.push((place, name, constructors.to_vec()));
        }
        let mut datatypes = Vec::new();
        // Inside, a datatype is named without its parameters.
        for (place, name, _) in &heads {
            let sorts: Box<[Sort]> =
                params.iter().map(|param| self.terms.sorts.intern(SortKind::Param(*param))).collect();
            let applied = self.terms.sorts.intern(SortKind::Named(*name, sorts));
            self.declare_sort(*place, *name, SortMeaning::Defined(Vec::new(), applied));
        }
        let places: Vec<u32> = heads.iter().map(|(place, ..)| *place).collect();
        let mut read = Vec::new();
        for (_, name, constructors) in heads {
            let constructors = self.constructors(&params, &constructors)?;
            read.push(Datatype { name, params: params.clone(), constructors, is_codatatype });
        }
        for datatype in read {
            datatypes.push(self.finish_datatype(datatype));
        }
        if !is_codatatype {
            self.check_well_founded(&places, &datatypes);
        }
        (!datatypes.is_empty()).then_some(Command::DeclareDatatypes(datatypes))
    }

    fn declare_sort(&mut self, place: u32, name: Symbol, meaning: SortMeaning) {
        if self.scope.sort_meaning(name).is_some() {
            let message = format!("sort `{}` is declared already", self.terms.text(name));
            self.report(Problem::Scope, place, message);
        }
        self.scope.declare_sort(name, meaning);
    }

    pub(super) fn declare_function(
        &mut self,
        place: u32,
        name: Symbol,
        params: Vec<Sort>,
        result: Sort,
        kind: DeclarationKind,
    ) {
        let is_param = |kind: &SortKind| matches!(kind, SortKind::Param(_));
        let is_generic =
            params.iter().chain([&result]).any(|sort| self.terms.sorts.any_part(*sort, is_param));
        self.declare(place, Declaration { name, params, result, kind, is_generic });
    }

    pub(super) fn declare(&mut self, place: u32, declaration: Declaration) {
        if let Some(earlier) = self.scope.declaration(declaration.name) {
            let of_datatype = |declaration: &Declaration| {
                matches!(declaration.kind, DeclarationKind::Constructor(_) | DeclarationKind::Selector(_))
            };
            // Z3 and cvc5 tell functions apart by their arguments, and constructors by their datatypes.
            let others = self.scope.overloads(declaration.name);
            let is_new = |other: &Declaration| {
                other.params != declaration.params
                    || other.result != declaration.result && of_datatype(other) && of_datatype(&declaration)
            };
            if is_new(earlier) && others.into_iter().all(is_new) {
                self.scope.overload(declaration);
                return;
            }
            let message = format!("`{}` is declared already", self.terms.text(declaration.name));
            let help = "remove or rename one of them";
            self.report_with_help(Problem::Scope, place, message, Some(help.to_owned()));
        } else if self.terms.keyword(declaration.name).is_some_and(Keyword::is_always_reserved)
            && self.tape.node(place).kind != Kind::QuotedSymbol
        {
            let message = format!("`{}` is a reserved word", self.terms.text(declaration.name));
            self.report(Problem::Scope, place, message);
        }
        self.scope.declare(declaration);
    }
}

/// More open scopes than this are a mistake, or an attack.
const MAX_LEVELS: usize = 1_000_000;
