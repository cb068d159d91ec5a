//! The kinds of hunts, and which options belong to which. An option that has no effect in a hunt is an error.

use std::fmt;

use smelt_store::configuration::SessionMode;
use smelt_testgen::search::bandit;
use smelt_testgen::technique::technique;

use super::HuntRequest;
use super::error::{GivenOption, RequestError};
use super::values::Goal;

/// A kind of hunt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HuntKind {
    /// Wrong answers, crashes and whatever else judges find.
    Bugs,
    /// Formulas on which the last solver is slow, by a bandit or at random.
    Slowdown,
    /// The same by a genetic search, without a campaign.
    Genetic,
}

impl fmt::Display for HuntKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            HuntKind::Bugs => "a hunt for bugs (--goal bugs)",
            HuntKind::Slowdown => "a search for slowdowns (--goal slowdown)",
            HuntKind::Genetic => "a genetic search (--technique genetic)",
        })
    }
}

/// The technique that is a kind of hunt, and its old name.
const GENETIC: [&str; 2] = ["genetic", "evolution"];

impl HuntRequest {
    /// The kind of hunt by its goal and its techniques; none if neither is given.
    pub fn kind(&self) -> Result<Option<HuntKind>, RequestError> {
        let name = self.technique.as_deref().map(str::trim);
        let is_genetic = name.is_some_and(|name| GENETIC.contains(&name));
        let is_search = name.is_some_and(|name| bandit::Variant::named(name).is_some());
        // Random formulas are also a technique of hunts for bugs.
        let is_for_bugs = name.is_some_and(|name| technique(name).is_some());
        match self.goal {
            None | Some(Goal::Slowdown) if is_genetic => Ok(Some(HuntKind::Genetic)),
            None if is_search => Ok(Some(HuntKind::Slowdown)),
            None => Ok(name.map(|_| HuntKind::Bugs)),
            Some(Goal::Bugs) if is_genetic || is_search && !is_for_bugs => {
                Err(RequestError::SearchForBugs(name.unwrap_or_default().to_owned()))
            }
            Some(Goal::Bugs) => Ok(Some(HuntKind::Bugs)),
            Some(Goal::Slowdown) => Ok(Some(HuntKind::Slowdown)),
        }
    }
}

/// An option, how to see whether it is given, and the kinds of hunts that it belongs to.
struct Belongs {
    option: &'static str,
    is_given: fn(&HuntRequest) -> bool,
    kinds: &'static [HuntKind],
}

const BUGS: &[HuntKind] = &[HuntKind::Bugs];
const SLOWDOWN: &[HuntKind] = &[HuntKind::Slowdown];
const GENETIC_ONLY: &[HuntKind] = &[HuntKind::Genetic];
const CAMPAIGNS: &[HuntKind] = &[HuntKind::Bugs, HuntKind::Slowdown];

/// Options that do not belong to all kinds.
const OPTIONS: &[Belongs] = &[
    Belongs { option: "seeds", is_given: |request| !request.seeds.is_empty(), kinds: BUGS },
    Belongs { option: "cases", is_given: |request| request.cases.is_some(), kinds: CAMPAIGNS },
    Belongs { option: "cpu-time", is_given: |request| request.cpu_time.is_some(), kinds: CAMPAIGNS },
    Belongs { option: "findings", is_given: |request| request.findings.is_some(), kinds: CAMPAIGNS },
    Belongs { option: "triage", is_given: |request| request.triage.is_some(), kinds: BUGS },
    Belongs { option: "no-triage", is_given: |request| request.no_triage, kinds: CAMPAIGNS },
    Belongs { option: "sharing", is_given: |request| request.sharing.is_some(), kinds: BUGS },
    Belongs { option: "options", is_given: |request| request.options.is_some(), kinds: BUGS },
    Belongs { option: "triples", is_given: |request| request.triples.is_some(), kinds: BUGS },
    Belongs { option: "judge", is_given: |request| request.judge.is_some(), kinds: BUGS },
    Belongs { option: "alpha", is_given: |request| request.alpha.is_some(), kinds: SLOWDOWN },
    Belongs { option: "random-seeds", is_given: |request| request.random_seeds.is_some(), kinds: SLOWDOWN },
    Belongs { option: "best", is_given: |request| request.best.is_some(), kinds: SLOWDOWN },
    Belongs { option: "calibrate", is_given: |request| request.calibrate.is_some(), kinds: SLOWDOWN },
    Belongs { option: "variant", is_given: |request| request.variant.is_some(), kinds: GENETIC_ONLY },
    Belongs { option: "population", is_given: |request| request.population.is_some(), kinds: GENETIC_ONLY },
    Belongs { option: "coverage", is_given: |request| request.coverage.is_some(), kinds: GENETIC_ONLY },
    Belongs { option: "traces", is_given: |request| request.traces.is_some(), kinds: GENETIC_ONLY },
    Belongs { option: "confirm", is_given: |request| request.confirm.is_some(), kinds: GENETIC_ONLY },
];

