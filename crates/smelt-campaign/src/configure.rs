//! What users ask of a hunt: one [`HuntRequest`], by the command line and by the profiles of `smelt.toml`.
//!
//! The names of fields are the long options of `smelt hunt` and the keys of a profile. [`HuntRequest::over`] puts the
//! command line over a profile, [`AskedHunt::validate`] checks the result, [`crate::prepare`] makes a plan of it and what the
//! record keeps. Fields that are not given have a default, or come from the record of a campaign that is resumed.

pub mod choices;
pub mod error;
pub mod hint;
pub mod kind;
pub mod profiles;
pub mod values;
mod words;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use smelt_store::configuration::{Budget, SessionMode, Sharing};
use smelt_testgen::search::evolution::Variant;

use crate::genetic::coverage::Provider;
use error::RequestError;
use kind::{HuntKind, SourcedRequest};
use values::{Alpha, Goal, MemoryLimit, TraceSource, one_of, parse_time};

/// What a hunt is asked to be.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, clap::Args)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HuntRequest {
    /// Seed formulas: files or folders [default: built-in seeds]
    #[arg(value_name = "SEEDS")]
    pub seeds: Vec<PathBuf>,
    /// A solver: NAME, NAME@VERSION (installed if missing), NAME=COMMAND LINE, or one of smelt.toml; repeatable
    /// [default: all that are installed or on the PATH]
    #[arg(short, long, value_name = "SOLVER")]
    pub solver: Vec<String>,
    /// Hunt for this long from now on, such as 90s, 10m or 2h [default: 2m, or no limit with --cpu-time, --cases or --findings].
    /// New solvers are probed before that, for at most as long again, or 10s if that is longer
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    #[serde(deserialize_with = "values::time")]
    pub time: Option<Duration>,
    /// Hunt until solvers and smelt have used this much processor time from now on, such as 90s, 10m or 2h [default: no
    /// limit]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    #[serde(deserialize_with = "values::time")]
    pub cpu_time: Option<Duration>,
    /// Reduce findings for this long when the hunt is over, worst first [default: a quarter of the time of the hunt, or
    /// nothing with --cpu-time, --cases, --findings or --resume and no --time]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    #[serde(deserialize_with = "values::time")]
    pub triage: Option<Duration>,
    /// Do not reduce findings [default: reduce them]
    #[arg(long, conflicts_with = "triage")]
    pub no_triage: bool,
    /// Generate exactly N cases; a formula that no solver takes is not a case [default: no limit]
    #[arg(long, value_name = "N")]
    pub cases: Option<u64>,
    /// Stop after N findings [default: no limit]
    #[arg(long, value_name = "N")]
    pub findings: Option<u64>,
    /// At most N steps from a seed [default: 10, and now and then as many as are good for the technique]
    #[arg(long, value_name = "N")]
    pub steps: Option<u32>,
    /// Processor time allowed for each run, in seconds [default: 2; 3 with --goal slowdown, 5 with --technique genetic]
    #[arg(short, long, value_name = "SECS")]
    pub timeout: Option<f64>,
    /// Resident memory allowed for each run and all its processes, in MiB or such as 500M or 8G; none for no limit
    /// [default: 4G]
    #[arg(short, long, value_name = "SIZE")]
    #[serde(deserialize_with = "values::text")]
    pub memory: Option<MemoryLimit>,
    /// Techniques with weights, such as operator=3,fusion=1, or `all`, which are all that change seeds; construct,
    /// enumerate, random and stringfuzz generate formulas without seeds [default: all, each with weight 1]
    #[arg(long, value_name = "LIST")]
    pub technique: Option<String>,
    /// How techniques share the hunt: `fixed` by their weights, `yield` by how many formulas of new shapes they generate
    /// [default: yield, or fixed if weights are given]
    #[arg(long, value_name = "HOW", value_parser = one_of::<Sharing>())]
    #[serde(deserialize_with = "values::word")]
    pub sharing: Option<Sharing>,
    /// Also run every solver with N drawn sets of options, one of them in each chain [default: 0]
    #[arg(long, value_name = "N")]
    pub options: Option<usize>,
    /// Run solvers with their default options only [default: cvc5 in safe mode where it has one that takes the formula,
    /// by a `set-option` in the script; a solver given with options gets these and no others]
    #[arg(long)]
    pub plain_options: bool,
    /// Count what seeds say of themselves, by `:status` or `; EXPECT:`, as one more vote when solvers are asked what they
    /// are
    #[arg(long)]
    pub trust_status: bool,
    /// Fusion triples besides the built-in ones, between #begin and #end [default: none]
    #[arg(long, value_name = "FILE")]
    pub triples: Option<PathBuf>,
    /// What to look for: `bugs`, or `slowdown`: formulas on which the last solver is much slower than one of the others;
    /// then the techniques are bandit, no-dtw, banditfuzz, random or genetic, and there are no seeds [default: bugs]
    #[arg(long, value_name = "GOAL", value_parser = one_of::<Goal>())]
    #[serde(deserialize_with = "values::word")]
    pub goal: Option<Goal>,
    /// What is a slowdown: more seconds, such as 1.5, or times as long, such as 5x [default: half the timeout]
    #[arg(long, value_name = "ALPHA")]
    #[serde(deserialize_with = "values::text")]
    pub alpha: Option<Alpha>,
    /// Repeat slowdowns with N random seeds of the solvers when the time is over [default: 30]
    #[arg(long, value_name = "N")]
    pub random_seeds: Option<u32>,
    /// Repeat the N slowdowns with the largest ratios with random seeds [default: 3]
    #[arg(long, value_name = "N")]
    pub best: Option<usize>,
    /// Measure how much times vary on N formulas before a search for slowdowns; with 0, solvers are not asked either on
    /// which operators they give up [default: 5]
    #[arg(long, value_name = "N")]
    pub calibrate: Option<usize>,
    /// Judges to run, separated by commas, or `all` [default: all except performance judges and those that ask for
    /// more in every case: `proof`, `simplify`, `interpolant`, `elimination`, `abduct`, `values`, `limits` and
    /// `determinism`]
    #[arg(long, value_name = "LIST")]
    pub judge: Option<String>,
    /// Random seed: with --cases, the same seed generates the same cases on every machine, however busy; with --time,
    /// chains that no solver decides are left early, which depends on the machine [default: 0]
    #[arg(long, value_name = "SEED")]
    pub seed: Option<u64>,
    /// Number of workers [default: one per core]
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Keep solvers running between formulas: `warm` always, `cold` never, `auto` where that pays; `incremental` pushes
    /// and pops formulas, which is faster still and tests what solvers do then [default: auto]
    #[arg(long, value_name = "MODE", value_parser = one_of::<SessionMode>())]
    #[serde(deserialize_with = "values::word")]
    pub mode: Option<SessionMode>,
    /// The campaign's folder [default: smelt-campaign, or smelt-genetic with --technique genetic]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Variant of the search [default: default]
    #[arg(long, value_name = "NAME", value_parser = one_of::<Variant>(), help_heading = GENETIC_HEADING)]
    #[serde(deserialize_with = "values::word")]
    pub variant: Option<Variant>,
    /// Number of formulas in a generation [default: 40]
    #[arg(long, value_name = "N", help_heading = GENETIC_HEADING)]
    pub population: Option<u32>,
    /// What shows which code of the last solver was run: `statistics`, or gcov=FOLDER or llvm=PROGRAM of a solver that
    /// was built for that [default: statistics]
    #[arg(long, value_name = "PROVIDER", help_heading = GENETIC_HEADING)]
    #[serde(deserialize_with = "values::text")]
    pub coverage: Option<Provider>,
    /// Where traces come from: `solver` from Z3 itself and from the statistics of others, or always `statistics`
    /// [default: solver]
    #[arg(long, value_name = "SOURCE", value_parser = one_of::<TraceSource>(), help_heading = GENETIC_HEADING)]
    #[serde(deserialize_with = "values::word")]
    pub traces: Option<TraceSource>,
    /// Processor time for each run of the final formulas, in seconds [default: 20]
    #[arg(long, value_name = "SECS", help_heading = GENETIC_HEADING)]
    pub confirm: Option<f64>,
}

