//! From a request and the record to a plan: techniques chosen, options drawn, and what the record keeps of it.
//!
//! Finding, installing and probing solvers comes before, and belongs to the command line because it talks with the user.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use smelt_oracle::judge::judge;
use smelt_oracle::slowness::Threshold;
use smelt_runner::cache::Cache;
use smelt_runner::solver::Solver;
use smelt_runner::usage;
use smelt_smtlib::term::Terms;
use smelt_store::configuration::{
    Budget, Configuration, OWN_LENGTH, SeedRecord, Sharing, SolverConfiguration, WeightedTechnique,
    differences, seed_difference,
};
use smelt_store::store::Campaign as Recorded;
use smelt_store::totals::Totals;
use smelt_testgen::chain::Chain;
use smelt_testgen::fusion::Fusion;
use smelt_testgen::fusion::triple::{TripleError, built_in, parse};
use smelt_testgen::library::Library;
use smelt_testgen::seed::{Seed, is_rejected_by_all};
use smelt_testgen::technique::{Technique, technique};
use smelt_trial::target::Target;

use crate::campaign::Campaign;
use crate::configure::choices::{all_techniques, usual_judges};
use crate::configure::error::RequestError;
use crate::configure::profiles::Chosen;
use crate::configure::{DEFAULT_TIME, HuntRequest};
use crate::hunt::{Plan, shares};
use crate::labels::{Labels, Replies, StatusTrust};
use crate::options;
use crate::schedule::Schedule;
use crate::seed_labels::{Labelling, Source, labelled};
use crate::seeds::FoundSeeds;

/// Processor time for each run if nothing is given.
const DEFAULT_TIMEOUT_SECS: f64 = 2.0;

/// How long solvers are asked what seeds are, before the hunt begins.
const LABEL_TIME: Duration = Duration::from_secs(20);

/// Why a hunt cannot be prepared.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// The request makes no sense.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The file with triples cannot be read.
    #[error("cannot read `{}`: {error}", path.display())]
    ReadTriples {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The triples make no sense.
    #[error(transparent)]
    Triples(#[from] TripleError),
    /// There are triples, but nothing that uses them.
    #[error("--triples is for the technique `fusion`")]
    TriplesWithoutFusion,
    /// A solver could not be asked for its options.
    #[error("cannot ask solvers which options they take: {0}")]
    Options(io::Error),
    /// No formula could be made for all solvers.
    #[error("these solvers have no operators of strings in common")]
    NothingInCommon,
    /// The record names something that this release does not know.
    #[error("the search was begun by another release of smelt")]
    OtherRelease,
}

/// A technique with its weight.
type Weighted = (Box<dyn Technique>, u32);

/// A solver with what is demanded of it, probed.
#[derive(Debug, Clone)]
pub struct ReadySolver {
    /// The solver as it was chosen.
    pub chosen: Chosen,
    /// The solver as it is run.
    pub target: Target,
}

impl ReadySolver {
    /// How it is recorded.
    pub fn configuration(&self) -> SolverConfiguration {
        self.chosen.configuration(&self.target)
    }

    /// The same for times that are compared with those of others: releases without a safe mode run with default options.
    pub fn with_default_options(mut self) -> ReadySolver {
        self.target.leave_safe_mode();
        self
    }
}

/// A plan, and how it is recorded.
pub struct Prepared {
    /// The plan.
    pub plan: Plan,
    /// What the record keeps of it.
    pub configuration: Configuration,
    /// What the record keeps of its seeds.
    pub seed_records: Vec<SeedRecord>,
}

/// What a hunt for bugs is made with besides the request.
pub struct Ingredients<'i> {
    /// The seeds.
    pub seeds: FoundSeeds,
    /// The solvers, probed.
    pub solvers: Vec<ReadySolver>,
    /// The built-in solver.
    pub own: Option<Solver>,
    /// What is known of solvers.
    pub cache: &'i Cache,
}

