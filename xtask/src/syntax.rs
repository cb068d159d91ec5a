//! What the rules need to know about one Rust file, taken from its syntax tree.
//!
//! Test items are found here and nowhere else: an item under `#[cfg(test)]` or `#[test]` hides its own lines, and
//! nothing that follows it. `#[cfg(test)] mod tests;` hides one line; the file that it names is a test file, which
//! [`crate::sources`] decides.

use std::ops::RangeInclusive;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, FnArg, GenericArgument, ImplItem, Item, Pat, PathArguments, Signature, Type};

use crate::exports::Module;

/// The facts of one file. Test items contribute only their lines.
#[derive(Debug, Clone, Default)]
pub(crate) struct Syntax {
    /// The lines of test items, attributes included.
    pub test_lines: Vec<RangeInclusive<usize>>,
    /// Test modules that are other files.
    pub test_modules: Vec<String>,
    /// Lines of parameters that are taken apart in a signature, as in `(a, b): (A, B)`.
    pub tuple_parameters: Vec<usize>,
    /// Lines where a type is a result of a result.
    pub nested_results: Vec<usize>,
    /// Functions that return a string as their error, with their lines.
    pub string_errors: Vec<(usize, String)>,
    /// Functions that `clap` calls to parse an argument.
    pub argument_parsers: Vec<String>,
    /// All types that are defined, private ones too, with their lines.
    pub types: Vec<(usize, String)>,
    /// The items of the file as a module.
    pub module: Module,
}

impl Syntax {
    /// Reads `text`, or says why it is not Rust.
    pub(crate) fn of(text: &str) -> Result<Syntax, syn::Error> {
        let file = syn::parse_file(text)?;
        let mut syntax = Syntax::default();
        syntax.visit_file(&file);
        syntax.module = Module::of(&file.items);
        Ok(syntax)
    }

    /// Whether `line` belongs to a test item.
    pub(crate) fn is_test_line(&self, line: usize) -> bool {
        self.test_lines.iter().any(|lines| lines.contains(&line))
    }

    /// Notes the lines of a test item; says whether it is one.
    fn hide(&mut self, attributes: &[Attribute], item: &impl Spanned) -> bool {
        let is_test = is_test(attributes);
        if is_test {
            let span = item.span();
            self.test_lines.push(first_line(span)..=span.end().line);
        }
        is_test
    }
}

impl<'ast> Visit<'ast> for Syntax {
    fn visit_item(&mut self, item: &'ast Item) {
        if self.hide(attributes(item), item) {
            if let Item::Mod(module) = item
                && module.content.is_none()
            {
                self.test_modules.push(module.ident.to_string());
            }
            return;
        }
        if let Some(name) = type_name(item) {
            self.types.push((first_line(name.span()), name.to_string()));
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attributes = match item {
            ImplItem::Const(item) => &item.attrs,
            ImplItem::Fn(item) => &item.attrs,
            ImplItem::Type(item) => &item.attrs,
            ImplItem::Macro(item) => &item.attrs,
            _ => return visit::visit_impl_item(self, item),
        };
        if !self.hide(attributes, item) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_signature(&mut self, signature: &'ast Signature) {
        for input in &signature.inputs {
            if let FnArg::Typed(parameter) = input
                && let Pat::Tuple(_) = *parameter.pat
            {
                self.tuple_parameters.push(first_line(parameter.span()));
            }
        }
        let mut found = StringErrorIn(false);
        found.visit_return_type(&signature.output);
        if found.0 {
            self.string_errors.push((first_line(signature.ident.span()), signature.ident.to_string()));
        }
        visit::visit_signature(self, signature);
    }

    fn visit_type(&mut self, kind: &'ast Type) {
        if let Some((Some(value), _)) = result_of(kind)
            && result_of(value).is_some()
        {
            self.nested_results.push(first_line(kind.span()));
        }
        visit::visit_type(self, kind);
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        // The words of an attribute are enough: `value_parser = path::to::function`.
        if let syn::Meta::List(list) = &attribute.meta {
            let words = list.tokens.to_string().replace(' ', "");
            for value in words.split("value_parser=").skip(1) {
                let path = value.split([',', '(', ')']).next().unwrap_or_default();
                self.argument_parsers.extend(path.rsplit("::").next().map(str::to_owned));
            }
        }
    }
}

fn first_line(span: Span) -> usize {
    span.start().line
}

/// Whether an item exists in tests only.
pub(crate) fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::Path(path) => path.is_ident("test"),
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        syn::Meta::NameValue(_) => false,
    })
}

