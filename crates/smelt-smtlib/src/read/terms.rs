//! Reading terms: one loop over the tape with an explicit stack of open constructs.

use super::apply::Callee;
use super::scope::DeclarationKind;
use super::sorts::MAX_SORT_SIZE;
use super::{Declaration, Reader, excerpt};
use rustc_hash::FxHashSet;

use crate::diagnostic::Problem;
use crate::reserved::Keyword;
use crate::sexp::Kind;
use crate::sort::{Sort, SortKind};
use crate::symbol::Symbol;
use crate::term::{Attribute, AttributeValue, Case, ClosureKind, Head, Indices, Literal, Term, Variable};
use crate::walk::free_names;

/// A construct whose parts are being read; finished parts lie on the value stack from `base` on.
struct Frame {
    /// Where it stands on the tape, and where it ends.
    index: u32,
    end: u32,
    base: usize,
    construct: Construct,
}

/// The constructs; all but the most frequent one keep their state in a box, so that frames are small.
enum Construct {
    Application(Callee),
    Let(Box<Let>),
    Quantifier(Keyword, Box<[Variable]>),
    Closure(Box<OpenClosure>),
    Match(Box<Match>),
    Annotation(Box<Annotation>),
}

struct Let {
    names: Vec<Symbol>,
    next_binding: u32,
    bindings_end: u32,
    in_body: bool,
}

struct OpenClosure {
    closure: ClosureKind,
    variables: Vec<Variable>,
}

struct Match {
    cases: Vec<Case>,
    next_case: u32,
}

/// `next` is the next attribute; `list_end` is set while the terms of a pattern are read.
struct Annotation {
    attributes: Vec<Attribute>,
    next: u32,
    list_end: Option<u32>,
    list_base: usize,
}

/// What to do after a part of a construct was read.
enum Next {
    /// Read the term at this index.
    Part(u32),
    /// The construct is complete.
    Done,
}

