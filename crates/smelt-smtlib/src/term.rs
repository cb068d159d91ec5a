//! Typed, hash-consed terms.
//!
//! A [`Term`] is a 32-bit id into [`Terms`]; equal terms are equal ids. Terms are pure syntax: binders keep the names
//! they were written with, `let` and annotations are nodes like any other, literals keep their text. So printing gives
//! back what was read, and what a name refers to is a matter of the place where a term stands.
//!
//! Checked building by operator is in `typing.rs`, walking and replacing in `walk.rs` and `substitute.rs`.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use crate::hash_index::{HashIndex, Near, NearIndex};
use crate::op::{Op, Spelling};
use crate::reserved::{Keyword, RESERVED};
use crate::sort::{Sort, Sorts};
use crate::symbol::{Symbol, Symbols};

/// A term in a [`Terms`] arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(u32);

impl Term {
    /// Position in the arena: arguments always come before the terms that use them.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What stands at the head of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Head {
    /// An operator of the table, with its indices.
    Op(Op, Indices),
    /// A literal, with its text.
    Literal(Literal, Symbol),
    /// A declared or defined symbol, possibly applied.
    Global(Symbol),
    /// A declared symbol written `(as symbol sort)`, possibly applied; the sort is the term's own.
    Qualified(Symbol),
    /// A variable of an enclosing binder, possibly applied.
    Local(Symbol),
    /// `(_ is constructor)`.
    Tester(Symbol),
    /// `(_ update selector)`.
    Updater(Symbol),
    /// An operator that we do not know, with its spelling; kept, never mutated.
    Opaque(Symbol),
    /// `(let ..)`: the arguments are the bound terms and, last, the body.
    Let(Binders),
    /// `(forall ..)`: the argument is the body.
    Forall(Binders),
    /// `(exists ..)`: the argument is the body.
    Exists(Binders),
    /// `(lambda ..)`: the argument is the body.
    Lambda(Binders),
    /// `(choice ..)` and the like: the arguments are what stands after the variables.
    Closure(ClosureKind, Binders),
    /// `(match ..)`: the arguments are the matched term and the body of each case.
    Match(Cases),
    /// `(! ..)`: the arguments are the annotated term and the terms inside of patterns.
    Annotated(Attributes),
}

impl Head {
    /// The symbol of which this is a use.
    fn symbol(self) -> Option<Symbol> {
        match self {
            Head::Literal(_, symbol)
            | Head::Global(symbol)
            | Head::Qualified(symbol)
            | Head::Local(symbol)
            | Head::Opaque(symbol) => Some(symbol),
            _ => None,
        }
    }
}

/// Binders of solver extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClosureKind {
    /// `(choice ((x sort)) condition)` of SMT-LIB 2.7 and Z3: some value for which the condition holds.
    Choice,
    /// The same, as cvc5 writes it.
    Witness,
    /// `(set.comprehension ((x sort)..) condition term)`: the values of the term where the condition holds.
    Comprehension,
}

impl ClosureKind {
    /// The word that it starts with.
    pub fn word(self) -> &'static str {
        match self {
            ClosureKind::Choice => "choice",
            ClosureKind::Witness => "witness",
            ClosureKind::Comprehension => "set.comprehension",
        }
    }
}

/// The kinds of literals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Literal {
    /// `12`.
    Numeral,
    /// `1.50`.
    Decimal,
    /// `#x1f`; the text is without the prefix.
    Hex,
    /// `#b101`; the text is without the prefix.
    Binary,
    /// `(_ bv5 8)`; the text is the `5`.
    BvDecimal,
    /// `#f3m11` or `(as ff3 (_ FiniteField 11))`; the text is the `3`.
    Field,
    /// A string; the text is that between the quotes, with the escapes of SMT-LIB 2.6.
    Str,
}

macro_rules! list_ids {
    ($($(#[$doc:meta])* $name:ident)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
            pub struct $name(u32);
        )*
    };
}

list_ids! {
    /// The indices of an operator; see [`Terms::indices`].
    Indices
    /// The variables of a binder; see [`Terms::binders`].
    Binders
    /// The patterns of a match; see [`Terms::cases`].
    Cases
    /// The attributes of an annotation; see [`Terms::attributes`].
    Attributes
}

impl Indices {
    /// No indices.
    pub const NONE: Indices = Indices(0);
}

/// One index of an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Index {
    /// A numeral that fits.
    Number(u64),
    /// Any other index (a symbol, a hexadecimal, a huge numeral) as it is written.
    Text(Symbol),
}

