//! What the user wants of a hunt: the command line, then the profile, then nothing.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use smelt_campaign::slowdown::measure::SEEDS;
use smelt_oracle::judge::judges;
use smelt_store::configuration::{Budget, Sharing, WeightedTechnique};
use smelt_testgen::search::bandit::Variant;
use smelt_testgen::technique::{Technique, generators, technique as technique_named, techniques};

use super::modes::misplaced;
use super::{Args, DEFAULT_TIME_SECS};
use crate::error::CliError;
use crate::hints::DEFAULT_DIR;
use crate::profiles::{HuntProfile, Profiles};
use crate::triples::read_triples;

/// A kind of hunt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Wrong answers, crashes and whatever else judges find.
    Bugs,
    /// Formulas on which the last solver is slow, by a bandit or at random.
    Slowdown,
    /// The same by evolution, without a campaign.
    Evolution,
}

impl Mode {
    /// As users would say it.
    pub(super) fn words(self) -> &'static str {
        match self {
            Mode::Bugs => "a hunt for bugs (--goal bugs)",
            Mode::Slowdown => "a search for slowdowns (--goal slowdown)",
            Mode::Evolution => "an evolution (--technique genetic)",
        }
    }
}

/// The technique that is a kind of hunt.
const GENETIC: &str = "genetic";
/// The same by its old name.
const EVOLUTION: &str = "evolution";

/// The wishes of the user; what is none or empty has a default, or comes from the record.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    /// What the profile says, if there is one.
    pub profile: HuntProfile,
    pub seeds: Vec<PathBuf>,
    pub solvers: Vec<String>,
    pub techniques: Vec<WeightedTechnique>,
    /// None if the record or the weights decide.
    pub sharing: Option<Sharing>,
    /// How many drawn sets of options every solver gets.
    pub options: usize,
    /// Whether solvers run with default options, outside of safe mode too where they have one.
    pub plain_options: bool,
    /// The text of the file with triples.
    pub triples: Option<String>,
    pub judges: Vec<&'static str>,
    pub random_seed: Option<u64>,
    pub timeout_secs: Option<f64>,
    /// How many steps all chains have; none if the record or the techniques decide.
    pub steps: Option<u32>,
    pub jobs: Option<NonZeroUsize>,
    /// For solvers whose profile does not say.
    pub mode: Option<String>,
    pub dir: PathBuf,
    /// How long findings are reduced when the hunt is over; none if they are not.
    pub triage: Option<Duration>,
    /// The time is that of this hunt alone.
    pub budget: Budget,
    /// What kind of hunt it is; none if the record decides.
    pub mode_of_hunt: Option<Mode>,
    /// Which search for slowdowns it is; none if the record decides.
    pub variant: Option<Variant>,
    pub alpha: Option<Alpha>,
    pub random_seeds: u32,
    /// How many slowdowns are tried with random seeds.
    pub best: usize,
    /// How many formulas are measured before a search for slowdowns.
    pub calibrate: usize,
}

/// What a slowdown is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Alpha {
    /// So many seconds more.
    Seconds(f64),
    /// So many times as long.
    Times(f64),
}

/// Reads `1.5`, seconds, or `5x`.
pub(super) fn parse_alpha(text: &str) -> Result<Alpha, String> {
    let (number, is_ratio) = match text.strip_suffix('x') {
        Some(number) => (number, true),
        None => (text.strip_suffix('s').unwrap_or(text), false),
    };
    match (number.parse::<f64>(), is_ratio) {
        (Ok(seconds), false) if seconds > 0.0 && seconds.is_finite() => Ok(Alpha::Seconds(seconds)),
        (Ok(times), true) if times > 1.0 && times.is_finite() => Ok(Alpha::Times(times)),
        _ => Err("expected seconds, such as 1.5, or a ratio above 1, such as 5x".to_owned()),
    }
}

/// The search for slowdowns with this name.
fn parse_variant(name: &str) -> Result<Variant, String> {
    Variant::named(name.trim()).ok_or_else(|| {
        let known: Vec<&str> = Variant::ALL.iter().map(|variant| variant.name()).collect();
        format!(
            "`{name}` does not look for slowdowns; there are {}, genetic, one of them at a time",
            known.join(", ")
        )
    })
}

/// For one of so many parts of the time of a hunt its findings are reduced, after it.
const TRIAGE_PART: u32 = 4;

