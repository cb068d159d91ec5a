//! From wishes and the record to a plan: solvers found and probed, seeds read, techniques chosen.

use std::io;
use std::time::Instant;

use smelt_campaign::campaign::{command_of_target, read_seeds, recorded_solver};
use smelt_campaign::hunt::Plan;
use smelt_campaign::options;
use smelt_oracle::judge::judge;
use smelt_runner::cache::Cache;
use smelt_runner::installation::Installation;
use smelt_runner::interruption;
use smelt_store::configuration::{
    Budget, Configuration, OWN_LENGTH, SeedRecord, Sharing, SolverConfiguration, WeightedTechnique,
};
use smelt_store::store::Campaign as Recorded;
use smelt_testgen::library::Library;
use smelt_testgen::technique::{Technique, technique};
use smelt_trial::target::Target;

use super::settings::{Settings, all_techniques, usual_judges};
use crate::error::CliError;
use crate::profiles::{Chosen, Profiles};
use crate::seeds::find_seeds;
use crate::solvers::{self, NotReady};
use crate::streams::Streams;
use crate::triples::add_triples;

/// Processor time for each run if nothing is said.
const DEFAULT_TIMEOUT_SECS: f64 = 2.0;

/// A technique with its weight.
type Weighted = (Box<dyn Technique>, u32);

/// A plan, and how it is recorded.
pub(super) struct Prepared {
    pub plan: Plan,
    pub configuration: Configuration,
    pub seed_records: Vec<SeedRecord>,
}

/// Prepares a hunt. What the user does not say comes from the campaign that is resumed, if one is.
pub(super) fn prepare(
    settings: &Settings,
    resumed: Option<&Recorded>,
    profiles: &Profiles,
    place: &Installation,
    streams: &mut Streams,
) -> Result<Prepared, CliError> {
    let seeds = match (resumed, settings.seeds.is_empty()) {
        (Some(recorded), true) => {
            let texts = read_seeds(&recorded.seeds).map_err(|error| CliError::input(error.to_string()))?;
            (texts, recorded.seeds.clone())
        }
        _ => find_seeds(&settings.seeds, streams)?,
    };
    let mut chosen: Vec<Chosen> = match (resumed, settings.solvers.is_empty()) {
        (Some(recorded), true) => {
            let before: Vec<Chosen> = recorded.configuration.solvers.iter().map(chosen_before).collect();
            if let Some(error) = before.iter().find_map(|chosen| place.verify(&chosen.solver).err()) {
                return Err(CliError::environment(error.to_string()));
            }
            before
        }
        _ => find_solvers(&settings.solvers, profiles, place, streams)?,
    };
    for chosen in &mut chosen {
        chosen.mode = chosen.mode.take().or_else(|| settings.mode.clone());
    }
    let probing = Probing {
        cache: &place.cache(),
        is_resumed: resumed.is_some(),
        until: solvers::probing_ends(settings.budget.time_secs),
    };
    let mut targets = probe(&chosen, &probing, streams)?;
    if settings.plain_options {
        targets.iter_mut().for_each(|(_, target)| target.refuse_safe_mode());
    }
    let recorded = resumed.map(|recorded| &recorded.configuration);
    let random_seed =
        settings.random_seed.or(recorded.map(|recorded| recorded.random_seed)).unwrap_or_default();
    // A campaign that goes on has the configurations that it began with.
    if resumed.is_none() || !settings.solvers.is_empty() {
        match with_options(&targets, settings.options, random_seed, &place.cache()) {
            Ok(more) => targets.extend(more),
            Err(error) => {
                return Err(CliError::environment(format!(
                    "cannot ask solvers which options they take: {error}"
                )));
            }
        }
    }
    let techniques = techniques_of(settings, recorded);
    let judges: Vec<String> = match recorded {
        _ if !settings.judges.is_empty() => settings.judges.iter().map(|name| (*name).to_owned()).collect(),
        Some(recorded) => recorded.judges.clone(),
        None => usual_judges().into_iter().map(str::to_owned).collect(),
    };
    let timeout_secs = settings
        .timeout_secs
        .or(recorded.map(|recorded| recorded.timeout_secs))
        .unwrap_or(DEFAULT_TIMEOUT_SECS);
    let configuration = Configuration {
        solvers: targets.iter().map(|(chosen, target)| solver_configuration(chosen, target)).collect(),
        techniques: techniques.clone(),
        judges: judges.clone(),
        random_seed,
        timeout_secs,
        chain_length: settings.steps.or(recorded.map(|recorded| recorded.chain_length)).unwrap_or(OWN_LENGTH),
        sharing: settings.sharing.or(recorded.map(|recorded| recorded.sharing)).unwrap_or(Sharing::Yield),
        triples: settings.triples.clone().or(recorded.and_then(|recorded| recorded.triples.clone())),
        slowdown: None,
    };
    let techniques = weighted(&techniques, configuration.triples.as_deref())?;
    let (seeds, seed_records) = seeds;
    let plan = Plan {
        targets: targets.into_iter().map(|(_, target)| target).collect(),
        seeds: Library::new(seeds),
        techniques,
        sharing: configuration.sharing,
        steps: (configuration.chain_length != OWN_LENGTH).then_some(configuration.chain_length),
        judges: judges.iter().filter_map(|name| judge(name)).collect(),
        random_seed,
        jobs: 1,
        budget: Budget::default(),
        timeout_secs,
        opinion: place.finder().own(),
    };
    Ok(Prepared { plan, configuration, seed_records })
}