/// A variable of a binder with its sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Variable {
    /// Its name.
    pub name: Symbol,
    /// Its sort; for `let`, that of the bound term.
    pub sort: Sort,
}

/// One case of a match.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Case {
    /// The constructor; none for a variable or `_` that takes everything.
    pub constructor: Option<Symbol>,
    /// The variables that the pattern binds.
    pub variables: Vec<Variable>,
}

/// One attribute of an annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Attribute {
    /// The keyword with its colon.
    pub keyword: Symbol,
    /// Its value.
    pub value: AttributeValue,
}

/// The value of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AttributeValue {
    /// None.
    Nothing,
    /// The name that `:named` gives.
    Name(Symbol),
    /// The next so many arguments of the annotated term, in parentheses.
    Terms(u32),
    /// Any other value, as it is written.
    Text(Symbol),
}

#[derive(Debug, Clone, Copy)]
struct Node {
    head: Head,
    sort: Sort,
    first_arg: u32,
    /// The number of arguments; the highest bit says whether a local variable occurs anywhere below.
    arg_count: u32,
    /// How many nodes the term has as a tree; saturates.
    tree_size: u32,
}

const HAS_LOCALS: u32 = 1 << 31;
const NO_LEAF: u32 = u32::MAX;

/// The arena of all terms, with their symbols and sorts.
#[derive(Debug, Clone)]
pub struct Terms {
    /// Interned names and texts.
    pub symbols: Symbols,
    /// Interned sorts.
    pub sorts: Sorts,
    nodes: Vec<Node>,
    args: Vec<Term>,
    /// For each symbol the first leaf made of it, or [`NO_LEAF`]. Such leaves are not in `index`: most leaves are
    /// found here, in memory that is dense and warm.
    leaves: Vec<u32>,
    /// Terms by their newest argument, as far as there is room: what is built next to each other is found next to
    /// each other.
    near: NearIndex,
    /// All other terms.
    index: HashIndex,
    indices: Lists<Index>,
    binders: Lists<Variable>,
    cases: Lists<Case>,
    attributes: Lists<Attribute>,
}

impl Default for Terms {
    fn default() -> Self {
        Terms::new()
    }
}

impl Terms {
    /// An empty arena.
    pub fn new() -> Self {
        let mut indices = Lists::default();
        indices.intern(&[]);
        Terms {
            symbols: Symbols::starting_with(RESERVED.symbols()),
            sorts: Sorts::new(),
            nodes: Vec::new(),
            args: Vec::new(),
            leaves: Vec::new(),
            near: NearIndex::new(),
            index: HashIndex::new(),
            indices,
            binders: Lists::default(),
            cases: Lists::default(),
            attributes: Lists::default(),
        }
    }

    /// The head of a term.
    #[inline]
    pub fn head(&self, term: Term) -> Head {
        self.nodes[term.index()].head
    }

    /// The sort of a term.
    #[inline]
    pub fn sort(&self, term: Term) -> Sort {
        self.nodes[term.index()].sort
    }

    /// The arguments of a term.
    #[inline]
    pub fn args(&self, term: Term) -> &[Term] {
        let node = &self.nodes[term.index()];
        let first = node.first_arg as usize;
        &self.args[first..first + (node.arg_count & !HAS_LOCALS) as usize]
    }

    /// Whether a local variable occurs somewhere in a term; if not, its meaning does not depend on where it stands
    /// inside of an assertion.
    #[inline]
    pub fn has_locals(&self, term: Term) -> bool {
        self.nodes[term.index()].arg_count & HAS_LOCALS != 0
    }

    /// How many nodes a term has when written as a tree; saturates at `u32::MAX`.
    #[inline]
    pub(crate) fn tree_size(&self, term: Term) -> u32 {
        self.nodes[term.index()].tree_size
    }

    /// The operator at the head, if it is one of the table.
    pub fn op(&self, term: Term) -> Option<Op> {
        match self.head(term) {
            Head::Op(op, _) => Some(op),
            _ => None,
        }
    }

