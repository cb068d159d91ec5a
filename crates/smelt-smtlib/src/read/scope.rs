//! What names mean while a script is read: declarations with their push and pop scopes, and local variables.

use rustc_hash::FxHashMap;

use crate::script::Datatype;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::Term;

/// A function or constant that a script declares or defines.
#[derive(Debug, Clone)]
pub struct Declaration {
    /// Its name.
    pub name: Symbol,
    /// The sorts of its arguments.
    pub params: Vec<Sort>,
    /// The sort of its result.
    pub result: Sort,
    /// Where it comes from.
    pub kind: DeclarationKind,
    /// Whether sort parameters occur in its signature.
    pub is_generic: bool,
}

/// Where a declaration comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeclarationKind {
    /// Declared without a meaning.
    Declared,
    /// Defined by a body.
    Defined,
    /// The name of an annotated term.
    Named(Term),
    /// A constructor of the datatype with this name.
    Constructor(Symbol),
    /// A selector of the datatype with this name.
    Selector(Symbol),
}

/// What a sort symbol means.
#[derive(Debug, Clone)]
pub(super) enum SortMeaning {
    /// Declared with this arity.
    Declared(u32),
    /// A datatype with its parameters and constructors.
    Datatype(Datatype),
    /// A parameter of the declaration being read, or of the whole script.
    Parameter,
    /// An abbreviation.
    Defined(Vec<Symbol>, Sort),
}

/// The declarations in force at a place of a script.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// For each symbol what it is declared as.
    by_symbol: Vec<Declared>,
    declarations: Vec<Declaration>,
    /// For each declaration that overloads another the position of that one.
    overloaded: FxHashMap<u32, u32>,
    sorts: FxHashMap<Symbol, SortMeaning>,
    /// What to restore on pop: what a name meant before.
    undo: Vec<Undo>,
    /// The length of `undo` at each push.
    levels: Vec<usize>,
    /// What to restore if the command being read is rejected.
    changes: Vec<Undo>,
    /// The value of `:global-declarations`.
    pub(super) keeps_declarations: bool,
    /// Whether the logic is a higher-order one.
    pub(super) is_higher_order: bool,
    /// Whether the finite sets of Z3 occur, whose operators have names that cvc5's have too.
    pub(super) uses_finite_sets: bool,
    /// How often a name similar to an unknown one was looked for.
    pub(super) suggestions: u32,
}

/// What a symbol is declared as.
#[derive(Debug, Clone, Copy, Default)]
struct Declared {
    /// The position in the declarations plus one, or 0.
    position: u32,
    /// The term of a constant that was used before: constants are looked up more often than anything else.
    constant: Option<Term>,
}

/// How far a scope was before a command.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    declarations: usize,
    undo: usize,
    keeps_declarations: bool,
}

#[derive(Debug, Clone)]
enum Undo {
    Symbol(Symbol, Declared),
    Sort(Symbol, Option<SortMeaning>),
}

impl Scope {
    /// Nothing declared.
    pub fn new() -> Self {
        Scope::default()
    }

    /// The declaration of a symbol, if there is one.
    #[inline]
    pub fn declaration(&self, symbol: Symbol) -> Option<&Declaration> {
        match self.by_symbol.get(symbol.index()) {
            Some(&Declared { position, .. }) if position > 0 => {
                Some(&self.declarations[position as usize - 1])
            }
            _ => None,
        }
    }

    /// The term of a declared constant, if it was used before.
    #[inline]
    pub(super) fn constant(&self, symbol: Symbol) -> Option<Term> {
        self.by_symbol.get(symbol.index())?.constant
    }

    /// Makes a name stand for a term, hiding what the name meant before: what `let` and `define` do in proofs, without a
    /// node for it.
    pub fn alias(&mut self, name: Symbol, term: Term, sort: Sort) {
        let kind = DeclarationKind::Defined;
        self.declare(Declaration { name, params: Vec::new(), result: sort, kind, is_generic: false });
        self.set_constant(name, term);
        if self.levels.is_empty() {
            // Nothing takes an alias back outside of scopes, and a proof has many.
            self.changes.clear();
        }
    }

    /// Remembers the term of a declared constant.
    pub(super) fn set_constant(&mut self, symbol: Symbol, term: Term) {
        self.by_symbol[symbol.index()].constant = Some(term);
    }

    /// All declarations in force, in the order in which they were made.
    pub fn declarations(&self) -> impl Iterator<Item = &Declaration> {
        self.declarations.iter().enumerate().filter_map(|(position, declaration)| {
            let current = self.by_symbol.get(declaration.name.index())?;
            (current.position == position as u32 + 1).then_some(declaration)
        })
    }

    /// The datatype with this name.
    pub fn datatype(&self, name: Symbol) -> Option<&Datatype> {
        match self.sorts.get(&name) {
            Some(SortMeaning::Datatype(datatype)) => Some(datatype),
            _ => None,
        }
    }

    /// The names of all sorts in force.
    pub fn sort_names(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.sorts.keys().copied()
    }

    /// Whether the symbol was declared already.
    pub fn is_declared(&self, symbol: Symbol) -> bool {
        self.declaration(symbol).is_some()
    }

    /// Makes a declaration, hiding an earlier one of the same name.
    pub fn declare(&mut self, declaration: Declaration) {
        let symbol = declaration.name;
        if self.by_symbol.len() <= symbol.index() {
            self.by_symbol.resize(symbol.index() + 1, Declared::default());
        }
        self.declarations.push(declaration);
        let position = self.declarations.len() as u32;
        let declared = Declared { position, constant: None };
        let before = std::mem::replace(&mut self.by_symbol[symbol.index()], declared);
        self.changes.push(Undo::Symbol(symbol, before));
        if !self.levels.is_empty() && !self.keeps_declarations {
            self.undo.push(Undo::Symbol(symbol, before));
        }
    }