const GENETIC_HEADING: &str = "Options of the technique genetic";

/// The folder of a campaign that no option names.
pub const DEFAULT_DIR: &str = "smelt-campaign";

/// How long a hunt takes if nothing is given.
pub const DEFAULT_TIME: Duration = Duration::from_secs(120);

/// Findings are reduced for one of this many parts of the time of the hunt, after it.
const TRIAGE_PART: u32 = 4;

/// The values of a request, and where there are none those of another.
macro_rules! over {
    ($above:ident, $below:ident, lists: $($list:ident)*, options: $($option:ident)*, others: $($other:ident: $value:expr)*) => {
        HuntRequest {
            $($list: if $above.$list.is_empty() { $below.$list } else { $above.$list },)*
            $($option: $above.$option.or($below.$option),)*
            $($other: $value,)*
        }
    };
}

impl HuntRequest {
    /// This request, as on the command line, over a profile.
    pub fn over(self, profile: HuntRequest) -> HuntRequest {
        let (triage, no_triage) = match (self.triage, self.no_triage) {
            (None, false) => (profile.triage, profile.no_triage),
            given => given,
        };
        over!(
            self, profile,
            lists: seeds solver,
            options: time cpu_time cases findings steps timeout memory technique sharing options triples goal alpha random_seeds
                best calibrate judge seed jobs mode dir variant population coverage traces confirm,
            others: triage: triage no_triage: no_triage plain_options: self.plain_options || profile.plain_options
                trust_status: self.trust_status || profile.trust_status
        )
    }