    /// How many distinct terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// About how many machine words the arena takes, texts of symbols and literals included.
    pub fn words(&self) -> u64 {
        // A node with its places in tables takes about eight words; two arguments fit into one.
        (8 * self.nodes.len() + self.args.len() / 2 + self.symbols.text_len() / 8) as u64
    }

    /// Whether there is no term yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The indices behind an id.
    pub fn indices(&self, indices: Indices) -> &[Index] {
        self.indices.get(indices.0)
    }

    /// The variables behind an id.
    pub fn binders(&self, binders: Binders) -> &[Variable] {
        self.binders.get(binders.0)
    }

    /// The cases behind an id.
    pub fn cases(&self, cases: Cases) -> &[Case] {
        self.cases.get(cases.0)
    }

    /// The attributes behind an id.
    pub fn attributes(&self, attributes: Attributes) -> &[Attribute] {
        self.attributes.get(attributes.0)
    }

    /// The id of a list of indices.
    pub fn intern_indices(&mut self, indices: &[Index]) -> Indices {
        if indices.is_empty() { Indices::NONE } else { Indices(self.indices.intern(indices)) }
    }

    /// The id of a list of variables.
    pub fn intern_binders(&mut self, variables: &[Variable]) -> Binders {
        Binders(self.binders.intern(variables))
    }

    /// The id of a list of cases.
    pub fn intern_cases(&mut self, cases: &[Case]) -> Cases {
        Cases(self.cases.intern(cases))
    }

    /// Whether any term may be annotated.
    pub fn has_annotations(&self) -> bool {
        !self.attributes.lists.is_empty()
    }

    /// The id of a list of attributes.
    pub fn intern_attributes(&mut self, attributes: &[Attribute]) -> Attributes {
        Attributes(self.attributes.intern(attributes))
    }

    /// The term with this head, these arguments and this sort. Nothing is checked: [`Terms::apply`] does that.
    pub fn intern(&mut self, head: Head, args: &[Term], sort: Sort) -> Term {
        if args.is_empty()
            && let Some(symbol) = head.symbol()
        {
            return self.intern_leaf(head, symbol, sort);
        }
        self.intern_node(head, args, sort)
    }

    fn intern_leaf(&mut self, head: Head, symbol: Symbol, sort: Sort) -> Term {
        match self.leaves.get(symbol.index()) {
            Some(&NO_LEAF) => {}
            Some(&id) => {
                let node = &self.nodes[id as usize];
                if node.head == head && node.sort == sort {
                    return Term(id);
                }
                return self.intern_node(head, &[], sort);
            }
            None => self.leaves.resize(self.symbols.len(), NO_LEAF),
        }
        let leaf = self.push_node(head, &[], sort);
        self.leaves[symbol.index()] = leaf.0;
        leaf
    }

    fn intern_node(&mut self, head: Head, args: &[Term], sort: Sort) -> Term {
        let hash = hash_node(head, args, sort);
        let is_equal = |id: u32| {
            let node = &self.nodes[id as usize];
            node.head == head && node.sort == sort && self.args(Term(id)) == args
        };
        let newest = args.iter().max().copied();
        let near = match newest {
            Some(newest) => self.near.find(newest.0, hash, is_equal),
            None => Near::Full,
        };
        let found = match near {
            Near::Found(id) => Some(id),
            Near::Vacant => None,
            Near::Full => self.index.find(hash, is_equal),
        };
        if let Some(id) = found {
            return Term(id);
        }
        let term = self.push_node(head, args, sort);
        match (near, newest) {
            (Near::Vacant, Some(newest)) => self.near.insert(newest.0, hash, term.0),
            _ => self.index.insert(hash, term.0),
        }
        term
    }

    fn push_node(&mut self, head: Head, args: &[Term], sort: Sort) -> Term {
        let id = u32::try_from(self.nodes.len()).expect("fewer than 2^32 distinct terms fit in memory");
        let first_arg = u32::try_from(self.args.len()).expect("fewer than 2^32 arguments fit in memory");
        let mut has_locals = matches!(head, Head::Local(_));
        let mut tree_size = 1u32;
        for arg in args {
            let node = &self.nodes[arg.index()];
            has_locals |= node.arg_count & HAS_LOCALS != 0;
            tree_size = tree_size.saturating_add(node.tree_size);
        }
        let arg_count = args.len() as u32 | if has_locals { HAS_LOCALS } else { 0 };
        self.args.extend_from_slice(args);
        self.nodes.push(Node { head, sort, first_arg, arg_count, tree_size });
        Term(id)
    }

