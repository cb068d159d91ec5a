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
    /// Recursive definitions in force: each is an axiom, which may have no solution.
    recursive: Vec<Symbol>,
    /// What each declaration and definition replaces, in the order in which they were made; a pop brings it back.
    replaced: Vec<Replaced>,
    datatypes: FxHashMap<Symbol, Datatype>,
    /// For each constructor its datatype.
    constructors: FxHashMap<Symbol, Symbol>,
    /// For each selector the constructors that have it and the position of the field.
    selectors: FxHashMap<Symbol, Vec<(Symbol, usize)>>,
}

/// What a name stood for before, if anything.
#[derive(Debug, Clone)]
enum Replaced {
    Definition(Symbol, Option<Definition>),
    Datatype(Symbol, Option<Datatype>),
    Constructor(Symbol, Option<Symbol>),
    Selector(Symbol, Option<Vec<(Symbol, usize)>>),
}

/// How much of an environment was there when a scope was opened.
#[derive(Debug, Clone, Copy)]
struct Level {
    assertions: usize,
    declared: usize,
    recursive: usize,
    replaced: usize,
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
        let mut keeps_declarations = false;
        for command in commands {
            match command {
                Command::Push(count) => levels.extend((0..*count).map(|_| current.level())),
                Command::Pop(count) => {
                    let kept = levels.len().saturating_sub(*count as usize);
                    match levels.get(kept) {
                        Some(level) if keeps_declarations => current.assertions.truncate(level.assertions),
                        Some(level) => current.return_to(*level),
                        None => {}
                    }
                    levels.truncate(kept);
                }
                Command::Reset => {
                    levels.clear();
                    current = Environment::default();
                    keeps_declarations = false;
                }
                Command::ResetAssertions => {
                    levels.clear();
                    match keeps_declarations {
                        true => current.assertions.clear(),
                        false => current = Environment::default(),
                    }
                }
                Command::SetOption(keyword, value) if terms.text(*keyword) == ":global-declarations" => {
                    keeps_declarations = value.is_some_and(|value| terms.text(value) == "true");
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
            Command::DeclareConst(name, sort) => self.declare(*name, Vec::new(), *sort),
            Command::DeclareFun(name, params, sort) => self.declare(*name, params.clone(), *sort),
            Command::DefineConst(definition) | Command::DefineFun(definition) => {
                self.add_names(terms, definition.body);
                self.define(definition.clone());
            }
            Command::DefineFunRec(definition) => self.define_recursively(definition),
            Command::DefineFunsRec(definitions) => {
                definitions.iter().for_each(|definition| self.define_recursively(definition));
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

    fn level(&self) -> Level {
        Level {
            assertions: self.assertions.len(),
            declared: self.declared.len(),
            recursive: self.recursive.len(),
            replaced: self.replaced.len(),
        }
    }

    /// What is declared under a name that had another meaning has that meaning no more.
    fn declare(&mut self, name: Symbol, params: Vec<Sort>, sort: Sort) {
        if let Some(before) = self.definitions.remove(&name) {
            self.replaced.push(Replaced::Definition(name, Some(before)));
        }
        self.forget_datatype_names(name);
        self.declared.push((name, params, sort));
    }

    fn define(&mut self, definition: Definition) {
        let name = definition.name;
        self.forget_datatype_names(name);
        let before = self.definitions.insert(name, definition);
        self.replaced.push(Replaced::Definition(name, before));
    }

    fn define_recursively(&mut self, definition: &Definition) {
        self.recursive.push(definition.name);
        self.define(definition.clone());
    }

    fn forget_datatype_names(&mut self, name: Symbol) {
        if let Some(before) = self.constructors.remove(&name) {
            self.replaced.push(Replaced::Constructor(name, Some(before)));
        }
        if let Some(before) = self.selectors.remove(&name) {
            self.replaced.push(Replaced::Selector(name, Some(before)));
        }
    }

    fn return_to(&mut self, level: Level) {
        self.assertions.truncate(level.assertions);
        self.declared.truncate(level.declared);
        self.recursive.truncate(level.recursive);
        for replaced in self.replaced.drain(level.replaced..).rev() {
            match replaced {
                Replaced::Definition(name, before) => put_back(&mut self.definitions, name, before),
                Replaced::Datatype(name, before) => put_back(&mut self.datatypes, name, before),
                Replaced::Constructor(name, before) => put_back(&mut self.constructors, name, before),
                Replaced::Selector(name, before) => put_back(&mut self.selectors, name, before),
            }
        }
    }

    /// Adds a datatype.
    pub fn add_datatype(&mut self, datatype: &Datatype) {
        for constructor in &datatype.constructors {
            let before = self.constructors.insert(constructor.name, datatype.name);
            self.replaced.push(Replaced::Constructor(constructor.name, before));
            for (position, (selector, _)) in constructor.selectors.iter().enumerate() {
                self.replaced.push(Replaced::Selector(*selector, self.selectors.get(selector).cloned()));
                let owners = self.selectors.entry(*selector).or_default();
                owners.retain(|(owner, _)| *owner != constructor.name);
                owners.push((constructor.name, position));
            }
        }
        let before = self.datatypes.insert(datatype.name, datatype.clone());
        self.replaced.push(Replaced::Datatype(datatype.name, before));
    }

    /// Whether the script declares a symbol without saying what it is.
    pub fn declares(&self, name: Symbol) -> bool {
        self.declared.iter().any(|(declared, ..)| *declared == name)
    }

    /// The recursive definitions in force.
    pub fn recursive(&self) -> impl Iterator<Item = &Definition> {
        self.recursive.iter().filter_map(|name| self.definition(*name))
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

fn put_back<T>(map: &mut FxHashMap<Symbol, T>, name: Symbol, before: Option<T>) {
    match before {
        Some(before) => map.insert(name, before),
        None => map.remove(&name),
    };
}

#[cfg(test)]
mod tests {
    use smelt_smtlib::read::read_script;

    use super::*;

    /// Whether a symbol is defined, and whether it is a constructor, at the last check of a script.
    fn meaning(text: &str, name: &str) -> (bool, bool) {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).script;
        let environment = Environment::at_last_check(&terms, &script);
        let name = terms.symbols.intern(name);
        (environment.definition(name).is_some(), environment.is_constructor(name))
    }

    #[test]
    fn a_reset_of_assertions_forgets_definitions_unless_declarations_are_global() {
        let script = "(define-fun f () Int 1)(reset-assertions)(check-sat)";
        assert_eq!(meaning(script, "f"), (false, false));
        let script = format!("(set-option :global-declarations true){script}");
        assert_eq!(meaning(&script, "f"), (true, false));
    }

    #[test]
    fn a_declaration_after_a_pop_is_no_constructor() {
        let datatype = "(push 1)(declare-datatype D ((c) (d (e Int))))";
        assert_eq!(meaning(&format!("{datatype}(check-sat)"), "c"), (false, true));
        let after = "(pop 1)(declare-const c Int)(assert (= c 5))(check-sat)";
        assert_eq!(meaning(&format!("{datatype}{after}"), "c"), (false, false));
    }
}
