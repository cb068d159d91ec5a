//! Values as SMT-LIB text.

use std::fmt::Write;

use dashu_int::IBig;
use dashu_ratio::RBig;
use smelt_smtlib::op::Op;
use smelt_smtlib::print::write_symbol;
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::Terms;

use crate::environment::Environment;
use crate::value::Value;

/// The SMT-LIB term of a value of some sort; none if it has no finite form (a language, a function), or if parts that it
/// shares would make the text enormous.
///
/// Recursion is bounded by the depth to which values nest.
pub fn value_text(terms: &mut Terms, environment: &Environment, value: &Value, sort: Sort) -> Option<String> {
    if value.weight() > MAX_WEIGHT || terms.sorts.tree_size(sort) > MAX_SORT_SIZE {
        return None;
    }
    let mut out = String::new();
    write_value(terms, environment, value, sort, &mut out)?;
    Some(out)
}

/// Values that are heavier are not printed.
const MAX_WEIGHT: u64 = 1 << 22;
/// Numbers with more machine words are not printed in decimal, which takes more than linear time.
const MAX_NUMBER_WORDS: u64 = 1 << 14;
/// Values of larger sorts are not printed, because empty containers are qualified by their sort.
const MAX_SORT_SIZE: u64 = 1 << 12;

fn write_value(
    terms: &mut Terms,
    environment: &Environment,
    value: &Value,
    sort: Sort,
    out: &mut String,
) -> Option<()> {
    match value {
        Value::Int(_) | Value::Real(_) if value.own_words() > MAX_NUMBER_WORDS => return None,
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Int(number) if sort == Sort::REAL => write_real(&RBig::from(number.clone()), out),
        Value::Int(number) => write_int(number, "", out),
        Value::Real(number) => write_real(number, out),
        Value::BitVec(bits) => write!(out, "{bits}").ok()?,
        Value::Float(float) => write!(out, "{float}").ok()?,
        Value::RoundingMode(mode) => out.push_str(mode.name()),
        Value::Str(text) => out.push_str(&text.to_literal()),
        Value::Abstract(_, name) => out.push_str(terms.text(*name)),
        Value::Array(array) => {
            let SortKind::Array(index_sort, element_sort) = *terms.sorts.kind(sort) else { return None };
            // Sorted by text, so that the same array always prints the same.
            let mut entries = Vec::new();
            for (index, element) in array.entries() {
                entries.push((
                    value_text(terms, environment, index, index_sort)?,
                    value_text(terms, environment, element, element_sort)?,
                ));
            }
            entries.sort();
            out.push_str(&"(store ".repeat(entries.len()));
            out.push_str("((as const ");
            terms.sorts.write(&terms.symbols, sort, out);
            out.push_str(") ");
            write_value(terms, environment, array.default(), element_sort, out)?;
            out.push(')');
            for (index, element) in entries {
                write!(out, " {index} {element})").ok()?;
            }
        }
        Value::Seq(seq) => {
            let SortKind::Seq(element_sort) = *terms.sorts.kind(sort) else { return None };
            if seq.elements.is_empty() {
                write_empty(terms, Op::SeqEmpty, sort, out);
                return Some(());
            }
            let is_one = seq.elements.len() == 1;
            out.push_str(if is_one { "" } else { "(seq.++" });
            for element in &seq.elements {
                out.push_str(if is_one { "(seq.unit " } else { " (seq.unit " });
                write_value(terms, environment, element, element_sort, out)?;
                out.push(')');
            }
            out.push_str(if is_one { "" } else { ")" });
        }
        Value::Data(data) => {
            let SortKind::Named(name, arguments) = terms.sorts.kind(sort).clone() else { return None };
            let datatype = environment.datatype(name)?;
            let constructor = datatype.constructors.iter().find(|known| known.name == data.constructor)?;
            let bindings: Vec<(Symbol, Sort)> =
                datatype.params.iter().copied().zip(arguments.iter().copied()).collect();
            let is_list = !data.fields.is_empty();
            out.push_str(if is_list { "(" } else { "" });
            if datatype.params.is_empty() {
                write_symbol(terms.text(data.constructor), out);
            } else {
                out.push_str("(as ");
                write_symbol(terms.text(data.constructor), out);
                out.push(' ');
                terms.sorts.write(&terms.symbols, sort, out);
                out.push(')');
            }
            for (field, (_, field_sort)) in data.fields.iter().zip(&constructor.selectors) {
                let field_sort = terms.sorts.instantiate(*field_sort, &bindings);
                out.push(' ');
                write_value(terms, environment, field, field_sort, out)?;
            }
            out.push_str(if is_list { ")" } else { "" });
        }
        Value::Tuple(tuple) => {
            let SortKind::Tuple(sorts) = terms.sorts.kind(sort).clone() else { return None };
            if sorts.is_empty() {
                out.push_str(Op::TupleUnit.info().name);
                return Some(());
            }
            out.push_str("(tuple");
            for (part, sort) in tuple.elements.iter().zip(&sorts) {
                out.push(' ');
                write_value(terms, environment, part, *sort, out)?;
            }
            out.push(')');
        }
        Value::Nullable(nullable) => {
            let SortKind::Nullable(content_sort) = *terms.sorts.kind(sort) else { return None };
            match nullable.elements.first() {
                None => write_empty(terms, Op::NullableNull, sort, out),
                Some(content) => {
                    out.push_str("(nullable.some ");
                    write_value(terms, environment, content, content_sort, out)?;
                    out.push(')');
                }
            }
        }
        Value::Set(collection) | Value::Bag(collection) => {
            let (SortKind::Set(element_sort)
            | SortKind::FiniteSet(element_sort)
            | SortKind::Bag(element_sort)) = *terms.sorts.kind(sort)
            else {
                return None;
            };
            let is_bag = matches!(value, Value::Bag(_));
            let mut parts = Vec::new();
            for (element, count) in collection.entries() {
                let text = value_text(terms, environment, element, element_sort)?;
                parts.push(if is_bag {
                    format!("(bag {text} {count})")
                } else {
                    format!("(set.singleton {text})")
                });
            }
            // Sorted by text, so that the same set always prints the same.
            parts.sort();
            match parts.as_slice() {
                [] => write_empty(terms, if is_bag { Op::BagEmpty } else { Op::SetEmpty }, sort, out),
                [only] => out.push_str(only),
                parts => {
                    out.push_str(if is_bag { "(bag.union_disjoint " } else { "(set.union " });
                    out.push_str(&parts.join(" "));
                    out.push(')');
                }
            }
        }
        Value::Field(number) => {
            let SortKind::FiniteField(order) = terms.sorts.kind(sort) else { return None };
            write!(out, "#f{number}m{}", terms.text(*order)).ok()?;
        }
        Value::Regex(_) | Value::Function(_) => return None,
    }
    Some(())
}

/// A constant that is qualified by its sort.
fn write_empty(terms: &Terms, op: Op, sort: Sort, out: &mut String) {
    out.push_str("(as ");
    out.push_str(op.info().name);
    out.push(' ');
    terms.sorts.write(&terms.symbols, sort, out);
    out.push(')');
}

/// A decimal point marks integers that are real.
fn write_int(number: &IBig, point: &str, out: &mut String) {
    if *number < IBig::ZERO {
        out.push_str(&format!("(- {}{point})", -number));
    } else {
        out.push_str(&format!("{number}{point}"));
    }
}

fn write_real(number: &RBig, out: &mut String) {
    if number.is_int() {
        write_int(number.numerator(), ".0", out);
    } else {
        out.push_str("(/ ");
        write_int(number.numerator(), ".0", out);
        out.push_str(&format!(" {}.0)", number.denominator()));
    }
}
