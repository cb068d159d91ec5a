//! `smelt hunt`: the main job, a campaign against solvers.
//!
//! What is asked for is a [`HuntRequest`]; plans are made in `smelt_campaign::prepare`. Here solvers are found and probed,
//! campaigns opened, and results printed.

mod genetic;
mod progress;
mod slowdown;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use smelt_campaign::campaign::{command_of, read_seeds};
use smelt_campaign::configure::hint::in_campaign;
use smelt_campaign::configure::kind::{HuntKind, only_for_bugs};
use smelt_campaign::configure::profiles::DEFAULT_FILE;
use smelt_campaign::configure::{AskedHunt, DEFAULT_DIR, HuntRequest, ValidRequest};
use smelt_campaign::consent::ConsentItem;
use smelt_campaign::find_solvers::{Probing, find_solvers, probe, recorded_solvers};
use smelt_campaign::genetic::prepare::folder as genetic_folder;
use smelt_campaign::genetic::state::State;
use smelt_campaign::hunt::{self, HuntError, Hunted};
use smelt_campaign::labels::StatusTrust;
use smelt_campaign::opening::{CampaignStart, OpenedCampaign, announcement};
use smelt_campaign::prepare::{self, Ingredients, NamedCommand, Prepared, ReadySolver, budget, label_seeds};
use smelt_campaign::profiles::Profiles;
use smelt_campaign::record::{Findings, list};
use smelt_campaign::seed_labels::why_unusable;
use smelt_campaign::seeds::FoundSeeds;
use smelt_campaign::summary::json::HuntLine;
use smelt_campaign::summary::{self, vacuities, warnings, yields_table};
use smelt_runner::installation::Installation;
use smelt_runner::limits::set_default_memory;
use smelt_runner::{parallel, stop_signals, usage};
use smelt_store::configuration::SolverConfiguration;
use smelt_store::store::Campaign as Recorded;
use smelt_store::totals::Totals;
use smelt_triage::after_hunt::AfterHunt;
use smelt_triage::cluster::findings::same_causes;

use crate::config::seeds::{find_seeds, replies};
use crate::config::solvers::installation;
use crate::config::trust;
use crate::error::{CliError, Exit};
use crate::render::streams::Streams;
use progress::HuntProgress;

/// Hunt for bugs: mutate seeds, run solvers on them, judge, confirm, record
///
/// Every model is evaluated by smelt itself, and a solver is blamed only with evidence: a model that our evaluator
/// accepts, or one that it refutes, or a crash. What is found is confirmed in fresh processes and written to a folder
/// below DIR/findings. Exit status 1 if there are findings, 3 if a solver ran fewer than half of the formulas
/// that were made or failed on more than half of its runs: then the hunt says nothing about it.
///
/// With --goal slowdown, random formulas are searched for those on which the last solver is much slower than one of the
/// others: an older release, a different solver, or another configuration. Processor time counts, of five runs in turn; a
/// slowdown that does not reproduce is not a finding.
///
/// When the time is over, findings are reduced as `smelt reduce` does, each for its share of the time, and the report of
/// one that seems to have the same cause as another says so. What was not reduced then is in the next hunt with --triage
/// or --time.
///
/// A campaign can be interrupted at any time, even by SIGKILL, and is resumed with --resume, or with the same command
/// again.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: smelt hunt seeds/ --solver z3@4.8.7 --solver z3@latest --solver cvc5@latest --time 10m
         smelt hunt --goal slowdown --solver z3@4.8.7 --solver z3@4.8.8 --time 5m --timeout 3 --alpha 1"
)]
pub(crate) struct Args {
    #[command(flatten)]
    request: HuntRequest,
    /// Resume the campaign in the folder, with its solvers, seeds, techniques and limits [default: start one]
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
    /// Print the plan and the first cases, and run nothing [default: hunt]
    #[arg(long, conflicts_with = "resume")]
    dry_run: bool,
}

/// What the parts of a hunt share.
struct Hunting<'h> {
    asked: &'h AskedHunt,
    request: &'h HuntRequest,
    profiles: &'h Profiles,
    dir: PathBuf,
    is_json: bool,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let profiles = Profiles::read(args.config.as_deref())?;
    let profile = args.profile.as_deref().map(|name| profiles.hunt(name)).transpose()?;
    let asked = AskedHunt { command_line: args.request.clone(), profile, is_resumed: args.resume };
    let ValidRequest { request, kind } = asked.validate()?;
    if args.json
        && let Some(kind) = kind
    {
        only_for_bugs("json", kind)?;
    }
    if let Some(memory) = request.memory {
        set_default_memory(memory.0);
    }
    if let Some(name) = args.profile.as_ref().filter(|_| !args.dry_run) {
        profiles.agree(streams)?;
        let file = args.config.as_deref().unwrap_or(Path::new(DEFAULT_FILE));
        streams.message(&format!("hunt {name} of {}\n", file.display()))?;
    }
    let dir = match kind {
        Some(HuntKind::Genetic) => genetic_folder(&request, args.resume),
        _ => request.dir.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_DIR)),
    };
    let hunting = Hunting { asked: &asked, request: &request, profiles: &profiles, dir, is_json: args.json };
    if args.dry_run {
        return hunting.preview(kind.unwrap_or(HuntKind::Bugs), streams);
    }
    if kind == Some(HuntKind::Genetic) || kind.is_none() && State::exists(&hunting.dir) {
        return genetic::run(&hunting, streams);
    }
    hunting.run_campaign(kind, streams)
}