/// Prepares a hunt for bugs. What the request leaves open comes from the campaign that is resumed, if one is.
pub fn hunt(
    request: &HuntRequest,
    resumed: Option<&Recorded>,
    ingredients: Ingredients<'_>,
) -> Result<Prepared, PrepareError> {
    let Ingredients { seeds, mut solvers, own, cache } = ingredients;
    let recorded = resumed.map(|recorded| &recorded.configuration);
    let random_seed = request.seed.or(recorded.map(|recorded| recorded.random_seed)).unwrap_or_default();
    if request.plain_options {
        solvers.iter_mut().for_each(|ready| ready.target.refuse_safe_mode());
    }
    // A campaign that is resumed has the configurations that it began with.
    if resumed.is_none() || !request.solver.is_empty() {
        let more = with_options(&solvers, request.options.unwrap_or_default(), random_seed, cache);
        solvers.extend(more.map_err(PrepareError::Options)?);
    }
    let judges = match (request.judges()?, recorded) {
        (Some(given), _) => given.into_iter().map(str::to_owned).collect(),
        (None, Some(recorded)) => recorded.judges.clone(),
        (None, None) => usual_judges().into_iter().map(str::to_owned).collect(),
    };
    let given_triples = request.triples.as_deref().map(read_triples).transpose()?;
    let configuration = Configuration {
        solvers: solvers.iter().map(ReadySolver::configuration).collect(),
        techniques: techniques_of(request, recorded)?,
        judges,
        random_seed,
        timeout_secs: timeout(request, recorded, DEFAULT_TIMEOUT_SECS),
        chain_length: request.steps.or(recorded.map(|recorded| recorded.chain_length)).unwrap_or(OWN_LENGTH),
        sharing: request.sharing().or(recorded.map(|recorded| recorded.sharing)).unwrap_or(Sharing::Yield),
        triples: given_triples.or_else(|| recorded?.triples.clone()),
        slowdown: None,
    };
    let plan = Plan {
        targets: solvers.into_iter().map(|ready| ready.target).collect(),
        seeds: Library::new(seeds.texts),
        techniques: weighted(&configuration.techniques, configuration.triples.as_deref())?,
        sharing: configuration.sharing,
        steps: (configuration.chain_length != OWN_LENGTH).then_some(configuration.chain_length),
        judges: configuration.judges.iter().filter_map(|name| judge(name)).collect(),
        random_seed,
        jobs: 1,
        budget: Budget::default(),
        prepared_cpu: Duration::ZERO,
        timeout_secs: configuration.timeout_secs,
        opinion: own,
    };
    Ok(Prepared { plan, configuration, seed_records: seeds.records })
}

/// What the record keeps of a search for slowdowns.
pub(crate) struct SlowdownRecord<'s> {
    pub solvers: &'s [ReadySolver],
    pub search: &'s str,
    pub judges: Vec<String>,
    pub random_seed: u64,
    pub timeout_secs: f64,
    pub threshold: Threshold,
}

impl SlowdownRecord<'_> {
    pub(crate) fn configuration(self) -> Configuration {
        Configuration {
            solvers: self.solvers.iter().map(ReadySolver::configuration).collect(),
            techniques: vec![WeightedTechnique { name: self.search.to_owned(), weight: 1 }],
            judges: self.judges,
            random_seed: self.random_seed,
            timeout_secs: self.timeout_secs,
            chain_length: 1,
            sharing: Sharing::Fixed,
            triples: None,
            slowdown: Some(self.threshold),
        }
    }
}

/// Processor time for each run: as asked, or as before, or a default.
pub(crate) fn timeout(request: &HuntRequest, recorded: Option<&Configuration>, default: f64) -> f64 {
    request.timeout.or(recorded.map(|recorded| recorded.timeout_secs)).unwrap_or(default)
}

/// The techniques that are asked for, or those of before, or all.
fn techniques_of(
    request: &HuntRequest,
    recorded: Option<&Configuration>,
) -> Result<Vec<WeightedTechnique>, RequestError> {
    let before = || recorded.map_or_else(all_techniques, |recorded| recorded.techniques.clone());
    Ok(request.techniques()?.unwrap_or_else(before))
}

/// Techniques by their names; one that this release does not know is left out and reported as a difference.
fn weighted(techniques: &[WeightedTechnique], triples: Option<&str>) -> Result<Vec<Weighted>, PrepareError> {
    let mut chosen: Vec<Box<dyn Technique>> =
        techniques.iter().filter_map(|wanted| technique(&wanted.name)).collect();
    if let Some(text) = triples {
        add_triples(&mut chosen, text)?;
    }
    let weight_of =
        |name: &str| techniques.iter().find(|wanted| wanted.name == name).map_or(1, |wanted| wanted.weight);
    let with_weight = |technique: Box<dyn Technique>| {
        let weight = weight_of(technique.name());
        (technique, weight)
    };
    Ok(chosen.into_iter().map(with_weight).collect())
}

/// Reads a file with triples.
pub fn read_triples(path: &Path) -> Result<String, PrepareError> {
    fs::read_to_string(path).map_err(|error| PrepareError::ReadTriples { path: path.to_owned(), error })
}

/// Gives the technique `fusion`, which must be among some, more triples.
pub fn add_triples(techniques: &mut [Box<dyn Technique>], text: &str) -> Result<(), PrepareError> {
    let mut triples = built_in();
    triples.extend(parse(text)?);
    let fusion = Fusion::new(triples);
    let place = techniques.iter_mut().find(|technique| technique.name() == fusion.name());
    *place.ok_or(PrepareError::TriplesWithoutFusion)? = Box::new(fusion);
    Ok(())
}

/// Solvers with drawn options besides the plain ones.
fn with_options(
    solvers: &[ReadySolver],
    count: usize,
    random_seed: u64,
    cache: &Cache,
) -> io::Result<Vec<ReadySolver>> {
    let mut more = Vec::new();
    for ReadySolver { chosen, target } in solvers.iter().filter(|ready| ready.target.options_of.is_none()) {
        for mut drawn in options::draw(target, count, random_seed, cache)? {
            let (solver, options_of) = (drawn.solver.clone(), drawn.options_of.clone());
            let chosen = Chosen { solver, options_of, ..chosen.clone() };
            chosen.demand_of(&mut drawn);
            more.push(ReadySolver { chosen, target: drawn });
        }
    }
    Ok(more)
}