/// The techniques that the user wants, or those of before, or all.
pub(super) fn techniques_of(settings: &Settings, recorded: Option<&Configuration>) -> Vec<WeightedTechnique> {
    match recorded {
        _ if !settings.techniques.is_empty() => settings.techniques.clone(),
        Some(recorded) => recorded.techniques.clone(),
        None => all_techniques(),
    }
}

/// Techniques by their names; one that this release does not know is left out and told as a difference.
pub(super) fn weighted(
    techniques: &[WeightedTechnique],
    triples: Option<&str>,
) -> Result<Vec<Weighted>, CliError> {
    let mut chosen: Vec<Box<dyn Technique>> =
        techniques.iter().filter_map(|wanted| technique(&wanted.name)).collect();
    if let Some(text) = triples {
        add_triples(&mut chosen, text)?;
    }
    let weight_of =
        |name: &str| techniques.iter().find(|wanted| wanted.name == name).map_or(1, |wanted| wanted.weight);
    Ok(chosen
        .into_iter()
        .map(|technique| {
            let weight = weight_of(technique.name());
            (technique, weight)
        })
        .collect())
}

/// Targets with drawn options besides the plain ones.
fn with_options(
    targets: &[(Chosen, Target)],
    count: usize,
    random_seed: u64,
    cache: &Cache,
) -> io::Result<Vec<(Chosen, Target)>> {
    let mut more = Vec::new();
    for (chosen, target) in targets.iter().filter(|(_, target)| target.options_of.is_none()) {
        for mut drawn in options::draw(target, count, random_seed, cache)? {
            let chosen = Chosen {
                solver: drawn.solver.clone(),
                options_of: drawn.options_of.clone(),
                ..chosen.clone()
            };
            chosen.demand_of(&mut drawn);
            more.push((chosen, drawn));
        }
    }
    Ok(more)
}

pub(super) fn solver_configuration(chosen: &Chosen, target: &Target) -> SolverConfiguration {
    SolverConfiguration {
        command: command_of_target(target),
        family: target.solver.family.name().to_owned(),
        dialect: chosen.dialect.clone(),
        mode: chosen.mode.clone(),
        options_of: chosen.options_of.clone(),
    }
}

pub(super) fn chosen_before(recorded: &SolverConfiguration) -> Chosen {
    Chosen {
        solver: recorded_solver(recorded),
        dialect: recorded.dialect.clone(),
        mode: recorded.mode.clone(),
        options_of: recorded.options_of.clone(),
    }
}

/// The solvers with these names, or all that there are.
pub(super) fn find_solvers(
    names: &[String],
    profiles: &Profiles,
    place: &Installation,
    streams: &mut Streams,
) -> Result<Vec<Chosen>, CliError> {
    let mut found = Vec::new();
    for name in names {
        found.push(profiles.find(place, name, streams)?);
    }
    if names.is_empty() {
        let finder = place.finder();
        for solver in finder.all() {
            if let Err(error) = place.verify(&solver) {
                return Err(CliError::environment(error.to_string()));
            }
            found.push(Chosen::plain(solver));
        }
        // Alone it has nobody to differ from.
        if !found.is_empty() {
            found.extend(finder.own().map(Chosen::plain));
        }
    }
    if found.is_empty() {
        return Err(CliError::usage("no solvers found; get one with `smelt solvers install z3@latest`"));
    }
    Ok(found)
}

/// How solvers are probed.
pub(super) struct Probing<'c> {
    pub cache: &'c Cache,
    /// Whether they are those of a campaign.
    pub is_resumed: bool,
    /// The moment at which that ends.
    pub until: Instant,
}

/// A target whose times are compared with those of others: releases without a safe mode run with default options.
pub(super) fn with_default_options(mut target: Target) -> Target {
    target.leave_safe_mode();
    target
}

/// Asks the solvers what they can do. One that does not work is left out, but not from a campaign that has it.
pub(super) fn probe(
    chosen: &[Chosen],
    probing: &Probing<'_>,
    streams: &mut Streams,
) -> Result<Vec<(Chosen, Target)>, CliError> {
    let &Probing { cache, is_resumed, until } = probing;
    let mut targets = Vec::new();
    for chosen in chosen {
        let name = &chosen.solver.name;
        let base = targets
            .iter()
            .find(|(_, target): &&(Chosen, Target)| chosen.options_of.as_ref() == Some(&target.solver.name));
        let found = match base {
            Some((_, base)) => options::configured(base, chosen.solver.clone(), cache)
                .map_err(NotReady::Probing)
                .and_then(solvers::working)
                .map_err(CliError::from),
            None => solvers::make_ready(chosen.solver.clone(), cache, until, streams),
        };
        if interruption::is_requested() {
            streams.message("stopped while solvers were probed\n")?;
            return Err(CliError::Interrupted);
        }
        let problem = match found {
            Ok(mut target) => {
                chosen.demand_of(&mut target);
                targets.push((chosen.clone(), target));
                continue;
            }
            Err(error) if error.is_fatal() => return Err(error),
            Err(problem) => problem,
        };
        if is_resumed {
            return Err(CliError::environment(format!("cannot run `{name}` of the campaign: {problem}")));
        }
        streams.message(&format!("leaving out {name}: {problem}\n"))?;
    }
    if targets.is_empty() {
        return Err(CliError::environment("none of the solvers works"));
    }
    Ok(targets)
}