const EVOLUTION_FOLDER: &str = "smelt-evolution";

const DEFAULT_BEST: usize = 3;

const DEFAULT_CALIBRATION: usize = 5;

/// Brings command line and profile together.
pub(super) fn settings(args: &Args, profiles: &Profiles) -> Result<Settings, CliError> {
    let profile = match &args.profile {
        Some(name) => profiles.hunt(name)?,
        None => Default::default(),
    };
    let profile_time = profile.time.as_deref().map(parse_time).transpose().map_err(CliError::usage)?;
    let time = args.time.or(profile_time);
    let is_bounded = args.resume
        || [args.cases, profile.cases, args.findings, profile.findings]
            .into_iter()
            .flatten()
            .next()
            .is_some();
    let default_time = (!is_bounded).then_some(Duration::from_secs_f64(DEFAULT_TIME_SECS));
    let wanted = args.technique.as_deref().or(profile.technique.as_deref());
    let wanted_judges = args.judge.as_deref().or(profile.judge.as_deref());
    let timeout_secs = args.timeout.or(profile.timeout);
    if timeout_secs.is_some_and(|seconds| !seconds.is_finite() || seconds <= 0.0) {
        return Err(CliError::usage("the timeout must be a positive number of seconds"));
    }
    let steps = args.steps.or(profile.steps);
    if steps.is_some_and(|steps| !(1..=999).contains(&steps)) {
        return Err(CliError::usage("chains have 1 to 999 steps"));
    }
    let goal = args.goal.as_deref().or(profile.goal.as_deref());
    // Only a campaign that is resumed says itself what it is.
    let mode_of_hunt = mode_of(goal, wanted)?.or((!args.resume).then_some(Mode::Bugs));
    if let Some(message) = mode_of_hunt.and_then(|mode| misplaced(args, &profile, mode)) {
        return Err(CliError::Usage(message));
    }
    let alpha = match args.alpha {
        Some(alpha) => Some(alpha),
        None => profile.alpha.as_deref().map(parse_alpha).transpose().map_err(CliError::usage)?,
    };
    let variant = wanted.filter(|_| mode_of_hunt == Some(Mode::Slowdown));
    let techniques = wanted.filter(|_| matches!(mode_of_hunt, None | Some(Mode::Bugs)));
    let folder = if mode_of_hunt == Some(Mode::Evolution) { EVOLUTION_FOLDER } else { DEFAULT_DIR };
    Ok(Settings {
        profile: profile.clone(),
        seeds: if args.seeds.is_empty() { profile.seeds.unwrap_or_default() } else { args.seeds.clone() },
        solvers: if args.solvers.is_empty() {
            profile.solver.unwrap_or_default()
        } else {
            args.solvers.clone()
        },
        techniques: techniques
            .map(parse_techniques)
            .transpose()
            .map_err(CliError::usage)?
            .unwrap_or_default(),
        sharing: sharing(args.sharing.as_deref().or(profile.sharing.as_deref()), wanted)?,
        options: args.options.or(profile.options).unwrap_or_default(),
        plain_options: args.plain_options || profile.plain_options.unwrap_or_default(),
        triples: args.triples.as_deref().or(profile.triples.as_deref()).map(read_triples).transpose()?,
        judges: wanted_judges.map(parse_judges).transpose().map_err(CliError::usage)?.unwrap_or_default(),
        random_seed: args.seed.or(profile.seed),
        timeout_secs,
        steps,
        jobs: args.jobs.or(profile.jobs),
        mode: args.mode.clone(),
        dir: args.dir.clone().or(profile.dir).unwrap_or_else(|| PathBuf::from(folder)),
        triage: match args.no_triage {
            true => None,
            false => args.triage.or_else(|| Some(time.or(default_time)? / TRIAGE_PART)),
        },
        budget: Budget {
            time_secs: time.map(|time| time.as_secs_f64()),
            cases: args.cases.or(profile.cases),
            findings: args.findings.or(profile.findings),
        },
        mode_of_hunt,
        variant: variant.map(parse_variant).transpose().map_err(CliError::usage)?,
        alpha,
        random_seeds: args.random_seeds.unwrap_or(SEEDS),
        best: args.best.unwrap_or(DEFAULT_BEST),
        calibrate: args.calibrate.unwrap_or(DEFAULT_CALIBRATION),
    })
}

