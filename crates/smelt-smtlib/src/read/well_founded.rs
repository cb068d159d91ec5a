//! Datatypes that have no value: SMT-LIB allows only well-founded ones, each with at least one finite value.
//!
//! A datatype has a finite value if all fields of one of its constructors have one. Looking for such values follows the
//! fields with their parameters replaced; where that meets too many sorts, nothing is reported.

use rustc_hash::FxHashMap;

use super::Reader;
use crate::diagnostic::Problem;
use crate::script::Datatype;
use crate::sort::{Sort, SortKind};
use crate::symbol::Symbol;

/// Parametric datatypes that use themselves with larger arguments have infinitely many sorts below them. So many are
/// looked at for each datatype of a declaration.
const MAX_SORTS: usize = 64;

impl Reader<'_> {
    /// Reports those of some datatypes, which are declared already, that are not well-founded.
    pub(super) fn check_well_founded(&mut self, places: &[u32], datatypes: &[Datatype]) {
        let roots: Vec<Sort> = datatypes.iter().map(|datatype| self.generic_sort(datatype)).collect();
        let Some(inhabited) = self.inhabited_below(&roots) else { return };
        for ((place, datatype), root) in places.iter().zip(datatypes).zip(roots) {
            if !inhabited[&root] {
                let name = self.terms.text(datatype.name);
                let message = format!("datatype `{name}` is not well-founded: it has no finite value");
                let help = "add a constructor whose fields do not need a value of this datatype";
                self.report_with_help(Problem::Sort, *place, message, Some(help.to_owned()));
            }
        }
    }

    /// The sort of a datatype applied to its own parameters.
    pub(super) fn generic_sort(&mut self, datatype: &Datatype) -> Sort {
        let sorts = &mut self.terms.sorts;
        let params = datatype.params.iter().map(|param| sorts.intern(SortKind::Param(*param))).collect();
        self.terms.sorts.intern(SortKind::Named(datatype.name, params))
    }

    /// For each sort that can be reached from some, whether it has a finite value; nothing if there are too many.
    fn inhabited_below(&mut self, roots: &[Sort]) -> Option<FxHashMap<Sort, bool>> {
        let max_sorts = MAX_SORTS * roots.len();
        let mut ways: FxHashMap<Sort, Vec<Vec<Sort>>> = FxHashMap::default();
        let mut pending = roots.to_vec();
        while let Some(sort) = pending.pop() {
            if ways.contains_key(&sort) {
                continue;
            }
            if ways.len() == max_sorts {
                return None;
            }
            let found = self.ways_to_make(sort);
            pending.extend(found.iter().flatten());
            ways.insert(sort, found);
        }
        Some(least_fixpoint(&ways))
    }

    /// For each way to make a value of a sort, the sorts of which it needs values.
    fn ways_to_make(&mut self, sort: Sort) -> Vec<Vec<Sort>> {
        match self.terms.sorts.kind(sort).clone() {
            SortKind::Array(_, element) => vec![vec![element]],
            SortKind::Named(name, arguments) => match self.scope.datatype(name).cloned() {
                Some(datatype) => self.constructors_of(&datatype, &arguments),
                None => vec![Vec::new()],
            },
            // A parameter stands for a sort with values; a sequence may be empty.
            _ => vec![Vec::new()],
        }
    }

    fn constructors_of(&mut self, datatype: &Datatype, arguments: &[Sort]) -> Vec<Vec<Sort>> {
        let bindings: Vec<(Symbol, Sort)> =
            datatype.params.iter().copied().zip(arguments.iter().copied()).collect();
        let mut field = |sort: Sort| self.terms.sorts.instantiate(sort, &bindings);
        let constructors = datatype.constructors.iter();
        constructors.map(|made| made.selectors.iter().map(|(_, sort)| field(*sort)).collect()).collect()
    }
}

/// The sorts that have values if only those do that must.
fn least_fixpoint(ways: &FxHashMap<Sort, Vec<Vec<Sort>>>) -> FxHashMap<Sort, bool> {
    let mut inhabited: FxHashMap<Sort, bool> = ways.keys().map(|sort| (*sort, false)).collect();
    // Each way waits for the sorts that it needs; the last one that arrives makes its value.
    let mut missing: Vec<(Sort, usize)> = Vec::new();
    let mut waiting: FxHashMap<Sort, Vec<usize>> = FxHashMap::default();
    let mut arrived: Vec<Sort> = Vec::new();
    for (sort, found) in ways {
        for way in found {
            way.iter().for_each(|part| waiting.entry(*part).or_default().push(missing.len()));
            missing.push((*sort, way.len()));
            if way.is_empty() {
                arrived.push(*sort);
            }
        }
    }
    while let Some(sort) = arrived.pop() {
        if inhabited.insert(sort, true) == Some(true) {
            continue;
        }
        for &way in waiting.get(&sort).map_or(&[][..], Vec::as_slice) {
            let (made, left) = &mut missing[way];
            *left -= 1;
            if *left == 0 {
                arrived.push(*made);
            }
        }
    }
    inhabited
}
