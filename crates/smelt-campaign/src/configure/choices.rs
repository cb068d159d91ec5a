//! The techniques, judges and searches that a request chooses.

use smelt_oracle::judge::judges;
use smelt_store::configuration::{Sharing, WeightedTechnique};
use smelt_testgen::search::bandit;
use smelt_testgen::technique::{Technique, generators, technique, techniques};

use super::HuntRequest;
use super::error::RequestError;

impl HuntRequest {
    /// The techniques of a hunt for bugs; none if they are not given.
    pub fn techniques(&self) -> Result<Option<Vec<WeightedTechnique>>, RequestError> {
        self.technique.as_deref().map(parse_techniques).transpose()
    }

    /// The search of a hunt for slowdowns; none if it is not given.
    pub fn search(&self) -> Result<Option<bandit::Variant>, RequestError> {
        let Some(name) = self.technique.as_deref().map(str::trim) else { return Ok(None) };
        let known = || bandit::Variant::ALL.iter().map(|variant| variant.name()).chain(["genetic"]).collect();
        let unknown = || RequestError::UnknownWord {
            what: "search for slowdowns",
            word: name.to_owned(),
            expected: known(),
        };
        bandit::Variant::named(name).map(Some).ok_or_else(unknown)
    }

    /// The judges; none if they are not given.
    pub fn judges(&self) -> Result<Option<Vec<&'static str>>, RequestError> {
        self.judge.as_deref().map(parse_judges).transpose()
    }

    /// How techniques share a hunt: as asked, or by weights where there are some; none if neither is given.
    pub fn sharing(&self) -> Option<Sharing> {
        let by_weights = |list: &String| if list.contains('=') { Sharing::Fixed } else { Sharing::Yield };
        self.sharing.or_else(|| self.technique.as_ref().map(by_weights))
    }
}

/// Reads `operator=3,generative`: names with weights, which are 1 if they are not given; or `all`.
fn parse_techniques(list: &str) -> Result<Vec<WeightedTechnique>, RequestError> {
    if list.trim() == "all" {
        return Ok(all_techniques());
    }
    let mut chosen: Vec<WeightedTechnique> = Vec::new();
    for item in list.split(',') {
        let (name, weight) = item.trim().split_once('=').unwrap_or((item.trim(), "1"));
        let Ok(weight @ 1..=1000) = weight.parse() else {
            return Err(RequestError::Weight(name.to_owned()));
        };
        if technique(name).is_none() {
            let all = techniques().into_iter().chain(generators());
            let expected = all.map(|technique| technique.name()).collect();
            return Err(RequestError::UnknownWord { what: "technique", word: name.to_owned(), expected });
        }
        if chosen.iter().any(|known| known.name == name) {
            return Err(RequestError::Repeated(name.to_owned()));
        }
        chosen.push(WeightedTechnique { name: name.to_owned(), weight });
    }
    Ok(chosen)
}

/// Reads `crash,model`, or `all`.
fn parse_judges(list: &str) -> Result<Vec<&'static str>, RequestError> {
    let known = || judges().into_iter().map(|judge| judge.name());
    if list.trim() == "all" {
        return Ok(known().collect());
    }
    let find = |name: &str| {
        known().find(|known| *known == name).ok_or_else(|| RequestError::UnknownWord {
            what: "judge",
            word: name.to_owned(),
            expected: known().collect(),
        })
    };
    list.split(',').map(|name| find(name.trim())).collect()
}

/// The judges of hunts for wrong answers.
pub fn usual_judges() -> Vec<&'static str> {
    judges().into_iter().filter(|judge| judge.is_usual()).map(|judge| judge.name()).collect()
}

/// All techniques but those for comparison, each as often as the others.
pub fn all_techniques() -> Vec<WeightedTechnique> {
    let weighted =
        |technique: Box<dyn Technique>| WeightedTechnique { name: technique.name().to_owned(), weight: 1 };
    techniques().into_iter().filter(|technique| technique.is_usual()).map(weighted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_technique(technique: &str) -> HuntRequest {
        HuntRequest { technique: Some(technique.to_owned()), ..HuntRequest::default() }
    }

    #[test]
    fn techniques_have_weights() {
        let weights = |list: &str| {
            parse_techniques(list)
                .map(|chosen| chosen.into_iter().map(|technique| technique.weight).collect::<Vec<_>>())
        };
        assert_eq!(weights("operator=3,generative"), Ok(vec![3, 1]));
        assert_eq!(parse_techniques("all"), Ok(all_techniques()));
        assert!(weights("operator=0").unwrap_err().to_string().contains("1 to 1000"));
        assert!(weights("operator,operator").unwrap_err().to_string().contains("twice"));
        assert!(weights("magic").unwrap_err().to_string().contains("expected one of: operator"));
    }

    #[test]
    fn weights_are_kept_unless_yield_is_wanted() {
        assert_eq!(HuntRequest::default().sharing(), None);
        assert_eq!(with_technique("operator=3").sharing(), Some(Sharing::Fixed));
        assert_eq!(with_technique("all").sharing(), Some(Sharing::Yield));
        let wanted = HuntRequest { sharing: Some(Sharing::Yield), ..with_technique("operator=3") };
        assert_eq!(wanted.sharing(), Some(Sharing::Yield));
    }

    #[test]
    fn judges_have_names() {
        assert_eq!(parse_judges("crash, model"), Ok(vec!["crash", "model"]));
        assert!(parse_judges("all").unwrap().len() > usual_judges().len());
        assert!(parse_judges("magic").unwrap_err().to_string().contains("crash"));
    }

    #[test]
    fn searches_for_slowdowns_have_names() {
        assert_eq!(with_technique("no-dtw").search(), Ok(Some(bandit::Variant::NoDtw)));
        let error = with_technique("operator").search().unwrap_err();
        assert!(error.to_string().contains("bandit, no-dtw, banditfuzz, random, genetic"), "{error}");
    }
}
