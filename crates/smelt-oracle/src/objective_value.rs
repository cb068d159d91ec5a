//! Values of objectives as z3 prints them: numbers, what comes arbitrarily close to a number, infinity, intervals.

use dashu_ratio::RBig;
use smelt_semantics::value::Value;
use smelt_smtlib::sexp::{Kind, Scanner, Tape};

/// `infinite * oo + finite + infinitesimal * epsilon`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extended {
    /// How many infinities; only the sign matters.
    pub infinite: RBig,
    /// The number, if there is no infinity.
    pub finite: RBig,
    /// How many of a number that is smaller than all others; only the sign matters.
    pub infinitesimal: RBig,
}

/// What a solver says of an objective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reported {
    /// The best value.
    Best(Extended),
    /// The best value is somewhere from the first to the second.
    Between(Extended, Extended),
}

/// The value of an objective with the text in which it was printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What is said; none if it is not understood.
    pub reported: Option<Reported>,
    /// As it was printed.
    pub text: String,
}

impl Extended {
    fn number(finite: RBig) -> Self {
        Extended { infinite: RBig::ZERO, finite, infinitesimal: RBig::ZERO }
    }

    /// The number that it is, if it is one.
    pub fn as_number(&self) -> Option<&RBig> {
        (self.infinite == RBig::ZERO && self.infinitesimal == RBig::ZERO).then_some(&self.finite)
    }

    fn plus(self, other: Extended) -> Self {
        Extended {
            infinite: self.infinite + other.infinite,
            finite: self.finite + other.finite,
            infinitesimal: self.infinitesimal + other.infinitesimal,
        }
    }

    fn times(self, factor: &RBig) -> Self {
        Extended {
            infinite: self.infinite * factor,
            finite: self.finite * factor,
            infinitesimal: self.infinitesimal * factor,
        }
    }
}

/// The answer to `get-objectives` in an output, one line an objective; none if there is no answer, or if it is more than
/// one.
pub fn reported_objectives(output: &str) -> Option<Vec<Line>> {
    let mut scanner = Scanner::new(output);
    let mut tape = Tape::new();
    let mut found = None;
    while let Ok(true) = scanner.read(&mut tape) {
        let mut parts = tape.children(0);
        if tape.node(0).kind != Kind::List
            || parts.next().is_none_or(|word| tape.node(word).span.text(output) != "objectives")
        {
            continue;
        }
        let lines = parts.map(|line| {
            // The name of an objective may be missing, or anything.
            let value = tape.children(line).last()?;
            let text = tape.node(value).span.text(output).to_owned();
            Some(Line { reported: reported(&tape, value, output), text })
        });
        let lines: Option<Vec<Line>> = lines.collect();
        if found.replace(lines?).is_some() {
            return None;
        }
    }
    found
}

fn reported(tape: &Tape, place: u32, text: &str) -> Option<Reported> {
    let parts: Vec<u32> = tape.children(place).collect();
    match parts.as_slice() {
        [word, from, to] if tape.node(*word).span.text(text) == "interval" => {
            Some(Reported::Between(extended(tape, *from, text)?, extended(tape, *to, text)?))
        }
        _ => extended(tape, place, text).map(Reported::Best),
    }
}

