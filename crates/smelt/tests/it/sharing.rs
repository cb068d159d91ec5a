//! How a hunt is shared: by techniques according to what they find, and among configurations with drawn options.

use std::path::Path;

use smelt_store::configuration::Sharing;
use smelt_store::store::Store;
use tempfile::TempDir;

use crate::support::{LENGTH_SEED, field, findings, smelt, solver_script};

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