/// The kind of hunt by its goal and its techniques; none if neither is said.
fn mode_of(goal: Option<&str>, techniques: Option<&str>) -> Result<Option<Mode>, CliError> {
    let technique = techniques.map(str::trim);
    let is_search = technique.is_some_and(|name| Variant::named(name).is_some());
    let is_evolution = technique.is_some_and(|name| name == GENETIC || name == EVOLUTION);
    // Random formulas are also a technique of hunts for bugs.
    let is_for_bugs = technique.is_some_and(|name| technique_named(name).is_some());
    match goal {
        None if is_evolution => Ok(Some(Mode::Evolution)),
        None if is_search => Ok(Some(Mode::Slowdown)),
        None => Ok(technique.map(|_| Mode::Bugs)),
        Some("bugs") if is_evolution || is_search && !is_for_bugs => Err(CliError::Usage(format!(
            "--technique {} looks for slowdowns; it does not go together with --goal bugs",
            technique.unwrap_or_default()
        ))),
        Some("bugs") => Ok(Some(Mode::Bugs)),
        Some("slowdown") if is_evolution => Ok(Some(Mode::Evolution)),
        Some("slowdown") => Ok(Some(Mode::Slowdown)),
        Some(other) => {
            Err(CliError::Usage(format!("unknown goal `{other}` (expected one of: bugs, slowdown)")))
        }
    }
}

/// How techniques share a hunt: as is said, or by weights where there are some; nothing if neither is said.
fn sharing(said: Option<&str>, techniques: Option<&str>) -> Result<Option<Sharing>, CliError> {
    match (said, techniques) {
        (Some("fixed"), _) => Ok(Some(Sharing::Fixed)),
        (Some("yield"), _) => Ok(Some(Sharing::Yield)),
        (Some(other), _) => {
            Err(CliError::Usage(format!("unknown sharing `{other}`; there are fixed, yield")))
        }
        (None, Some(list)) if list.contains('=') => Ok(Some(Sharing::Fixed)),
        (None, Some(_)) => Ok(Some(Sharing::Yield)),
        (None, None) => Ok(None),
    }
}

/// Reads a time with a unit.
pub(crate) fn parse_time(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.char_indices().find(|(_, character)| character.is_alphabetic()) {
        Some((position, _)) => text.split_at(position),
        None => (text, "s"),
    };
    let seconds = match unit {
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("unknown unit `{unit}`; use s, m or h")),
    };
    match number.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(Duration::from_secs_f64(number * seconds)),
        _ => Err("expected a positive number with a unit, such as 90s, 10m or 2h".to_owned()),
    }
}

/// Reads `operator=3,generative`: names with weights, which are 1 if they are not given; or `all`.
pub(super) fn parse_techniques(list: &str) -> Result<Vec<WeightedTechnique>, String> {
    if list.trim() == "all" {
        return Ok(all_techniques());
    }
    let mut chosen: Vec<WeightedTechnique> = Vec::new();
    for item in list.split(',') {
        let (name, weight) = item.trim().split_once('=').unwrap_or((item.trim(), "1"));
        let weight = match weight.parse() {
            Ok(weight @ 1..=1000) => weight,
            _ => return Err(format!("the weight of technique `{name}` must be a number from 1 to 1000")),
        };
        if technique_named(name).is_none() {
            let all = techniques().into_iter().chain(generators());
            let known: Vec<&str> = all.map(|technique| technique.name()).collect();
            return Err(format!("unknown technique `{name}`; there are {}", known.join(", ")));
        }
        if chosen.iter().any(|known| known.name == name) {
            return Err(format!("technique `{name}` is named twice"));
        }
        chosen.push(WeightedTechnique { name: name.to_owned(), weight });
    }
    Ok(chosen)
}

/// Reads `crash,model`, or `all`.
pub(super) fn parse_judges(list: &str) -> Result<Vec<&'static str>, String> {
    let known = || judges().into_iter().map(|judge| judge.name());
    if list.trim() == "all" {
        return Ok(known().collect());
    }
    let find = |name: &str| {
        known().find(|known| *known == name).ok_or_else(|| {
            format!("unknown judge `{name}`; there are {}", known().collect::<Vec<_>>().join(", "))
        })
    };
    list.split(',').map(|name| find(name.trim())).collect()
}

/// The judges of hunts for wrong answers.
pub(super) fn usual_judges() -> Vec<&'static str> {
    judges().into_iter().filter(|judge| judge.is_usual()).map(|judge| judge.name()).collect()
}

