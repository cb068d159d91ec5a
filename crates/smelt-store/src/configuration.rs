//! What a campaign is about: its solvers, seeds, techniques and limits.
//!
//! This is all that decides which cases are made, and on what they are run. A hunt may go on with a campaign only with
//! the same configuration; [`differences`] tells in words what is not the same.

use serde::{Deserialize, Serialize};
use smelt_oracle::slowness::Threshold;

/// How a solver is started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SolverCommand {
    /// The name that users give it.
    pub solver: String,
    /// The program.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Environment variables that are set for it.
    pub environment: Vec<(String, String)>,
    /// What it said of itself.
    #[serde(default)]
    pub version: Option<String>,
    /// BLAKE3 of the content of the program, in hexadecimal digits; where a script loads the solver as a library, of that
    /// library.
    #[serde(default)]
    pub hash: Option<String>,
}

/// A solver under test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SolverConfiguration {
    /// How it is started.
    #[serde(flatten)]
    pub command: SolverCommand,
    /// What kind of solver it is.
    pub family: String,
    /// The dialect that a profile demands.
    pub dialect: Option<DialectDemand>,
    /// Whether a profile demands warm or cold runs.
    pub mode: Option<SessionMode>,
    /// The solver that it is with drawn options, if it is.
    #[serde(default)]
    pub options_of: Option<String>,
}

/// The dialect that a solver is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DialectDemand {
    /// SMT-LIB 2.5.
    #[serde(rename = "2.5")]
    V25,
    /// SMT-LIB 2.6.
    #[serde(rename = "2.6")]
    V26,
}

impl DialectDemand {
    /// The word that users see.
    pub fn word(self) -> &'static str {
        match self {
            DialectDemand::V25 => "2.5",
            DialectDemand::V26 => "2.6",
        }
    }
}

/// Whether a solver keeps running between formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SessionMode {
    /// Where that was measured to pay.
    Auto,
    /// Always.
    Warm,
    /// Never.
    Cold,
    /// Always, and formulas are pushed and popped.
    Incremental,
}

impl SessionMode {
    /// The word that users see.
    pub fn word(self) -> &'static str {
        match self {
            SessionMode::Auto => "auto",
            SessionMode::Warm => "warm",
            SessionMode::Cold => "cold",
            SessionMode::Incremental => "incremental",
        }
    }
}

/// A technique and how often it is used compared with the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WeightedTechnique {
    /// Its id.
    pub name: String,
    /// Its weight.
    pub weight: u32,
}

/// The length of chains if it is up to the techniques.
pub const OWN_LENGTH: u32 = 0;

/// All that decides which cases are made and on what they are run, seeds apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Configuration {
    /// The solvers under test.
    pub solvers: Vec<SolverConfiguration>,
    /// The techniques.
    pub techniques: Vec<WeightedTechnique>,
    /// The judges, by name.
    pub judges: Vec<String>,
    /// The random seed.
    pub random_seed: u64,
    /// Processor time allowed for each run, in seconds.
    pub timeout_secs: f64,
    /// How many cases a chain has at most, or [`OWN_LENGTH`].
    pub chain_length: u32,
    /// How techniques share the campaign.
    #[serde(default)]
    pub sharing: Sharing,
    /// Fusion triples besides the built-in ones, as text.
    #[serde(default)]
    pub triples: Option<String>,
    /// By how much the last solver must be slower than the others, in a hunt for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowdown: Option<Threshold>,
}

/// How techniques share a campaign.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sharing {
    /// By their weights.
    #[default]
    Fixed,
    /// By what they have found so far.
    Yield,
}

impl Sharing {
    /// The word that users see.
    pub fn word(self) -> &'static str {
        match self {
            Sharing::Fixed => "fixed",
            Sharing::Yield => "yield",
        }
    }
}

/// When a campaign is done. What is none does not end it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// Hunting time of all hunts together, in seconds.
    pub time_secs: Option<f64>,
    /// Processor time of solvers and smelt in all hunts together, in seconds.
    #[serde(default)]
    pub cpu_secs: Option<f64>,
    /// How many cases are made.
    pub cases: Option<u64>,
    /// How many findings are enough.
    pub findings: Option<u64>,
}

