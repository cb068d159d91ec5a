//! Values of single options: words, times, sizes and thresholds, read alike from the command line and from `smelt.toml`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use smelt_store::configuration::{SessionMode, Sharing};
use smelt_testgen::search::evolution::{VARIANTS, Variant};

use super::error::RequestError;

/// One of a few words that an option takes.
pub trait Word: Copy + Send + Sync + 'static {
    /// What the words are for, as in "unknown goal".
    const WHAT: &'static str;
    /// All words, in the order in which users read them.
    const ALL: &'static [Self];

    /// The word itself.
    fn word(&self) -> &'static str;

    /// The value that a word stands for.
    fn named(word: &str) -> Result<Self, RequestError> {
        let found = Self::ALL.iter().copied().find(|known| known.word() == word);
        found.ok_or_else(|| RequestError::unknown_word(Self::WHAT, word, Self::ALL.iter().map(Word::word)))
    }
}

/// What to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// Wrong answers, crashes and whatever else judges find.
    Bugs,
    /// Formulas on which the last solver is slow.
    Slowdown,
}

impl Word for Goal {
    const WHAT: &'static str = "goal";
    const ALL: &'static [Self] = &[Goal::Bugs, Goal::Slowdown];

    fn word(&self) -> &'static str {
        match self {
            Goal::Bugs => "bugs",
            Goal::Slowdown => "slowdown",
        }
    }
}

impl Word for Sharing {
    const WHAT: &'static str = "sharing";
    const ALL: &'static [Self] = &[Sharing::Fixed, Sharing::Yield];

    fn word(&self) -> &'static str {
        Sharing::word(*self)
    }
}

impl Word for SessionMode {
    const WHAT: &'static str = "mode";
    const ALL: &'static [Self] =
        &[SessionMode::Auto, SessionMode::Warm, SessionMode::Cold, SessionMode::Incremental];

    fn word(&self) -> &'static str {
        SessionMode::word(*self)
    }
}

impl Word for Variant {
    const WHAT: &'static str = "variant";
    const ALL: &'static [Self] = &VARIANTS;

    fn word(&self) -> &'static str {
        self.name
    }
}

/// Where the traces of a genetic search come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TraceSource {
    /// From the target itself if it is Z3, or else from its statistics.
    #[default]
    Solver,
    /// From its statistics.
    Statistics,
}

impl Word for TraceSource {
    const WHAT: &'static str = "source of traces";
    const ALL: &'static [Self] = &[TraceSource::Solver, TraceSource::Statistics];

    fn word(&self) -> &'static str {
        match self {
            TraceSource::Solver => "solver",
            TraceSource::Statistics => "statistics",
        }
    }
}

/// What a slowdown is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Alpha {
    /// The solver takes this many seconds longer.
    Seconds(f64),
    /// The solver takes this many times as long.
    Times(f64),
}

impl FromStr for Alpha {
    type Err = RequestError;

    /// Reads `1.5`, seconds, or `5x`.
    fn from_str(text: &str) -> Result<Self, RequestError> {
        let (number, is_ratio) = match text.strip_suffix('x') {
            Some(number) => (number, true),
            None => (text.strip_suffix('s').unwrap_or(text), false),
        };
        match (number.parse::<f64>(), is_ratio) {
            (Ok(seconds), false) if seconds > 0.0 && seconds.is_finite() => Ok(Alpha::Seconds(seconds)),
            (Ok(times), true) if times > 1.0 && times.is_finite() => Ok(Alpha::Times(times)),
            _ => Err(RequestError::bad_value(
                "alpha",
                text,
                "seconds, such as 1.5, or a ratio above 1, such as 5x",
            )),
        }
    }
}

/// The most memory that a run may use, in bytes; none is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimit(pub Option<u64>);

impl FromStr for MemoryLimit {
    type Err = RequestError;

    /// Reads `4096`, which are MiB, `500M`, `8G` or `none`.
    fn from_str(text: &str) -> Result<Self, RequestError> {
        if text == "none" {
            return Ok(MemoryLimit(None));
        }
        let (number, shift) = match text.as_bytes().last() {
            Some(b'K' | b'k') => (&text[..text.len() - 1], 10),
            Some(b'M' | b'm') => (&text[..text.len() - 1], 20),
            Some(b'G' | b'g') => (&text[..text.len() - 1], 30),
            _ => (text, 20),
        };
        let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
        match bytes {
            Some(bytes @ 1..) => Ok(MemoryLimit(Some(bytes))),
            _ => Err(RequestError::bad_value("memory", text, "a size such as 500M or 8G, or `none`")),
        }
    }
}

