//! How a hunt is shared: by techniques according to what they find, and among configurations with drawn options.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use smelt_store::configuration::Sharing;
use smelt_store::rounds::RoundDecision;
use smelt_store::store::Store;
use tempfile::TempDir;

use crate::support::{LENGTH_SEED, command, field, findings, smelt, solver_script};

/// A folder with a solver that crashes at a word, a seed with the word, and profiles of hunts.
fn workplace() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let solver = folder.path().join("crasher.sh");
    std::fs::write(&solver, solver_script("sat", "*zebra*) kill -11 $$ ;;")).unwrap();
    std::fs::write(folder.path().join("seed.smt2"), LENGTH_SEED.replace("\"a\"", "\"zebra\"")).unwrap();
    let profiles = format!(
        "[solvers.z3-crasher]\ncommand = \"/bin/sh {}\"\n\
        [hunts.long]\nseeds = [\"seed.smt2\"]\nsolver = [\"z3-crasher\"]\ncases = 600\ntimeout = 20\nsteps = 10\n\
        technique = \"operator,generative\"\njudge = \"crash\"\n\
        [hunts.options]\nseeds = [\"seed.smt2\"]\nsolver = [\"z3-crasher\"]\ncases = 60\ntimeout = 20\n\
        technique = \"generative\"\njudge = \"crash\"\noptions = 2\n",
        solver.display()
    );
    std::fs::write(folder.path().join("smelt.toml"), profiles).unwrap();
    folder
}

fn store(folder: &Path) -> Store {
    Store::open_existing(&folder.join("smelt-campaign")).unwrap().unwrap()
}

/// The techniques of the chains of a campaign, in order.
fn techniques(folder: &Path) -> Vec<String> {
    let database = rusqlite::Connection::open(folder.join("smelt-campaign/campaign.db")).unwrap();
    let mut statement = database.prepare("SELECT technique FROM chains ORDER BY number").unwrap();
    let names = statement.query_map([], |row| row.get(0)).unwrap();
    names.collect::<Result<_, _>>().unwrap()
}

