//! Resolving names and building applications: what `f` in `(f a b)` refers to, and whether it takes a and b.

use super::scope::DeclarationKind;
use super::{Declaration, MAX_KEPT_BYTES, Reader, Unsorted, excerpt};
use crate::diagnostic::{Problem, nearest};
use crate::op::{Op, Theory};
use crate::reserved::Keyword;
use crate::sexp::Kind;
use crate::sort::{Sort, SortKind};
use crate::symbol::Symbol;
use crate::term::{Head, Index, Indices, Literal, Term};
use crate::typing::SortError;
use crate::walk::subterms;

/// What is applied.
#[derive(Clone, Copy)]
pub(super) enum Callee {
    /// `f` or `(_ f i)`.
    Name(Symbol, Indices),
    /// `(as f sort)` or `(as (_ f i) sort)`.
    Ascribed(Symbol, Indices, Sort),
    /// A term: the first of the parts.
    Term,
    /// Something else; the text is kept.
    Opaque(Symbol),
}

impl Reader<'_> {
    /// Reads `(_ name index..)` or `(as name sort)` as something that can be applied.
    pub(super) fn callee(&mut self, index: u32) -> Callee {
        if let Some((name, indices)) = self.indexed_name(index) {
            return Callee::Name(name, indices);
        }
        let mut children = self.tape.children(index);
        let head = children.next().and_then(|head| self.as_symbol(head));
        if head.and_then(|head| self.terms.keyword(head)) == Some(Keyword::As)
            && let (Some(name), Some(sort), None) = (children.next(), children.next(), children.next())
        {
            let sort = self.sort(sort);
            if let Some(name) = self.as_symbol(name) {
                return Callee::Ascribed(name, Indices::NONE, sort);
            }
            if let Some((name, indices)) = self.indexed_name(name) {
                return Callee::Ascribed(name, indices, sort);
            }
        }
        let message = format!("`{}` cannot be applied", excerpt(self.text(index)));
        self.report_with_help(
            Problem::UnknownName,
            index,
            message,
            Some(
                "indexed identifiers are written `(_ name index..)`, qualified ones `(as name sort)`"
                    .to_owned(),
            ),
        );
        Callee::Opaque(self.verbatim(index))
    }

    /// Reads `(_ name index..)`; none if it is something else.
    fn indexed_name(&mut self, index: u32) -> Option<(Symbol, Indices)> {
        let mut children = self.tape.children(index);
        let head = self.as_symbol(children.next()?)?;
        let name = self.as_symbol(children.next()?)?;
        if self.terms.keyword(head) != Some(Keyword::Indexed) {
            return None;
        }
        let indices: Vec<Index> = children.map(|child| self.index(child)).collect();
        (!indices.is_empty()).then(|| (name, self.terms.intern_indices(&indices)))
    }

    fn index(&mut self, index: u32) -> Index {
        let text = self.text(index);
        // Leading zeros are kept as they are written.
        match text.parse::<u64>() {
            Ok(number)
                if self.tape.node(index).kind == Kind::Numeral
                    && (text.len() == 1 || !text.starts_with('0')) =>
            {
                Index::Number(number)
            }
            _ => Index::Text(self.verbatim(index)),
        }
    }

    /// A term of unknown sort that stands for the text at `index`.
    pub(super) fn opaque_at(&mut self, index: u32) -> Term {
        let text = self.verbatim(index);
        self.terms.intern(Head::Opaque(text), &[], Sort::UNKNOWN)
    }

    pub(super) fn apply(&mut self, index: u32, callee: Callee, args: &[Term]) -> Term {
        match callee {
            Callee::Name(name, Indices::NONE) => self.apply_name(index, name, args),
            Callee::Name(name, indices) => self.apply_indexed(index, name, indices, args),
            Callee::Ascribed(name, indices, sort) => self.apply_ascribed(index, name, indices, sort, args),
            Callee::Term => {
                let term = self.apply_op(index, &[Op::ApplyTerm], Indices::NONE, args, None);
                match self.terms.head(term) {
                    // Its head is a list, which is no name of an operator: the whole is kept as it is written.
                    Head::Opaque(_) => {
                        let text = self.kept_text(index);
                        self.terms.intern(Head::Opaque(text), &[], Sort::UNKNOWN)
                    }
                    _ => term,
                }
            }
            Callee::Opaque(text) => self.terms.intern(Head::Opaque(text), args, Sort::UNKNOWN),
        }
    }

    pub(super) fn apply_name(&mut self, index: u32, name: Symbol, args: &[Term]) -> Term {
        if args.is_empty() && self.is_list(index) && !matches!(self.terms.ops_named(name), [Op::And | Op::Or])
        {
            let message = format!("`{}` is applied to nothing", self.terms.text(name));
            self.report_with_help(
                Problem::Form,
                index,
                message,
                Some("write it without parentheses".to_owned()),
            );
        }
        if let Some(sort) = self.locals.sort_of(name)
            && (args.is_empty() || !self.hides_operator(name, sort))
        {
            let sort = self.applied_arrow(index, name, sort, args);
            return self.terms.intern(Head::Local(name), args, sort);
        }
        if args.is_empty()
            && let Some(term) = self.scope.constant(name)
        {
            return term;
        }
        if self.scope.has_overloads()
            && let Some(term) = self.apply_overloaded(index, name, args, None)
        {
            return term;
        }
        if let Some(declaration) = self.scope.declaration(name) {
            let is_exact = declaration.params.len() == args.len()
                && declaration.params.iter().zip(args).all(|(param, arg)| *param == self.terms.sort(*arg));
            if is_exact && !declaration.is_generic {
                let term = self.terms.intern(Head::Global(name), args, declaration.result);
                if args.is_empty() {
                    self.scope.set_constant(name, term);
                }
                return term;
            }
            return self.apply_declared(index, name, args);
        }
        let ops = self.terms.ops_named(name);
        if !ops.is_empty() && !ops[0].writes_function_as_index() {
            return self.apply_op(index, ops, Indices::NONE, args, None);
        }
        self.apply_unknown(index, name, args)
    }

    /// The sort of a variable or constant of function sort applied to arguments.
    fn applied_arrow(&mut self, index: u32, name: Symbol, sort: Sort, args: &[Term]) -> Sort {
        if args.is_empty() || sort == Sort::UNKNOWN {
            return sort;
        }
        // Z3 takes arrays for functions.
        let parts = self.terms.sorts.as_function(sort);
        if args.len() < parts.len()
            && args.iter().zip(&parts).all(|(arg, part)| self.terms.sorts.fits(*part, self.terms.sort(*arg)))
        {
            return self.terms.sorts.arrow(&parts[args.len()..]);
        }
        let message = format!(
            "`{}` of sort {} does not take these arguments",
            self.terms.text(name),
            self.sort_text(sort)
        );
        let help = match parts.len() {
            0 | 1 => "it is no function: write it without arguments".to_owned(),
            count => format!("give it at most {} arguments, of the sorts before the last", count - 1),
        };
        self.report_with_help(Problem::Sort, index, message, Some(help));
        Sort::UNKNOWN
    }

    fn apply_declared(&mut self, index: u32, name: Symbol, args: &[Term]) -> Term {
        let declaration = self.scope.declaration(name).expect("the caller found a declaration").clone();
        if declaration.params.is_empty() && !args.is_empty() {
            if self.hides_operator(name, declaration.result) {
                return self.apply_op(index, self.terms.ops_named(name), Indices::NONE, args, None);
            }
            let sort = self.applied_arrow(index, name, declaration.result, args);
            return self.terms.intern(Head::Global(name), args, sort);
        }
        if args.is_empty() && !declaration.params.is_empty() {
            // A function as a value: higher-order logic.
            let parts = declaration.params.iter().copied().chain([declaration.result]).collect();
            let sort = self.terms.sorts.intern(SortKind::Arrow(parts));
            return self.terms.intern(Head::Global(name), &[], sort);
        }
        if !declaration.is_generic && declaration.params.len() != args.len() {
            let parts: Vec<Sort> = declaration.params.iter().copied().chain([declaration.result]).collect();
            let arrow = self.terms.sorts.arrow(&parts);
            let count = self.terms.sorts.flat_arrow(arrow).len() - 1;
            // Too few arguments leave a function, which is a value in higher-order logics only.
            let is_partial = args.len() < declaration.params.len();
            if args.len() <= count && (!is_partial || self.scope.is_higher_order) {
                let sort = self.applied_arrow(index, name, arrow, args);
                return self.terms.intern(Head::Global(name), args, sort);
            }
        }
        let mut bindings = Vec::new();
        self.check_arguments(index, &declaration, args, &mut bindings);
        let mut sort = declaration.result;
        if declaration.is_generic {
            sort = self.terms.sorts.instantiate(sort, &bindings);
            if self.terms.sorts.any_part(sort, |kind| matches!(kind, SortKind::Param(_))) {
                if args.is_empty() {
                    return self.unsorted(index, name, Head::Qualified(name));
                }
                self.report_without_sort(index, name);
                sort = Sort::UNKNOWN;
            }
        }
        let args: Vec<Term> = args
            .iter()
            .zip(&declaration.params)
            .map(|(arg, param)| {
                let param = self.terms.sorts.instantiate(*param, &bindings);
                self.terms.give_sort(*arg, param)
            })
            .collect();
        self.terms.intern(Head::Global(name), &args, sort)
    }

    /// Applies a name that several declarations give a meaning; none if it is not such a name.
    ///
    /// Its symbol alone does not say which of them is meant, so that the application stays opaque; its sort is known.
    fn apply_overloaded(
        &mut self,
        index: u32,
        name: Symbol,
        args: &[Term],
        ascribed: Option<Sort>,
    ) -> Option<Term> {
        let overloads: Vec<Declaration> = self.scope.overloads(name).into_iter().cloned().collect();
        if overloads.is_empty() {
            return None;
        }
        let result = overloads.into_iter().find_map(|declaration| {
            let mut bindings = Vec::new();
            let sorts = &self.terms.sorts;
            let fits = declaration.params.len() == args.len()
                && ascribed.is_none_or(|sort| sorts.unify(declaration.result, sort, &mut bindings))
                && declaration
                    .params
                    .iter()
                    .zip(args)
                    .all(|(param, arg)| sorts.unify(*param, self.terms.sort(*arg), &mut bindings));
            fits.then(|| self.terms.sorts.instantiate(declaration.result, &bindings))
        });
        let text = self.callee_text(index, args);
        let Some(result) = result else {
            let message = format!("no declaration of `{}` takes these arguments", self.terms.text(name));
            self.report(Problem::Sort, index, message);
            return Some(self.terms.intern(Head::Opaque(text), args, Sort::UNKNOWN));
        };
        Some(self.terms.intern(Head::Opaque(text), args, result))
    }

    fn check_arguments(
        &mut self,
        index: u32,
        declaration: &Declaration,
        args: &[Term],
        bindings: &mut Vec<(Symbol, Sort)>,
    ) {
        let name = self.terms.text(declaration.name);
        if declaration.params.len() != args.len() {
            let message = format!(
                "`{name}` takes {} argument{}, but {} given",
                declaration.params.len(),
                if declaration.params.len() == 1 { "" } else { "s" },
                args.len()
            );
            let signature: Vec<Sort> =
                declaration.params.iter().chain([&declaration.result]).copied().collect();
            let arrow = self.terms.sorts.arrow(&signature);
            let help = match args.len() < declaration.params.len() {
                true => {
                    "with fewer arguments it is a function in logics that begin with `HO_` only".to_owned()
                }
                false => format!("it is a function of sort {}", self.sort_text(arrow)),
            };
            self.report_with_help(Problem::Sort, index, message, Some(help));
            return;
        }
        for (position, (param, arg)) in declaration.params.iter().zip(args).enumerate() {
            let sort = self.terms.sort(*arg);
            if !self.terms.sorts.unify(*param, sort, bindings) {
                let expected = self.terms.sorts.instantiate(*param, bindings);
                let message = format!(
                    "argument {} of `{}` must have sort {}, found {}",
                    position + 1,
                    self.terms.text(declaration.name),
                    self.sort_text(expected),
                    self.sort_text(sort)
                );
                let place = self.argument_place(index, position);
                let are_functions = [expected, sort]
                    .iter()
                    .all(|sort| matches!(self.terms.sorts.kind(*sort), SortKind::Arrow(_)));
                let help = are_functions.then(|| {
                    "a function with fewer parameters is a partial application, as in `(f x)`, or a `lambda`"
                        .to_owned()
                });
                self.report_with_help(Problem::Sort, place, message, help);
                return;
            }
        }
    }

    /// Where argument `position` of the application at `index` stands.
    fn argument_place(&self, index: u32, position: usize) -> u32 {
        self.tape.children(index).nth(position + 1).unwrap_or(index)
    }

    fn apply_op(
        &mut self,
        index: u32,
        ops: &[Op],
        indices: Indices,
        args: &[Term],
        ascribed: Option<Sort>,
    ) -> Term {
        // The finite sets of Z3 are the last reading of a name.
        let reordered: Vec<Op>;
        let mut ops = ops;
        if self.scope.uses_finite_sets && ops.last().is_some_and(|op| op.info().theory == Theory::FiniteSets)
        {
            reordered = ops.iter().rev().copied().collect();
            ops = &reordered;
        }
        if ascribed.is_none()
            && let Some(term) = ops.iter().find_map(|op| self.terms.apply_plainly(*op, indices, args))
        {
            return term;
        }
        let mut problem: Option<SortError> = None;
        for op in ops {
            match self.terms.apply_interned(*op, indices, args, ascribed) {
                Ok(term) => {
                    if op.info().is_ascribed && ascribed.is_none() {
                        let name = self.terms.symbols.intern(op.info().name);
                        if args.is_empty() {
                            return self.unsorted(index, name, Head::Opaque(name));
                        }
                        self.report_without_sort(index, name);
                    }
                    if *op == Op::BagMake {
                        self.check_multiplicity(index, args[1]);
                    }
                    return term;
                }
                // Of several readings of a name, the one that agrees furthest explains best.
                Err(error) if problem.as_ref().is_none_or(|known| error.rank() > known.rank()) => {
                    problem = Some(error);
                }
                Err(_) => {}
            }
        }
        let error = problem.expect("every name of the table has at least one operator");
        let mut message = error.message;
        let mut place = index;
        if let Some(position) = error.argument {
            place = self.argument_place(index, position);
            message.push_str(&format!(
                ", but argument {} is a {}",
                position + 1,
                self.sort_text(self.terms.sort(args[position]))
            ));
        }
        let is_application = ops.contains(&Op::Apply) && error.argument.is_none();
        let function = args.first().filter(|_| is_application).map(|function| self.terms.sort(*function));
        let help = function.map(|sort| format!("the function has sort {}", self.sort_text(sort)));
        self.report_with_help(Problem::Sort, place, message, help);
        // Not the text of the whole: nested mistakes would take its square.
        let text = self.callee_text(index, args);
        self.terms.intern(Head::Opaque(text), args, Sort::UNKNOWN)
    }

    /// A name without a sort, which the terms around it may give it, as cvc5 does.
    fn unsorted(&mut self, place: u32, name: Symbol, head: Head) -> Term {
        let term = self.terms.intern(head, &[], Sort::UNKNOWN);
        self.unsorted.push(Unsorted { place, name, term });
        term
    }

    /// Reports the names to which the terms around them gave no sort, or one that they cannot have.
    pub(super) fn report_unsorted(&mut self, roots: &[Term]) {
        let unsorted = std::mem::take(&mut self.unsorted);
        let found = if unsorted.is_empty() { Vec::new() } else { subterms(self.terms, roots) };
        for Unsorted { place, name, term } in unsorted {
            let cannot_have = |other: &Term| match self.scope.declaration(name) {
                Some(declaration) if self.terms.head(*other) == Head::Qualified(name) => {
                    !self.terms.sorts.unify(declaration.result, self.terms.sort(*other), &mut Vec::new())
                }
                _ => false,
            };
            if found.binary_search(&term).is_ok() || found.iter().any(cannot_have) {
                self.report_without_sort(place, name);
            }
        }
    }

    fn report_without_sort(&mut self, index: u32, name: Symbol) {
        let name = self.terms.text(name);
        let message = format!("the sort of `{name}` does not follow from its arguments");
        let help = format!("write `(as {name} sort)`");
        self.report_with_help(Problem::Sort, index, message, Some(help));
    }

    /// Reports a multiplicity that is written as a negative number.
    fn check_multiplicity(&mut self, index: u32, count: Term) {
        let is_negation = self.terms.op(count) == Some(Op::Neg);
        let number = self.terms.args(count).first().copied().filter(|_| is_negation);
        if let Some(number) = number
            && let Head::Literal(Literal::Numeral, text) = self.terms.head(number)
            && self.terms.text(text).bytes().any(|digit| digit != b'0')
        {
            let message = format!("a bag holds an element -{} times", excerpt(self.terms.text(text)));
            let help = "a multiplicity is at least 0; the empty bag is `(as bag.empty sort)`".to_owned();
            self.report_with_help(Problem::Sort, self.argument_place(index, 1), message, Some(help));
        }
    }

    fn apply_indexed(&mut self, index: u32, name: Symbol, indices: Indices, args: &[Term]) -> Term {
        let text = self.terms.text(name);
        match (text, self.terms.indices(indices), args) {
            ("is", [Index::Text(constructor)], [arg]) => return self.tester(index, *constructor, *arg),
            ("update", [Index::Text(selector)], [record, field]) => {
                return self.updater(index, *selector, *record, *field);
            }
            (_, [Index::Number(width)], []) if is_bv_value(text) => {
                let digits = text["bv".len()..].to_owned();
                return self.bv_value(index, &digits, *width);
            }
            _ => {}
        }
        if let Some(term) = self.apply_indexed_by_name(index, name, indices, args) {
            return term;
        }
        let ops = self.terms.ops_named(name);
        if !ops.is_empty() {
            return self.apply_op(index, ops, indices, args, None);
        }
        let spelling = self.callee_text(index, args);
        let message = format!("unknown operator `{}`", excerpt(self.terms.text(spelling)));
        self.report(Problem::UnknownName, index, message);
        self.terms.intern(Head::Opaque(spelling), args, Sort::UNKNOWN)
    }

    /// Applies an operator that has the name of a function or of a sort as index.
    fn apply_indexed_by_name(
        &mut self,
        index: u32,
        name: Symbol,
        indices: Indices,
        args: &[Term],
    ) -> Option<Term> {
        let ops = self.terms.ops_named(name);
        let (op, &[Index::Text(text)]) = (*ops.first()?, self.terms.indices(indices)) else {
            if ops.first() == Some(&Op::FmfCard) {
                // `(_ fmf.card sort number)`, itself or applied to nothing.
                let list = if args.is_empty() { index } else { index + 1 };
                let sort = self.tape.children(list).nth(2)?;
                self.sort(sort);
            }
            return None;
        };
        if !matches!(op, Op::AsArray | Op::ArrayMap | Op::NullableLift) {
            return None;
        }
        let function = self.function_named_by(text)?;
        let args: Vec<Term> = [function].iter().chain(args).copied().collect();
        Some(self.apply_op(index, &[op], Indices::NONE, &args, None))
    }

    /// The function that an index names, as a value: `f`, or `(f (A B) C)` as Z3 has it.
    fn function_named_by(&mut self, text: Symbol) -> Option<Term> {
        let text = self.terms.text(text).trim_start_matches('(');
        let name = match text.strip_prefix('|') {
            Some(quoted) => quoted.split('|').next(),
            None => text.split(|byte: char| byte.is_ascii_whitespace() || byte == ')').next(),
        };
        let name = self.terms.symbols.get(name?)?;
        if let Some(sort) = self.locals.sort_of(name) {
            return Some(self.terms.local(name, sort));
        }
        let declaration = self.scope.declaration(name)?;
        let parts: Vec<Sort> = declaration.params.iter().copied().chain([declaration.result]).collect();
        let sort = self.terms.sorts.arrow(&parts);
        Some(self.terms.constant(name, sort))
    }

    fn bv_value(&mut self, index: u32, digits: &str, width: u64) -> Term {
        match u32::try_from(width) {
            Ok(width) if width > 0 => {
                let sort = self.terms.sorts.bit_vec(width);
                self.terms.literal(Literal::BvDecimal, digits, sort)
            }
            _ => {
                let message = format!("a bit-vector has a width from 1 to {}", u32::MAX);
                self.report(Problem::Sort, index, message);
                self.opaque_at(index)
            }
        }
    }

    /// The text of what is applied at `index`: the head of a list, or the whole if nothing is applied.
    fn callee_text(&mut self, index: u32, args: &[Term]) -> Symbol {
        self.kept_text(if args.is_empty() { index } else { index + 1 })
    }

    /// The text at `index`, unless that takes too much memory together with what is kept of the lists inside of it.
    fn kept_text(&mut self, index: u32) -> Symbol {
        self.kept_bytes = self.kept_bytes.saturating_add(self.text(index).len());
        if self.kept_bytes > MAX_KEPT_BYTES {
            self.report(Problem::Form, index, "unknown applications are nested too deeply to be kept");
            return self.terms.symbols.intern("...");
        }
        self.verbatim(index)
    }

    /// The symbol that an index names, without bars.
    fn index_symbol(&mut self, index: Symbol) -> Symbol {
        match self.terms.text(index).strip_prefix('|').and_then(|text| text.strip_suffix('|')) {
            Some(bare) => {
                let bare = bare.to_owned();
                self.terms.symbols.intern(&bare)
            }
            None => index,
        }
    }

    fn tester(&mut self, index: u32, constructor: Symbol, arg: Term) -> Term {
        let constructor = self.index_symbol(constructor);
        let overloads = self.scope.overloads(constructor);
        let fits =
            |declaration: &&&Declaration| self.terms.sorts.fits(declaration.result, self.terms.sort(arg));
        let declared = overloads.iter().find(fits).copied().or_else(|| self.scope.declaration(constructor));
        let result = match declared.map(|declaration| (declaration.kind, declaration.result)) {
            Some((DeclarationKind::Constructor(_), result)) => Some(result),
            _ => None,
        };
        match result {
            None => {
                let message = format!("unknown constructor `{}`", self.terms.text(constructor));
                self.report(Problem::UnknownName, index, message);
            }
            Some(result) if !self.terms.sorts.fits(result, self.terms.sort(arg)) => {
                let message = format!(
                    "constructor `{}` does not belong to {}",
                    self.terms.text(constructor),
                    self.sort_text(self.terms.sort(arg))
                );
                self.report(Problem::Sort, index, message);
            }
            Some(_) => {}
        }
        self.terms.intern(Head::Tester(constructor), &[arg], Sort::BOOL)
    }

    fn updater(&mut self, index: u32, selector: Symbol, record: Term, field: Term) -> Term {
        let selector = self.index_symbol(selector);
        let sort = self.terms.sort(record);
        let declared = self.scope.declaration(selector).cloned();
        match declared {
            Some(declaration) if matches!(declaration.kind, DeclarationKind::Selector(_)) => {
                let mut bindings = Vec::new();
                let fits = self.terms.sorts.unify(declaration.params[0], sort, &mut bindings)
                    && self.terms.sorts.unify(declaration.result, self.terms.sort(field), &mut bindings);
                if !fits {
                    let message =
                        format!("`(_ update {})` does not take these arguments", self.terms.text(selector));
                    self.report(Problem::Sort, index, message);
                }
            }
            _ => {
                let message = format!("unknown selector `{}`", self.terms.text(selector));
                self.report(Problem::UnknownName, index, message);
            }
        }
        self.terms.intern(Head::Updater(selector), &[record, field], sort)
    }

    fn apply_ascribed(
        &mut self,
        index: u32,
        name: Symbol,
        indices: Indices,
        sort: Sort,
        args: &[Term],
    ) -> Term {
        let local = self.locals.sort_of(name);
        if local.is_none()
            && indices == Indices::NONE
            && self.scope.has_overloads()
            && let Some(term) = self.apply_overloaded(index, name, args, Some(sort))
        {
            return term;
        }
        if local.is_none()
            && indices == Indices::NONE
            && let Some(declaration) = self.scope.declaration(name)
        {
            let declaration = declaration.clone();
            let mut bindings = Vec::new();
            if !self.terms.sorts.unify(declaration.result, sort, &mut bindings) {
                let message =
                    format!("`{}` cannot have sort {}", self.terms.text(name), self.sort_text(sort));
                self.report(Problem::Sort, index, message);
            }
            self.check_arguments(index, &declaration, args, &mut bindings);
            return self.terms.intern(Head::Qualified(name), args, sort);
        }
        if let Some(local) = local
            && args.is_empty()
        {
            if local != sort {
                let message = format!(
                    "`{}` has sort {}, not {}",
                    self.terms.text(name),
                    self.sort_text(local),
                    self.sort_text(sort)
                );
                self.report(Problem::Sort, index, message);
            }
            return self.terms.intern(Head::Local(name), &[], local);
        }
        let ops = self.terms.ops_named(name);
        if !ops.is_empty() {
            return self.apply_op(index, ops, indices, args, Some(sort));
        }
        if let Some(value) = self.terms.text(name).strip_prefix("ff")
            && let SortKind::FiniteField(_) = self.terms.sorts.kind(sort)
            && args.is_empty()
        {
            let digits = value.strip_prefix('-').unwrap_or(value);
            if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
                let value = value.to_owned();
                return self.terms.literal(Literal::Field, &value, sort);
            }
        }
        // Values of uninterpreted sorts in models, such as `(as @a_0 S)`, and solver extensions.
        let spelling = self.callee_text(index, args);
        let is_abstract_value = self.terms.text(name).starts_with('@');
        if !is_abstract_value {
            let message = format!("unknown symbol `{}`", self.terms.text(name));
            self.report(Problem::UnknownName, index, message);
        }
        self.terms.intern(Head::Opaque(spelling), args, sort)
    }

    fn apply_unknown(&mut self, index: u32, name: Symbol, args: &[Term]) -> Term {
        // Z3 also writes a tester as `is-constructor`.
        if let ([arg], Some(constructor)) = (args, self.terms.text(name).strip_prefix("is-"))
            && let Some(constructor) = self.terms.symbols.get(constructor)
            && let Some(declaration) = self.scope.declaration(constructor)
            && matches!(declaration.kind, DeclarationKind::Constructor(_))
        {
            return self.tester(index, constructor, *arg);
        }
        let text = self.terms.text(name).to_owned();
        if args.is_empty()
            && let Some(number) = self.signed_number(&text)
        {
            return number;
        }
        let help = self.similar_name(&text).map(|name| format!("did you mean `{name}`?"));
        let what = if args.is_empty() { "symbol" } else { "operator" };
        let place = if args.is_empty() { index } else { index + 1 };
        self.report_with_help(
            Problem::UnknownName,
            place,
            format!("unknown {what} `{}`", excerpt(&text)),
            help,
        );
        let spelling = self.callee_text(index, args);
        self.terms.intern(Head::Opaque(spelling), args, Sort::UNKNOWN)
    }

    /// `-1` or `-1.5`, as Z3 writes negative numbers: the negation of the number.
    fn signed_number(&mut self, text: &str) -> Option<Term> {
        let digits = text.strip_prefix('-')?;
        let is_numeral = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let (literal, sort) = match digits.split_once('.') {
            Some((whole, fraction)) if is_numeral(whole) && is_numeral(fraction) => {
                (Literal::Decimal, Sort::REAL)
            }
            None if is_numeral(digits) => (Literal::Numeral, Sort::INT),
            _ => return None,
        };
        let number = self.terms.literal(literal, digits, sort);
        self.terms.apply(Op::Neg, &[], &[number]).ok()
    }

    /// Whether a name is that of an operator too, and a constant or variable of this sort cannot be applied.
    fn hides_operator(&self, name: Symbol, sort: Sort) -> bool {
        !self.terms.ops_named(name).is_empty() && sort != Sort::UNKNOWN && {
            self.terms.sorts.as_function(sort).len() == 1
        }
    }

    /// A declared symbol or operator that is spelled much like `text`.
    fn similar_name(&mut self, text: &str) -> Option<String> {
        if !self.may_suggest() {
            return None;
        }
        let mut candidates: Vec<&str> = Op::all_names().collect();
        candidates
            .extend(self.scope.declarations().map(|declaration| self.terms.symbols.text(declaration.name)));
        nearest(text, candidates.into_iter()).map(str::to_owned)
    }
}

/// Whether a name is that of a bit-vector value, as in `(_ bv5 8)`.
fn is_bv_value(name: &str) -> bool {
    name.strip_prefix("bv")
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}
