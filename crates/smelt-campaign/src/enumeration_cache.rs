//! What was counted of grammars, kept between runs of smelt: counting up to an index of a thousand digits takes a second,
//! and reading the counts a few milliseconds.
//!
//! A file is named after the compiled rules that were counted, so it is never out of date. One that cannot be read, or
//! whose sum is wrong, is no file.

use std::fs;
use std::path::{Path, PathBuf};

use smelt_runner::files::write_whole;
use smelt_testgen::enumeration::Enumeration;

/// Changes whenever files are written otherwise.
const FORMAT: &[u8] = b"smelt counts 1\n\0";

/// Larger files are not worth their room.
const MAX_BYTES: usize = 128 << 20;

/// The file for an enumeration.
pub struct Counts {
    path: PathBuf,
    /// How many sizes it has.
    sizes: u32,
}

impl Counts {
    /// Takes over what was counted before.
    pub fn restore(folder: &Path, enumeration: &mut Enumeration) -> Counts {
        let name = blake3::hash(enumeration.identity().as_bytes()).to_hex();
        let path = folder.join(format!("{}.counts", &name[..32]));
        let file = fs::read(&path).unwrap_or_default();
        let mut sizes = 0;
        if let Some(counts) = content(&file)
            && enumeration.restore(counts)
        {
            sizes = enumeration.counted_sizes();
        }
        Counts { path, sizes }
    }

    /// Keeps what was counted, if it is more than before. If that fails, the next run counts again.
    pub fn keep(&self, enumeration: &Enumeration) {
        if enumeration.counted_sizes() <= self.sizes {
            return;
        }
        let counts = enumeration.counts();
        if counts.len() > MAX_BYTES {
            return;
        }
        let file = [FORMAT, &sum(&counts).to_le_bytes(), &counts].concat();
        let made = self.path.parent().map_or(Ok(()), fs::create_dir_all);
        let _ = made.and_then(|()| write_whole(&self.path, &file));
    }
}

/// The counts in a file, if it is whole.
fn content(file: &[u8]) -> Option<&[u8]> {
    let (expected, counts) = file.strip_prefix(FORMAT)?.split_first_chunk()?;
    (u64::from_le_bytes(*expected) == sum(counts)).then_some(counts)
}

/// A sum that shows damage; made for speed and not against intent.
fn sum(bytes: &[u8]) -> u64 {
    let mix = |sum: u64, word: u64| (sum.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let (words, rest) = bytes.as_chunks::<8>();
    let sum = words.iter().fold(bytes.len() as u64, |sum, word| mix(sum, u64::from_le_bytes(*word)));
    rest.iter().fold(sum, |sum, byte| mix(sum, u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use smelt_testgen::enumeration::Parameters;
    use smelt_testgen::enumeration::built_in::BuiltIn;

    use super::*;

    fn core() -> Enumeration {
        let grammar = BuiltIn::named("core").unwrap().grammar();
        Enumeration::new(&grammar, &Parameters::default()).unwrap()
    }

    #[test]
    fn what_is_kept_is_taken_over_unless_it_is_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = core();
        let counts = Counts::restore(folder.path(), &mut first);
        first.count(30);
        counts.keep(&first);
        let mut second = core();
        let kept = Counts::restore(folder.path(), &mut second);
        assert_eq!((kept.sizes, second.counted_sizes()), (31, 31));
        let mut file = fs::read(&kept.path).unwrap();
        *file.last_mut().unwrap() ^= 1;
        fs::write(&kept.path, file).unwrap();
        let mut third = core();
        assert_eq!(Counts::restore(folder.path(), &mut third).sizes, 0);
        assert_eq!(third.count(30), first.count(30));
    }
}