/// Where a seed comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// It is part of smelt.
    BuiltIn,
    /// A file, by its absolute path.
    File(String),
    /// It cannot be read again, so this is its text.
    Text(String),
}

/// A seed of a campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeedRecord {
    /// How lineages name it.
    pub name: String,
    /// Where it comes from.
    pub origin: Origin,
    /// The hash of its text.
    pub hash: String,
}

/// What of a wanted configuration differs from the recorded one, in words.
pub fn differences(recorded: &Configuration, wanted: &Configuration) -> Vec<String> {
    let texts = |configuration: &Configuration| {
        [
            ("solvers", solvers_text(configuration)),
            ("techniques", techniques_text(configuration)),
            ("judges", configuration.judges.join(",")),
            ("random seed", configuration.random_seed.to_string()),
            ("timeout", format!("{} s", configuration.timeout_secs)),
            ("length of chains", length_text(configuration.chain_length)),
            ("sharing", configuration.sharing.word().to_owned()),
            ("triples", configuration.triples.as_ref().map_or("none", |_| "some").to_owned()),
            ("goal", configuration.slowdown.map_or("bugs", |_| "slowdown").to_owned()),
        ]
    };
    let mut found = Vec::new();
    for ((what, recorded), (_, wanted)) in texts(recorded).iter().zip(&texts(wanted)) {
        if recorded != wanted {
            found.push(format!("{what}: the campaign has {recorded}, not {wanted}"));
        }
    }
    if let (Some(recorded), Some(wanted)) = (&recorded.triples, &wanted.triples)
        && recorded != wanted
    {
        found.push("triples: the campaign has others".to_owned());
    }
    if let (Some(recorded), Some(wanted)) = (&recorded.slowdown, &wanted.slowdown)
        && recorded != wanted
    {
        let text = |threshold: &Threshold| {
            format!("{} s and {} times", threshold.difference_ms / 1e3, threshold.ratio)
        };
        found.push(format!("threshold: the campaign has {}, not {}", text(recorded), text(wanted)));
    }
    for (recorded, wanted) in recorded.solvers.iter().zip(&wanted.solvers) {
        if recorded.command.solver == wanted.command.solver {
            found.extend(solver_differences(recorded, wanted));
        }
    }
    found
}

fn solver_differences(recorded: &SolverConfiguration, wanted: &SolverConfiguration) -> Vec<String> {
    let word = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
    let texts = |solver: &SolverConfiguration| {
        [
            ("command", command_text(&solver.command)),
            ("version", word(&solver.command.version)),
            ("dialect", solver.dialect.map_or("none", DialectDemand::word).to_owned()),
            ("mode", solver.mode.map_or("none", SessionMode::word).to_owned()),
        ]
    };
    let name = &recorded.command.solver;
    let mut found = Vec::new();
    for ((what, recorded), (_, wanted)) in texts(recorded).iter().zip(&texts(wanted)) {
        if recorded != wanted {
            found.push(format!("{what} of solver {name}: the campaign has {recorded}, not {wanted}"));
        }
    }
    found
}

/// What of the wanted seeds differs from the recorded ones, in words; the first difference is enough.
pub fn seed_difference(recorded: &[SeedRecord], wanted: &[SeedRecord]) -> Option<String> {
    for (recorded, wanted) in recorded.iter().zip(wanted) {
        if recorded.name != wanted.name {
            return Some(format!("seeds: the campaign has `{}`, not `{}`", recorded.name, wanted.name));
        }
        if recorded.hash != wanted.hash {
            return Some(format!("seeds: `{}` has changed", recorded.name));
        }
    }
    (recorded.len() != wanted.len())
        .then(|| format!("seeds: the campaign has {}, not {}", recorded.len(), wanted.len()))
}

fn length_text(length: u32) -> String {
    if length == OWN_LENGTH { "that of the techniques".to_owned() } else { length.to_string() }
}

fn solvers_text(configuration: &Configuration) -> String {
    let names: Vec<&str> =
        configuration.solvers.iter().map(|solver| solver.command.solver.as_str()).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(" ") }
}