/// Whether an item exists only with a cargo feature.
pub(crate) fn is_optional(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string().starts_with("feature"),
        syn::Meta::Path(_) | syn::Meta::NameValue(_) => false,
    })
}

/// The attributes of an item.
pub(crate) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// The name of the type that an item defines.
pub(crate) fn type_name(item: &Item) -> Option<&syn::Ident> {
    match item {
        Item::Enum(item) => Some(&item.ident),
        Item::Struct(item) => Some(&item.ident),
        Item::Trait(item) => Some(&item.ident),
        Item::Type(item) => Some(&item.ident),
        Item::Union(item) => Some(&item.ident),
        _ => None,
    }
}

/// The value and the error of a result type, as far as they are written.
fn result_of(kind: &Type) -> Option<(Option<&Type>, Option<&Type>)> {
    let Type::Path(path) = kind else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Result")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return Some((None, None)) };
    let mut types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(argument) => Some(argument),
        _ => None,
    });
    Some((types.next(), types.next()))
}

/// Looks for a result whose error is a string, anywhere in a type.
struct StringErrorIn(bool);

impl<'ast> Visit<'ast> for StringErrorIn {
    fn visit_type(&mut self, kind: &'ast Type) {
        let error = result_of(kind).and_then(|(_, error)| error);
        self.0 |= error.and_then(last_name).is_some_and(|name| name == "String");
        visit::visit_type(self, kind);
    }
}

/// The last name of a type that is a path.
fn last_name(kind: &Type) -> Option<String> {
    let Type::Path(path) = kind else { return None };
    path.path.segments.last().map(|last| last.ident.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Syntax {
        Syntax::of(text).expect("the test writes Rust")
    }

    #[test]
    fn a_test_module_in_another_file_hides_one_line() {
        let syntax = read("#[cfg(test)]\nmod tests;\n\nfn f() {}\n");
        assert_eq!(syntax.test_lines, [1..=2]);
        assert_eq!(syntax.test_modules, ["tests"]);
    }

    #[test]
    fn a_test_function_hides_itself_only() {
        let syntax =
            read("struct A;\nimpl A {\n    #[cfg(test)]\n    fn f() {\n    }\n    fn g() {}\n}\nfn h() {}\n");
        assert_eq!(syntax.test_lines, [3..=5]);
    }

    #[test]
    fn a_parameter_that_is_taken_apart_is_found_in_signatures_only() {
        let syntax = read("fn f(a: u8, (b, c): (u8, u8)) { let g = |(d, e): (u8, u8)| d + e; }\n");
        assert_eq!(syntax.tuple_parameters, [1]);
    }

    #[test]
    fn results_of_results_and_string_errors_are_found() {
        let syntax = read("fn f() -> Result<Result<A, B>, C> {}\nfn g() -> Option<Result<A, String>> {}\n");
        assert_eq!(syntax.nested_results, [1]);
        assert_eq!(syntax.string_errors, [(2, "g".to_owned())]);
    }

    #[test]
    fn functions_that_parse_arguments_are_known() {
        let syntax =
            read("struct Args {\n    #[arg(long, value_parser = crate::size::parse)]\n    size: u8,\n}\n");
        assert_eq!(syntax.argument_parsers, ["parse"]);
    }
}