fn extended(tape: &Tape, place: u32, text: &str) -> Option<Extended> {
    let node = tape.node(place);
    let atom = node.span.text(text);
    if node.kind != Kind::List {
        let one = || Extended::number(RBig::ZERO);
        return match (node.kind, atom) {
            (_, "oo") => Some(Extended { infinite: RBig::ONE, ..one() }),
            (_, "epsilon") => Some(Extended { infinitesimal: RBig::ONE, ..one() }),
            (Kind::Numeral, digits) => Some(Extended::number(digits.parse().ok()?)),
            (Kind::Decimal, digits) => {
                let (whole, part) = digits.split_once('.')?;
                let scale: RBig = format!("1{}", "0".repeat(part.len())).parse().ok()?;
                Some(Extended::number(format!("{whole}{part}").parse::<RBig>().ok()? / scale))
            }
            _ => None,
        };
    }
    let mut parts = tape.children(place);
    let op = tape.node(parts.next()?).span.text(text);
    let args: Option<Vec<Extended>> = parts.map(|part| extended(tape, part, text)).collect();
    let args = args?;
    match (op, args.as_slice()) {
        ("-", [only]) => Some(only.clone().times(&-RBig::ONE)),
        ("+", [first, rest @ ..]) => Some(rest.iter().cloned().fold(first.clone(), Extended::plus)),
        ("*", [left, right]) => match (left.as_number(), right.as_number()) {
            (Some(factor), _) => Some(right.clone().times(factor)),
            (_, Some(factor)) => Some(left.clone().times(factor)),
            _ => None,
        },
        ("/", [left, right]) => {
            let divisor = right.as_number().filter(|divisor| **divisor != RBig::ZERO)?;
            Some(left.clone().times(&(RBig::ONE / divisor.clone())))
        }
        _ => None,
    }
}

/// The number that a value of a sort is that can be optimized; bit-vectors are unsigned.
pub fn number_of(value: &Value) -> Option<RBig> {
    match value {
        Value::Int(number) => Some(RBig::from(number.clone())),
        Value::Real(number) => Some(number.clone()),
        Value::BitVec(bits) => Some(RBig::from(bits.to_ubig())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(text: &str) -> Option<[String; 3]> {
        let lines = reported_objectives(&format!("(objectives\n (x {text})\n)"))?;
        match lines[0].reported.as_ref()? {
            Reported::Best(value) => {
                Some([&value.infinite, &value.finite, &value.infinitesimal].map(ToString::to_string))
            }
            Reported::Between(..) => None,
        }
    }

    #[test]
    fn numbers_are_read_in_all_forms() {
        let number = |text: &str| best(text).map(|[_, finite, _]| finite);
        assert_eq!(number("9").as_deref(), Some("9"));
        assert_eq!(number("(- 19)").as_deref(), Some("-19"));
        assert_eq!(number("(- (/ 1.0 3.0))").as_deref(), Some("-1/3"));
        assert_eq!(number("2.50").as_deref(), Some("5/2"));
        assert_eq!(number("(/ 1.0 0.0)"), None);
        assert_eq!(number("(root-obj (+ (^ x 2) (- 2)) 2)"), None);
        assert_eq!(number("#x0f"), None);
    }

    #[test]
    fn what_is_no_number_keeps_its_direction() {
        let texts = |text: &str| best(text).unwrap();
        assert_eq!(texts("(+ 2.0 (* (- 1.0) epsilon))"), ["0", "2", "-1"]);
        assert_eq!(texts("(* (- 1) oo)"), ["-1", "0", "0"]);
        assert_eq!(texts("oo"), ["1", "0", "0"]);
        assert_eq!(texts("(+ (/ 16.0 5.0) epsilon)"), ["0", "16/5", "1"]);
        let lines = reported_objectives("(objectives (x (interval 1 (* (- 1) oo))))").unwrap();
        assert!(
            matches!(&lines[0].reported, Some(Reported::Between(from, _)) if from.as_number() == Some(&RBig::ONE))
        );
    }

    #[test]
    fn names_of_objectives_may_be_anything_or_missing() {
        let lines = reported_objectives(
            "((define-fun x () Int 1))\n(objectives\n ( 1)\n (g 2)\n ((+ x 1)\n  (- 3))\n)",
        );
        let texts: Vec<String> = lines.unwrap().into_iter().map(|line| line.text).collect();
        assert_eq!(texts, ["1", "2", "(- 3)"]);
        assert_eq!(reported_objectives("(error \"no\")"), None);
        assert_eq!(reported_objectives("(objectives ())"), None);
        assert_eq!(reported_objectives("(objectives (x 1))(objectives (x 1))"), None);
        assert_eq!(reported_objectives("(objectives (x 1)"), None);
    }
}
