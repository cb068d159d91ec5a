//! `smelt hunt`: the main job, a campaign against solvers.

mod evolution;
mod json;
mod modes;
mod prepare;
mod preview;
mod progress;
mod settings;
mod slowdown;
mod summary;
mod triage;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use smelt_campaign::campaign::Campaign;
use smelt_campaign::genetic::state::State;
use smelt_campaign::hunt::{self, HuntError, Hunted, Plan};
use smelt_campaign::labels::Labels;
use smelt_campaign::seed_labels::{Source, labelled};
use smelt_runner::parallel;
use smelt_runner::usage;
use smelt_store::configuration::{Budget, Configuration, SeedRecord, differences, seed_difference};
use smelt_store::store::Campaign as Recorded;
use smelt_store::totals::Totals;
use smelt_testgen::library::Library;
use smelt_trial::target::Target;

use crate::error::{CliError, Exit};
use crate::hints::in_campaign;
use crate::interrupt;
use crate::memory::MemoryArg;
use crate::profiles::Profiles;
use crate::seeds::why_unusable;
use crate::solvers::installation;
use crate::streams::Streams;
use crate::trust;
use modes::misplaced;
use prepare::Prepared;
use progress::Progress;
pub(crate) use settings::parse_time;
use settings::{Alpha, Mode, Settings, parse_alpha, settings};

/// Hunt for bugs: mutate seeds, run solvers on them, judge, confirm, record
///
/// Every model is evaluated by smelt itself, and a solver is blamed only with evidence: a model that our evaluator
/// accepts, or one that it refutes, or a crash. What is found is confirmed in fresh processes and written to a folder
/// of its own below DIR/findings. Exit status 1 if there are findings, 3 if a solver ran fewer than half of the formulas
/// that were made or failed on more than half of its runs: then the hunt says nothing about it.
///
/// With --goal slowdown, random formulas are searched for those on which the last solver is much slower than one of the
/// others: a release than older ones, a solver than another, or two configurations of one. Processor time counts, of five
/// runs in turn; what they do not show again is no finding.
///
/// When the time is over, findings are reduced as `smelt reduce` does, each for its share of the time, and the report of
/// one that seems to have the same cause as another says so. What was not reduced then is in the next hunt with --triage
/// or --time.
///
/// A campaign can be stopped at any moment, by Ctrl-C or worse, and goes on with --resume, or with the same command
/// again.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: smelt hunt seeds/ --solver z3@4.8.7 --solver z3@latest --solver cvc5@latest --time 10m
         smelt hunt --goal slowdown --solver z3@4.8.7 --solver z3@4.8.8 --time 5m --timeout 3 --alpha 1"
)]
pub(crate) struct Args {
    /// Seed formulas: files or folders [default: built-in seeds]
    #[arg(value_name = "SEEDS")]
    seeds: Vec<PathBuf>,
    /// A solver: NAME, NAME@VERSION (installed if it is not), NAME=COMMAND LINE, or one of smelt.toml; repeatable
    /// [default: all that are installed or on the PATH]
    #[arg(short, long = "solver", value_name = "SOLVER")]
    solvers: Vec<String>,
    /// How long to hunt from now on, such as 90s, 10m or 2h [default: 2m, or no limit with --cases or --findings].
    /// Solvers that are new are probed before that, for at most as long again, or 10s if that is longer
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    time: Option<Duration>,
    /// How long to reduce findings when the hunt is over, worst first [default: a quarter of the
    /// time of the hunt, or nothing with --cases or --findings or --resume and no --time]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    triage: Option<Duration>,
    /// Leave findings as they were found [default: reduce them]
    #[arg(long, conflicts_with = "triage")]
    no_triage: bool,
    /// How many cases the campaign has, exactly; a formula that no solver takes is not a case [default: no limit]
    #[arg(long, value_name = "N")]
    cases: Option<u64>,
    /// How many findings are enough [default: no limit]
    #[arg(long, value_name = "N")]
    findings: Option<u64>,
    /// How many steps lead away from a seed at most [default: 10, and now and then as many as are good for the technique]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=999))]
    steps: Option<u32>,
    /// Processor time allowed for each run, in seconds [default: 2]
    #[arg(short, long, value_name = "SECS")]
    timeout: Option<f64>,
    #[command(flatten)]
    pub(crate) memory: MemoryArg,
    /// Techniques with weights, such as operator=3,fusion=1, or `all`, which is all that change seeds; construct,
    /// enumerate, random and stringfuzz make formulas from nothing [default: all, each with weight 1]
    #[arg(long, value_name = "LIST")]
    technique: Option<String>,
    /// How techniques share the hunt: `fixed` by their weights, `yield` by how many formulas of new shapes they make
    /// [default: yield, or fixed if weights are given]
    #[arg(long, value_name = "HOW", value_parser = ["fixed", "yield"])]
    sharing: Option<String>,
    /// Also run every solver with this many drawn sets of options, one of them in each chain [default: 0]
    #[arg(long, value_name = "N")]
    options: Option<usize>,
    /// Run solvers with their default options only [default: cvc5 in safe mode where it has one that takes the formula,
    /// by a `set-option` in the script; a solver given with options gets these and no others]
    #[arg(long)]
    plain_options: bool,
    /// Fusion triples besides the built-in ones, between #begin and #end [default: none]
    #[arg(long, value_name = "FILE")]
    triples: Option<PathBuf>,
    /// What to look for: `bugs`, or `slowdown`: formulas on which the last solver is much slower than one of the others;
    /// then the techniques are bandit, no-dtw, banditfuzz, random or genetic, and there are no seeds [default: bugs]
    #[arg(long, value_name = "GOAL", value_parser = ["bugs", "slowdown"])]
    goal: Option<String>,
    /// What is a slowdown: so many seconds more, such as 1.5, or so many times as long, such as 5x [default: half the
    /// timeout]
    #[arg(long, value_name = "ALPHA", value_parser = parse_alpha)]
    alpha: Option<Alpha>,
    /// With how many random seeds of the solvers slowdowns are tried when the time is over [default: 30]
    #[arg(long, value_name = "N")]
    random_seeds: Option<u32>,
    /// How many slowdowns are tried with random seeds, those with the largest ratios [default: 3]
    #[arg(long, value_name = "N")]
    best: Option<usize>,
    /// How many formulas tell how much times vary before a search for slowdowns begins; with 0 solvers are not asked either
    /// on which operators they give up [default: 5]
    #[arg(long, value_name = "N")]
    calibrate: Option<usize>,
    /// Judges to hear, separated by commas, or `all` [default: all but those of performance]
    #[arg(long, value_name = "LIST")]
    judge: Option<String>,
    /// Random seed: with --cases, the same seed generates the same cases on every machine, however busy; with --time,
    /// chains that no solver decides are left early, which depends on the machine [default: 0]
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    /// How many workers [default: one per core]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Keep solvers running between formulas: `warm` always, `cold` never, `auto` where that pays; `incremental` pushes
    /// and pops formulas, which is faster still and tests what solvers do then [default: auto]
    #[arg(long, value_name = "MODE", value_parser = ["auto", "warm", "cold", "incremental"])]
    mode: Option<String>,
    /// The campaign's folder [default: smelt-campaign]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Go on with the campaign in the folder, with its solvers, seeds, techniques and limits [default: start one]
    #[arg(long)]
    resume: bool,
    /// A hunt of smelt.toml, whose options count where the command line has none [default: none]
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// The file with profiles of solvers and hunts [default: smelt.toml, if there is one]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print one JSON object instead of tables [default: tables]
    #[arg(long, conflicts_with = "dry_run")]
    json: bool,
    /// Show what would be run and the first cases, and do nothing [default: hunt]
    #[arg(long, conflicts_with = "resume")]
    dry_run: bool,
    #[command(flatten)]
    evolution: evolution::Options,
}

