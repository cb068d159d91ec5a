//! What a script says up to one of its checks: definitions, datatypes and the assertions in force.

use rustc_hash::FxHashMap;
use smelt_smtlib::script::{Command, Datatype, Definition, Script};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{AttributeValue, Head, Term, Terms};
use smelt_smtlib::walk::subterms;

/// The part of a script that a model must satisfy.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// Asserted terms in force, then those assumed by the check.
    pub assertions: Vec<Term>,
    /// Declared functions and constants in force: name, argument sorts, result sort.
    pub declared: Vec<(Symbol, Vec<Sort>, Sort)>,
    definitions: FxHashMap<Symbol, Definition>,
    /// What each definition hides, in the order in which they were made; a pop brings it back.
    hidden: Vec<(Symbol, Option<Definition>)>,
    datatypes: FxHashMap<Symbol, Datatype>,
    /// For each constructor its datatype.
    constructors: FxHashMap<Symbol, Symbol>,
    /// For each selector the constructors that have it and the position of the field.
    selectors: FxHashMap<Symbol, Vec<(Symbol, usize)>>,
}

/// How much of an environment was there when a scope was opened. Datatypes are not popped: a script that declares
/// one anew replaces the old.
#[derive(Debug, Clone, Copy)]
struct Level {
    assertions: usize,
    declared: usize,
    hidden: usize,
}

impl Environment {
    /// What holds at the last check of a script, or at its end if it has none.
    pub fn at_last_check(terms: &Terms, script: &Script) -> Environment {
        let is_check =
            |command: &Command| matches!(command, Command::CheckSat | Command::CheckSatAssuming(_));
        let end = script.commands.iter().rposition(is_check).map_or(script.commands.len(), |last| last + 1);
        Environment::of(terms, &script.commands[..end])
    }

    /// What holds after some commands; if the last is a check with assumptions, these count as asserted.
    pub fn of(terms: &Terms, commands: &[Command]) -> Environment {
        let mut levels: Vec<Level> = Vec::new();
        let mut current = Environment::default();
        for command in commands {
            match command {
                Command::Push(count) => {
                    let level = Level {
                        assertions: current.assertions.len(),
                        declared: current.declared.len(),
                        hidden: current.hidden.len(),
                    };
                    levels.extend((0..*count).map(|_| level));
                }
                Command::Pop(count) => {
                    let kept = levels.len().saturating_sub(*count as usize);
                    if let Some(level) = levels.get(kept) {
                        current.return_to(*level);
                    }
                    levels.truncate(kept);
                }
                Command::Reset => {
                    levels.clear();
                    current = Environment::default();
                }
                Command::ResetAssertions => {
                    levels.clear();
                    current.assertions.clear();
                }
                other => current.add(terms, other),
            }
        }
        if let Some(Command::CheckSatAssuming(literals)) = commands.last() {
            current.assertions.extend(literals);
        }
        current
    }

    fn add(&mut self, terms: &Terms, command: &Command) {
        match command {
            Command::Assert(term) => {
                self.add_names(terms, *term);
                self.assertions.push(*term);
            }
            Command::CheckSatAssuming(literals) => {
                literals.iter().for_each(|literal| self.add_names(terms, *literal));
            }
            Command::DeclareConst(name, sort) => self.declared.push((*name, Vec::new(), *sort)),
            Command::DeclareFun(name, params, sort) => self.declared.push((*name, params.clone(), *sort)),
            Command::DefineConst(definition)
            | Command::DefineFun(definition)
            | Command::DefineFunRec(definition) => self.define(definition.clone()),
            Command::DefineFunsRec(definitions) => {
                definitions.iter().for_each(|definition| self.define(definition.clone()));
            }
            Command::DeclareDatatypes(datatypes) => {
                datatypes.iter().for_each(|datatype| self.add_datatype(datatype));
            }
            _ => {}
        }
    }

    /// Defines the names of annotated terms.
    fn add_names(&mut self, terms: &Terms, root: Term) {
        if !terms.has_annotations() {
            return;
        }
        for term in subterms(terms, &[root]) {
            let Head::Annotated(attributes) = terms.head(term) else { continue };
            for attribute in terms.attributes(attributes) {
                if let AttributeValue::Name(name) = attribute.value {
                    let body = terms.args(term)[0];
                    self.define(Definition { name, params: Vec::new(), sort: terms.sort(body), body });
                }
            }
        }
    }

    fn define(&mut self, definition: Definition) {
        let name = definition.name;
        let before = self.definitions.insert(name, definition);
        self.hidden.push((name, before));
    }

    fn return_to(&mut self, level: Level) {
        self.assertions.truncate(level.assertions);
        self.declared.truncate(level.declared);
        for (name, before) in self.hidden.drain(level.hidden..).rev() {
            match before {
                Some(definition) => self.definitions.insert(name, definition),
                None => self.definitions.remove(&name),
            };
        }
    }

    /// Adds a datatype.
    pub fn add_datatype(&mut self, datatype: &Datatype) {
        for constructor in &datatype.constructors {
            self.constructors.insert(constructor.name, datatype.name);
            for (position, (selector, _)) in constructor.selectors.iter().enumerate() {
                let owners = self.selectors.entry(*selector).or_default();
                owners.retain(|(owner, _)| *owner != constructor.name);
                owners.push((constructor.name, position));
            }
        }
        self.datatypes.insert(datatype.name, datatype.clone());
    }

    /// The definition of a symbol.
    pub fn definition(&self, name: Symbol) -> Option<&Definition> {
        self.definitions.get(&name)
    }

    /// The datatype with this name.
    pub fn datatype(&self, name: Symbol) -> Option<&Datatype> {
        self.datatypes.get(&name)
    }

    /// Whether a symbol is a constructor.
    pub fn is_constructor(&self, name: Symbol) -> bool {
        self.constructors.contains_key(&name)
    }

    /// The fields of a constructor: selector and sort, in which parameters of the datatype may occur.
    pub fn fields(&self, constructor: Symbol) -> Option<&[(Symbol, Sort)]> {
        let datatype = self.datatypes.get(self.constructors.get(&constructor)?)?;
        let declared = datatype.constructors.iter().find(|declared| declared.name == constructor)?;
        Some(&declared.selectors)
    }

    /// The constructors that have a selector, each with the position of its field.
    pub fn selector(&self, name: Symbol) -> Option<&[(Symbol, usize)]> {
        self.selectors.get(&name).map(Vec::as_slice)
    }
}