    /// `true` or `false`.
    pub fn bool(&mut self, value: bool) -> Term {
        let op = if value { Op::True } else { Op::False };
        self.intern(Head::Op(op, Indices::NONE), &[], Sort::BOOL)
    }

    /// A literal with this text.
    pub fn literal(&mut self, literal: Literal, text: &str, sort: Sort) -> Term {
        let text = self.symbols.intern(text);
        self.intern(Head::Literal(literal, text), &[], sort)
    }

    /// A declared constant.
    pub fn constant(&mut self, name: Symbol, sort: Sort) -> Term {
        self.intern(Head::Global(name), &[], sort)
    }

    /// A variable of a binder.
    pub fn local(&mut self, name: Symbol, sort: Sort) -> Term {
        self.intern(Head::Local(name), &[], sort)
    }

    /// The same term with other arguments (as many, of the same sorts).
    pub fn with_args(&mut self, term: Term, args: &[Term]) -> Term {
        if self.args(term) == args { term } else { self.intern(self.head(term), args, self.sort(term)) }
    }

    /// Makes room for so many more terms.
    pub(crate) fn reserve(&mut self, additional: usize) {
        self.index.reserve(additional);
    }

    /// What a symbol says of the dialect of the text that uses it.
    #[inline]
    pub(crate) fn spelling(&self, symbol: Symbol) -> Spelling {
        RESERVED.spelling(symbol)
    }

    /// The operators that a symbol may stand for when nobody declared it.
    #[inline]
    pub fn ops_named(&self, symbol: Symbol) -> &'static [Op] {
        RESERVED.ops(symbol)
    }

    /// The reserved word that a symbol is, if it is one.
    #[inline]
    pub(crate) fn keyword(&self, symbol: Symbol) -> Option<Keyword> {
        RESERVED.keyword(symbol)
    }

    /// The text of a symbol.
    pub fn text(&self, symbol: Symbol) -> &str {
        self.symbols.text(symbol)
    }

    /// The variables that the head of a term binds in its argument at `position`.
    pub fn bound_at(&self, term: Term, position: usize) -> &[Variable] {
        match self.head(term) {
            Head::Let(binders) => {
                let variables = self.binders(binders);
                if position == variables.len() { variables } else { &[] }
            }
            Head::Forall(binders)
            | Head::Exists(binders)
            | Head::Lambda(binders)
            | Head::Closure(_, binders) => self.binders(binders),
            Head::Match(cases) if position > 0 => &self.cases(cases)[position - 1].variables,
            _ => &[],
        }
    }

    /// Whether the head binds variables.
    pub fn is_binder(&self, term: Term) -> bool {
        matches!(
            self.head(term),
            Head::Let(_)
                | Head::Forall(_)
                | Head::Exists(_)
                | Head::Lambda(_)
                | Head::Closure(..)
                | Head::Match(_)
        )
    }
}

fn hash_node(head: Head, args: &[Term], sort: Sort) -> u64 {
    let mut hasher = FxHasher::default();
    head.hash(&mut hasher);
    sort.hash(&mut hasher);
    for arg in args {
        hasher.write_u32(arg.0);
    }
    hasher.finish()
}

/// Interned lists.
#[derive(Debug, Clone)]
struct Lists<T> {
    lists: Vec<Box<[T]>>,
    ids: FxHashMap<Box<[T]>, u32>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Lists { lists: Vec::new(), ids: FxHashMap::default() }
    }
}

impl<T: Clone + Eq + Hash> Lists<T> {
    fn intern(&mut self, list: &[T]) -> u32 {
        if let Some(&id) = self.ids.get(list) {
            return id;
        }
        let id = self.lists.len() as u32;
        self.lists.push(list.into());
        self.ids.insert(list.into(), id);
        id
    }

    fn get(&self, id: u32) -> &[T] {
        &self.lists[id as usize]
    }
}