    /// When the hunt ends, as far as the request says; the time is that of this hunt alone.
    pub fn budget(&self) -> Budget {
        Budget {
            time_secs: self.time.map(|time| time.as_secs_f64()),
            cpu_secs: self.cpu_time.map(|time| time.as_secs_f64()),
            cases: self.cases,
            findings: self.findings,
        }
    }

    /// How long findings are reduced when the hunt is over; none if they are not.
    pub fn triage_time(&self, is_resumed: bool) -> Option<Duration> {
        let Budget { cpu_secs, cases, findings, .. } = self.budget();
        let is_bounded = is_resumed || cpu_secs.is_some() || cases.is_some() || findings.is_some();
        let hunting = self.time.or((!is_bounded).then_some(DEFAULT_TIME));
        match self.no_triage {
            true => None,
            false => self.triage.or_else(|| Some(hunting? / TRIAGE_PART)),
        }
    }

    /// Whether all values are in their ranges.
    fn check_values(&self) -> Result<(), RequestError> {
        for (option, seconds) in [("timeout", self.timeout), ("confirm", self.confirm)] {
            if let Some(seconds) = seconds.filter(|seconds| !seconds.is_finite() || *seconds <= 0.0) {
                return Err(RequestError::bad_value(option, seconds, "a positive number of seconds"));
            }
        }
        if let Some(steps) = self.steps.filter(|steps| !(1..=999).contains(steps)) {
            return Err(RequestError::bad_value("steps", steps, "a number from 1 to 999"));
        }
        if let Some(count) = self.population.filter(|count| !(2..=10_000).contains(count)) {
            return Err(RequestError::bad_value("population", count, "a number from 2 to 10000"));
        }
        if self.triage.is_some() && self.no_triage {
            return Err(RequestError::Exclusive("triage", "no-triage"));
        }
        Ok(())
    }
}

/// A profile, by its name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NamedProfile {
    /// The name.
    pub name: String,
    /// What it says.
    pub request: HuntRequest,
}

/// All that is asked of a hunt: by the command line and a profile.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedHunt {
    /// The command line.
    pub command_line: HuntRequest,
    /// The profile, if one is used.
    pub profile: Option<NamedProfile>,
    /// Whether a campaign is resumed, which then decides what is not given.
    pub is_resumed: bool,
}

impl AskedHunt {
    /// The command line over the profile.
    pub fn merged(&self) -> HuntRequest {
        let below = self.profile.as_ref().map(|profile| profile.request.clone()).unwrap_or_default();
        self.command_line.clone().over(below)
    }

    /// The request to carry out and its kind, which is none if the record of a campaign decides.
    pub fn validate(&self) -> Result<ValidRequest, RequestError> {
        let request = self.merged();
        request.check_values()?;
        let kind = request.kind()?.or((!self.is_resumed).then_some(HuntKind::Bugs));
        if let Some(kind) = kind {
            self.check_kind(kind)?;
        }
        request.judges()?;
        match kind {
            None | Some(HuntKind::Bugs) => _ = request.techniques()?,
            Some(HuntKind::Slowdown) => _ = request.search()?,
            Some(HuntKind::Genetic) => {}
        }
        Ok(ValidRequest { request, kind })
    }