impl Hunting<'_> {
    /// Prints what would be run, without installing, probing, running or writing anything.
    fn preview(&self, kind: HuntKind, streams: &mut Streams) -> Result<Exit, CliError> {
        let place = installation();
        let named = |name: &String| NamedCommand {
            name: name.clone(),
            command: self.profiles.describe(&place, name, streams),
        };
        let mut solvers: Vec<NamedCommand> = self.request.solver.iter().map(named).collect();
        let text = match kind {
            HuntKind::Bugs => {
                let seeds = find_seeds(&self.request.seeds, streams)?;
                if solvers.is_empty() {
                    solvers.extend(place.finder().all().iter().map(|solver| {
                        let command = command_of(solver);
                        let line = format!("{} {}", command.program, command.args.join(" "));
                        NamedCommand { name: solver.name.clone(), command: line }
                    }));
                }
                prepare::preview(self.request, &self.dir, seeds, &solvers)?
            }
            HuntKind::Slowdown => smelt_campaign::slowdown::prepare::preview(self.request, &solvers)?,
            HuntKind::Genetic => {
                smelt_campaign::genetic::prepare::preview(self.request, &self.dir, &solvers)?
            }
        };
        streams.results().write_all(text.as_bytes())?;
        Ok(Exit::Done)
    }

    /// Runs a campaign, whose record says what kind of hunt it is if the user does not.
    fn run_campaign(&self, kind: Option<HuntKind>, streams: &mut Streams) -> Result<Exit, CliError> {
        // From here on we start processes; none may outlive us.
        usage::use_batch_scheduling();
        usage::keep_freed_memory();
        let stop = stop_signals::stop_when_asked();
        let opened = OpenedCampaign::open(&self.dir, self.asked.is_resumed)?;
        if let Some(recorded) = opened.resumed() {
            agree_to(&self.dir, &recorded.configuration.solvers, streams)?;
        }
        let was_slowdown = opened.resumed().is_some_and(|recorded| recorded.configuration.slowdown.is_some());
        let kind = kind.unwrap_or(if was_slowdown { HuntKind::Slowdown } else { HuntKind::Bugs });
        self.asked.check_kind(kind)?;
        if self.is_json {
            only_for_bugs("json", kind)?;
        }
        match kind {
            HuntKind::Slowdown => self.search_slowdowns(opened, &stop, streams),
            _ => self.hunt_bugs(opened, &stop, streams),
        }
    }

    /// The solvers that the user names, or those of the campaign that is resumed, or all that there are; probed.
    fn ready_solvers(
        &self,
        resumed: Option<&Recorded>,
        place: &Installation,
        streams: &mut Streams,
    ) -> Result<Vec<ReadySolver>, CliError> {
        let names = &self.request.solver;
        let mut chosen = match resumed {
            Some(recorded) if names.is_empty() => recorded_solvers(recorded, place)?,
            _ => find_solvers(names, self.profiles, place, streams)?,
        };
        for chosen in &mut chosen {
            chosen.mode = chosen.mode.or(self.request.mode);
        }
        probe(&chosen, &self.probing(resumed.is_some()), &place.cache(), streams)
    }

    /// How solvers are probed, beginning now.
    fn probing(&self, is_resumed: bool) -> Probing {
        Probing::begin(is_resumed, self.request.budget().time_secs)
    }

    fn hunt_bugs(
        &self,
        opened: OpenedCampaign,
        stop: &std::sync::Arc<AtomicBool>,
        streams: &mut Streams,
    ) -> Result<Exit, CliError> {
        let place = installation();
        let before = opened.totals();
        let seeds = match opened.resumed() {
            Some(recorded) if self.request.seeds.is_empty() => {
                let texts =
                    read_seeds(&recorded.seeds).map_err(|error| CliError::Input(error.to_string()))?;
                FoundSeeds { texts, records: recorded.seeds.clone(), unreadable: Vec::new() }
            }
            _ => find_seeds(&self.request.seeds, streams)?,
        };
        let solvers = self.ready_solvers(opened.resumed(), &place, streams)?;
        let ingredients = Ingredients { seeds, solvers, own: place.finder().own(), cache: &place.cache() };
        let Prepared { mut plan, configuration, seed_records } =
            prepare::hunt(self.request, opened.resumed(), ingredients)?;
        plan.jobs = self.request.jobs.unwrap_or_else(parallel::all_cores).get();
        plan.budget = budget(self.request, opened.resumed(), &before);
        let start =
            CampaignStart { configuration: &configuration, seeds: &seed_records, budget: &plan.budget };
        let announced = announcement(&self.dir, &plan, opened.recorded.as_ref());
        trust::remember(configuration.solvers.iter().map(|solver| &solver.command));
        let campaign = opened.begin(&self.dir, &start)?;
        streams.message(&announced)?;
        let trust = StatusTrust::of(self.request.trust_status);
        streams.message(&label_seeds(&mut plan, &self.dir, trust, replies()).text())?;
        let progress = HuntProgress::new(before, plan.budget);
        let names: Vec<String> = plan.targets.iter().map(|target| target.solver.name.clone()).collect();
        let report = |totals: &Totals| {
            progress.warn(warnings(totals, &names));
            progress.show(totals);
        };
        let result = hunt::run(&plan, campaign, stop, &report);
        drop(progress);
        let hunted = match result {
            Ok(hunted) => hunted,
            Err(error @ HuntError::NoSeeds) => {
                let reasons = why_unusable(plan.seeds.all().iter());
                let reasons = if reasons.is_empty() { String::new() } else { format!(":\n  {reasons}") };
                return Err(CliError::usage(format!("{error}{reasons}")));
            }
            Err(error) => return Err(CliError::environment(error.to_string())),
        };
        let Hunted { totals, findings, yields, omissions } = &hunted;
        if stop.load(Ordering::Relaxed) {
            streams.message(&stopped(&self.dir))?;
        } else if let Some(time) = self.request.triage_time(self.asked.is_resumed) {
            AfterHunt { place: &place, dir: &self.dir, time, stop }.run(findings, streams)?;
        }
        let seeds = plan.seeds.all();
        let unusable = totals.unusable_seeds.iter().filter_map(|seed| seeds.get(*seed as usize));
        let reasons = why_unusable(unusable);
        if !reasons.is_empty() {
            let (count, all) = (totals.unusable_seeds.len(), seeds.len());
            streams.message(&format!("warning: {count} of {all} seeds cannot be used:\n  {reasons}\n"))?;
        }
        omissions.lines().iter().try_for_each(|line| streams.message(&format!("{line}\n")))?;
        let exit = if self.is_json {
            streams.json_line(&HuntLine::of(&plan, &hunted, &names))?;
            if findings.is_empty() { Exit::Done } else { Exit::Findings }
        } else {
            write!(streams.results(), "{}", yields_table(&plan, yields))?;
            for (_, warning) in warnings(totals, &names) {
                writeln!(streams.results(), "{warning}\n")?;
            }
            print_summary(&self.dir, totals, findings, streams)?
        };
        let vacuities = vacuities(totals, &names);
        vacuities.iter().try_for_each(|vacuity| streams.error(vacuity))?;
        Ok(if vacuities.is_empty() { exit } else { Exit::EnvironmentFailed })
    }
}

