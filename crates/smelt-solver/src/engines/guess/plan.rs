//! Assertions laid out for fast evaluation under many assignments.
//!
//! Nodes stand in the order in which they can be evaluated once the constants have values one after the other, so
//! that a search finds out early which choices are wrong. What a node computes is the business of the string type of the
//! semantics; a model that is found here is evaluated again by the caller.

use dashu_int::IBig;
use dashu_int::ops::{BitTest, DivEuclid, RemEuclid};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::literal;
use smelt_semantics::model::Model;
use smelt_semantics::regex::{Re, Regexes};
use smelt_semantics::string::Str;
use smelt_semantics::value::Value;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::subterms;

/// Effort for one node, in units of the semantics.
const NODE_BUDGET: u64 = 1 << 20;
/// Products that are longer have no value here: squares of squares take all the memory there is after a few steps.
const MAX_PRODUCT_BITS: usize = 1 << 14;
/// How many nodes one counts for that builds or reads a language with words that are not known before.
const OPEN_LANGUAGE_NODES: u64 = 20;

/// A term to be evaluated.
#[derive(Debug, Clone)]
struct Node {
    op: Op,
    args: SmallVec<[u32; 3]>,
    slot: u32,
}

/// What is evaluated once the constant at some position has its value.
#[derive(Debug, Clone, Default)]
struct Level {
    nodes: Vec<Node>,
    /// What one pass over them costs, in nodes.
    cost: u64,
    /// Slots of assertions that must be true then.
    asserted: Vec<u32>,
}

/// Assertions over constants in an order.
pub(super) struct Plan {
    levels: Vec<Level>,
    /// The slot of each constant.
    constant_slots: Vec<u32>,
    values: Vec<Option<Value>>,
    regexes: Regexes,
}

impl Plan {
    /// Lays out assertions for constants that get their values in the given order; none if something in them cannot
    /// be evaluated here.
    pub(super) fn new(terms: &Terms, assertions: &[Term], constants: &[Term]) -> Option<Plan> {
        if constants.iter().any(|constant| terms.sort(*constant) == Sort::REG_LAN) {
            return None;
        }
        let environment = Environment::default();
        let model = Model::new();
        let mut evaluator = Evaluator::new(terms, &environment, &model);
        let mut levels = vec![Level::default(); constants.len() + 1];
        let mut values: Vec<Option<Value>> = Vec::new();
        // For each term its slot and the number of constants that must have values before it has one.
        let mut places: FxHashMap<Term, (u32, usize)> = FxHashMap::default();
        let mut constant_slots = Vec::with_capacity(constants.len());
        for (position, constant) in constants.iter().enumerate() {
            constant_slots.push(values.len() as u32);
            places.insert(*constant, (values.len() as u32, position + 1));
            values.push(None);
        }
        for term in subterms(terms, assertions) {
            let is_known = |arg: &Term| places.get(arg).is_none_or(|(_, level)| *level == 0);
            let is_language = terms.sort(term) == Sort::REG_LAN;
            // A language without constants gets its slot where it is used.
            if places.contains_key(&term) || (is_language && terms.args(term).iter().all(is_known)) {
                continue;
            }
            if build::is_value(terms, term) {
                places.insert(term, (values.len() as u32, 0));
                values.push(Some(literal::value_of(terms, term)?));
                continue;
            }
            let op = terms.op(term)?;
            let mut args = SmallVec::new();
            let mut level = 0;
            let mut cost = if is_language { OPEN_LANGUAGE_NODES } else { 1 };
            for arg in terms.args(term) {
                let is_language = terms.sort(*arg) == Sort::REG_LAN;
                if is_language && !places.contains_key(arg) {
                    let Ok(language @ Value::Regex(_)) = evaluator.eval(*arg) else { return None };
                    places.insert(*arg, (values.len() as u32, 0));
                    values.push(Some(language));
                }
                let (arg_slot, arg_level) = *places.get(arg)?;
                args.push(arg_slot);
                level = level.max(arg_level);
                if is_language && arg_level > 0 {
                    cost = OPEN_LANGUAGE_NODES;
                }
            }
            let slot = values.len() as u32;
            values.push(None);
            places.insert(term, (slot, level));
            levels[level].cost += cost;
            levels[level].nodes.push(Node { op, args, slot });
        }
        for assertion in assertions {
            let (slot, level) = places[assertion];
            levels[level].asserted.push(slot);
        }
        let regexes = std::mem::take(evaluator.regexes());
        Some(Plan { levels, constant_slots, values, regexes })
    }