    /// Makes a declaration of a name that means something for other arguments already, and still does.
    pub(super) fn overload(&mut self, declaration: Declaration) {
        let earlier = self.by_symbol[declaration.name.index()].position - 1;
        self.overloaded.insert(self.declarations.len() as u32, earlier);
        self.declare(declaration);
    }

    /// The declarations of an overloaded name, newest first; none if it is not overloaded.
    pub(super) fn overloads(&self, symbol: Symbol) -> Vec<&Declaration> {
        let Some(&Declared { position: 1.., .. }) = self.by_symbol.get(symbol.index()) else {
            return Vec::new();
        };
        let mut at = self.by_symbol[symbol.index()].position - 1;
        let mut found = Vec::new();
        while let Some(earlier) = self.overloaded.get(&at) {
            if found.is_empty() {
                found.push(&self.declarations[at as usize]);
            }
            found.push(&self.declarations[*earlier as usize]);
            at = *earlier;
        }
        found
    }

    /// Whether some name is overloaded.
    #[inline]
    pub(super) fn has_overloads(&self) -> bool {
        !self.overloaded.is_empty()
    }

    pub(super) fn sort_meaning(&self, symbol: Symbol) -> Option<&SortMeaning> {
        self.sorts.get(&symbol)
    }

    pub(super) fn declare_sort(&mut self, symbol: Symbol, meaning: SortMeaning) {
        let before = self.sorts.insert(symbol, meaning);
        self.changes.push(Undo::Sort(symbol, before.clone()));
        if !self.levels.is_empty() && !self.keeps_declarations {
            self.undo.push(Undo::Sort(symbol, before));
        }
    }

    /// Forgets a sort symbol that was declared for the duration of one command.
    pub(super) fn forget_sort(&mut self, symbol: Symbol, before: Option<SortMeaning>) {
        match before {
            Some(meaning) => self.sorts.insert(symbol, meaning),
            None => self.sorts.remove(&symbol),
        };
    }

    /// Declares a sort parameter for the duration of one command; gives back what to restore.
    pub(super) fn shadow_sort(&mut self, symbol: Symbol) -> Option<SortMeaning> {
        self.sorts.insert(symbol, SortMeaning::Parameter)
    }

    /// Closes all scopes, and forgets everything unless declarations are global.
    pub(super) fn reset_assertions(&mut self) {
        if self.keeps_declarations {
            self.levels.clear();
            self.undo.clear();
        } else {
            *self = Scope::new();
        }
    }

    /// Where things are before a command is read.
    pub(super) fn mark(&mut self) -> Mark {
        self.changes.clear();
        Mark {
            declarations: self.declarations.len(),
            undo: self.undo.len(),
            keeps_declarations: self.keeps_declarations,
        }
    }

    /// Takes back what a command has declared since the mark.
    pub(super) fn roll_back(&mut self, mark: Mark) {
        for undo in std::mem::take(&mut self.changes).into_iter().rev() {
            self.take_back(undo);
        }
        self.declarations.truncate(mark.declarations);
        self.overloaded.retain(|position, _| (*position as usize) < mark.declarations);
        self.undo.truncate(mark.undo);
        self.keeps_declarations = mark.keeps_declarations;
    }

    fn take_back(&mut self, undo: Undo) {
        match undo {
            Undo::Symbol(symbol, before) => self.by_symbol[symbol.index()] = before,
            Undo::Sort(symbol, before) => self.forget_sort(symbol, before),
        }
    }

    /// Opens scopes.
    pub fn push(&mut self, levels: u32) {
        for _ in 0..levels {
            self.levels.push(self.undo.len());
        }
    }

    /// How many scopes are open.
    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    /// Closes scopes; false if fewer are open.
    pub fn pop(&mut self, levels: u32) -> bool {
        let levels = levels as usize;
        if levels > self.levels.len() {
            return false;
        }
        let Some(&mark) = self.levels.get(self.levels.len() - levels) else { return true };
        self.levels.truncate(self.levels.len() - levels);
        for undo in self.undo.split_off(mark).into_iter().rev() {
            self.take_back(undo);
        }
        true
    }
}

/// The variables of the binders around the place being read.
#[derive(Debug, Default)]
pub(super) struct Locals {
    /// Name, sort and what `innermost` said before.
    stack: Vec<(Symbol, Sort, u32)>,
    /// For each symbol the position in `stack` plus one, or 0.
    innermost: Vec<u32>,
}

impl Locals {
    #[inline]
    pub(super) fn sort_of(&self, symbol: Symbol) -> Option<Sort> {
        if self.stack.is_empty() {
            return None;
        }
        match self.innermost.get(symbol.index()) {
            Some(&position) if position > 0 => Some(self.stack[position as usize - 1].1),
            _ => None,
        }
    }

    pub(super) fn bind(&mut self, symbol: Symbol, sort: Sort) {
        if self.innermost.len() <= symbol.index() {
            self.innermost.resize(symbol.index() + 1, 0);
        }
        let before = self.innermost[symbol.index()];
        self.stack.push((symbol, sort, before));
        self.innermost[symbol.index()] = self.stack.len() as u32;
    }

    pub(super) fn unbind(&mut self, count: usize) {
        for _ in 0..count {
            let (symbol, _, before) = self.stack.pop().expect("every unbind follows its bind");
            self.innermost[symbol.index()] = before;
        }
    }
}
