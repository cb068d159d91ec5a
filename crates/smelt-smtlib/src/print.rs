//! Printing terms, commands and scripts as SMT-LIB text.
//!
//! The text is that of the term, node by node: what was read is what is printed. Only when a term, written out as a tree,
//! would be far larger than its graph (after substitution, say), [`Layout::Shared`] introduces `let` first.

use crate::dialect::literal_from_26;
use crate::op::{Dialect, Op};
use crate::script::{Command, Constructor, Datatype, Definition, Extension, ExtensionPart, Origin, Script};
use crate::sexp::{Scanner, Tape, is_simple_symbol};
use crate::share::share;
use crate::sort::Sort;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::term::{AttributeValue, Case, Head, Index, Indices, Literal, Term, Terms, Variable};
use crate::walk::{graph_size, tree_size};

/// How shared subterms are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// As a tree.
    Flat,
    /// As a tree unless that would explode; then with `let`.
    #[default]
    Shared,
}

/// A tree with at most this many nodes is always written out.
const SMALL_TREE: u64 = 1 << 16;

/// A larger tree is written out if it is at most so many times as large as its graph.
const MAX_REPETITION: u64 = 16;

/// Few terms are nested deeper.
const USUAL_DEPTH: usize = 16;

/// Prints to one string.
#[derive(Debug)]
pub struct Printer<'t> {
    terms: &'t mut Terms,
    dialect: Dialect,
    layout: Layout,
    out: String,
    stack: Vec<(Term, u32)>,
}

/// The text of a term in SMT-LIB 2.6.
pub fn term_text(terms: &mut Terms, term: Term) -> String {
    let mut printer = Printer::new(terms, Dialect::V26, Layout::Shared);
    printer.term(term);
    printer.finish()
}

/// The text of a script, one command a line, in its own dialect.
pub fn script_text(terms: &mut Terms, script: &Script) -> String {
    let mut printer = Printer::new(terms, script.dialect, Layout::Shared);
    printer.script(script);
    printer.finish()
}

/// The text of a script in which unchanged commands, and the comments between them, are copied from the source.
///
/// What stood in the source and is no longer in the script is left out.
pub fn script_text_preserving(terms: &mut Terms, script: &Script, source: &str) -> String {
    let mut printer = Printer::new(terms, script.dialect, Layout::Shared);
    let expressions = expressions(source);
    let mut copied = 0;
    for (command, origin) in script.commands.iter().zip(&script.origins) {
        if let Origin::Read(span) | Origin::Changed(span) = *origin
            && span.start >= copied
        {
            copy_between(source, Span::new(copied, span.start), &expressions, &mut printer.out);
            copied = span.end;
        } else if !printer.out.is_empty() && !printer.out.ends_with('\n') {
            // It is new, or it was moved to the front of what stands before it in the source.
            printer.out.push('\n');
        }
        match origin {
            Origin::Read(span) => printer.out.push_str(span.text(source)),
            Origin::Changed(_) | Origin::Made => printer.command(command),
        }
    }
    copy_between(source, Span::new(copied, source.len() as u32), &expressions, &mut printer.out);
    printer.finish()
}

/// The places of the expressions that a reader finds in a text.
///
/// A reader gives up after some lists without an end, so a part of a text scanned alone can hold more of them.
fn expressions(source: &str) -> Vec<Span> {
    let mut scanner = Scanner::new(source);
    let mut tape = Tape::new();
    let mut spans = Vec::new();
    loop {
        match scanner.read(&mut tape) {
            Ok(true) => spans.push(tape.node(0).span),
            Ok(false) => return spans,
            Err(_) => {}
        }
    }
}

/// Copies what stands between commands: everything but expressions.
fn copy_between(source: &str, span: Span, expressions: &[Span], out: &mut String) {
    let mut copied = span.start;
    let first = expressions.partition_point(|expression| expression.start < span.start);
    for expression in expressions[first..].iter().take_while(|expression| expression.end <= span.end) {
        out.push_str(Span::new(copied, expression.start).text(source));
        copied = expression.end;
    }
    out.push_str(Span::new(copied, span.end).text(source));
}

