//! What a crate exports: the items that code outside of it can name.
//!
//! An item is exported if it and all modules around it are `pub`, or if a `pub use` that can be reached so names it.
//! Paths of `use` are resolved inside the crate. Items behind a cargo feature are not exported by default and are left
//! out; macros are not expanded.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Item, UseTree, Visibility};

use crate::sources::Source;
use crate::syntax::{attributes, is_optional, is_test, type_name};

/// The items of one module.
#[derive(Debug, Clone, Default)]
pub(crate) struct Module {
    items: Vec<Definition>,
    uses: Vec<Use>,
    /// Modules declared here: name, whether `pub`, and the items if they are written here.
    children: Vec<(String, bool, Option<Module>)>,
}

/// One item that is neither a module nor an import.
#[derive(Debug, Clone)]
struct Definition {
    name: String,
    is_public: bool,
    is_type: bool,
}

/// One name that is imported.
#[derive(Debug, Clone)]
struct Use {
    path: Vec<String>,
    /// The name here; none for `*`.
    name: Option<String>,
    is_public: bool,
}

/// An exported item.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Export {
    /// Its name.
    pub name: String,
    /// The module that defines it, from the root of the crate.
    pub module: String,
    /// Whether it is a type or a trait.
    pub is_type: bool,
}

impl Module {
    /// The module made of `items`, without those of tests and of cargo features.
    pub(crate) fn of(items: &[Item]) -> Module {
        let mut module = Module::default();
        for item in items.iter().filter(|item| !is_test(attributes(item)) && !is_optional(attributes(item))) {
            match item {
                Item::Mod(child) => {
                    let inside = child.content.as_ref().map(|(_, items)| Module::of(items));
                    module.children.push((child.ident.to_string(), is_public(&child.vis), inside));
                }
                Item::Use(import) => {
                    import_names(&import.tree, &mut Vec::new(), is_public(&import.vis), &mut module.uses);
                }
                _ => module.items.extend(definition(item)),
            }
        }
        module
    }
}

fn definition(item: &Item) -> Option<Definition> {
    let (name, visibility) = match item {
        Item::Const(item) => (&item.ident, &item.vis),
        Item::Enum(item) => (&item.ident, &item.vis),
        Item::Fn(item) => (&item.sig.ident, &item.vis),
        Item::Static(item) => (&item.ident, &item.vis),
        Item::Struct(item) => (&item.ident, &item.vis),
        Item::Trait(item) => (&item.ident, &item.vis),
        Item::Type(item) => (&item.ident, &item.vis),
        Item::Union(item) => (&item.ident, &item.vis),
        _ => return None,
    };
    let is_type = type_name(item).is_some();
    Some(Definition { name: name.to_string(), is_public: is_public(visibility), is_type })
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn import_names(tree: &UseTree, path: &mut Vec<String>, is_public: bool, into: &mut Vec<Use>) {
    let mut add = |path: &[String], last: Option<String>, name: Option<String>| {
        let path = path.iter().cloned().chain(last).collect();
        into.push(Use { path, name, is_public });
    };
    match tree {
        UseTree::Path(inner) => {
            path.push(inner.ident.to_string());
            import_names(&inner.tree, path, is_public, into);
            path.pop();
        }
        UseTree::Name(inner) if inner.ident == "self" => add(path, None, path.last().cloned()),
        UseTree::Name(inner) => add(path, Some(inner.ident.to_string()), Some(inner.ident.to_string())),
        UseTree::Rename(inner) => add(path, Some(inner.ident.to_string()), Some(inner.rename.to_string())),
        UseTree::Glob(_) => add(path, None, None),
        UseTree::Group(group) => {
            for inner in &group.items {
                import_names(inner, path, is_public, into);
            }
        }
    }
}

/// All modules of a crate by their paths, such as `a::b`; the root is the empty path.
struct Tree<'a> {
    modules: BTreeMap<Vec<String>, &'a Module>,
}

/// Where a path leads.
enum Target<'a> {
    Module(Vec<String>),
    Item(Vec<String>, &'a Definition),
}

