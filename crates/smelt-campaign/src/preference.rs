//! Which seeds and mutants are worth a hunt's time: those that its solvers can be asked about.
//!
//! An old release knows fewer operators than a new one, or means something else by some. Without a preference most
//! mutants of most seeds would have such an operator after a few steps, and would never reach the release that the hunt
//! is for.

use smelt_runner::script_profile::ScriptProfile;
use smelt_smtlib::script::Script;
use smelt_smtlib::term::Terms;

use smelt_trial::target::Target;

/// Solvers that a chain does not want to lose.
#[derive(Debug, Clone, Default)]
pub(crate) struct Preference<'t> {
    targets: Vec<&'t Target>,
}

/// One chain in so many takes any seed: what only some solvers know has bugs too.
const OPEN_SHARE: u64 = 2;
/// One chain in so many takes any mutant.
const FREE_SHARE: u64 = 5;
/// How many seeds a chain draws for one that all solvers can be asked about.
const SEED_DRAWS: u32 = 8;

/// How many seeds the chain with this random seed draws for one that all solvers can be asked about.
pub(crate) fn seed_draws(random_seed: u64) -> u32 {
    if random_seed.is_multiple_of(OPEN_SHARE) { 0 } else { SEED_DRAWS }
}

impl<'t> Preference<'t> {
    /// What the chain with this random seed prefers: to keep all solvers that can be asked about its seed.
    pub(crate) fn of_chain(
        targets: &'t [Target],
        random_seed: u64,
        can_be_asked_about_seed: &[bool],
    ) -> Preference<'t> {
        if random_seed.is_multiple_of(FREE_SHARE) {
            return Preference::default();
        }
        let kept = targets.iter().zip(can_be_asked_about_seed).filter(|(_, can_be_asked)| **can_be_asked);
        Preference { targets: kept.map(|(target, _)| target).collect() }
    }

    /// Whether none of its solvers is lost with a script that has these profile.
    pub(crate) fn likes(&self, terms: &Terms, script: &Script, profile: &ScriptProfile) -> bool {
        self.targets.iter().all(|target| can_be_asked(terms, script, profile, target))
    }
}

/// For each solver whether it knows all that stands in a script, and means by it what the standard says.
pub(crate) fn who_can_be_asked(terms: &Terms, script: &Script, targets: &[Target]) -> Vec<bool> {
    let profile = ScriptProfile::of(terms, script);
    targets.iter().map(|target| can_be_asked(terms, script, &profile, target)).collect()
}

fn can_be_asked(terms: &Terms, script: &Script, profile: &ScriptProfile, target: &Target) -> bool {
    target.takes_all_of(terms, script, profile) && !target.drifts_on(profile)
}
