//! `--memory`, which all commands that run solvers have in common.

use std::str::FromStr;

use smelt_runner::limits;

/// The limit on the memory of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Args)]
pub(crate) struct MemoryArg {
    /// Resident memory allowed for each run and all its processes, in MiB or such as 500M or 8G; none for no limit
    #[arg(short, long, value_name = "SIZE", default_value = "4G")]
    memory: Memory,
}

impl MemoryArg {
    /// Makes it the limit of all runs of this command.
    pub(crate) fn apply(self) {
        limits::set_default_memory(self.memory.0);
    }
}

/// Bytes; none is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Memory(Option<u64>);

impl FromStr for Memory {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Memory(None));
        }
        let (number, shift) = match text.as_bytes().last() {
            Some(b'K' | b'k') => (&text[..text.len() - 1], 10),
            Some(b'M' | b'm') => (&text[..text.len() - 1], 20),
            Some(b'G' | b'g') => (&text[..text.len() - 1], 30),
            _ => (text, 20),
        };
        let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
        match bytes {
            Some(bytes @ 1..) => Ok(Memory(Some(bytes))),
            _ => Err("expected a size such as 500M or 8G, or `none`".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units_and_mebibytes_need_none() {
        let bytes = |text: &str| text.parse::<Memory>().map(|memory| memory.0);
        assert_eq!(bytes("4096"), Ok(Some(4 << 30)));
        assert_eq!(bytes("4G"), Ok(Some(4 << 30)));
        assert_eq!(bytes("500m"), Ok(Some(500 << 20)));
        assert_eq!(bytes("64K"), Ok(Some(64 << 10)));
        assert_eq!(bytes("none"), Ok(None));
        for wrong in ["", "0", "G", "4T", "-1", "99999999999999G"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }
}