impl<'a> Tree<'a> {
    fn of(crate_name: &str, sources: &'a [Source]) -> Tree<'a> {
        let mut tree = Tree { modules: BTreeMap::new() };
        let folder = format!("crates/{crate_name}/src/");
        for source in sources.iter().filter(|source| !source.is_test_file()) {
            let Some(path) = source.path.strip_prefix(&folder).and_then(|path| path.strip_suffix(".rs"))
            else {
                continue;
            };
            let mut path: Vec<String> = path.split('/').map(str::to_owned).collect();
            if path == ["lib"] || path.last().is_some_and(|last| last == "mod") {
                path.pop();
            }
            if let Some(syntax) = source.syntax() {
                tree.insert(path, &syntax.module);
            }
        }
        tree
    }

    fn insert(&mut self, path: Vec<String>, module: &'a Module) {
        for (name, _, inside) in &module.children {
            if let Some(inside) = inside {
                self.insert(joined(&path, name), inside);
            }
        }
        self.modules.insert(path, module);
    }

    /// What `path`, written in module `from`, names. Imports may lead through each other; `depth` bounds the search.
    fn resolve(&self, from: &[String], path: &[String], depth: usize) -> Option<Target<'a>> {
        let mut module = from.to_vec();
        let mut rest = path;
        while let Some((first, after)) = rest.split_first() {
            match first.as_str() {
                "crate" => module.clear(),
                "self" => {}
                "super" => {
                    module.pop();
                }
                _ => break,
            }
            rest = after;
        }
        while let Some((name, after)) = rest.split_first() {
            let child = joined(&module, name);
            if self.modules.contains_key(&child) {
                module = child;
                rest = after;
                continue;
            }
            let here = self.modules.get(&module)?;
            if after.is_empty()
                && let Some(definition) = here.items.iter().find(|item| item.name == *name)
            {
                return Some(Target::Item(module, definition));
            }
            if depth == 0 {
                return None;
            }
            return here.uses.iter().find_map(|import| {
                let target = match &import.name {
                    Some(bound) if bound == name => self.resolve(&module, &import.path, depth - 1)?,
                    Some(_) => return None,
                    None => Target::Module(match self.resolve(&module, &import.path, depth - 1)? {
                        Target::Module(path) => path,
                        Target::Item(..) => return None,
                    }),
                };
                match (target, &import.name) {
                    (target, Some(_)) if after.is_empty() => Some(target),
                    (Target::Module(path), Some(_)) => self.resolve(&path, after, depth - 1),
                    (Target::Module(path), None) => self.resolve(&path, rest, depth - 1),
                    (Target::Item(..), _) => None,
                }
            });
        }
        Some(Target::Module(module))
    }

    fn export(&self, path: &[String], seen: &mut BTreeSet<Vec<String>>, exports: &mut BTreeSet<Export>) {
        let Some(module) = self.modules.get(path).filter(|_| seen.insert(path.to_vec())) else { return };
        for item in module.items.iter().filter(|item| item.is_public) {
            exports.insert(Export::of(path, item));
        }
        for (name, _, _) in module.children.iter().filter(|(_, is_public, _)| *is_public) {
            self.export(&joined(path, name), seen, exports);
        }
        for import in module.uses.iter().filter(|import| import.is_public) {
            match self.resolve(path, &import.path, 8) {
                Some(Target::Item(module, item)) => {
                    exports.insert(Export::of(&module, item));
                }
                Some(Target::Module(target)) if target != path => self.export(&target, seen, exports),
                _ => {}
            }
        }
    }
}

impl Export {
    fn of(module: &[String], item: &Definition) -> Export {
        Export { name: item.name.clone(), module: module.join("::"), is_type: item.is_type }
    }
}

fn joined(path: &[String], name: &str) -> Vec<String> {
    path.iter().cloned().chain([name.to_owned()]).collect()
}

/// The items that the library of a crate exports: types, traits, functions and constants, not methods and fields.
pub(crate) fn exports(crate_name: &str, sources: &[Source]) -> BTreeSet<Export> {
    let mut exports = BTreeSet::new();
    let root = format!("crates/{crate_name}/src/lib.rs");
    if sources.iter().any(|source| source.path == root) {
        Tree::of(crate_name, sources).export(&[], &mut BTreeSet::new(), &mut exports);
    }
    exports
}

/// The names of exported types by crate, with the module that defines each.
pub(crate) fn shared_type_names(sources: &[Source]) -> Vec<(String, Export)> {
    let crates: BTreeSet<&str> = sources.iter().filter_map(Source::crate_name).collect();
    let mut by_name: BTreeMap<String, Vec<(&str, Export)>> = BTreeMap::new();
    for name in crates {
        for export in exports(name, sources).into_iter().filter(|export| export.is_type) {
            by_name.entry(export.name.clone()).or_default().push((name, export));
        }
    }
    let is_shared = |all: &Vec<(&str, Export)>| all.iter().any(|(name, _)| *name != all[0].0);
    by_name
        .into_values()
        .filter(is_shared)
        .flatten()
        .map(|(crate_name, export)| (crate_name.to_owned(), export))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(files: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<Source> =
            files.iter().map(|(path, text)| Source::new(&format!("crates/a/src/{path}"), text)).collect();
        exports("a", &sources)
            .into_iter()
            .map(|export| format!("{}::{}", export.module, export.name))
            .collect()
    }

    #[test]
    fn items_of_public_modules_are_exported() {
        let files = [
            ("lib.rs", "pub mod b;\nmod c;\npub fn f() {}\nfn g() {}\n"),
            ("b.rs", "pub struct B;\npub(crate) struct Hidden;\n"),
            ("c.rs", "pub struct C;\n"),
        ];
        assert_eq!(names(&files), ["b::B", "::f"].map(str::to_owned));
    }

    #[test]
    fn items_behind_a_feature_are_not_exported() {
        let files = [("lib.rs", "#[cfg(feature = \"b\")]\npub mod b { pub struct B; }\npub struct C;\n")];
        assert_eq!(names(&files), ["::C".to_owned()]);
    }

    #[test]
    fn what_is_named_by_a_public_use_is_exported_once() {
        let files = [
            ("lib.rs", "mod b;\npub mod d;\npub use b::{B, c::*};\npub use d::D;\n"),
            ("b/mod.rs", "mod c;\npub use self::c::C;\npub struct B;\npub struct Unused;\n"),
            ("b/c.rs", "pub struct C;\n"),
            ("d.rs", "pub struct D;\n"),
        ];
        assert_eq!(names(&files), ["b::B", "b::c::C", "d::D"].map(str::to_owned));
    }
}