/// When the campaign is done: as asked now, or as before, or after the default time. Time counts from now on, on top of
/// what the campaign has had.
pub fn budget(request: &HuntRequest, resumed: Option<&Recorded>, before: &Totals) -> Budget {
    let wanted = request.budget();
    let from_now = |seconds: f64| before.elapsed.as_secs_f64() + seconds;
    let is_given = wanted != Budget::default();
    let used = (before.solver_cpu + before.own_cpu).as_secs_f64();
    let wanted = Budget { cpu_secs: wanted.cpu_secs.map(|seconds| used + seconds), ..wanted };
    match resumed {
        Some(recorded) if !is_given => recorded.budget,
        None if !is_given => Budget { time_secs: Some(from_now(DEFAULT_TIME.as_secs_f64())), ..wanted },
        _ => Budget { time_secs: wanted.time_secs.map(from_now), ..wanted },
    }
}

/// How a configuration and its seeds differ from the record, in words.
pub fn disagreements(
    recorded: &Recorded,
    configuration: &Configuration,
    seeds: &[SeedRecord],
) -> Vec<String> {
    let mut differing = differences(&recorded.configuration, configuration);
    differing.extend(seed_difference(&recorded.seeds, seeds));
    differing
}

/// Labels the seeds of a plan; labels are kept in the folder of the campaign, and what solvers say of them for others too.
pub fn label_seeds(plan: &mut Plan, dir: &Path, trust: StatusTrust, replies: Replies) -> Labelling {
    let used_before = usage::all_cpu();
    let labels = Labels::in_folder(dir.join("labels"));
    let is_plain = |target: &&Target| target.options_of.is_none();
    let plain: Vec<Target> = plan.targets.iter().filter(is_plain).cloned().collect();
    let source = Source::with(plan.opinion.clone(), &plain, labels, LABEL_TIME);
    let mut source = source.trusting(trust).remembering(replies);
    let is_timed = plan.budget.time_secs.or(plan.budget.cpu_secs).is_some();
    if plan.budget.cases.is_some() || !is_timed {
        source = source.by_number();
    }
    if !plan.techniques.iter().any(|(technique, _)| technique.uses_truth()) {
        source = source.checking_only();
    }
    let found = plan.seeds.all().to_vec();
    let (seeds, labelling) = labelled(found.clone(), &source, &mut |_| {});
    // Without a seed that some solver takes there is no hunt; with these all the same it shows what solvers complain of.
    let is_any_accepted = seeds.iter().any(|(_, text)| !is_rejected_by_all(text));
    plan.seeds = Library::new(if is_any_accepted { seeds } else { found });
    drop(source);
    plan.prepared_cpu = usage::all_cpu().saturating_sub(used_before);
    labelling
}

/// A solver and the command that starts it, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedCommand {
    /// The solver.
    pub name: String,
    /// The command.
    pub command: String,
}

/// How many cases a preview shows, each the first of its chain.
const PREVIEWED: u64 = 3;

/// How many chains are tried for them; some seeds cannot be used.
const MAX_TRIED: u64 = 50;

/// What a hunt for bugs would run, and its first cases; nothing is started.
pub fn preview(
    request: &HuntRequest,
    dir: &Path,
    seeds: FoundSeeds,
    solvers: &[NamedCommand],
) -> Result<String, PrepareError> {
    let wanted = techniques_of(request, None)?;
    let state = if Campaign::exists(dir) { "which has a campaign" } else { "a new campaign" };
    let mut text = format!("folder      {}, {state}\n", dir.display());
    for NamedCommand { name, command } in solvers {
        let _ = writeln!(text, "solver      {name}: {command}");
    }
    if solvers.is_empty() {
        text.push_str("solver      none found; get one with `smelt solvers install z3@latest`\n");
    }
    for technique in &wanted {
        let _ = writeln!(text, "technique   {} with weight {}", technique.name, technique.weight);
    }
    let seeds = Library::new(seeds.texts);
    let _ = writeln!(text, "seeds       {}", seeds.len());
    let triples = request.triples.as_deref().map(read_triples).transpose()?;
    let techniques = weighted(&wanted, triples.as_deref())?;
    let schedule =
        Schedule::new(&seeds, &shares(&techniques, request.steps), request.seed.unwrap_or_default());
    let mut shown = 0;
    for number in (0..MAX_TRIED).take_while(|_| !seeds.all().is_empty()) {
        let chain = schedule.chain(number);
        let (name, source) = &seeds.all()[chain.seed];
        let mut terms = Terms::new();
        let Ok(seed) = Seed::read(&mut terms, name, source) else { continue };
        let (technique, _) = &techniques[chain.technique];
        let mut steps = Chain::start(&mut terms, &seed, technique.as_ref(), &seeds, chain.random_seed);
        let Some(case) = steps.next(&mut terms) else { continue };
        let _ = writeln!(text, "\n; chain {number}, step 1, technique {}, seed {name}", technique.name());
        text.push_str(&case.script.to_string());
        shown += 1;
        if shown == PREVIEWED {
            break;
        }
    }
    Ok(text)
}