/// Writes a symbol, with bars where it needs them.
pub fn write_symbol(text: &str, out: &mut String) {
    if is_simple_symbol(text) {
        out.push_str(text);
    } else {
        write_quoted(text, out);
    }
}

/// Whether a term is far larger as a tree than as a graph.
fn explodes(terms: &Terms, term: Term) -> bool {
    let size = tree_size(terms, term);
    size > SMALL_TREE && size / MAX_REPETITION > graph_size(terms, term) as u64
}

fn write_quoted(text: &str, out: &mut String) {
    out.push('|');
    out.push_str(text);
    out.push('|');
}

impl<'t> Printer<'t> {
    /// A printer that has printed nothing yet.
    pub fn new(terms: &'t mut Terms, dialect: Dialect, layout: Layout) -> Self {
        Printer::appending(String::new(), terms, dialect, layout)
    }

    /// A printer that goes on after some text.
    pub fn appending(text: String, terms: &'t mut Terms, dialect: Dialect, layout: Layout) -> Self {
        Printer { terms, dialect, layout, out: text, stack: Vec::new() }
    }

    /// What was printed.
    pub fn finish(self) -> String {
        self.out
    }

    /// Prints the commands of a script, one a line.
    pub fn script(&mut self, script: &Script) {
        self.commands(&script.commands);
    }

