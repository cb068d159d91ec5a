//! `smelt hunt --dry-run`: what would be run, and the first cases.

use std::io::Write;

use smelt_campaign::campaign::{Campaign, command_of};
use smelt_campaign::hunt::shares;
use smelt_campaign::schedule::Schedule;
use smelt_runner::installation::Installation;
use smelt_smtlib::term::Terms;
use smelt_testgen::chain::Chain;
use smelt_testgen::library::Library;
use smelt_testgen::seed::Seed;

use super::prepare::{techniques_of, weighted};
use super::settings::Settings;
use crate::error::{CliError, Exit};
use crate::profiles::Profiles;
use crate::seeds::find_seeds;

use crate::streams::Streams;

/// How many cases are shown, each the first of its chain.
const SHOWN: u64 = 3;

/// How many chains are tried for them; some seeds cannot be used.
const MAX_TRIED: u64 = 50;

/// Shows a hunt without installing, probing, running or writing anything.
pub(super) fn show(
    settings: &Settings,
    profiles: &Profiles,
    place: &Installation,
    streams: &mut Streams,
) -> Result<Exit, CliError> {
    let (seeds, _) = find_seeds(&settings.seeds, streams)?;
    let techniques = techniques_of(settings, None);
    let out = streams.results();
    let state = if Campaign::exists(&settings.dir) { "which has a campaign" } else { "a new campaign" };
    writeln!(out, "folder      {}, {state}", settings.dir.display())?;
    for name in &settings.solvers {
        writeln!(out, "solver      {name}: {}", profiles.describe(place, name))?;
    }
    if settings.solvers.is_empty() {
        let found = place.finder().all();
        for solver in &found {
            let command = command_of(solver);
            writeln!(out, "solver      {}: {} {}", solver.name, command.program, command.args.join(" "))?;
        }
        if found.is_empty() {
            writeln!(out, "solver      none found; get one with `smelt solvers install z3@latest`")?;
        }
    }
    for technique in &techniques {
        writeln!(out, "technique   {} with weight {}", technique.name, technique.weight)?;
    }
    writeln!(out, "seeds       {}", seeds.len())?;
    let seeds = Library::new(seeds);
    let techniques = weighted(&techniques, settings.triples.as_deref())?;
    let out = streams.results();
    let schedule =
        Schedule::new(&seeds, &shares(&techniques, settings.steps), settings.random_seed.unwrap_or_default());
    let mut shown = 0;
    for number in 0..MAX_TRIED {
        let chain = schedule.chain(number);
        let (name, source) = &seeds.all()[chain.seed];
        let mut terms = Terms::new();
        let Ok(seed) = Seed::read(&mut terms, name, source) else { continue };
        let (technique, _) = &techniques[chain.technique];
        let mut steps = Chain::start(&mut terms, &seed, technique.as_ref(), &seeds, chain.random_seed);
        let Some(case) = steps.next(&mut terms) else { continue };
        writeln!(out, "\n; chain {number}, step 1, technique {}, seed {name}", technique.name())?;
        write!(out, "{}", case.script)?;
        shown += 1;
        if shown == SHOWN {
            break;
        }
    }
    Ok(Exit::Done)
}
