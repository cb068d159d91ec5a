//! The solvers of a hunt: found or installed, then probed, with messages on the way.

use std::time::Instant;

use smelt_campaign::configure::profiles::Chosen;
use smelt_campaign::options;
use smelt_campaign::prepare::ReadySolver;
use smelt_campaign::solvers::{NotReady, working};
use smelt_runner::cache::Cache;
use smelt_runner::installation::Installation;
use smelt_runner::interruption;
use smelt_store::store::Campaign as Recorded;

use super::Hunting;
use crate::config::profiles::Profiles;
use crate::config::solvers::{self, probing_ends};
use crate::error::CliError;
use crate::render::streams::Streams;

impl Hunting<'_> {
    /// The solvers that the user names, or those of the campaign that is resumed, or all that there are; probed.
    pub(super) fn ready_solvers(
        &self,
        resumed: Option<&Recorded>,
        place: &Installation,
        streams: &mut Streams,
    ) -> Result<Vec<ReadySolver>, CliError> {
        let names = &self.request.solver;
        let mut chosen = match resumed {
            Some(recorded) if names.is_empty() => {
                let before: Vec<Chosen> =
                    recorded.configuration.solvers.iter().map(Chosen::recorded).collect();
                if let Some(error) = before.iter().find_map(|chosen| place.verify(&chosen.solver).err()) {
                    return Err(CliError::environment(error.to_string()));
                }
                before
            }
            _ => find_solvers(names, self.profiles, place, streams)?,
        };
        for chosen in &mut chosen {
            chosen.mode = chosen.mode.or(self.request.mode);
        }
        let probing = self.probing(resumed.is_some());
        probe(&chosen, &probing, &place.cache(), streams)
    }

    /// How solvers are probed, beginning now.
    pub(super) fn probing(&self, is_resumed: bool) -> Probing {
        Probing { is_resumed, until: probing_ends(self.request.budget().time_secs) }
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
        // Alone, the built-in solver has no other to differ from.
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
#[derive(Debug, Clone, Copy)]
pub(super) struct Probing {
    /// Whether they are those of a campaign.
    pub is_resumed: bool,
    /// The moment at which that ends.
    pub until: Instant,
}

/// Asks the solvers what they can do. One that does not work is left out, but not from a campaign that has it.
pub(super) fn probe(
    chosen: &[Chosen],
    probing: &Probing,
    cache: &Cache,
    streams: &mut Streams,
) -> Result<Vec<ReadySolver>, CliError> {
    let mut ready: Vec<ReadySolver> = Vec::new();
    for chosen in chosen {
        let name = &chosen.solver.name;
        let base = ready.iter().find(|base| chosen.options_of.as_ref() == Some(&base.target.solver.name));
        let found = match base {
            Some(base) => options::configured(&base.target, chosen.solver.clone(), cache)
                .map_err(NotReady::Probing)
                .and_then(working)
                .map_err(CliError::from),
            None => solvers::make_ready(chosen.solver.clone(), cache, probing.until, streams),
        };
        if interruption::is_requested() {
            streams.message("stopped while solvers were probed\n")?;
            return Err(CliError::Interrupted);
        }
        let problem = match found {
            Ok(mut target) => {
                chosen.demand_of(&mut target);
                ready.push(ReadySolver { chosen: chosen.clone(), target });
                continue;
            }
            Err(error) if error.is_fatal() => return Err(error),
            Err(problem) => problem,
        };
        if probing.is_resumed {
            return Err(CliError::environment(format!("cannot run `{name}` of the campaign: {problem}")));
        }
        streams.message(&format!("leaving out {name}: {problem}\n"))?;
    }
    if ready.is_empty() {
        return Err(CliError::environment("none of the solvers works"));
    }
    Ok(ready)
}