/// Prints the totals and the findings of a campaign.
fn print_summary(
    dir: &Path,
    totals: &Totals,
    findings: &Findings,
    streams: &mut Streams,
) -> Result<Exit, CliError> {
    // The record is complete now; should it be unreadable, every finding counts as a bug.
    let recorded = list(dir).unwrap_or_default();
    let ids = recorded.iter().map(|finding| finding.id.clone());
    let same =
        ids.zip(same_causes(dir, &recorded)).filter_map(|(id, same_as)| Some((id, same_as?))).collect();
    write!(streams.results(), "{}", summary::text(dir, totals, findings, &same))?;
    Ok(if findings.is_empty() { Exit::Done } else { Exit::Findings })
}

/// The message to a user who has stopped a hunt.
fn stopped(dir: &Path) -> String {
    format!("stopped; resume with `{}`\n", in_campaign("smelt hunt --resume", dir))
}

/// Asks the user to agree to the solvers of a campaign.
fn agree_to<'c>(
    dir: &Path,
    solvers: impl IntoIterator<Item = &'c SolverConfiguration>,
    streams: &mut Streams,
) -> Result<(), CliError> {
    let items: Vec<ConsentItem> =
        solvers.into_iter().map(|solver| ConsentItem::command(&solver.command)).collect();
    trust::ask(&format!("the campaign in `{}`", dir.display()), &items, streams)
}

#[cfg(test)]
mod tests {
    use smelt_campaign::configure::profiles::ProfileFile;

    use super::*;

    /// Options that say what to do with a request, and are not part of it.
    const NOT_IN_PROFILES: [&str; 5] = ["resume", "profile", "config", "json", "dry-run"];

    #[test]
    fn a_profile_takes_every_option_of_the_command_line() {
        let command = <Args as clap::Args>::augment_args(clap::Command::new("hunt"));
        let mut accepted = 0;
        for arg in command.get_arguments() {
            let name = arg.get_long().unwrap_or(arg.get_id().as_str());
            // A table is a wrong value of every option that is known.
            let error = ProfileFile::parse(&format!("[hunts.a]\n{name} = {{ x = 1 }}\n")).unwrap_err();
            let is_known = !error.to_string().contains("unknown field");
            assert_eq!(is_known, !NOT_IN_PROFILES.contains(&name), "{name}: {error}");
            accepted += usize::from(is_known);
        }
        assert!(accepted > 25, "{accepted}");
    }
}
