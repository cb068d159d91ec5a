//! The trail of what is known about single variables, and why.
//!
//! A fact is a lower bound, an upper bound or a value that a variable does not have. A reason leads back to causes:
//! literals of the caller, or branches of the integer search. Facts are undone in the reverse order of their making.

use crate::theory::number::Integer;

use super::IntVar;

/// A fact on the trail.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct FactId(u32);

/// What a contradiction finally rests on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Cause {
    /// Something the caller asserted; the number is the caller's.
    Literal(u32),
    /// A case of the integer search, by its depth.
    Branch(u32),
}

/// Why a fact holds.
#[derive(Clone, Debug)]
pub(super) enum Reason {
    /// It was asserted.
    Asserted(Cause),
    /// It follows from other facts.
    Derived(Box<[FactId]>),
    /// It follows from causes, because its opposite was refuted under them.
    Implied(Box<[Cause]>),
}

/// Which kind of fact it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Side {
    /// The variable is at least the value.
    Lower,
    /// The variable is at most the value.
    Upper,
}

impl Side {
    /// The other side.
    pub fn opposite(self) -> Side {
        match self {
            Side::Lower => Side::Upper,
            Side::Upper => Side::Lower,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Bound(Side),
    Distinct,
}

#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) variable: IntVar,
    pub(super) kind: Kind,
    pub(super) value: Integer,
    reason: Reason,
    /// The fact of the same kind about the same variable that this one hides (a bound) or follows (a distinct value).
    previous: Option<FactId>,
}

#[derive(Clone, Copy, Default, Debug)]
struct Heads {
    lower: Option<FactId>,
    upper: Option<FactId>,
    distinct: Option<FactId>,
}

impl Heads {
    fn head(&mut self, kind: Kind) -> &mut Option<FactId> {
        match kind {
            Kind::Bound(Side::Lower) => &mut self.lower,
            Kind::Bound(Side::Upper) => &mut self.upper,
            Kind::Distinct => &mut self.distinct,
        }
    }
}

/// All facts that hold now.
#[derive(Clone, Default, Debug)]
pub(super) struct Facts {
    trail: Vec<Fact>,
    heads: Vec<Heads>,
    marks: Vec<usize>,
    /// Per fact the number of the explanation that visited it last.
    visited: Vec<u32>,
    explanation: u32,
}

impl Facts {
    pub(super) fn add_variable(&mut self) {
        self.heads.push(Heads::default());
    }

    /// Forgets the variable made last; nothing may be known about it.
    pub(super) fn drop_variable(&mut self) {
        self.heads.pop();
    }

    pub(super) fn push(&mut self) {
        self.marks.push(self.trail.len());
    }

    pub(super) fn pop(&mut self, levels: usize) {
        let level = self.marks.len() - levels;
        let length = self.marks.get(level).copied().unwrap_or(self.trail.len());
        while self.trail.len() > length {
            let fact = self.trail.pop().expect("the trail is longer than its mark");
            *self.heads[fact.variable.index()].head(fact.kind) = fact.previous;
        }
        self.marks.truncate(level);
        self.visited.truncate(self.trail.len());
    }

    /// Variable and value of the fact that opened the innermost level, which was asserted with this cause.
    pub(super) fn first_of_level(&self, cause: Cause) -> (IntVar, Integer) {
        let mark = *self.marks.last().expect("a level is open");
        let fact = &self.trail[mark];
        debug_assert!(matches!(fact.reason, Reason::Asserted(asserted) if asserted == cause));
        (fact.variable, fact.value.clone())
    }

    pub(super) fn levels(&self) -> usize {
        self.marks.len()
    }

    pub(super) fn add(&mut self, variable: IntVar, kind: Kind, value: Integer, reason: Reason) -> FactId {
        let id = FactId(u32::try_from(self.trail.len()).expect("fewer than 2^32 facts"));
        let previous = self.heads[variable.index()].head(kind).replace(id);
        self.trail.push(Fact { variable, kind, value, reason, previous });
        self.visited.push(0);
        id
    }

    pub(super) fn get(&self, id: FactId) -> &Fact {
        &self.trail[id.0 as usize]
    }

    pub(super) fn bound_id(&self, variable: IntVar, side: Side) -> Option<FactId> {
        match side {
            Side::Lower => self.heads[variable.index()].lower,
            Side::Upper => self.heads[variable.index()].upper,
        }
    }

    pub(super) fn bound(&self, variable: IntVar, side: Side) -> Option<&Integer> {
        self.bound_id(variable, side).map(|id| &self.get(id).value)
    }

    /// The value of a variable whose bounds meet.
    pub(super) fn fixed(&self, variable: IntVar) -> Option<&Integer> {
        let lower = self.bound(variable, Side::Lower)?;
        (lower == self.bound(variable, Side::Upper)?).then_some(lower)
    }

    /// The fact that the variable does not have this value, if there is one.
    pub(super) fn distinct(&self, variable: IntVar, value: &Integer) -> Option<FactId> {
        let mut next = self.heads[variable.index()].distinct;
        while let Some(id) = next {
            if self.get(id).value == *value {
                return Some(id);
            }
            next = self.get(id).previous;
        }
        None
    }

    /// Whether some value of the variable is excluded.
    pub(super) fn has_distinct(&self, variable: IntVar) -> bool {
        self.heads[variable.index()].distinct.is_some()
    }

    /// The causes of some facts, sorted and without repetition.
    pub(super) fn explain(&mut self, facts: impl IntoIterator<Item = FactId>) -> Vec<Cause> {
        self.explanation += 1;
        let mut causes = Vec::new();
        let mut open: Vec<FactId> = facts.into_iter().collect();
        while let Some(id) = open.pop() {
            let position = id.0 as usize;
            if std::mem::replace(&mut self.visited[position], self.explanation) == self.explanation {
                continue;
            }
            match &self.trail[position].reason {
                Reason::Asserted(cause) => causes.push(*cause),
                Reason::Derived(facts) => open.extend(facts.iter().copied()),
                Reason::Implied(implied) => causes.extend(implied.iter().copied()),
            }
        }
        causes.sort_unstable();
        causes.dedup();
        causes
    }
}
