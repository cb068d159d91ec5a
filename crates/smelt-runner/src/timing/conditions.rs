//! What disturbs measurements: other load, throttled processors, swapping, and a host that takes processors away.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

/// Counters of the system at one moment. What the system does not have is none.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Counters {
    /// Load in the last minute.
    load: Option<f64>,
    /// Microseconds in which something waited for a processor.
    waited: Option<u64>,
    /// Ticks of all processors, and those that the host took away.
    ticks: Option<(u64, u64)>,
    /// How often a processor was slowed down because it was hot.
    throttled: Option<u64>,
    /// Pages that were swapped in or out.
    swapped: Option<u64>,
    /// How the first processor chooses its frequency.
    governor: Option<String>,
}

/// What the machine was like during measurements. The names of the fields never change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Conditions {
    /// Runs at once.
    pub jobs: usize,
    /// Cores that we may use.
    pub cores: usize,
    /// Whether every run had a core for itself.
    pub is_pinned: bool,
    /// Load of the machine before the measurements.
    pub load_before: Option<f64>,
    /// Load at their end, our own included.
    pub load_after: Option<f64>,
    /// Share of the time in which something waited for a processor.
    pub waiting: Option<f64>,
    /// Share of the processors' time that the host took away.
    pub stolen: Option<f64>,
    /// How often a processor was slowed down because it was hot.
    pub throttled: Option<u64>,
    /// Pages that were swapped in or out.
    pub swapped_pages: Option<u64>,
    /// How processors choose their frequency.
    pub governor: Option<String>,
    /// Why the times are not fit for publication, for people.
    pub warnings: Vec<String>,
}

/// A machine with more load than this before anything was measured has something else to do.
const MAX_LOAD: f64 = 0.5;
/// Solvers that have a core each hardly ever wait.
const MAX_WAITING: f64 = 0.1;
const MAX_STOLEN: f64 = 0.01;

impl Counters {
    /// Reads the counters below the folders of the system.
    pub(super) fn read(sys: &Path, proc: &Path) -> Counters {
        let text = |name: &str| fs::read_to_string(proc.join(name)).ok();
        let load = text("loadavg").and_then(|text| text.split_whitespace().next()?.parse().ok());
        let waited = text("pressure/cpu").and_then(|text| {
            let some = text.lines().find(|line| line.starts_with("some"))?.to_owned();
            some.split_once("total=")?.1.trim().parse().ok()
        });
        let ticks = text("stat").and_then(|text| {
            let all = text.lines().find(|line| line.starts_with("cpu "))?.to_owned();
            let ticks: Vec<u64> =
                all.split_whitespace().skip(1).take(8).filter_map(|n| n.parse().ok()).collect();
            Some((ticks.iter().sum(), *ticks.get(7)?))
        });
        let swapped = text("vmstat").map(|text| {
            let count = |line: &str| {
                let (name, count) = line.split_once(' ')?;
                ["pswpin", "pswpout"].contains(&name).then(|| count.trim().parse::<u64>().ok()).flatten()
            };
            text.lines().filter_map(count).sum()
        });
        let processors = sys.join("devices/system/cpu");
        let governor = fs::read_to_string(processors.join("cpu0/cpufreq/scaling_governor")).ok();
        Counters {
            load,
            waited,
            ticks,
            throttled: throttled(&processors),
            swapped,
            governor: governor.map(|governor| governor.trim().to_owned()),
        }
    }
}

/// How often any processor was throttled; none if no processor counts that.
fn throttled(processors: &Path) -> Option<u64> {
    let folders = fs::read_dir(processors).ok()?.flatten().map(|entry| entry.path().join("thermal_throttle"));
    let counts = folders.flat_map(|folder| {
        ["core_throttle_count", "package_throttle_count"].map(|name| fs::read_to_string(folder.join(name)))
    });
    counts.filter_map(|count| count.ok()?.trim().parse::<u64>().ok()).reduce(|sum, count| sum + count)
}

impl Conditions {
    /// What happened between two moments.
    pub(super) fn between(before: &Counters, after: &Counters, elapsed: Duration) -> Conditions {
        let grown = |before: Option<u64>, after: Option<u64>| Some(after?.saturating_sub(before?));
        let waiting = grown(before.waited, after.waited)
            .map(|waited| (waited as f64 / elapsed.as_micros().max(1) as f64).min(1.0));
        let stolen = before.ticks.zip(after.ticks).map(|(before, after)| {
            let all = after.0.saturating_sub(before.0).max(1);
            after.1.saturating_sub(before.1) as f64 / all as f64
        });
        let mut conditions = Conditions {
            jobs: 1,
            cores: 1,
            is_pinned: false,
            load_before: before.load,
            load_after: after.load,
            waiting: waiting.map(rounded),
            stolen: stolen.map(rounded),
            throttled: grown(before.throttled, after.throttled),
            swapped_pages: grown(before.swapped, after.swapped),
            governor: after.governor.clone(),
            warnings: Vec::new(),
        };
        conditions.warnings = conditions.found();
        conditions
    }

    /// The same with so many runs at once on so many cores.
    pub(super) fn with_jobs(mut self, jobs: usize, cores: usize) -> Conditions {
        (self.jobs, self.cores, self.is_pinned) = (jobs, cores, jobs <= cores);
        if !self.is_pinned {
            self.warnings.insert(0, format!("{jobs} runs at once share {cores} cores"));
        }
        self
    }