fn techniques_text(configuration: &Configuration) -> String {
    let techniques: Vec<String> = configuration
        .techniques
        .iter()
        .map(|technique| format!("{}={}", technique.name, technique.weight))
        .collect();
    techniques.join(",")
}

fn command_text(command: &SolverCommand) -> String {
    let variables = command.environment.iter().map(|(name, value)| format!("{name}={value}"));
    let words: Vec<String> =
        variables.chain([command.program.clone()]).chain(command.args.iter().cloned()).collect();
    format!("`{}`", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configuration() -> Configuration {
        let command = SolverCommand {
            solver: "z3".to_owned(),
            program: "/bin/z3".to_owned(),
            args: vec!["-in".to_owned()],
            environment: Vec::new(),
            version: Some("4.8.7".to_owned()),
            hash: None,
        };
        Configuration {
            solvers: vec![SolverConfiguration {
                command,
                family: "z3".to_owned(),
                dialect: None,
                mode: None,
                options_of: None,
            }],
            techniques: vec![WeightedTechnique { name: "operator".to_owned(), weight: 3 }],
            judges: vec!["crash".to_owned()],
            random_seed: 1,
            timeout_secs: 2.0,
            chain_length: 10,
            sharing: Sharing::Fixed,
            triples: None,
            slowdown: None,
        }
    }

    #[test]
    fn a_solver_is_recorded_with_the_words_of_profiles() {
        let text = r#"{"solver":"z3","program":"z3","args":[],"environment":[],"version":null,"hash":null,"family":"z3","dialect":"2.5","mode":"incremental","options_of":null}"#;
        let solver: SolverConfiguration = serde_json::from_str(text).unwrap();
        assert_eq!((solver.dialect, solver.mode), (Some(DialectDemand::V25), Some(SessionMode::Incremental)));
        assert_eq!(serde_json::to_string(&solver).unwrap(), text);
    }

    #[test]
    fn nothing_differs_from_itself() {
        assert_eq!(differences(&configuration(), &configuration()), [""; 0]);
    }

    #[test]
    fn every_difference_is_named() {
        let mut wanted = configuration();
        wanted.random_seed = 2;
        wanted.techniques[0].weight = 1;
        wanted.solvers[0].command.version = Some("5.4".to_owned());
        wanted.solvers[0].command.args.push("smt.x=y".to_owned());
        assert_eq!(
            differences(&configuration(), &wanted),
            [
                "techniques: the campaign has operator=3, not operator=1",
                "random seed: the campaign has 1, not 2",
                "command of solver z3: the campaign has `/bin/z3 -in`, not `/bin/z3 -in smt.x=y`",
                "version of solver z3: the campaign has 4.8.7, not 5.4",
            ]
        );
    }

    #[test]
    fn goals_and_thresholds_differ() {
        let slow =
            |seconds| Configuration { slowdown: Some(Threshold::difference(seconds)), ..configuration() };
        assert_eq!(differences(&configuration(), &slow(1.0)), ["goal: the campaign has bugs, not slowdown"]);
        assert_eq!(
            differences(&slow(1.0), &slow(2.5)),
            ["threshold: the campaign has 1 s and 1 times, not 2.5 s and 1 times"]
        );
    }

    #[test]
    fn seeds_differ_by_name_text_or_number() {
        let seed = |name: &str, hash: &str| SeedRecord {
            name: name.to_owned(),
            origin: Origin::BuiltIn,
            hash: hash.to_owned(),
        };
        let recorded = [seed("a", "1"), seed("b", "2")];
        assert_eq!(seed_difference(&recorded, &recorded), None);
        let check = |wanted: &[SeedRecord], part: &str| {
            let difference = seed_difference(&recorded, wanted).unwrap();
            assert!(difference.contains(part), "{difference}");
        };
        check(&[seed("a", "1"), seed("c", "2")], "`c`");
        check(&[seed("a", "3"), seed("b", "2")], "`a` has changed");
        check(&[seed("a", "1")], "has 2, not 1");
    }
}