/// A request, and where it comes from.
#[derive(Debug, Clone, Copy)]
pub struct SourcedRequest<'r> {
    /// The request.
    pub request: &'r HuntRequest,
    /// The name of the profile that it is, if it is one.
    pub profile: Option<&'r str>,
}

impl SourcedRequest<'_> {
    fn named(&self, option: &'static str) -> GivenOption {
        match self.profile {
            None => GivenOption::CommandLine(option),
            Some(profile) => GivenOption::Profile { option, profile: profile.to_owned() },
        }
    }

    /// Whether all options that are given have an effect in a kind of hunt.
    pub fn check_kind(&self, kind: HuntKind) -> Result<(), RequestError> {
        let wrong =
            OPTIONS.iter().find(|option| (option.is_given)(self.request) && !option.kinds.contains(&kind));
        if let Some(Belongs { option, kinds, .. }) = wrong {
            let option = self.named(option);
            return Err(RequestError::Misplaced { option, kind, belongs_to: kinds });
        }
        if kind == HuntKind::Bugs {
            return Ok(());
        }
        if self.request.jobs.is_some_and(|jobs| jobs.get() > 1) {
            let why = "measurements disturb each other";
            return Err(RequestError::Restricted { option: self.named("jobs"), kind, expected: "1", why });
        }
        if self.request.mode.is_some_and(|mode| mode != SessionMode::Cold) {
            let why = "times are measured in fresh processes";
            return Err(RequestError::Restricted { option: self.named("mode"), kind, expected: "cold", why });
        }
        Ok(())
    }
}

/// The options of a campaign that belong to hunts for bugs only, but are not part of a request.
pub fn only_for_bugs(option: &'static str, kind: HuntKind) -> Result<(), RequestError> {
    match kind {
        HuntKind::Bugs => Ok(()),
        kind => {
            let option = GivenOption::CommandLine(option);
            Err(RequestError::Misplaced { option, kind, belongs_to: BUGS })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(goal: Option<Goal>, technique: Option<&str>) -> Result<Option<HuntKind>, RequestError> {
        HuntRequest { goal, technique: technique.map(str::to_owned), ..HuntRequest::default() }.kind()
    }

    #[test]
    fn goal_and_technique_decide_what_kind_of_hunt_it_is() {
        assert_eq!(kind(None, None), Ok(None));
        for (technique, expected) in [
            ("operator=3,fusion", HuntKind::Bugs),
            ("construct=1,random=1", HuntKind::Bugs),
            ("bandit", HuntKind::Slowdown),
            ("random", HuntKind::Slowdown),
            ("genetic", HuntKind::Genetic),
            ("evolution", HuntKind::Genetic),
        ] {
            assert_eq!(kind(None, Some(technique)), Ok(Some(expected)), "{technique}");
        }
        assert_eq!(kind(Some(Goal::Slowdown), None), Ok(Some(HuntKind::Slowdown)));
        assert_eq!(kind(Some(Goal::Slowdown), Some("evolution")), Ok(Some(HuntKind::Genetic)));
        assert_eq!(kind(Some(Goal::Bugs), Some("random")), Ok(Some(HuntKind::Bugs)));
        for technique in ["evolution", "genetic", "bandit"] {
            let error = kind(Some(Goal::Bugs), Some(technique)).unwrap_err();
            assert!(error.to_string().contains("--goal bugs"), "{error}");
        }
    }

    #[test]
    fn an_option_of_another_kind_is_named_with_its_source() {
        let request = HuntRequest { cases: Some(3), ..HuntRequest::default() };
        let error = |profile| SourcedRequest { request: &request, profile }.check_kind(HuntKind::Genetic);
        let text = error(None).unwrap_err().to_string();
        assert!(text.starts_with("--cases has no effect in a genetic search"), "{text}");
        let text = error(Some("nightly")).unwrap_err().to_string();
        assert!(text.starts_with("`cases` of profile `nightly` has no effect"), "{text}");
        assert_eq!(SourcedRequest { request: &request, profile: None }.check_kind(HuntKind::Bugs), Ok(()));
    }
}