/// How long solvers are asked what seeds are, before the hunt begins.
const LABEL_TIME: Duration = Duration::from_secs(20);

/// How long a hunt takes if nothing is said.
const DEFAULT_TIME_SECS: f64 = 120.0;

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let read = Profiles::read(args.config.as_deref())
        .and_then(|profiles| Ok((settings(args, &profiles)?, profiles)));
    let (settings, profiles) = read?;
    if let Some(name) = args.profile.as_ref().filter(|_| !args.dry_run) {
        profiles.agree(streams)?;
        let file = args.config.as_deref().unwrap_or(Path::new("smelt.toml"));
        streams.message(&format!("hunt {name} of {}\n", file.display()))?;
    }
    let place = installation();
    let is_evolution = settings.mode_of_hunt == Some(Mode::Evolution);
    if is_evolution || settings.mode_of_hunt.is_none() && State::exists(&settings.dir) {
        return evolution::run(args, &settings, &profiles, streams);
    }
    if args.dry_run && settings.mode_of_hunt == Some(Mode::Slowdown) {
        return slowdown::preview(&settings, streams);
    }
    if args.dry_run {
        return preview::show(&settings, &profiles, &place, streams);
    }
    if args.resume && !Campaign::exists(&settings.dir) {
        let dir = settings.dir.display();
        return Err(CliError::usage(format!("there is no campaign in `{dir}`; start one without --resume")));
    }
    // From here on we start processes; none may outlive us.
    usage::be_patient();
    usage::keep_memory();
    let stop = interrupt::stop_when_asked();
    // Opened before solvers are looked for and probed, because whoever comes second shall know at once; but made only
    // when all else is in order.
    let open = || Campaign::open(&settings.dir).and_then(|campaign| Ok((campaign.recorded()?, campaign)));
    let opened = match Campaign::exists(&settings.dir).then(open).transpose() {
        Ok(opened) => opened,
        Err(error) => return Err(CliError::environment(error.to_string())),
    };
    let (recorded, campaign) = opened.unzip();
    let recorded: Option<Recorded> = recorded.flatten();
    let resumed = recorded.as_ref().filter(|_| args.resume);
    if args.resume && resumed.is_none() {
        let dir = settings.dir.display();
        return Err(CliError::usage(format!(
            "the campaign in `{dir}` has not begun; start it without --resume"
        )));
    }
    if let Some(recorded) = resumed {
        let commands = recorded.configuration.solvers.iter().map(|solver| &solver.command);
        trust::ask_about(&source_of(&settings.dir), commands, streams)?;
    }
    let was_slowdown = resumed.is_some_and(|recorded| recorded.configuration.slowdown.is_some());
    let recorded_mode = if was_slowdown { Mode::Slowdown } else { Mode::Bugs };
    let mode = settings.mode_of_hunt.unwrap_or(recorded_mode);
    if let Some(message) = misplaced(args, &settings.profile, mode) {
        return Err(CliError::usage(message));
    }
    if mode == Mode::Slowdown {
        let search = slowdown::Wanted { settings: &settings, is_resumed: args.resume, profiles: &profiles };
        return search.run(&place, (campaign, recorded), &stop, streams);
    }
    let before = recorded.as_ref().map(|recorded| recorded.totals.clone()).unwrap_or_default();
    let Prepared { mut plan, configuration, seed_records } =
        prepare::prepare(&settings, resumed, &profiles, &place, streams)?;
    plan.jobs = settings.jobs.unwrap_or_else(parallel::all_cores).get();
    plan.budget = budget(&settings.budget, resumed, &before);
    let about = About { configuration: &configuration, seeds: &seed_records, budget: &plan.budget };
    let campaign = begin(campaign, recorded.as_ref(), &about, &settings, args.resume)?;
    announce(&settings, &plan, recorded.as_ref(), streams)?;
    let labels = Labels::in_folder(settings.dir.join("labels"));
    let plain: Vec<Target> =
        plan.targets.iter().filter(|target| target.options_of.is_none()).cloned().collect();
    let mut source = Source::with(place.finder().own(), &plain, labels, LABEL_TIME);
    if plan.budget.cases.is_some() || plan.budget.time_secs.is_none() {
        source = source.by_number();
    }
    if !plan.techniques.iter().any(|(technique, _)| technique.uses_truth()) {
        source = source.checking_only();
    }
    let (labelled, labelling) = labelled(plan.seeds.all().to_vec(), &source);
    plan.seeds = Library::new(labelled);
    streams.message(&labelling.text())?;
    let progress = Progress::new(before, plan.budget);
    let names: Vec<String> = plan.targets.iter().map(|target| target.solver.name.clone()).collect();
    let report = |totals: &Totals| {
        progress.warn(summary::warnings(totals, &names));
        progress.show(totals);
    };
    let result = hunt::run(&plan, campaign, &stop, &report);
    progress.finish();
    match result {
        Ok(hunted) => {
            let Hunted { totals, findings, yields, omissions } = &hunted;
            if stop.load(std::sync::atomic::Ordering::Relaxed) {
                streams.message(&stopped(&settings.dir))?;
            } else if let Some(time) = settings.triage {
                triage::run(&settings.dir, findings, time, &stop, streams)?;
            }
            let seeds = plan.seeds.all();
            let unusable = totals.unusable_seeds.iter().filter_map(|seed| seeds.get(*seed as usize));
            let reasons = why_unusable(unusable);
            if !reasons.is_empty() {
                let (count, all) = (totals.unusable_seeds.len(), seeds.len());
                let message = format!("warning: {count} of {all} seeds cannot be used:\n  {reasons}\n");
                streams.message(&message)?;
            }
            omissions.lines().iter().try_for_each(|line| streams.message(&format!("{line}\n")))?;
            let exit = if args.json {
                streams.json_line(&json::Line::of(&plan, &hunted, &names))?;
                if findings.is_empty() { Exit::Done } else { Exit::Findings }
            } else {
                summary::print_yields(&plan, yields, streams)?;
                summary::print_warnings(totals, &names, streams)?;
                summary::print(&settings.dir, totals, findings, streams)?
            };
            let vacuities = summary::vacuities(totals, &names);
            vacuities.iter().try_for_each(|vacuity| streams.error(vacuity))?;
            Ok(if vacuities.is_empty() { exit } else { Exit::EnvironmentFailed })
        }
        Err(error @ HuntError::NoSeeds) => {
            let reasons = why_unusable(plan.seeds.all().iter());
            let reasons = if reasons.is_empty() { String::new() } else { format!(":\n  {reasons}") };
            Err(CliError::usage(format!("{error}{reasons}")))
        }
        Err(error) => Err(CliError::environment(error.to_string())),
    }
}

