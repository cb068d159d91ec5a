//! Writes the seeds of each target to `corpus/` and the dictionary to `smtlib.dict`.

use std::fs;
use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    for target in smelt_fuzz::TARGETS {
        let corpus = folder.join("corpus").join(target.name);
        fs::create_dir_all(&corpus)?;
        let seeds = (target.seeds)();
        for (name, seed) in &seeds {
            fs::write(corpus.join(name), seed)?;
        }
        eprintln!("{}: {} seeds", target.name, seeds.len());
    }
    let words = smelt_fuzz::seeds::words();
    let dictionary: String = words.iter().map(|word| format!("\"{}\"\n", escaped(word))).collect();
    fs::write(folder.join("smtlib.dict"), dictionary)?;
    eprintln!("{} words", words.len());
    Ok(())
}

/// The word as libFuzzer's dictionaries write it.
fn escaped(word: &str) -> String {
    let byte = |byte: u8| match byte {
        b'"' | b'\\' => format!("\\{}", char::from(byte)),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02X}"),
    };
    word.bytes().map(byte).collect()
}
