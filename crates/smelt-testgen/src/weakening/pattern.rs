//! Patterns: the two sides of a rule, read once, without an arena of terms and without fixed widths and sorts.
//!
//! A pattern is read from the text of its rule. [`super::matching`] finds out what it means at a term, and
//! [`super::build`] makes the term that it means.

use smelt_smtlib::op::Op;
use smelt_smtlib::sexp::{Kind, Tape};
use smelt_smtlib::term::Literal;

use crate::blocks::Defect;
use crate::shape::{Shape, Width, is_letter, shape_at};

/// One side of a rule, or a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// Any term: the variable of the rule at this position.
    Variable(usize),
    /// Any term over an argument: the function of the rule at this position, applied.
    Applied(usize, Box<Pattern>),
    /// The variable of the quantifier around it.
    Bound,
    /// A numeral.
    Number(Width),
    /// Any other literal: its text and its shape.
    Literal(Literal, String, Shape),
    /// An operator, one of those that a name stands for, with its indices.
    Application {
        ops: &'static [Op],
        indices: Vec<Width>,
        args: Vec<Pattern>,
    },
    Quantified {
        quantifier: Quantifier,
        shape: Shape,
        body: Box<Pattern>,
    },
}

/// Which quantifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quantifier {
    Forall,
    Exists,
}

/// What a rule declares: a constant, which stands for any term, or a function, which stands for a term over another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Declared {
    pub name: String,
    /// The shape of its argument, if it is a function.
    pub param: Option<Shape>,
    pub shape: Shape,
}

impl Pattern {
    /// Whether this pattern or a part of it is wanted.
    pub(crate) fn any(&self, wanted: &dyn Fn(&Pattern) -> bool) -> bool {
        wanted(self)
            || match self {
                Pattern::Applied(_, part) | Pattern::Quantified { body: part, .. } => part.any(wanted),
                Pattern::Application { args, .. } => args.iter().any(|arg| arg.any(wanted)),
                Pattern::Variable(_) | Pattern::Bound | Pattern::Number(_) | Pattern::Literal(..) => false,
            }
    }

    /// Whether what a rule declares at a position occurs in it.
    pub(crate) fn mentions(&self, position: usize) -> bool {
        self.any(&|part| match part {
            Pattern::Variable(variable) | Pattern::Applied(variable, _) => *variable == position,
            _ => false,
        })
    }

    /// Adds the letters for indices and numbers that it has to a list.
    pub(crate) fn numbers(&self, letters: &mut Vec<String>) {
        let mut note = |width: &Width| {
            if let Width::Param(letter) = width
                && is_letter(letter)
                && !letters.contains(letter)
            {
                letters.push(letter.clone());
            }
        };
        match self {
            Pattern::Number(width) => note(width),
            Pattern::Application { indices, args, .. } => {
                indices.iter().for_each(&mut note);
                args.iter().for_each(|arg| arg.numbers(letters));
            }
            Pattern::Applied(_, part) | Pattern::Quantified { body: part, .. } => part.numbers(letters),
            Pattern::Variable(_) | Pattern::Bound | Pattern::Literal(..) => {}
        }
    }
}

/// What is needed to read a pattern.
pub(super) struct Reader<'r> {
    pub tape: &'r Tape,
    pub text: &'r str,
    pub declared: &'r [Declared],
}

