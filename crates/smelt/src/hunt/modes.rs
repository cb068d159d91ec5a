//! Which options of `smelt hunt` belong to which kind of hunt. One that has no effect in a hunt is an error, not ignored.

use super::Args;
use super::settings::Mode;
use crate::profiles::HuntProfile;

/// An option, whether it is given, and the kinds of hunts that it belongs to.
struct Belongs {
    /// As users write it.
    option: &'static str,
    is_on_command_line: bool,
    is_in_profile: bool,
    modes: &'static [Mode],
}

const BUGS: &[Mode] = &[Mode::Bugs];
const SLOWDOWN: &[Mode] = &[Mode::Slowdown];
const EVOLUTION: &[Mode] = &[Mode::Evolution];
const CAMPAIGNS: &[Mode] = &[Mode::Bugs, Mode::Slowdown];

impl Belongs {
    fn new(option: &'static str, is_on_command_line: bool, modes: &'static [Mode]) -> Self {
        Belongs { option, is_on_command_line, is_in_profile: false, modes }
    }

    fn or_in_profile(mut self, is_in_profile: bool) -> Self {
        self.is_in_profile = is_in_profile;
        self
    }
}

/// An option that is given and has no effect in such a hunt, in words.
pub(super) fn misplaced(args: &Args, profile: &HuntProfile, mode: Mode) -> Option<String> {
    let wrong = options(args, profile)
        .into_iter()
        .find(|option| (option.is_on_command_line || option.is_in_profile) && !option.modes.contains(&mode));
    if let Some(wrong) = wrong {
        let owners: Vec<&str> = wrong.modes.iter().map(|mode| mode.words()).collect();
        let name = match wrong.is_on_command_line {
            true => wrong.option.to_owned(),
            false => format!(
                "`{}` of profile `{}`",
                wrong.option.trim_start_matches('-'),
                args.profile.as_deref().unwrap_or_default()
            ),
        };
        let owners = owners.join(" or ");
        return Some(format!("{name} has no effect in {}; it belongs to {owners}", mode.words()));
    }
    // Times are measured one run after the other, each in a fresh process.
    let jobs = args.jobs.or(profile.jobs);
    if mode != Mode::Bugs && jobs.is_some_and(|jobs| jobs.get() > 1) {
        return Some(format!("--jobs must be 1 in {}: measurements disturb each other", mode.words()));
    }
    if mode != Mode::Bugs && args.mode.as_deref().is_some_and(|mode| mode != "cold") {
        return Some(format!(
            "--mode must be cold in {}: times are measured in fresh processes",
            mode.words()
        ));
    }
    if args.resume && args.options.is_some() && args.solvers.is_empty() {
        return Some(
            "--options has no effect with --resume: a campaign continues with the configurations that it began with"
                .to_owned(),
        );
    }
    None
}

fn options(args: &Args, profile: &HuntProfile) -> Vec<Belongs> {
    let evolution = &args.evolution;
    vec![
        Belongs::new("SEEDS", !args.seeds.is_empty(), BUGS).or_in_profile(profile.seeds.is_some()),
        Belongs::new("--cases", args.cases.is_some(), CAMPAIGNS).or_in_profile(profile.cases.is_some()),
        Belongs::new("--findings", args.findings.is_some(), CAMPAIGNS)
            .or_in_profile(profile.findings.is_some()),
        Belongs::new("--triage", args.triage.is_some(), BUGS),
        Belongs::new("--no-triage", args.no_triage, CAMPAIGNS),
        Belongs::new("--sharing", args.sharing.is_some(), BUGS).or_in_profile(profile.sharing.is_some()),
        Belongs::new("--options", args.options.is_some(), BUGS).or_in_profile(profile.options.is_some()),
        Belongs::new("--json", args.json, BUGS),
        Belongs::new("--triples", args.triples.is_some(), BUGS).or_in_profile(profile.triples.is_some()),
        Belongs::new("--judge", args.judge.is_some(), BUGS).or_in_profile(profile.judge.is_some()),
        Belongs::new("--alpha", args.alpha.is_some(), SLOWDOWN).or_in_profile(profile.alpha.is_some()),
        Belongs::new("--random-seeds", args.random_seeds.is_some(), SLOWDOWN),
        Belongs::new("--best", args.best.is_some(), SLOWDOWN),
        Belongs::new("--calibrate", args.calibrate.is_some(), SLOWDOWN),
        Belongs::new("--variant", evolution.variant.is_some(), EVOLUTION),
        Belongs::new("--population", evolution.population.is_some(), EVOLUTION),
        Belongs::new("--coverage", evolution.coverage.is_some(), EVOLUTION),
        Belongs::new("--traces", evolution.traces.is_some(), EVOLUTION),
        Belongs::new("--confirm", evolution.confirm.is_some(), EVOLUTION),
    ]
}