impl Reader<'_> {
    /// Reads the term at `index`.
    pub(super) fn term(&mut self, index: u32) -> Term {
        let mut frames: Vec<Frame> = Vec::new();
        let mut values: Vec<Term> = Vec::new();
        // The next node to read. Nodes lie in reading order, so after a part stands the next one.
        let mut at = index;
        loop {
            let node = self.tape.node(at);
            if node.kind == Kind::List {
                match self.open(at, values.len()) {
                    Ok((frame, first_part)) => {
                        frames.push(frame);
                        at = first_part;
                        if first_part < node.next {
                            continue;
                        }
                    }
                    Err(term) => {
                        values.push(term);
                        at = node.next;
                    }
                }
            } else {
                let term = self.atom(at);
                values.push(term);
                at += 1;
            }
            // One part is complete: go on with the innermost construct, closing what is finished.
            loop {
                let Some(frame) = frames.last_mut() else {
                    return values.pop().expect("one term was read");
                };
                if let Construct::Application(callee) = frame.construct {
                    if at < frame.end {
                        break;
                    }
                    let term = self.apply(frame.index, callee, &values[frame.base..]);
                    values.truncate(frame.base);
                    values.push(term);
                    frames.pop();
                    continue;
                }
                match self.advance(frame, &mut values) {
                    Next::Part(part) => {
                        at = part;
                        break;
                    }
                    Next::Done => {
                        let frame = frames.pop().expect("the innermost frame was just looked at");
                        at = frame.end;
                        let term = self.close(frame, &mut values);
                        values.push(term);
                    }
                }
            }
        }
    }

    /// Reads a term that must be Boolean.
    pub(super) fn formula(&mut self, index: u32) -> Term {
        self.term_of_sort(index, Sort::BOOL)
    }

    /// Reads a term that must have this sort.
    pub(super) fn term_of_sort(&mut self, index: u32, wanted: Sort) -> Term {
        let term = self.term(index);
        let sort = self.terms.sort(term);
        if !self.terms.sorts.fits(wanted, sort) {
            let message =
                format!("expected a term of sort {}, found {}", self.sort_text(wanted), self.sort_text(sort));
            self.report(Problem::Sort, index, message);
        }
        self.terms.give_sort(term, wanted)
    }

    pub(super) fn sort_text(&self, sort: Sort) -> String {
        if self.terms.sorts.tree_size(sort) > MAX_SORT_SIZE {
            return "a very large sort".to_owned();
        }
        let mut text = String::from("`");
        self.terms.sorts.write(&self.terms.symbols, sort, &mut text);
        text.push('`');
        text
    }

    /// Starts the list at `index`: a frame and the index of its first part, or at once a term.
    fn open(&mut self, index: u32, base: usize) -> Result<(Frame, u32), Term> {
        let end = self.tape.node(index).next;
        let Some(head) = self.first_child(index) else {
            self.report(Problem::Form, index, "expected a term, found `()`");
            return Err(self.opaque_at(index));
        };
        let application = |callee, first: u32| {
            Ok((Frame { index, end, base, construct: Construct::Application(callee) }, first))
        };
        match self.tape.node(head).kind {
            Kind::Symbol => {}
            Kind::QuotedSymbol => {
                let name = self.symbol(head, "a function");
                return application(Callee::Name(name, Indices::NONE), head + 1);
            }
            Kind::List if !self.is_identifier(head) => {
                // The head is the first argument of the application.
                return application(Callee::Term, head);
            }
            Kind::List => {
                let callee = self.callee(head);
                let first = self.tape.node(head).next;
                if let Callee::Opaque(_) = callee {
                    return Err(self.opaque_at(index));
                }
                return application(callee, first);
            }
            _ => {
                let message = format!("`{}` is not a function", excerpt(self.text(head)));
                self.report(Problem::Form, head, message);
                return Err(self.opaque_at(index));
            }
        }
        let name = self.atoms[head as usize];
        let mut keyword = self.terms.keyword(name);
        // A word that became one with SMT-LIB 2.7.
        if keyword == Some(Keyword::Lambda) && self.scope.is_declared(name) {
            keyword = None;
        }
        if let Some(closure) = keyword.and_then(Keyword::closure)
            && !self.scope.is_declared(name)
            && self.locals.sort_of(name).is_none()
        {
            return self.open_closure(index, base, closure);
        }
        match keyword {
            Some(keyword) if keyword.closure().is_some() => {
                application(Callee::Name(name, Indices::NONE), head + 1)
            }
            None => application(Callee::Name(name, Indices::NONE), head + 1),
            Some(Keyword::Let) => self.open_let(index, base),
            Some(keyword @ (Keyword::Forall | Keyword::Exists | Keyword::Lambda)) => {
                self.open_quantifier(index, base, keyword)
            }
            Some(Keyword::Match) => self.open_match(index, base),
            Some(Keyword::Annotation) => {
                if end == head + 1 {
                    self.report(Problem::Form, index, "an annotation has the form `(! term :keyword value)`");
                    return Err(self.opaque_at(index));
                }
                let next = self.tape.node(head + 1).next;
                let annotation = Annotation { attributes: Vec::new(), next, list_end: None, list_base: 0 };
                let construct = Construct::Annotation(Box::new(annotation));
                Ok((Frame { index, end, base, construct }, head + 1))
            }
            Some(Keyword::Indexed | Keyword::As) => {
                let callee = self.callee(index);
                Err(self.apply(index, callee, &[]))
            }
            Some(_) => {
                let message = format!("`{}` is a reserved word and starts no term", self.terms.text(name));
                self.report(Problem::Form, head, message);
                Err(self.opaque_at(index))
            }
        }
    }

    /// Whether a list is `(_ ..)` or `(as ..)`, or no term at all.
    fn is_identifier(&self, index: u32) -> bool {
        let Some(head) = self.first_child(index) else { return true };
        match self.tape.node(head).kind {
            Kind::List | Kind::QuotedSymbol => false,
            Kind::Symbol => {
                let keyword = self.terms.keyword(self.atoms[head as usize]);
                matches!(keyword, Some(Keyword::Indexed | Keyword::As))
            }
            _ => true,
        }
    }

    fn open_let(&mut self, index: u32, base: usize) -> Result<(Frame, u32), Term> {
        let children: Vec<u32> = self.tape.children(index).take(4).collect();
        let &[_, bindings, _] = children.as_slice() else {
            self.report(Problem::Form, index, "a let has the form `(let ((name term)..) term)`");
            return Err(self.opaque_at(index));
        };
        let mut names = Vec::new();
        for binding in self.tape.children(bindings) {
            let mut parts = self.tape.children(binding);
            match (parts.next(), parts.next(), parts.next()) {
                (Some(name), Some(_), None) => names.push(self.symbol(name, "a variable")),
                _ => {
                    self.report(Problem::Form, binding, "a binding has the form `(name term)`");
                    return Err(self.opaque_at(index));
                }
            }
        }
        if names.is_empty() {
            self.report(Problem::Form, bindings, "a let binds at least one variable");
            return Err(self.opaque_at(index));
        }
        let bindings_end = self.tape.node(bindings).next;
        let state = Let { names, next_binding: bindings + 1, bindings_end, in_body: false };
        let (end, construct) = (self.tape.node(index).next, Construct::Let(Box::new(state)));
        // The term of the binding `(name term)` at i stands at i + 2.
        Ok((Frame { index, end, base, construct }, bindings + 3))
    }

    fn open_quantifier(&mut self, index: u32, base: usize, keyword: Keyword) -> Result<(Frame, u32), Term> {
        let children: Vec<u32> = self.tape.children(index).take(4).collect();
        let &[_, binders, body] = children.as_slice() else {
            self.report(Problem::Form, index, "a binder has the form `(forall ((name sort)..) term)`");
            return Err(self.opaque_at(index));
        };
        let Some(variables) = self.variables(binders) else { return Err(self.opaque_at(index)) };
        if variables.is_empty() {
            self.report(Problem::Form, binders, "a binder has at least one variable");
            return Err(self.opaque_at(index));
        }
        for variable in &variables {
            self.locals.bind(variable.name, variable.sort);
        }
        let construct = Construct::Quantifier(keyword, variables.into());
        Ok((Frame { index, end: self.tape.node(index).next, base, construct }, body))
    }

    fn open_closure(&mut self, index: u32, base: usize, closure: ClosureKind) -> Result<(Frame, u32), Term> {
        let children: Vec<u32> = self.tape.children(index).take(5).collect();
        let parts = match (closure, children.as_slice()) {
            (ClosureKind::Choice | ClosureKind::Witness, &[_, binders, body]) => Some((binders, body)),
            (ClosureKind::Comprehension, &[_, binders, body, _]) => Some((binders, body)),
            _ => None,
        };
        let Some((binders, body)) = parts else {
            let form = match closure {
                ClosureKind::Comprehension => "(set.comprehension ((name sort)..) condition term)",
                ClosureKind::Choice => "(choice ((name sort)) condition)",
                ClosureKind::Witness => "(witness ((name sort)) condition)",
            };
            self.report(Problem::Form, index, format!("`{}` has the form `{form}`", closure.word()));
            return Err(self.opaque_at(index));
        };
        let Some(variables) = self.variables(binders) else { return Err(self.opaque_at(index)) };
        let count_fits = match closure {
            ClosureKind::Choice | ClosureKind::Witness => variables.len() == 1,
            ClosureKind::Comprehension => !variables.is_empty(),
        };
        if !count_fits {
            let message = format!("`{}` binds one variable", closure.word());
            self.report(Problem::Form, binders, message);
            return Err(self.opaque_at(index));
        }
        for variable in &variables {
            self.locals.bind(variable.name, variable.sort);
        }
        let construct = Construct::Closure(Box::new(OpenClosure { closure, variables }));
        Ok((Frame { index, end: self.tape.node(index).next, base, construct }, body))
    }

    /// Reads `((name sort)..)`.
    pub(super) fn variables(&mut self, list: u32) -> Option<Vec<Variable>> {
        if !self.is_list(list) {
            self.report(Problem::Form, list, "expected a list of variables `((name sort)..)`");
            return None;
        }
        let mut variables = Vec::new();
        for binder in self.tape.children(list) {
            let mut parts = self.tape.children(binder);
            match (parts.next(), parts.next(), parts.next()) {
                (Some(name), Some(sort), None) => {
                    let name = self.symbol(name, "a variable");
                    let sort = self.sort(sort);
                    variables.push(Variable { name, sort });
                }
                _ => {
                    self.report(Problem::Form, binder, "a variable has the form `(name sort)`");
                    return None;
                }
            }
        }
        self.rename_hidden(&mut variables);
        Some(variables)
    }

    /// Renames variables that later ones of the same binder hide, as if each had a binder of its own.
    fn rename_hidden(&mut self, variables: &mut [Variable]) {
        let mut seen = FxHashSet::default();
        for variable in variables.iter_mut().rev() {
            if seen.insert(variable.name) {
                continue;
            }
            let text = self.terms.text(variable.name);
            // All names of the command are interned, so that a new one captures nothing.
            let unused = (0u32..)
                .map(|number| format!("{text}!{number}"))
                .find(|name| self.terms.symbols.get(name).is_none());
            variable.name = self.terms.symbols.intern(&unused.expect("there are enough numbers"));
        }
    }

    fn open_match(&mut self, index: u32, base: usize) -> Result<(Frame, u32), Term> {
        let children: Vec<u32> = self.tape.children(index).take(4).collect();
        let &[_, scrutinee, cases] = children.as_slice() else {
            self.report(Problem::Form, index, "a match has the form `(match term ((pattern term)..))`");
            return Err(self.opaque_at(index));
        };
        let well_formed = self.first_child(cases).is_some()
            && self.tape.children(cases).all(|case| self.tape.children(case).count() == 2);
        if !well_formed {
            self.report(Problem::Form, cases, "the cases of a match have the form `((pattern term)..)`");
            return Err(self.opaque_at(index));
        }
        // What is not understood must stay as it is written, and that is the whole.
        let before = self.diagnostics.len();
        for case in self.tape.children(cases) {
            self.check_pattern(case + 1);
        }
        if self.diagnostics.len() > before {
            return Err(self.opaque_at(index));
        }
        let construct = Construct::Match(Box::new(Match { cases: Vec::new(), next_case: cases + 1 }));
        Ok((Frame { index, end: self.tape.node(index).next, base, construct }, scrutinee))
    }

    /// Says what comes after the part of `frame` that was just read.
    fn advance(&mut self, frame: &mut Frame, values: &mut [Term]) -> Next {
        let end = frame.end;
        match &mut frame.construct {
            Construct::Application(_) | Construct::Quantifier(..) => Next::Done,
            Construct::Closure(state) => {
                // The term of a comprehension stands after its condition.
                let is_first = values.len() == frame.base + 1;
                if state.closure == ClosureKind::Comprehension && is_first {
                    let condition = self.tape.node(frame.index + 2).next;
                    return Next::Part(self.tape.node(condition).next);
                }
                Next::Done
            }
            Construct::Let(state) => {
                let Let { names, next_binding, bindings_end, in_body } = state.as_mut();
                if *in_body {
                    return Next::Done;
                }
                *next_binding = self.tape.node(*next_binding).next;
                if *next_binding < *bindings_end {
                    return Next::Part(*next_binding + 2);
                }
                *in_body = true;
                for (name, value) in names.iter().zip(&values[frame.base..]) {
                    self.locals.bind(*name, self.terms.sort(*value));
                }
                Next::Part(*bindings_end)
            }
            Construct::Match(state) => {
                let Match { cases, next_case } = state.as_mut();
                if let Some(finished) = cases.last() {
                    self.locals.unbind(finished.variables.len());
                }
                if *next_case >= end {
                    return Next::Done;
                }
                let case_index = *next_case;
                *next_case = self.tape.node(case_index).next;
                let scrutinee = self.terms.sort(values[frame.base]);
                let case = self.case(case_index + 1, scrutinee);
                for variable in &case.variables {
                    self.locals.bind(variable.name, variable.sort);
                }
                cases.push(case);
                Next::Part(self.tape.node(case_index + 1).next)
            }
            Construct::Annotation(state) => {
                let Annotation { attributes, next, list_end, list_base } = state.as_mut();
                if let Some(end_of_list) = *list_end {
                    if *next < end_of_list {
                        let part = *next;
                        *next = self.tape.node(part).next;
                        return Next::Part(part);
                    }
                    let count = (values.len() - *list_base) as u32;
                    if let Some(attribute) = attributes.last_mut() {
                        attribute.value = AttributeValue::Terms(count);
                    }
                    *list_end = None;
                }
                while *next < end {
                    let keyword_index = *next;
                    if self.tape.node(keyword_index).kind != Kind::Keyword {
                        let message =
                            format!("expected a keyword, found `{}`", excerpt(self.text(keyword_index)));
                        self.report(Problem::Form, keyword_index, message);
                        return Next::Done;
                    }
                    let keyword = self.verbatim(keyword_index);
                    let value = keyword_index + 1;
                    if value >= end || self.tape.node(value).kind == Kind::Keyword {
                        attributes.push(Attribute { keyword, value: AttributeValue::Nothing });
                        *next = value;
                        continue;
                    }
                    let after = self.tape.node(value).next;
                    let name = self.text(keyword_index);
                    if matches!(name, ":pattern" | ":no-pattern") && self.first_child(value).is_some() {
                        attributes.push(Attribute { keyword, value: AttributeValue::Terms(0) });
                        *list_end = Some(after);
                        *list_base = values.len();
                        *next = self.tape.node(value + 1).next;
                        return Next::Part(value + 1);
                    }
                    let value = if name == ":named" {
                        let symbol = self.symbol(value, "a name");
                        self.declare_named(value, symbol, values[frame.base]);
                        AttributeValue::Name(symbol)
                    } else {
                        AttributeValue::Text(self.verbatim(value))
                    };
                    attributes.push(Attribute { keyword, value });
                    *next = after;
                }
                Next::Done
            }
        }
    }

    fn declare_named(&mut self, index: u32, name: Symbol, term: Term) {
        if self.terms.has_locals(term) && !free_names(self.terms, term).locals.is_empty() {
            self.report(Problem::Scope, index, "a named term must not use variables of a binder around it");
        }
        let result = self.terms.sort(term);
        self.declare(
            index,
            Declaration {
                name,
                params: Vec::new(),
                result,
                kind: DeclarationKind::Named(term),
                is_generic: false,
            },
        );
    }

    /// Reports a pattern that is neither a symbol nor a constructor with as many variables as it has fields.
    fn check_pattern(&mut self, pattern: u32) {
        if !self.is_list(pattern) {
            self.symbol(pattern, "a constructor or a variable");
            return;
        }
        let Some(head) = self.first_child(pattern) else {
            self.report(Problem::Form, pattern, "expected a pattern, found `()`");
            return;
        };
        let name = self.symbol(head, "a constructor");
        let variables: Vec<u32> = self.tape.children(pattern).skip(1).collect();
        match self.constructor_fields(name) {
            None => {
                let message = format!("unknown constructor `{}`", self.terms.text(name));
                self.report(Problem::UnknownName, head, message);
            }
            Some(fields) if fields.len() != variables.len() => {
                let message = format!(
                    "constructor `{}` has {} fields, the pattern {}",
                    self.terms.text(name),
                    fields.len(),
                    variables.len()
                );
                self.report(Problem::Sort, pattern, message);
            }
            Some(_) => {
                for variable in variables {
                    self.symbol(variable, "a variable");
                }
            }
        }
    }

    /// The sorts of the fields of a constructor, if the name is one.
    fn constructor_fields(&self, name: Symbol) -> Option<&[Sort]> {
        let declaration = self.scope.declaration(name)?;
        matches!(declaration.kind, DeclarationKind::Constructor(_)).then_some(declaration.params.as_slice())
    }

    /// Reads a pattern that was checked, of a match on a term of this sort.
    fn case(&mut self, pattern: u32, scrutinee: Sort) -> Case {
        let head = self.first_child(pattern).unwrap_or(pattern);
        let name = self.symbol(head, "a constructor or a variable");
        let Some(fields) = self.constructor_fields(name).map(<[Sort]>::to_vec) else {
            return Case { constructor: None, variables: vec![Variable { name, sort: scrutinee }] };
        };
        let result = self.scope.declaration(name).expect("a constructor is declared").result;
        let mut bindings = Vec::new();
        if !self.terms.sorts.unify(result, scrutinee, &mut bindings) {
            let message = format!(
                "constructor `{}` does not belong to {}",
                self.terms.text(name),
                self.sort_text(scrutinee)
            );
            self.report(Problem::Sort, head, message);
        }
        let variables = self
            .tape
            .children(pattern)
            .skip(1)
            .zip(fields)
            .map(|(variable, field)| Variable {
                name: self.symbol(variable, "a variable"),
                sort: self.terms.sorts.instantiate(field, &bindings),
            })
            .collect();
        Case { constructor: Some(name), variables }
    }

    /// Builds the term of a complete construct from its parts.
    fn close(&mut self, frame: Frame, values: &mut Vec<Term>) -> Term {
        let Frame { index, base, construct, .. } = frame;
        let term = match construct {
            Construct::Application(callee) => self.apply(index, callee, &values[base..]),
            Construct::Let(state) => {
                let names = state.names;
                self.locals.unbind(names.len());
                let parts = &values[base..];
                let variables: Vec<Variable> = names
                    .iter()
                    .zip(parts)
                    .map(|(name, value)| Variable { name: *name, sort: self.terms.sort(*value) })
                    .collect();
                self.report_duplicates(index, &variables);
                let sort = self.terms.sort(values[values.len() - 1]);
                let binders = self.terms.intern_binders(&variables);
                self.terms.intern(Head::Let(binders), &values[base..], sort)
            }
            Construct::Quantifier(keyword, variables) => {
                self.locals.unbind(variables.len());
                let body = values[base];
                let binders = self.terms.intern_binders(&variables);
                if keyword == Keyword::Lambda {
                    let sorts = variables.iter().map(|variable| variable.sort);
                    let parts: Box<[Sort]> = sorts.chain([self.terms.sort(body)]).collect();
                    let sort = self.terms.sorts.intern(SortKind::Arrow(parts));
                    self.terms.intern(Head::Lambda(binders), &[body], sort)
                } else {
                    if !self.terms.sorts.fits(Sort::BOOL, self.terms.sort(body)) {
                        let message = format!(
                            "a quantifier ranges over a Boolean term, found {}",
                            self.sort_text(self.terms.sort(body))
                        );
                        self.report(Problem::Sort, index, message);
                    }
                    let body = self.terms.give_sort(body, Sort::BOOL);
                    let head = if keyword == Keyword::Forall {
                        Head::Forall(binders)
                    } else {
                        Head::Exists(binders)
                    };
                    self.terms.intern(head, &[body], Sort::BOOL)
                }
            }
            Construct::Closure(state) => {
                let OpenClosure { closure, variables } = *state;
                self.locals.unbind(variables.len());
                if !self.terms.sorts.fits(Sort::BOOL, self.terms.sort(values[base])) {
                    let sort = self.sort_text(self.terms.sort(values[base]));
                    let message =
                        format!("the condition of `{}` must be Boolean, found {sort}", closure.word());
                    self.report(Problem::Sort, index, message);
                }
                let binders = self.terms.intern_binders(&variables);
                let sort = match closure {
                    ClosureKind::Choice | ClosureKind::Witness => variables[0].sort,
                    ClosureKind::Comprehension => {
                        let element = self.terms.sort(values[values.len() - 1]);
                        self.terms.sorts.set(element)
                    }
                };
                self.terms.intern(Head::Closure(closure, binders), &values[base..], sort)
            }
            Construct::Match(state) => {
                let mut sort = self.terms.sort(values[base + 1]);
                for body in &values[base + 2..] {
                    let other = self.terms.sort(*body);
                    if sort == Sort::UNKNOWN || (sort == Sort::INT && other == Sort::REAL) {
                        sort = other;
                    } else if !self.terms.sorts.fits(sort, other) {
                        let message = format!(
                            "the cases of a match differ in sort: {} and {}",
                            self.sort_text(sort),
                            self.sort_text(other)
                        );
                        self.report(Problem::Sort, index, message);
                        break;
                    }
                }
                let cases = self.terms.intern_cases(&state.cases);
                self.terms.intern(Head::Match(cases), &values[base..], sort)
            }
            Construct::Annotation(state) => {
                let attributes = self.terms.intern_attributes(&state.attributes);
                let sort = self.terms.sort(values[base]);
                self.terms.intern(Head::Annotated(attributes), &values[base..], sort)
            }
        };
        values.truncate(base);
        term
    }

    fn report_duplicates(&mut self, index: u32, variables: &[Variable]) {
        let mut names: Vec<Symbol> = variables.iter().map(|variable| variable.name).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            let message =
                format!("variable `{}` is bound twice by the same binder", self.terms.text(pair[0]));
            self.report(Problem::Scope, index, message);
        }
    }

    /// Reads `#f3m11`.
    fn field_element(&mut self, index: u32) -> Term {
        let text = self.text(index);
        let parts = text["#f".len()..].split_once('m').filter(|(value, order)| {
            let is_numeral = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            is_numeral(value.strip_prefix('-').unwrap_or(value)) && is_numeral(order)
        });
        let Some((value, order)) = parts else {
            let message = format!("`{}` is not an element of a finite field", excerpt(text));
            let help = "elements are written `#f3m11`: the number 3 in the field of order 11".to_owned();
            self.report_with_help(Problem::Form, index, message, Some(help));
            return self.opaque_at(index);
        };
        match self.finite_field(index, order) {
            Some(sort) => self.terms.literal(Literal::Field, value, sort),
            None => self.opaque_at(index),
        }
    }

    fn atom(&mut self, index: u32) -> Term {
        let node = self.tape.node(index);
        let symbol = self.atoms[index as usize];
        let digits = |prefix: u32| node.span.end - node.span.start - prefix;
        let (literal, sort) = match node.kind {
            Kind::Symbol | Kind::QuotedSymbol => return self.apply_name(index, symbol, &[]),
            Kind::Numeral => (Literal::Numeral, Sort::INT),
            Kind::Decimal => (Literal::Decimal, Sort::REAL),
            Kind::Hex => (Literal::Hex, self.terms.sorts.bit_vec(digits(2).saturating_mul(4))),
            Kind::Binary => (Literal::Binary, self.terms.sorts.bit_vec(digits(2))),
            Kind::Str => (Literal::Str, Sort::STRING),
            Kind::Other if self.text(index).starts_with("#f") => return self.field_element(index),
            Kind::Keyword | Kind::Other | Kind::List => {
                let message = format!("expected a term, found `{}`", excerpt(self.text(index)));
                self.report(Problem::Form, index, message);
                return self.opaque_at(index);
            }
        };
        self.terms.intern(Head::Literal(literal, symbol), &[], sort)
    }
}