    /// What one pass over a level costs, in nodes.
    pub(super) fn level_cost(&self, level: usize) -> u64 {
        1 + self.levels[level].cost
    }

    /// Gives the constant at a position its value.
    pub(super) fn set(&mut self, position: usize, value: Value) {
        self.values[self.constant_slots[position] as usize] = Some(value);
    }

    /// The value of the constant at a position.
    pub(super) fn get(&self, position: usize) -> Option<&Value> {
        self.values[self.constant_slots[position] as usize].as_ref()
    }

    /// Evaluates what depends on the first `level` constants and not on fewer; whether all assertions among it hold.
    pub(super) fn holds(&mut self, level: usize) -> bool {
        let Level { nodes, asserted, .. } = &self.levels[level];
        for node in nodes {
            let value = evaluate(&mut self.regexes, &self.values, node);
            self.values[node.slot as usize] = value;
        }
        asserted.iter().all(|slot| self.values[*slot as usize] == Some(Value::Bool(true)))
    }
}

fn evaluate(regexes: &mut Regexes, values: &[Option<Value>], node: &Node) -> Option<Value> {
    let arg = |position: usize| values[*node.args.get(position)? as usize].as_ref();
    let bool_at = |position: usize| match arg(position) {
        Some(Value::Bool(value)) => Some(*value),
        _ => None,
    };
    let int = |position: usize| match arg(position) {
        Some(Value::Int(value)) => Some(value),
        _ => None,
    };
    let text = |position: usize| match arg(position) {
        Some(Value::Str(value)) => Some(value),
        _ => None,
    };
    let language = |position: usize| match arg(position) {
        Some(Value::Regex(re)) => Some(*re),
        _ => None,
    };
    let all = 0..node.args.len();
    let mut budget = Budget::new(NODE_BUDGET);
    let budget = &mut budget;
    Some(match node.op {
        Op::Not => Value::Bool(!bool_at(0)?),
        // An argument that decides makes up for others without a value.
        Op::And | Op::Or => {
            let neutral = node.op == Op::And;
            let mut is_open = false;
            for position in all {
                match bool_at(position) {
                    Some(value) if value != neutral => return Some(Value::Bool(value)),
                    Some(_) => {}
                    None => is_open = true,
                }
            }
            if is_open {
                return None;
            }
            Value::Bool(neutral)
        }
        Op::Ite => arg(if bool_at(0)? { 1 } else { 2 })?.clone(),
        Op::Eq => Value::Bool(arg(0)? == arg(1)?),
        Op::Distinct => {
            let args: Vec<&Value> = all.map(arg).collect::<Option<_>>()?;
            let is_distinct = args.iter().enumerate().all(|(at, value)| !args[..at].contains(value));
            Value::Bool(is_distinct)
        }
        Op::Neg => Value::Int(-int(0)?.clone()),
        Op::Sub => {
            let mut sum = int(0)?.clone();
            for position in 1..node.args.len() {
                sum -= int(position)?;
            }
            Value::Int(sum)
        }
        Op::Add => {
            let mut sum = IBig::ZERO;
            for position in all {
                sum += int(position)?;
            }
            Value::Int(sum)
        }
        Op::Mul => {
            let mut product = IBig::ONE;
            for position in all {
                let factor = int(position)?;
                if product.bit_len() + factor.bit_len() > MAX_PRODUCT_BITS {
                    return None;
                }
                product *= factor;
            }
            Value::Int(product)
        }
        Op::IntDiv if node.args.len() == 2 && *int(1)? != IBig::ZERO => {
            Value::Int(int(0)?.div_euclid(int(1)?))
        }
        Op::Mod if *int(1)? != IBig::ZERO => Value::Int(IBig::from(int(0)?.rem_euclid(int(1)?))),
        Op::Le => Value::Bool(int(0)? <= int(1)?),
        Op::Lt => Value::Bool(int(0)? < int(1)?),
        Op::Ge => Value::Bool(int(0)? >= int(1)?),
        Op::Gt => Value::Bool(int(0)? > int(1)?),
        Op::StrConcat => {
            let parts: Vec<Str> = all.map(|position| text(position).cloned()).collect::<Option<_>>()?;
            Value::Str(Str::concat(&parts, budget).ok()?)
        }
        Op::StrLen => Value::Int(IBig::from(text(0)?.len())),
        Op::StrLt => Value::Bool(text(0)? < text(1)?),
        Op::StrLe => Value::Bool(text(0)? <= text(1)?),
        Op::StrAt => Value::Str(text(0)?.at(int(1)?)),
        Op::StrSubstr => Value::Str(text(0)?.substr(int(1)?, int(2)?, budget).ok()?),
        Op::StrPrefixof => Value::Bool(text(0)?.is_prefix_of(text(1)?, budget).ok()?),
        Op::StrSuffixof => Value::Bool(text(0)?.is_suffix_of(text(1)?, budget).ok()?),
        Op::StrContains => Value::Bool(text(0)?.contains(text(1)?, budget).ok()?),
        Op::StrIndexof => Value::Int(text(0)?.index_of(text(1)?, int(2)?, budget).ok()?),
        Op::StrReplace => Value::Str(text(0)?.replace(text(1)?, text(2)?, budget).ok()?),
        Op::StrReplaceAll => Value::Str(text(0)?.replace_all(text(1)?, text(2)?, budget).ok()?),
        Op::StrReplaceRe => Value::Str(regexes.replace_re(text(0)?, language(1)?, text(2)?, budget).ok()?),
        Op::StrReplaceReAll => {
            Value::Str(regexes.replace_re_all(text(0)?, language(1)?, text(2)?, budget).ok()?)
        }
        Op::StrIsDigit => Value::Bool(text(0)?.is_digit()),
        Op::StrToCode => Value::Int(text(0)?.to_code()),
        Op::StrFromCode => Value::Str(Str::from_code(int(0)?)),
        Op::StrToInt => Value::Int(text(0)?.to_int(budget).ok()?),
        Op::StrFromInt => Value::Str(Str::from_int(int(0)?, budget).ok()?),
        Op::StrInRe => Value::Bool(regexes.matches(text(0)?, language(1)?, budget).ok()?),
        Op::StrRev => Value::Str(text(0)?.reverse(budget).ok()?),
        Op::StrToLower => Value::Str(text(0)?.to_lower(budget).ok()?),
        Op::StrToUpper => Value::Str(text(0)?.to_upper(budget).ok()?),
        Op::StrUpdate => Value::Str(text(0)?.update(int(1)?, text(2)?, budget).ok()?),
        Op::StrToRe => Value::Regex(regexes.to_re(text(0)?, budget).ok()?),
        Op::ReRange => Value::Regex(regexes.range(text(0)?, text(1)?, budget).ok()?),
        Op::ReStar => Value::Regex(regexes.star(language(0)?, budget).ok()?),
        Op::RePlus => Value::Regex(regexes.plus(language(0)?, budget).ok()?),
        Op::ReOpt => Value::Regex(regexes.optional(language(0)?, budget).ok()?),
        Op::ReComp => Value::Regex(regexes.complement(language(0)?, budget).ok()?),
        Op::ReConcat | Op::ReUnion | Op::ReInter | Op::ReDiff => {
            let languages: Vec<Re> = all.map(language).collect::<Option<_>>()?;
            let combined = match node.op {
                Op::ReConcat => regexes.concat(&languages, budget),
                Op::ReUnion => regexes.union(&languages, budget),
                Op::ReInter => regexes.inter(&languages, budget),
                _ => regexes.difference(languages[0], &languages[1..], budget),
            };
            Value::Regex(combined.ok()?)
        }
        _ => return None,
    })
}