    /// Prints commands, each on a line of its own.
    pub fn commands<'c>(&mut self, commands: impl IntoIterator<Item = &'c Command>) {
        for command in commands {
            self.command(command);
            self.out.push('\n');
        }
    }

    /// Prints a term.
    pub fn term(&mut self, term: Term) {
        let mut root = term;
        if self.layout == Layout::Shared && explodes(self.terms, term) {
            root = share(self.terms, term);
        }
        if !self.open(root) {
            return;
        }
        self.stack.reserve(USUAL_DEPTH);
        self.stack.push((root, 0));
        while let Some((term, position)) = self.stack.pop() {
            let args = self.terms.args(term);
            let Some(&arg) = args.get(position as usize) else {
                self.close(term);
                continue;
            };
            self.stack.push((term, position + 1));
            self.separate(term, position as usize);
            if self.open(arg) {
                self.stack.push((arg, 0));
            }
        }
    }

    /// Writes what stands before the first argument; false if the term is complete with it.
    fn open(&mut self, term: Term) -> bool {
        let has_args = !self.terms.args(term).is_empty();
        match self.terms.head(term) {
            Head::Op(op, _) if op.writes_function_as_index() => {
                self.out.push_str(if op == Op::AsArray { "(_ " } else { "((_ " });
                self.out.push_str(op.spelling(self.dialect));
            }
            Head::Op(Op::ApplyTerm, _) => self.out.push('('),
            Head::Op(op, indices) => {
                let is_list = has_args || matches!(op, Op::And | Op::Or);
                if is_list {
                    self.out.push('(');
                }
                self.op(op, indices, self.terms.sort(term));
                if is_list && !has_args {
                    self.out.push(')');
                }
            }
            Head::Literal(literal, text) => self.literal(literal, text, self.terms.sort(term)),
            Head::Global(name) | Head::Local(name) => {
                if has_args {
                    self.out.push('(');
                }
                self.symbol(name);
            }
            Head::Qualified(name) => {
                self.out.push_str(if has_args { "((as " } else { "(as " });
                self.symbol(name);
                self.out.push(' ');
                self.sort(self.terms.sort(term));
                self.out.push(')');
            }
            Head::Tester(name) => self.datatype_operator("is", name),
            Head::Updater(name) => self.datatype_operator("update", name),
            Head::Opaque(text) => {
                if has_args {
                    self.out.push('(');
                }
                self.out.push_str(self.terms.symbols.text(text));
            }
            Head::Let(_) => self.out.push_str("(let ("),
            Head::Forall(binders) => self.binder("(forall (", binders),
            Head::Exists(binders) => self.binder("(exists (", binders),
            Head::Lambda(binders) => self.binder("(lambda (", binders),
            Head::Closure(closure, binders) => self.binder(&format!("({} (", closure.word()), binders),
            Head::Match(_) => self.out.push_str("(match"),
            Head::Annotated(_) => self.out.push_str("(!"),
        }
        has_args
    }

    fn datatype_operator(&mut self, word: &str, name: Symbol) {
        if self.dialect == Dialect::V25 && word == "is" {
            self.out.push('(');
            let spelling = format!("is-{}", self.terms.text(name));
            write_symbol(&spelling, &mut self.out);
            return;
        }
        self.out.push_str("((_ ");
        self.out.push_str(word);
        self.out.push(' ');
        self.symbol(name);
        self.out.push(')');
    }

    /// Writes what stands between the argument before `position` and that at `position`.
    fn separate(&mut self, term: Term, position: usize) {
        match self.terms.head(term) {
            Head::Let(binders) => {
                let variables = self.terms.binders(binders);
                let name = variables.get(position).map(|variable| variable.name);
                self.out.push_str(match (position, name) {
                    (0, _) => "(",
                    (_, Some(_)) => ") (",
                    (_, None) => ")) ",
                });
                if let Some(name) = name {
                    self.symbol(name);
                    self.out.push(' ');
                }
            }
            Head::Match(cases) if position > 0 => {
                self.out.push_str(if position == 1 { " ((" } else { ") (" });
                let case = self.terms.cases(cases)[position - 1].clone();
                self.pattern(&case);
                self.out.push(' ');
            }
            Head::Annotated(attributes) if position > 0 => {
                let mut first = 1;
                let attributes = self.terms.attributes(attributes).to_vec();
                for (number, attribute) in attributes.iter().enumerate() {
                    if let AttributeValue::Terms(count) = attribute.value {
                        if position == first {
                            self.attributes_before(&attributes[..number]);
                            self.out.push(' ');
                            self.out.push_str(self.terms.symbols.text(attribute.keyword));
                            self.out.push_str(" (");
                        } else if position > first && position < first + count as usize {
                            self.out.push(' ');
                        }
                        first += count as usize;
                        if position == first {
                            self.out.push(')');
                        }
                    }
                }
            }
            Head::Op(Op::ApplyTerm, _) if position == 0 => {}
            Head::Op(Op::ArrayMap, _) if position == 1 => self.out.push_str(") "),
            _ => self.out.push(' '),
        }
    }

    /// Writes the attributes without terms that end a prefix of the attributes.
    fn attributes_before(&mut self, prefix: &[crate::term::Attribute]) {
        let start = prefix
            .iter()
            .rposition(|attribute| matches!(attribute.value, AttributeValue::Terms(_)))
            .map_or(0, |last| last + 1);
        for attribute in &prefix[start..] {
            self.out.push(' ');
            self.out.push_str(self.terms.symbols.text(attribute.keyword));
            match attribute.value {
                AttributeValue::Nothing | AttributeValue::Terms(_) => {}
                AttributeValue::Name(name) => {
                    self.out.push(' ');
                    self.symbol(name);
                }
                AttributeValue::Text(text) => {
                    self.out.push(' ');
                    self.out.push_str(self.terms.symbols.text(text));
                }
            }
        }
    }

    /// Writes what stands after the last argument.
    fn close(&mut self, term: Term) {
        match self.terms.head(term) {
            Head::Match(_) => self.out.push_str(")))"),
            Head::Annotated(attributes) => {
                let attributes = self.terms.attributes(attributes).to_vec();
                if attributes.iter().any(|attribute| matches!(attribute.value, AttributeValue::Terms(_))) {
                    self.out.push(')');
                }
                self.attributes_before(&attributes);
                self.out.push(')');
            }
            _ => self.out.push(')'),
        }
    }

    fn pattern(&mut self, case: &Case) {
        match case.constructor {
            None => self.symbol_or_wildcard(case.variables[0].name),
            Some(constructor) if case.variables.is_empty() => self.symbol(constructor),
            Some(constructor) => {
                self.out.push('(');
                self.symbol(constructor);
                for variable in &case.variables {
                    self.out.push(' ');
                    self.symbol_or_wildcard(variable.name);
                }
                self.out.push(')');
            }
        }
    }

    /// In a pattern `_` stands for a variable that is not used.
    fn symbol_or_wildcard(&mut self, name: Symbol) {
        if self.terms.text(name) == "_" { self.out.push('_') } else { self.symbol(name) }
    }

    fn binder(&mut self, opening: &str, binders: crate::term::Binders) {
        self.out.push_str(opening);
        let variables = self.terms.binders(binders).to_vec();
        self.variables(&variables);
        self.out.push(')');
    }

    fn variables(&mut self, variables: &[Variable]) {
        for (number, variable) in variables.iter().enumerate() {
            self.out.push_str(if number == 0 { "(" } else { " (" });
            self.symbol(variable.name);
            self.out.push(' ');
            self.sort(variable.sort);
            self.out.push(')');
        }
    }

    fn op(&mut self, op: Op, indices: Indices, sort: Sort) {
        let spelling = op.spelling(self.dialect);
        if op.info().is_ascribed {
            self.out.push_str("(as ");
            self.out.push_str(spelling);
            self.out.push(' ');
            self.sort(sort);
            self.out.push(')');
            return;
        }
        if indices == Indices::NONE {
            self.out.push_str(spelling);
            return;
        }
        self.out.push_str("(_ ");
        self.out.push_str(spelling);
        for index in self.terms.indices(indices) {
            self.out.push(' ');
            match index {
                Index::Number(number) => self.out.push_str(&number.to_string()),
                Index::Text(text) => self.out.push_str(self.terms.symbols.text(*text)),
            }
        }
        self.out.push(')');
    }

    fn literal(&mut self, literal: Literal, text: Symbol, sort: Sort) {
        let text = self.terms.symbols.text(text);
        match literal {
            Literal::Numeral | Literal::Decimal => self.out.push_str(text),
            Literal::Hex => {
                self.out.push_str("#x");
                self.out.push_str(text);
            }
            Literal::Binary => {
                self.out.push_str("#b");
                self.out.push_str(text);
            }
            Literal::BvDecimal => {
                let width = match self.terms.sorts.kind(sort) {
                    crate::sort::SortKind::BitVec(width) => *width,
                    kind => unreachable!("a bit-vector literal has sort {kind:?}"),
                };
                self.out.push_str(&format!("(_ bv{text} {width})"));
            }
            Literal::Field => {
                let order = match self.terms.sorts.kind(sort) {
                    crate::sort::SortKind::FiniteField(order) => self.terms.symbols.text(*order),
                    kind => unreachable!("an element of a finite field has sort {kind:?}"),
                };
                self.out.push_str(&format!("#f{text}m{order}"));
            }
            Literal::Str => {
                self.out.push('"');
                self.out.push_str(&literal_from_26(text, self.dialect));
                self.out.push('"');
            }
        }
    }

    fn symbol(&mut self, symbol: Symbol) {
        let text = self.terms.symbols.text(symbol);
        if self.terms.symbols.is_simple(symbol) {
            self.out.push_str(text);
        } else {
            write_quoted(text, &mut self.out);
        }
    }

    fn sort(&mut self, sort: Sort) {
        self.terms.sorts.write(&self.terms.symbols, sort, &mut self.out);
    }

    /// Prints a command.
    pub fn command(&mut self, command: &Command) {
        match command {
            Command::Assert(term) => self.with_term("(assert ", *term),
            Command::CheckSat => self.out.push_str("(check-sat)"),
            Command::CheckSatAssuming(literals) => self.with_terms("(check-sat-assuming (", literals),
            Command::DeclareConst(name, sort) => {
                self.named("(declare-const ", *name);
                self.sort(*sort);
                self.out.push(')');
            }
            Command::DeclareDatatypes(datatypes) => self.datatypes(datatypes),
            Command::DeclareFun(name, params, sort) => {
                self.named("(declare-fun ", *name);
                self.out.push('(');
                self.separated(params, |printer, param| printer.sort(*param));
                self.out.push_str(") ");
                self.sort(*sort);
                self.out.push(')');
            }
            Command::DeclareSort(name, arity) => {
                self.named("(declare-sort ", *name);
                self.out.push_str(&format!("{arity})"));
            }
            Command::DeclareSortParameter(name) => {
                self.out.push_str("(declare-sort-parameter ");
                self.symbol(*name);
                self.out.push(')');
            }
            Command::DefineConst(definition) => {
                self.named("(define-const ", definition.name);
                self.sort(definition.sort);
                self.out.push(' ');
                self.term(definition.body);
                self.out.push(')');
            }
            Command::DefineFun(definition) => self.definition("(define-fun ", definition),
            Command::DefineFunRec(definition) => self.definition("(define-fun-rec ", definition),
            Command::DefineFunsRec(definitions) => {
                self.out.push_str("(define-funs-rec (");
                for (number, definition) in definitions.iter().enumerate() {
                    self.out.push_str(if number == 0 { "(" } else { " (" });
                    self.signature(definition);
                    self.out.push(')');
                }
                self.out.push_str(") (");
                self.separated(definitions, |printer, definition| printer.term(definition.body));
                self.out.push_str("))");
            }
            Command::DefineSort(name, params, body) => {
                self.named("(define-sort ", *name);
                self.symbols_in_parentheses(params);
                self.out.push(' ');
                self.sort(*body);
                self.out.push(')');
            }
            Command::Echo(text) => self.with_text("(echo", Some(*text)),
            Command::Exit => self.out.push_str("(exit)"),
            Command::GetAssertions => self.out.push_str("(get-assertions)"),
            Command::GetAssignment => self.out.push_str("(get-assignment)"),
            Command::GetInfo(keyword) => self.with_text("(get-info", Some(*keyword)),
            Command::GetModel => self.out.push_str("(get-model)"),
            Command::GetOption(keyword) => self.with_text("(get-option", Some(*keyword)),
            Command::GetProof => self.out.push_str("(get-proof)"),
            Command::GetUnsatAssumptions => self.out.push_str("(get-unsat-assumptions)"),
            Command::GetUnsatCore => self.out.push_str("(get-unsat-core)"),
            Command::GetValue(terms) => self.with_terms("(get-value (", terms),
            Command::Pop(levels) => self.out.push_str(&format!("(pop {levels})")),
            Command::Push(levels) => self.out.push_str(&format!("(push {levels})")),
            Command::Reset => self.out.push_str("(reset)"),
            Command::ResetAssertions => self.out.push_str("(reset-assertions)"),
            Command::SetInfo(keyword, value) => self.attribute("(set-info ", *keyword, *value),
            Command::SetLogic(logic) => {
                self.out.push_str("(set-logic ");
                self.symbol(*logic);
                self.out.push(')');
            }
            Command::SetOption(keyword, value) => self.attribute("(set-option ", *keyword, *value),
            Command::Extension(extension) => self.extension(extension),
            Command::Opaque(text) => self.out.push_str(self.terms.symbols.text(*text)),
        }
    }

    fn extension(&mut self, extension: &Extension) {
        self.out.push('(');
        self.out.push_str(extension.word);
        for part in &extension.parts {
            self.out.push(' ');
            match part {
                ExtensionPart::Text(text) => self.out.push_str(self.terms.symbols.text(*text)),
                ExtensionPart::Name(name) => self.symbol(*name),
                ExtensionPart::Term(term) => self.term(*term),
                ExtensionPart::Sort(sort) => self.sort(*sort),
                ExtensionPart::Terms(terms) => {
                    self.out.push('(');
                    self.separated(terms, |printer, term| printer.term(*term));
                    self.out.push(')');
                }
                ExtensionPart::Sorts(sorts) => {
                    self.out.push('(');
                    self.separated(sorts, |printer, sort| printer.sort(*sort));
                    self.out.push(')');
                }
                ExtensionPart::Variables(variables) => {
                    self.out.push('(');
                    self.variables(variables);
                    self.out.push(')');
                }
            }
        }
        self.out.push(')');
    }

    fn named(&mut self, opening: &str, name: Symbol) {
        self.out.push_str(opening);
        self.symbol(name);
        self.out.push(' ');
    }

    fn with_term(&mut self, opening: &str, term: Term) {
        self.out.push_str(opening);
        self.term(term);
        self.out.push(')');
    }

    fn with_terms(&mut self, opening: &str, terms: &[Term]) {
        self.out.push_str(opening);
        self.separated(terms, |printer, term| printer.term(*term));
        self.out.push_str("))");
    }

    fn with_text(&mut self, opening: &str, text: Option<Symbol>) {
        self.out.push_str(opening);
        if let Some(text) = text {
            self.out.push(' ');
            self.out.push_str(self.terms.symbols.text(text));
        }
        self.out.push(')');
    }

    fn attribute(&mut self, opening: &str, keyword: Symbol, value: Option<Symbol>) {
        self.out.push_str(opening);
        self.out.push_str(self.terms.symbols.text(keyword));
        self.with_text("", value);
    }

    fn definition(&mut self, opening: &str, definition: &Definition) {
        self.out.push_str(opening);
        self.signature(definition);
        self.out.push(' ');
        self.term(definition.body);
        self.out.push(')');
    }

    fn signature(&mut self, definition: &Definition) {
        self.symbol(definition.name);
        self.out.push_str(" (");
        self.variables(&definition.params);
        self.out.push_str(") ");
        self.sort(definition.sort);
    }

    fn symbols_in_parentheses(&mut self, symbols: &[Symbol]) {
        self.out.push('(');
        self.separated(symbols, |printer, symbol| printer.symbol(*symbol));
        self.out.push(')');
    }

    /// Items with blanks between them.
    fn separated<T>(&mut self, items: &[T], mut print: impl FnMut(&mut Self, &T)) {
        for (number, item) in items.iter().enumerate() {
            if number > 0 {
                self.out.push(' ');
            }
            print(self, item);
        }
    }

    fn datatypes(&mut self, datatypes: &[Datatype]) {
        let is_codatatype = datatypes.iter().any(|datatype| datatype.is_codatatype);
        self.out.push_str(if is_codatatype { "(declare-codatatypes (" } else { "(declare-datatypes (" });
        for (number, datatype) in datatypes.iter().enumerate() {
            self.out.push_str(if number == 0 { "(" } else { " (" });
            self.symbol(datatype.name);
            self.out.push_str(&format!(" {})", datatype.params.len()));
        }
        self.out.push_str(") (");
        self.separated(datatypes, |printer, datatype| {
            if datatype.params.is_empty() {
                printer.constructors(&datatype.constructors);
            } else {
                printer.out.push_str("(par ");
                printer.symbols_in_parentheses(&datatype.params);
                printer.out.push(' ');
                printer.constructors(&datatype.constructors);
                printer.out.push(')');
            }
        });
        self.out.push_str("))");
    }

    fn constructors(&mut self, constructors: &[Constructor]) {
        self.out.push('(');
        for (number, constructor) in constructors.iter().enumerate() {
            self.out.push_str(if number == 0 { "(" } else { " (" });
            self.symbol(constructor.name);
            for (selector, sort) in &constructor.selectors {
                self.out.push_str(" (");
                self.symbol(*selector);
                self.out.push(' ');
                self.sort(*sort);
                self.out.push(')');
            }
            self.out.push(')');
        }
        self.out.push(')');
    }
}

#[cfg(test)]
mod tests;