#[test]
fn turns_depend_neither_on_workers_nor_on_how_a_hunt_is_cut() {
    let (alone, together, cut) = (workplace(), workplace(), workplace());
    let output = smelt(alone.path(), &["hunt", "--profile", "long", "--jobs", "1"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().find(|line| line.starts_with("generative ")).unwrap();
    let numbers: Vec<u64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert!(numbers[0] > 100 && numbers[1] > 0, "{text}");
    smelt(together.path(), &["hunt", "--profile", "long", "--jobs", "4"]);
    smelt(cut.path(), &["hunt", "--profile", "long", "--jobs", "3", "--cases", "250"]);
    smelt(cut.path(), &["hunt", "--resume", "--cases", "600"]);
    let expected = techniques(alone.path());
    assert!(expected.len() >= 60, "{}", expected.len());
    assert_eq!(techniques(together.path()), expected);
    assert_eq!(techniques(cut.path()), expected);
    // More than three rounds of 16 chains: the last are not shared evenly any more.
    let late = &expected[32..];
    let generative = late.iter().filter(|name| *name == "generative").count();
    assert_ne!(2 * generative, late.len(), "{expected:?}");
}

/// A folder with seeds of which one is never answered, and the arguments of a hunt that is bounded by processor time.
fn slow_and_quick() -> (TempDir, Vec<&'static str>) {
    let folder = tempfile::tempdir().unwrap();
    let spin = "*zebra*) while :; do answer=unknown; done ;;";
    std::fs::write(folder.path().join("solver.sh"), solver_script("sat", spin)).unwrap();
    std::fs::create_dir(folder.path().join("seeds")).unwrap();
    for (name, word) in [("slow", "zebra"), ("quick", "horse"), ("other", "mule")] {
        let text = LENGTH_SEED.replace("\"a\"", &format!("\"{word}\""));
        std::fs::write(folder.path().join(format!("seeds/{name}.smt2")), text).unwrap();
    }
    let arguments =
        "hunt seeds --technique operator,generative --judge crash --timeout 0.5 --jobs 2 --seed 3";
    let mut arguments: Vec<&str> = arguments.split_whitespace().collect();
    arguments.extend(["--solver", "fake=/bin/sh solver.sh", "--cpu-time"]);
    (folder, arguments)
}

fn rounds(folder: &Path) -> Vec<RoundDecision> {
    let store = Store::open_existing(&folder.join("smelt-campaign")).ok().flatten();
    store.map(|store| store.rounds().unwrap()).unwrap_or_default()
}

#[test]
fn a_hunt_ends_when_its_processor_time_is_used_and_slow_seeds_lose_their_energy() {
    let (folder, arguments) = slow_and_quick();
    let output = smelt(folder.path(), &[arguments.as_slice(), &["10s"]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let campaign = store(folder.path()).campaign().unwrap().unwrap();
    assert!(campaign.budget.cpu_secs.is_some() && campaign.budget.time_secs.is_none());
    let position =
        |name: &str| campaign.seeds.iter().position(|seed| seed.name.contains(name)).unwrap() as u64;
    let (slow, quick) = (position("slow"), position("quick"));
    let rounds = rounds(folder.path());
    let last = rounds.last().unwrap();
    assert!(rounds.len() > 2 && last.energy(slow) < last.energy(quick), "{rounds:?}");
    // No run gets what the user allows at most before something is known.
    assert!(last.limits.iter().all(|limit| limit.cpu_us < 500_000), "{last:?}");
    // A hunt that is resumed gets what is asked for now on top.
    let output = smelt(folder.path(), &["hunt", "--resume", "--cpu-time", "5s"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(store(folder.path()).campaign().unwrap().unwrap().totals.cases > campaign.totals.cases);
}

#[test]
fn decisions_survive_a_kill_and_chains_follow_them() {
    let (folder, arguments) = slow_and_quick();
    let mut child = command(folder.path(), &[arguments.as_slice(), &["600s"]].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while rounds(folder.path()).len() < 4 {
        assert!(child.try_wait().unwrap().is_none(), "the hunt has ended");
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = rounds(folder.path());
    // A process that the killed one was about to start keeps the lock for a moment.
    while smelt(folder.path(), &["hunt", "--resume", "--cpu-time", "8s"]).status.code() == Some(3) {}
    let after = rounds(folder.path());
    assert!(after.len() > before.len(), "{} {}", after.len(), before.len());
    assert_eq!(after[..before.len()], before);
    let techniques = techniques(folder.path());
    let mut first = 0;
    for decision in &after {
        let count = decision.turns.iter().sum::<u32>() as usize;
        let Some(chains) = techniques.get(first..first + count) else { break };
        let operators = chains.iter().filter(|name| *name == "operator").count();
        assert_eq!(operators, decision.turns[0] as usize, "{decision:?}");
        first += count;
    }
    assert!(first > 0);
}

#[test]
fn weights_are_kept() {
    let folder = workplace();
    let hunt = ["hunt", "--profile", "long", "--cases", "120", "--technique", "operator=3,generative=1"];
    smelt(folder.path(), &hunt);
    assert_eq!(store(folder.path()).campaign().unwrap().unwrap().configuration.sharing, Sharing::Fixed);
    let names = techniques(folder.path());
    assert_eq!(names[..4], ["operator", "operator", "generative", "operator"]);
}

#[test]
fn drawn_options_are_named_recorded_and_replayed() {
    let folder = workplace();
    let output = smelt(folder.path(), &["hunt", "--profile", "options"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let solvers = store(folder.path()).campaign().unwrap().unwrap().configuration.solvers;
    assert_eq!(solvers.len(), 3);
    assert_eq!(solvers[0].options_of, None);
    for solver in &solvers[1..] {
        assert_eq!(solver.options_of.as_deref(), Some("z3-crasher"));
        let option = solver.command.args.last().unwrap();
        assert!(solver.command.solver.starts_with("z3-crasher+") && solver.command.solver.ends_with(option));
    }
    let found = findings(folder.path());
    let with_options = found.iter().find(|finding| field(finding, "culprit").contains('+')).unwrap();
    let (id, culprit) = (field(with_options, "id"), field(with_options, "culprit"));
    let script = folder.path().join("smelt-campaign/findings").join(&id).join("replay.sh");
    let script = std::fs::read_to_string(script).unwrap();
    let option = culprit.split('+').next_back().unwrap();
    assert!(script.contains(&format!("crasher.sh {option}")), "{script}");
    // The other drawn set of options had nothing to do with the case.
    assert_eq!(script.matches("< \"$").count(), 2, "{script}");
    assert_eq!(smelt(folder.path(), &["replay", &id]).status.code(), Some(1));
    // It crashes at the word, whatever its options are.
    let reduced = smelt(folder.path(), &["reduce", &id]);
    let said = String::from_utf8(reduced.stderr).unwrap();
    assert!(said.contains(&format!("of the options {option}, it needs none")), "{said}");
    let again = smelt(folder.path(), &["hunt", "--resume", "--cases", "80"]);
    assert_eq!(again.status.code(), Some(1), "{again:?}");
}

#[test]
fn options_that_a_finding_needs_are_kept() {
    let folder = workplace();
    let picky = solver_script("sat", "*zebra*) [ $# -eq 0 ] || kill -11 $$ ;;");
    std::fs::write(folder.path().join("crasher.sh"), picky).unwrap();
    smelt(folder.path(), &["hunt", "--profile", "options"]);
    let finding = &findings(folder.path())[0];
    let (id, culprit) = (field(finding, "id"), field(finding, "culprit"));
    let options = culprit.split('+').skip(1).collect::<Vec<_>>().join(" ");
    let reduced = smelt(folder.path(), &["reduce", &id]);
    let said = String::from_utf8(reduced.stderr).unwrap();
    // One option is enough, whichever it is.
    let needed = said.lines().last().unwrap().rsplit("it needs ").next().unwrap();
    assert!(said.contains(&format!("of the options {options}, it needs")), "{said}");
    assert!(!needed.contains(' ') && options.split(' ').any(|option| option == needed), "{said}");
    let report = folder.path().join("smelt-campaign/findings").join(&id).join("report.md");
    let report = std::fs::read_to_string(report).unwrap();
    assert!(report.contains(&format!("Of the drawn options, it needs `{needed}`.")), "{report}");
}

#[test]
fn triples_of_a_hunt_are_kept_with_it() {
    let folder = workplace();
    let triples = "#begin turned\n(declare-const x Int)(declare-const y Int)(declare-const z Int)\n\
        (assert (= z (- y x)))\n(assert (= x (- y z)))\n(assert (= y (+ z x)))\n#end\n";
    let hunt = |text: &str, more: &[&str]| {
        std::fs::write(folder.path().join("mine.txt"), text).unwrap();
        let args = ["hunt", "--profile", "long", "--cases", "20", "--triples", "mine.txt"];
        let output = smelt(folder.path(), &[&args[..], more].concat());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, message) = hunt("#begin a\n", &["--technique", "operator,fusion"]);
    assert!(code == Some(2) && message.contains("`#end` is missing"), "{message}");
    let (code, message) = hunt(triples, &[]);
    assert!(code == Some(2) && message.contains("--triples is for the technique `fusion`"), "{message}");
    let (code, message) = hunt(triples, &["--technique", "operator,fusion"]);
    assert!(code.is_some_and(|code| code < 2), "{message}");
    let recorded = store(folder.path()).campaign().unwrap().unwrap().configuration.triples;
    assert_eq!(recorded.as_deref(), Some(triples));
    let (code, message) = hunt(&triples.replace("turned", "other"), &["--technique", "operator,fusion"]);
    assert!(code == Some(2) && message.contains("triples: the campaign has others"), "{message}");
}