    /// Whether all options that are given have an effect in a kind of hunt.
    pub fn check_kind(&self, kind: HuntKind) -> Result<(), RequestError> {
        SourcedRequest { request: &self.command_line, profile: None }.check_kind(kind)?;
        let given = &self.command_line;
        if let Some(NamedProfile { name, request }) = &self.profile {
            // What the command line overrides has no effect, so it cannot be wrong.
            let request = &HuntRequest {
                jobs: request.jobs.filter(|_| given.jobs.is_none()),
                mode: request.mode.filter(|_| given.mode.is_none()),
                ..request.clone()
            };
            SourcedRequest { request, profile: Some(name) }.check_kind(kind)?;
        }
        if self.is_resumed && given.options.is_some() && given.solver.is_empty() {
            return Err(RequestError::OptionsOfResumed);
        }
        Ok(())
    }
}

/// A request that makes sense.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidRequest {
    /// The request.
    pub request: HuntRequest,
    /// What kind of hunt it is; none if the record decides.
    pub kind: Option<HuntKind>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(command_line: HuntRequest, profile: &str) -> AskedHunt {
        let request = toml::from_str(profile).unwrap();
        let profile = Some(NamedProfile { name: "p".to_owned(), request });
        AskedHunt { command_line, profile, is_resumed: false }
    }

    #[test]
    fn what_the_command_line_overrides_in_a_profile_is_not_wrong() {
        let of_profile = asked(HuntRequest::default(), "jobs = 4\nmode = \"warm\"");
        assert!(of_profile.check_kind(HuntKind::Slowdown).is_err());
        let command_line = HuntRequest {
            jobs: NonZeroUsize::new(1),
            mode: Some(SessionMode::Cold),
            ..HuntRequest::default()
        };
        let overridden = asked(command_line, "jobs = 4\nmode = \"warm\"");
        assert_eq!(overridden.check_kind(HuntKind::Slowdown), Ok(()));
    }

    #[test]
    fn the_command_line_comes_before_the_profile() {
        let command_line = HuntRequest { cases: Some(5), no_triage: true, ..HuntRequest::default() };
        let profile =
            "cases = 9\nsolver = [\"z3\"]\ntriage = \"1m\"\nplain-options = true\ntime = 90\nmemory = \"8G\"";
        let merged = asked(command_line, profile).merged();
        assert_eq!((merged.cases, merged.solver), (Some(5), vec!["z3".to_owned()]));
        assert_eq!((merged.triage, merged.no_triage, merged.plain_options), (None, true, true));
        assert_eq!(merged.time, Some(Duration::from_secs(90)));
        assert_eq!(merged.memory, Some(MemoryLimit(Some(8 << 30))));
    }

    #[test]
    fn a_value_out_of_range_is_named_with_its_option() {
        for (profile, expected) in [
            ("timeout = 0.0", "--timeout cannot be `0` (expected a positive number of seconds)"),
            ("confirm = -1.0", "--confirm cannot be `-1`"),
            ("steps = 1000", "--steps cannot be `1000`"),
            ("population = 1", "--population cannot be `1`"),
            ("triage = \"1m\"\nno-triage = true", "--triage does not go together with --no-triage"),
            ("technique = \"magic\"", "unknown technique `magic` (expected one of: operator"),
            ("judge = \"magic\"", "unknown judge `magic` (expected one of: "),
            ("goal = \"slowdown\"\ntechnique = \"fusion\"", "unknown search for slowdowns `fusion`"),
        ] {
            let error = asked(HuntRequest::default(), profile).validate().unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        }
    }

    #[test]
    fn an_option_of_another_kind_of_hunt_is_refused_wherever_it_is_given() {
        let error = asked(HuntRequest::default(), "goal = \"slowdown\"\njudge = \"crash\"").validate();
        assert!(
            error.unwrap_err().to_string().starts_with("`judge` of profile `p` has no effect in a search")
        );
        let command_line = HuntRequest { population: Some(9), ..HuntRequest::default() };
        let error = asked(command_line, "").validate().unwrap_err();
        assert!(error.to_string().starts_with("--population has no effect in a hunt for bugs"), "{error}");
    }

    #[test]
    fn findings_are_reduced_for_a_part_of_the_time_unless_the_hunt_has_another_bound() {
        let minutes = |minutes: u64| Some(Duration::from_secs(60 * minutes));
        let request = HuntRequest { time: minutes(8), ..HuntRequest::default() };
        assert_eq!(request.triage_time(true), minutes(2));
        assert_eq!(HuntRequest::default().triage_time(false), Some(DEFAULT_TIME / 4));
        assert_eq!(HuntRequest::default().triage_time(true), None);
        assert_eq!(HuntRequest { cases: Some(1), ..HuntRequest::default() }.triage_time(false), None);
        assert_eq!(HuntRequest { no_triage: true, ..request }.triage_time(false), None);
    }
}
