//! A script of any size, always the same: strings, regular expressions, linear integer arithmetic and Boolean
//! structure, with lets and declared functions. It uses only what every reader in the comparison accepts.

use std::fmt::Write;

/// How many constants of each sort the script declares.
const CONSTANTS: usize = 400;

/// The least size of an assertion; the last formula of each goes beyond it.
const ASSERTION_BYTES: usize = 750;

/// A script of about `bytes` bytes.
pub fn text(bytes: usize) -> String {
    // The last assertion may go beyond the goal, and the whole must not be copied when it does.
    let mut sample = Sample { out: String::with_capacity(bytes + (1 << 16)), random: 0x9E37_79B9_7F4A_7C15 };
    sample.declarations();
    while sample.out.len() < bytes {
        sample.assertion();
    }
    sample.out.push_str("(check-sat)\n(exit)\n");
    sample.out
}

struct Sample {
    out: String,
    random: u64,
}

impl Sample {
    /// A number below `bound` (xorshift64*).
    fn draw(&mut self, bound: usize) -> usize {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        (self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn declarations(&mut self) {
        self.push("(set-logic QF_SLIA)\n(set-info :status unknown)\n");
        for number in 0..CONSTANTS {
            writeln!(self.out, "(declare-fun text_{number} () String)").expect("strings take any text");
            writeln!(self.out, "(declare-const count_{number} Int)").expect("strings take any text");
            writeln!(self.out, "(declare-fun is_{number} () Bool)").expect("strings take any text");
        }
        self.push("(declare-fun weight (String Int) Int)\n(declare-fun label (Int) String)\n");
    }

    /// An assertion: a disjunction of small formulas, every fourth time under a let.
    fn assertion(&mut self) {
        let start = self.out.len();
        self.push("(assert ");
        let has_let = self.draw(4) == 0;
        if has_let {
            self.push("(let ((v_0 ");
            self.string(2);
            self.push(") (v_1 ");
            self.int(2);
            self.push(")) ");
        }
        self.push("(or");
        while self.out.len() - start < ASSERTION_BYTES {
            self.push(" ");
            if has_let && self.draw(3) == 0 {
                self.push("(and (< v_1 ");
                self.int(1);
                self.push(") (str.prefixof v_0 ");
                self.string(1);
                self.push("))");
            } else {
                self.formula(3);
            }
        }
        self.push(if has_let { ")))\n" } else { "))\n" });
    }

    /// `(operator part part ..)` with one letter for the sort of each part.
    fn apply(&mut self, operator: &str, parts: &str, depth: usize) {
        self.push("(");
        self.push(operator);
        for part in parts.bytes() {
            self.push(" ");
            match part {
                b'b' => self.formula(depth),
                b'i' => self.int(depth),
                b's' => self.string(depth),
                _ => self.regex(depth),
            }
        }
        self.push(")");
    }

    fn formula(&mut self, depth: usize) {
        if depth == 0 {
            let number = self.draw(CONSTANTS);
            return write!(self.out, "is_{number}").expect("strings take any text");
        }
        let below = depth - 1;
        match self.draw(13) {
            0 => self.apply("and", "bbb", below),
            1 => self.apply("not", "b", below),
            2 => self.apply("=>", "bb", below),
            3 => self.apply("=", "ss", below),
            4 => self.apply("=", "ii", below),
            5 => self.apply("<=", "ii", below),
            6 => self.apply("<", "ii", below),
            7 => self.apply("str.contains", "ss", below),
            8 | 9 => self.apply("str.in_re", "sr", below + 1),
            10 => self.apply("distinct", "sss", below),
            11 => self.apply("ite", "bbb", below),
            _ => self.apply("str.<=", "ss", below),
        }
    }

    fn int(&mut self, depth: usize) {
        if depth == 0 {
            let number = self.draw(CONSTANTS);
            return match self.draw(3) {
                0 => write!(self.out, "{}", number * 7),
                _ => write!(self.out, "count_{number}"),
            }
            .expect("strings take any text");
        }
        let below = depth - 1;
        match self.draw(8) {
            0 => self.apply("+", "iii", below),
            1 => self.apply("-", "i", below),
            2 => {
                let factor = 2 + self.draw(90);
                self.apply(&format!("* {factor}"), "i", below);
            }
            3 | 4 => self.apply("str.len", "s", below),
            5 => self.apply("str.indexof", "ssi", below),
            6 => self.apply("weight", "si", below),
            _ => self.apply("ite", "bii", below),
        }
    }

    fn string(&mut self, depth: usize) {
        if depth == 0 {
            if self.draw(3) > 0 {
                let number = self.draw(CONSTANTS);
                return write!(self.out, "text_{number}").expect("strings take any text");
            }
            return self.literal(8);
        }
        let below = depth - 1;
        match self.draw(7) {
            0 | 1 => self.apply("str.++", "sss", below),
            2 => self.apply("str.substr", "sii", below),
            3 => self.apply("str.replace", "sss", below),
            4 => self.apply("str.at", "si", below),
            5 => self.apply("label", "i", below),
            _ => self.apply("str.from_int", "i", below),
        }
    }

    fn regex(&mut self, depth: usize) {
        if depth == 0 {
            return match self.draw(3) {
                0 => {
                    self.push("(re.range \"a\" \"");
                    let letter = char::from(b'b' + self.draw(25) as u8);
                    self.out.push(letter);
                    self.push("\")");
                }
                _ => {
                    self.push("(str.to_re ");
                    self.literal(6);
                    self.push(")");
                }
            };
        }
        let below = depth - 1;
        match self.draw(7) {
            0 => self.apply("re.*", "r", below),
            1 => self.apply("re.++", "rrr", below),
            2 => self.apply("re.union", "rr", below),
            3 => self.apply("re.inter", "rr", below),
            4 => self.apply("re.opt", "r", below),
            5 => {
                let (low, more) = (self.draw(5), self.draw(9));
                self.apply(&format!("(_ re.loop {low} {})", low + more), "r", below);
            }
            _ => self.apply("re.+", "r", below),
        }
    }

    fn literal(&mut self, max_length: usize) {
        self.push("\"");
        for _ in 0..self.draw(max_length + 1) {
            let letter = char::from(b'a' + self.draw(26) as u8);
            self.out.push(letter);
        }
        if self.draw(8) == 0 {
            self.push("\\u{e9}");
        }
        self.push("\"");
    }
}