    fn found(&self) -> Vec<String> {
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        let load = self.load_before.filter(|load| *load > MAX_LOAD);
        let waiting = self.waiting.filter(|share| *share > MAX_WAITING);
        let stolen = self.stolen.filter(|share| *share > MAX_STOLEN);
        let throttled = self.throttled.filter(|count| *count > 0);
        let swapped = self.swapped_pages.filter(|count| *count > 0);
        [
            load.map(|load| format!("the machine was busy before (load {load:.1})")),
            waiting
                .map(|share| format!("processes waited for a processor in {} of the time", percent(share))),
            stolen.map(|share| format!("the host took away {} of the processor time", percent(share))),
            throttled.map(|count| format!("processors were throttled {count} times")),
            swapped.map(|count| format!("{count} pages were swapped")),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// All warnings in one line, for people; none if there is nothing to warn of.
    pub fn warning(&self) -> Option<String> {
        (!self.warnings.is_empty())
            .then(|| format!("warning: times are not fit for publication: {}", self.warnings.join("; ")))
    }
}

fn rounded(share: f64) -> f64 {
    (share * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A system with these counters.
    fn system(load: &str, waited: u64, stolen: u64, throttled: u64, swapped: u64) -> Counters {
        let folder = tempfile::tempdir().unwrap();
        let (sys, proc) = (folder.path().join("sys"), folder.path().join("proc"));
        let processor = sys.join("devices/system/cpu/cpu0");
        for folder in [processor.join("thermal_throttle"), processor.join("cpufreq"), proc.join("pressure")] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(processor.join("thermal_throttle/core_throttle_count"), format!("{throttled}\n")).unwrap();
        fs::write(processor.join("cpufreq/scaling_governor"), "performance\n").unwrap();
        fs::write(proc.join("loadavg"), format!("{load} 0.10 0.05 1/100 4000\n")).unwrap();
        let pressure =
            format!("some avg10=0.00 avg60=0.00 avg300=0.00 total={waited}\nfull avg10=0.00 total=0\n");
        fs::write(proc.join("pressure/cpu"), pressure).unwrap();
        fs::write(
            proc.join("stat"),
            format!("cpu  100 0 50 {} 0 0 0 {stolen} 0 0\ncpu0 1 2\n", 850 - stolen),
        )
        .unwrap();
        fs::write(proc.join("vmstat"), format!("pgfault 9\npswpin {swapped}\npswpout 0\n")).unwrap();
        Counters::read(&sys, &proc)
    }

    fn between(before: &Counters, after: &Counters) -> Conditions {
        Conditions::between(before, after, Duration::from_secs(10))
    }

    #[test]
    fn a_quiet_machine_gives_no_warning() {
        let conditions = between(&system("0.10", 5, 0, 3, 7), &system("1.00", 5, 0, 3, 7)).with_jobs(1, 2);
        assert_eq!(conditions.warning(), None);
        assert_eq!((conditions.throttled, conditions.swapped_pages), (Some(0), Some(0)));
        assert_eq!((conditions.load_before, conditions.load_after), (Some(0.1), Some(1.0)));
        assert_eq!(conditions.governor.as_deref(), Some("performance"));
        assert!(conditions.is_pinned);
    }

    #[test]
    fn load_waiting_throttling_and_swapping_are_noticed() {
        let calm = system("0.10", 0, 0, 3, 7);
        let warning = |before: &Counters, after: &Counters| between(before, after).warnings.join("; ");
        assert!(warning(&system("3.20", 0, 0, 3, 7), &calm).contains("busy before (load 3.2)"));
        assert!(
            warning(&calm, &system("0.10", 4_000_000, 0, 3, 7)).contains("waited for a processor in 40 %")
        );
        assert!(warning(&calm, &system("0.10", 0, 0, 5, 7)).contains("throttled 2 times"));
        assert!(warning(&calm, &system("0.10", 0, 0, 3, 9)).contains("2 pages were swapped"));
    }

    #[test]
    fn time_that_the_host_takes_away_is_noticed() {
        let before = Counters { ticks: Some((1000, 10)), ..Counters::default() };
        let after = Counters { ticks: Some((2000, 60)), ..Counters::default() };
        let conditions = between(&before, &after);
        assert_eq!(conditions.stolen, Some(0.05));
        assert!(conditions.warnings[0].contains("took away 5 %"));
    }

    #[test]
    fn more_runs_than_cores_are_not_fit_for_publication() {
        let calm = system("0.10", 0, 0, 0, 0);
        let conditions = between(&calm, &calm).with_jobs(4, 2);
        assert_eq!(conditions.warnings, ["4 runs at once share 2 cores"]);
        assert!(!conditions.is_pinned);
        assert!(
            conditions.warning().unwrap().starts_with("warning: times are not fit for publication: 4 runs")
        );
    }

    #[test]
    fn what_the_system_does_not_count_is_unknown() {
        let folder = tempfile::tempdir().unwrap();
        let counters = Counters::read(folder.path(), folder.path());
        assert_eq!(counters, Counters::default());
        let conditions = between(&counters, &counters);
        assert_eq!((conditions.throttled, conditions.waiting, conditions.warning()), (None, None, None));
    }
}