/// All techniques but those for comparison, each as often as the others.
pub(super) fn all_techniques() -> Vec<WeightedTechnique> {
    let weighted =
        |technique: Box<dyn Technique>| WeightedTechnique { name: technique.name().to_owned(), weight: 1 };
    techniques().into_iter().filter(|technique| technique.is_usual()).map(weighted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(parse_time("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_time("10m"), Ok(Duration::from_secs(600)));
        assert_eq!(parse_time("1.5h"), Ok(Duration::from_secs(5400)));
        assert_eq!(parse_time("5"), Ok(Duration::from_secs(5)));
        assert!(parse_time("5 days").is_err());
        assert!(parse_time("-1s").is_err());
    }

    #[test]
    fn thresholds_are_seconds_or_ratios() {
        assert_eq!(parse_alpha("1.5"), Ok(Alpha::Seconds(1.5)));
        assert_eq!(parse_alpha("2s"), Ok(Alpha::Seconds(2.0)));
        assert_eq!(parse_alpha("5x"), Ok(Alpha::Times(5.0)));
        for wrong in ["0", "-1", "1x", "x", "inf", "5 x", ""] {
            assert!(parse_alpha(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn goal_and_technique_decide_what_kind_of_hunt_it_is() {
        assert_eq!(mode_of(None, None).ok(), Some(None));
        assert_eq!(mode_of(None, Some("operator=3,fusion")).ok(), Some(Some(Mode::Bugs)));
        assert_eq!(mode_of(None, Some("bandit")).ok(), Some(Some(Mode::Slowdown)));
        assert_eq!(mode_of(Some("slowdown"), None).ok(), Some(Some(Mode::Slowdown)));
        assert_eq!(mode_of(None, Some("evolution")).ok(), Some(Some(Mode::Evolution)));
        assert_eq!(mode_of(Some("slowdown"), Some("evolution")).ok(), Some(Some(Mode::Evolution)));
        assert_eq!(mode_of(None, Some("genetic")).ok(), Some(Some(Mode::Evolution)));
        assert_eq!(mode_of(None, Some("construct=1,random=1")).ok(), Some(Some(Mode::Bugs)));
        assert_eq!(mode_of(None, Some("random")).ok(), Some(Some(Mode::Slowdown)));
        assert_eq!(mode_of(Some("bugs"), Some("random")).ok(), Some(Some(Mode::Bugs)));
        for technique in ["evolution", "genetic", "bandit"] {
            assert!(mode_of(Some("bugs"), Some(technique)).unwrap_err().to_string().contains("--goal bugs"));
        }
        assert!(mode_of(Some("speed"), None).is_err());
    }

    #[test]
    fn searches_for_slowdowns_have_names() {
        assert_eq!(parse_variant("no-dtw"), Ok(Variant::NoDtw));
        assert!(parse_variant("operator").unwrap_err().contains("bandit, no-dtw, banditfuzz, random"));
    }

    #[test]
    fn techniques_have_weights() {
        let weights = |list: &str| {
            parse_techniques(list)
                .map(|chosen| chosen.into_iter().map(|technique| technique.weight).collect::<Vec<_>>())
        };
        assert_eq!(weights("operator=3,generative"), Ok(vec![3, 1]));
        assert_eq!(parse_techniques("all"), Ok(all_techniques()));
        assert!(weights("operator=0").unwrap_err().contains("1 to 1000"));
        assert!(weights("operator,operator").unwrap_err().contains("twice"));
        assert!(weights("magic").unwrap_err().contains("operator"));
    }

    #[test]
    fn weights_are_kept_unless_yield_is_wanted() {
        assert_eq!(sharing(None, None).ok(), Some(None));
        assert_eq!(sharing(None, Some("operator=3")).ok(), Some(Some(Sharing::Fixed)));
        assert_eq!(sharing(None, Some("all")).ok(), Some(Some(Sharing::Yield)));
        assert_eq!(sharing(Some("yield"), Some("operator=3")).ok(), Some(Some(Sharing::Yield)));
        assert!(sharing(Some("magic"), None).is_err());
    }

    #[test]
    fn judges_have_names() {
        assert_eq!(parse_judges("crash, model"), Ok(vec!["crash", "model"]));
        assert!(parse_judges("all").unwrap().len() > usual_judges().len());
        assert!(parse_judges("magic").unwrap_err().contains("crash"));
    }
}