/// Reads a time with a unit, such as `90s`, `10m` or `2h`; a number without one is in seconds.
pub fn parse_time(text: &str) -> Result<Duration, RequestError> {
    let wrong =
        || RequestError::bad_value("time", text, "a positive number with a unit, such as 90s, 10m or 2h");
    let (number, unit) = match text.char_indices().find(|(_, character)| character.is_alphabetic()) {
        Some((position, _)) => text.split_at(position),
        None => (text, "s"),
    };
    let seconds = match unit {
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    match number.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => {
            Duration::try_from_secs_f64(number * seconds).map_err(|_| wrong())
        }
        _ => Err(wrong()),
    }
}

/// A text that is not a positive number of seconds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a positive number of seconds")]
pub struct NotSeconds;

/// Reads a positive number of seconds.
pub fn parse_seconds(text: &str) -> Result<f64, NotSeconds> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds > 0.0 => Ok(seconds),
        _ => Err(NotSeconds),
    }
}

/// The parser of an option that takes one of a few words.
pub fn one_of<W: Word>() -> impl TypedValueParser<Value = W> {
    PossibleValuesParser::new(W::ALL.iter().map(Word::word)).try_map(|word| W::named(&word))
}

/// A value of `smelt.toml` that is written as on the command line: a string, or a number where that is enough.
#[derive(Deserialize)]
#[serde(untagged)]
enum Text {
    Word(String),
    Integer(i64),
    Float(f64),
}

impl fmt::Display for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Text::Word(word) => formatter.write_str(word),
            Text::Integer(number) => number.fmt(formatter),
            Text::Float(number) => number.fmt(formatter),
        }
    }
}

/// Reads a value of `smelt.toml` by a parser of the command line.
fn read<'de, D: Deserializer<'de>, Value, E: fmt::Display>(
    from: D,
    parse: impl FnOnce(&str) -> Result<Value, E>,
) -> Result<Option<Value>, D::Error> {
    parse(&Text::deserialize(from)?.to_string()).map(Some).map_err(D::Error::custom)
}

/// A word of `smelt.toml`.
pub(super) fn word<'de, D: Deserializer<'de>, W: Word>(from: D) -> Result<Option<W>, D::Error> {
    read(from, W::named)
}

/// A time of `smelt.toml`.
pub(super) fn time<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    read(from, parse_time)
}

/// Any other value of `smelt.toml` that is written as on the command line.
pub(super) fn text<'de, D: Deserializer<'de>, Value: FromStr>(from: D) -> Result<Option<Value>, D::Error>
where
    Value::Err: fmt::Display,
{
    read(from, Value::from_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(parse_time("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_time("10m"), Ok(Duration::from_secs(600)));
        assert_eq!(parse_time("1.5h"), Ok(Duration::from_secs(5400)));
        assert_eq!(parse_time("5"), Ok(Duration::from_secs(5)));
        for wrong in ["5 days", "-1s", "1e300h", ""] {
            assert!(parse_time(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn thresholds_are_seconds_or_ratios() {
        let parse = |text: &str| text.parse::<Alpha>();
        assert_eq!(parse("1.5"), Ok(Alpha::Seconds(1.5)));
        assert_eq!(parse("2s"), Ok(Alpha::Seconds(2.0)));
        assert_eq!(parse("5x"), Ok(Alpha::Times(5.0)));
        for wrong in ["0", "-1", "1x", "x", "inf", "5 x", ""] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_have_units_and_mebibytes_need_none() {
        let bytes = |text: &str| text.parse::<MemoryLimit>().map(|memory| memory.0);
        assert_eq!(bytes("4096"), Ok(Some(4 << 30)));
        assert_eq!(bytes("4G"), Ok(Some(4 << 30)));
        assert_eq!(bytes("500m"), Ok(Some(500 << 20)));
        assert_eq!(bytes("64K"), Ok(Some(64 << 10)));
        assert_eq!(bytes("none"), Ok(None));
        for wrong in ["", "0", "G", "4T", "-1", "99999999999999G"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_unknown_word_is_answered_with_those_that_are_known() {
        let error = Goal::named("speed").unwrap_err();
        assert_eq!(error.to_string(), "unknown goal `speed` (expected one of: bugs, slowdown)");
        assert_eq!(SessionMode::named("cold"), Ok(SessionMode::Cold));
    }
}