/// What a user is told who has stopped a hunt.
fn stopped(dir: &Path) -> String {
    format!("stopped; go on with `{}`\n", in_campaign("smelt hunt --resume", dir))
}

/// What a campaign is about.
struct About<'a> {
    configuration: &'a Configuration,
    seeds: &'a [SeedRecord],
    budget: &'a Budget,
}

/// Begins a campaign, or resumes one if it is the same.
fn begin(
    opened: Option<Campaign>,
    recorded: Option<&Recorded>,
    about: &About<'_>,
    settings: &Settings,
    is_resumed: bool,
) -> Result<Campaign, CliError> {
    let made = match opened {
        Some(campaign) => Ok(campaign),
        None => Campaign::open(&settings.dir),
    };
    let mut campaign = made.map_err(|error| CliError::environment(error.to_string()))?;
    trust::remember(about.configuration.solvers.iter().map(|solver| &solver.command));
    let begun = match recorded {
        None => campaign.begin(about.configuration, about.seeds, about.budget),
        Some(recorded) => {
            let mut differing = differences(&recorded.configuration, about.configuration);
            differing.extend(seed_difference(&recorded.seeds, about.seeds));
            if !differing.is_empty() {
                return Err(CliError::usage(disagreement(settings, is_resumed, &differing)));
            }
            campaign.set_budget(about.budget)
        }
    };
    match begun {
        Ok(()) => Ok(campaign),
        Err(error) => Err(CliError::environment(error.to_string())),
    }
}

