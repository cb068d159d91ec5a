//! Formulas over strings: families that grow, transformed seeds, and random formulas.

use smelt_oracle::case::Expectation;
use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::term::Terms;
use smelt_testgen::ground_truth::Truth;
use smelt_testgen::made_case::MadeCase;
use smelt_testgen::random::Random;
use smelt_testgen::random_formula::{Knobs, Weights, random_script};
use smelt_testgen::seed::Seed;
use smelt_testgen::stringfuzz::{Family, Settings, TransformChain, Transformer, generate};

/// How many cases, and from which random seed on; each case has the next one.
#[derive(Debug, Clone, Copy)]
pub struct CaseCount {
    /// How many cases.
    pub count: u64,
    /// The random seed of the first.
    pub random_seed: u64,
}

/// Takes a case with its terms.
pub type TakeCase<'t, E> = &'t mut dyn FnMut(&mut Terms, MadeCase) -> Result<(), E>;

/// Families of formulas, in turns.
#[derive(Debug, Clone)]
pub struct GrowingFamilies {
    /// The families; none are all.
    pub families: Vec<Family>,
    /// The number that a family grows with; none is 1, 2, .. in turns.
    pub size: Option<u32>,
    /// The most characters of a literal.
    pub literal_length: u32,
    /// How often operators are chosen.
    pub weights: Weights,
    /// What is applied to each formula.
    pub transformers: Vec<Transformer>,
}

impl GrowingFamilies {
    /// Makes cases.
    pub fn make<E>(&self, cases: CaseCount, take: TakeCase<'_, E>) -> Result<(), E> {
        let families: &[Family] = if self.families.is_empty() { &Family::ALL } else { &self.families };
        for number in 0..cases.count {
            let random_seed = cases.random_seed.wrapping_add(number);
            let family = families[(number % families.len() as u64) as usize];
            let round = u32::try_from(number / families.len() as u64).unwrap_or(u32::MAX - 1);
            let size = self.size.unwrap_or(round + 1);
            let literal_length = self.literal_length;
            let settings = Settings { size, literal_length, weights: self.weights.clone() };
            let mut terms = Terms::new();
            let mut random = Random::new(random_seed);
            let script = generate(&mut terms, family, &settings, &mut random);
            let mut work = TransformChain::new(script, Truth::Unknown);
            work.apply(&mut terms, &self.transformers, &mut random);
            let lineage = format!(
                "family {}, size {size}, literal length {literal_length}{}, random seed {random_seed}",
                family.name(),
                work.transformers(),
            );
            let case = work.case(&mut terms, lineage);
            take(&mut terms, case)?;
        }
        Ok(())
    }
}

/// Transforms seeds, which are names and texts, in turns; without transformers one is drawn for each case.
pub fn transformed<E>(
    seeds: &[(String, String)],
    transformers: &[Transformer],
    cases: CaseCount,
    take: TakeCase<'_, E>,
) -> Result<(), E> {
    // Seeds that cannot be changed are passed over; at some point it is clear that none can.
    let (mut made, mut barren) = (0, 0);
    for number in 0.. {
        if seeds.is_empty() || made == cases.count || barren > 20 * seeds.len() {
            break;
        }
        let random_seed = cases.random_seed.wrapping_add(number as u64);
        let (name, text) = &seeds[number % seeds.len()];
        let mut terms = Terms::new();
        let mut random = Random::new(random_seed);
        barren += 1;
        let Ok(seed) = Seed::read(&mut terms, name, text) else { continue };
        let one = [Transformer::ALL[random.position(Transformer::ALL.len())]];
        let transformers = if transformers.is_empty() { &one[..] } else { transformers };
        // Such a case does not say what its claim rests on, so it has none that is not certain.
        let truth = if seed.basis.is_certain() { seed.truth } else { Truth::Unknown };
        let mut work = TransformChain::new(seed.script, truth);
        work.apply(&mut terms, transformers, &mut random);
        if work.is_unchanged() {
            continue;
        }
        let lineage = format!("seed {name}{}, random seed {random_seed}", work.transformers());
        let case = work.case(&mut terms, lineage);
        (made, barren) = (made + 1, 0);
        take(&mut terms, case)?;
    }
    Ok(())
}

/// Makes random formulas.
pub fn random<E>(knobs: &Knobs, cases: CaseCount, take: TakeCase<'_, E>) -> Result<(), E> {
    let Knobs { literal_length, variables, assertions, depth, .. } = knobs;
    for number in 0..cases.count {
        let random_seed = cases.random_seed.wrapping_add(number);
        let mut terms = Terms::new();
        let script = random_script(&mut terms, knobs, &mut Random::new(random_seed));
        let lineage = format!(
            "literal length {literal_length}, variables {variables}, assertions {assertions}, depth {depth}, \
             random seed {random_seed}"
        );
        let case = MadeCase { script, expectation: Expectation::None, comments: String::new(), lineage };
        take(&mut terms, case)?;
    }
    Ok(())
}

/// How often the operators with a name are chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorWeight {
    name: String,
    weight: u32,
}

/// A text that is not the weight of an operator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WeightError {
    /// It has another form.
    #[error("a weight is an operator and a number, such as str.len=2")]
    Form,
    /// Its operator is not known.
    #[error("unknown operator `{0}`")]
    Operator(String),
}

impl std::str::FromStr for OperatorWeight {
    type Err = WeightError;

    /// Reads `str.len=2`.
    fn from_str(text: &str) -> Result<Self, WeightError> {
        let (name, weight) = text.rsplit_once('=').ok_or(WeightError::Form)?;
        if Op::named(name).is_empty() {
            return Err(WeightError::Operator(name.to_owned()));
        }
        let weight = weight.parse().map_err(|_| WeightError::Form)?;
        Ok(OperatorWeight { name: name.to_owned(), weight })
    }
}

/// The usual weights of a dialect, but for some operators.
pub fn weights(dialect: Dialect, changed: &[OperatorWeight]) -> Weights {
    let standard = Weights::default();
    let mut weights = if dialect == Dialect::V25 { standard.older() } else { standard };
    for OperatorWeight { name, weight } in changed {
        Op::named(name).iter().for_each(|op| weights.set(*op, *weight));
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_name_operators() {
        assert!("str.len=2".parse::<OperatorWeight>().is_ok());
        assert_eq!("str.len".parse::<OperatorWeight>(), Err(WeightError::Form));
        assert_eq!("str.len=many".parse::<OperatorWeight>(), Err(WeightError::Form));
        let unknown = "str.nothing=1".parse::<OperatorWeight>().unwrap_err();
        assert_eq!(unknown.to_string(), "unknown operator `str.nothing`");
    }
}