impl Reader<'_> {
    /// The pattern that stands at a node; the error says what is not understood.
    pub(super) fn pattern(&self, index: u32, bound: Option<&str>) -> Result<Pattern, Defect> {
        let node = self.tape.node(index);
        let word = self.word(index);
        match node.kind {
            Kind::Symbol => self.symbol(word, bound),
            Kind::Numeral => Ok(Pattern::Number(Width::of(word))),
            Kind::Decimal => Ok(literal(Literal::Decimal, word, Shape::Named("Real".to_owned()))),
            Kind::Str => {
                let letters = &word[1..word.len() - 1];
                Ok(literal(Literal::Str, letters, Shape::Named("String".to_owned())))
            }
            Kind::Binary => {
                let digits = &word[2..];
                Ok(literal(Literal::Binary, digits, Shape::BitVec(Width::Number(digits.len() as u32))))
            }
            Kind::List => self.list(index, bound),
            _ => Err(Defect::from(format!("`{word}` is not understood"))),
        }
    }

    fn word(&self, index: u32) -> &str {
        self.tape.node(index).span.text(self.text)
    }

    fn symbol(&self, word: &str, bound: Option<&str>) -> Result<Pattern, Defect> {
        if bound == Some(word) {
            return Ok(Pattern::Bound);
        }
        if let Some(position) = self.declared.iter().position(|declared| declared.name == word) {
            return Ok(Pattern::Variable(position));
        }
        if is_letter(word) {
            return Ok(Pattern::Number(Width::of(word)));
        }
        match Op::named(word) {
            [] => Err(Defect::from(format!("`{word}` is not known"))),
            ops => Ok(Pattern::Application { ops, indices: Vec::new(), args: Vec::new() }),
        }
    }

    fn list(&self, index: u32, bound: Option<&str>) -> Result<Pattern, Defect> {
        let parts: Vec<u32> = self.tape.children(index).collect();
        let [head, rest @ ..] = &parts[..] else {
            return Err(Defect::from("an empty list is not understood"));
        };
        if self.tape.node(*head).kind == Kind::List {
            let parts: Vec<&str> = self.tape.children(*head).map(|part| self.word(part)).collect();
            return match parts[..] {
                ["_", name, ref indices @ ..] => {
                    let indices = indices.iter().map(|index| Width::of(index)).collect();
                    Ok(Pattern::Application {
                        ops: Op::named(name),
                        indices,
                        args: self.patterns(rest, bound)?,
                    })
                }
                _ => Err(Defect::from(format!("`{}` is not understood", self.word(*head)))),
            };
        }
        match self.word(*head) {
            "_" => {
                let digits = rest.first().and_then(|name| self.word(*name).strip_prefix("bv"));
                match (digits, rest) {
                    (Some(digits), [_, width]) => {
                        let shape = Shape::BitVec(Width::of(self.word(*width)));
                        Ok(literal(Literal::BvDecimal, digits, shape))
                    }
                    _ => Err(Defect::from(format!("`{}` is not understood", self.word(index)))),
                }
            }
            "forall" => self.quantified(Quantifier::Forall, rest, bound),
            "exists" => self.quantified(Quantifier::Exists, rest, bound),
            name => self.application(name, rest, bound),
        }
    }

    fn application(&self, name: &str, args: &[u32], bound: Option<&str>) -> Result<Pattern, Defect> {
        if let Some(position) = self.declared.iter().position(|declared| declared.name == name) {
            return match args {
                [arg] => Ok(Pattern::Applied(position, Box::new(self.pattern(*arg, bound)?))),
                _ => Err(Defect::from(format!("`{name}` must have one argument"))),
            };
        }
        match Op::named(name) {
            [] => Err(Defect::from(format!("`{name}` is not known"))),
            ops => Ok(Pattern::Application { ops, indices: Vec::new(), args: self.patterns(args, bound)? }),
        }
    }

    fn patterns(&self, nodes: &[u32], bound: Option<&str>) -> Result<Vec<Pattern>, Defect> {
        nodes.iter().map(|node| self.pattern(*node, bound)).collect()
    }

    fn quantified(
        &self,
        quantifier: Quantifier,
        parts: &[u32],
        bound: Option<&str>,
    ) -> Result<Pattern, Defect> {
        if bound.is_some() {
            return Err(Defect::from("a quantifier below a quantifier is not understood"));
        }
        let [variables, body] = parts else { return Err(Defect::from("a quantifier has two parts")) };
        let variables: Vec<u32> = self.tape.children(*variables).collect();
        let [variable] = variables[..] else {
            return Err(Defect::from("a quantifier must have one variable"));
        };
        let variable: Vec<u32> = self.tape.children(variable).collect();
        let [name, sort] = variable[..] else {
            return Err(Defect::from("a variable has a name and a sort"));
        };
        let shape =
            shape_at(self.tape, self.text, sort).ok_or_else(|| "a sort is not understood".to_owned())?;
        let body = self.pattern(*body, Some(self.word(name)))?;
        Ok(Pattern::Quantified { quantifier, shape, body: Box::new(body) })
    }
}

fn literal(kind: Literal, text: &str, shape: Shape) -> Pattern {
    Pattern::Literal(kind, text.to_owned(), shape)
}