/// What a user is told that wants to start the programs of a campaign.
fn source_of(folder: &Path) -> String {
    format!("the campaign in `{}`", folder.display())
}

/// When the campaign is done: as the user says now, or as was said before, or after the default time. Time counts from
/// now on, on top of what the campaign has had.
fn budget(wanted: &Budget, resumed: Option<&Recorded>, before: &Totals) -> Budget {
    let from_now = |seconds: f64| before.elapsed.as_secs_f64() + seconds;
    let is_given = wanted.time_secs.is_some() || wanted.cases.is_some() || wanted.findings.is_some();
    match resumed {
        Some(recorded) if !is_given => recorded.budget,
        None if !is_given => Budget { time_secs: Some(from_now(DEFAULT_TIME_SECS)), ..*wanted },
        _ => Budget { time_secs: wanted.time_secs.map(from_now), ..*wanted },
    }
}

fn disagreement(settings: &Settings, is_resumed: bool, differing: &[String]) -> String {
    let advice = if is_resumed {
        "leave those options out, or start another campaign with --dir"
    } else {
        "go on with it as it is with --resume, or start another campaign with --dir"
    };
    format!(
        "the campaign in `{}` is another one:\n  {}\n{advice}",
        settings.dir.display(),
        differing.join("\n  ")
    )
}

fn announce(
    settings: &Settings,
    plan: &Plan,
    recorded: Option<&Recorded>,
    streams: &mut Streams,
) -> Result<(), CliError> {
    for target in plan.targets.iter().filter(|target| !target.meanings.older.is_empty()) {
        let ops: Vec<&str> = target.meanings.older.iter().map(|op| op.info().name).collect();
        streams.message(&format!(
            "{} follows an older definition of {}\n",
            target.solver.name,
            ops.join(" ")
        ))?;
    }
    let dir = settings.dir.display();
    let Some(recorded) = recorded else {
        let names: Vec<&str> = plan.targets.iter().map(|target| target.solver.name.as_str()).collect();
        let techniques: Vec<&str> = plan.techniques.iter().map(|(technique, _)| technique.name()).collect();
        streams.message(&format!(
            "{} seeds, techniques {}, solvers {}, findings to {dir}\n",
            plan.seeds.len(),
            techniques.join(" "),
            names.join(" "),
        ))?;
        return Ok(());
    };
    let totals = &recorded.totals;
    streams.message(&format!(
        "going on with the campaign in {dir}: {} cases and {} findings in {:.0} s so far\n",
        totals.cases,
        totals.all_findings(),
        totals.elapsed.as_secs_f64()
    ))?;
    let is_late = plan.budget.time_secs.is_some_and(|most| totals.elapsed.as_secs_f64() >= most);
    let is_enough = plan.budget.findings.is_some_and(|most| totals.all_findings() >= most);
    let is_complete = plan.budget.cases.is_some_and(|most| totals.cases >= most);
    if is_late || is_enough || is_complete {
        streams
            .message("that was all that was asked for; ask for more with --time, --cases or --findings\n")?;
    }
    Ok(())
}
