//! Prints what a case of each technique costs on a seed: `cargo run --release --example cost -p smelt-testgen FILE`.

use std::time::Instant;

use smelt_smtlib::term::Terms;
use smelt_testgen::built_in::SEEDS;
use smelt_testgen::chain::Chain;
use smelt_testgen::seed::Seed;
use smelt_testgen::technique::techniques;

const CHAINS: u64 = 300;

fn main() {
    let (name, source) = match std::env::args().nth(1) {
        Some(path) => (path.clone(), std::fs::read_to_string(&path).expect("the seed can be read")),
        None => {
            let seed = SEEDS.iter().find(|seed| seed.name == "email-like").expect("it is built in");
            (seed.name.to_owned(), seed.source.to_owned())
        }
    };
    for technique in techniques() {
        let (mut cases, mut bytes) = (0u64, 0u64);
        let start = Instant::now();
        for random_seed in 0..CHAINS {
            let mut terms = Terms::new();
            let seed = Seed::read(&mut terms, &name, &source).expect("the seed is one");
            let mut chain = Chain::start(&mut terms, &seed, &*technique, random_seed);
            while let Some(case) = chain.next(&mut terms) {
                cases += 1;
                bytes += case.script.len() as u64;
            }
        }
        let micros = start.elapsed().as_micros() as f64;
        println!(
            "{}: {:.1} us a case, {cases} cases of {} bytes on average from a seed of {} bytes",
            technique.name(),
            micros / cases as f64,
            bytes / cases.max(1),
            source.len(),
        );
    }
}
