//! Decision trees in a text form.
//!
//! A line is `NUMBER <= LIMIT`, followed by the subtree for yes and the subtree for no, each indented by two more spaces; or the
//! name of an arm. Lines that begin with `#` are comments.

use super::probe::Probe;

/// A decision tree over the numbers of a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tree {
    /// This arm.
    Leaf(String),
    /// A question with the trees for yes and for no.
    Question {
        /// The name of a number.
        number: String,
        /// The answer is yes up to this.
        limit: u64,
        /// For yes and for no.
        branches: Box<[Tree; 2]>,
    },
}

impl Tree {
    /// Reads a tree; nothing if the text has another form.
    pub fn read(text: &str) -> Option<Tree> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        let tree = Tree::read_at(&mut lines, 0)?;
        lines.next().is_none().then_some(tree)
    }

    fn read_at<'a>(lines: &mut impl Iterator<Item = &'a str>, depth: usize) -> Option<Tree> {
        let line = lines.next()?;
        let rest = line.trim_start();
        if line.len() - rest.len() != 2 * depth {
            return None;
        }
        match rest.split_once(" <= ") {
            None => Some(Tree::Leaf(rest.trim_end().to_owned())),
            Some((number, limit)) => {
                let limit = limit.trim_end().parse().ok()?;
                let yes = Tree::read_at(lines, depth + 1)?;
                let no = Tree::read_at(lines, depth + 1)?;
                Some(Tree::Question { number: number.to_owned(), limit, branches: Box::new([yes, no]) })
            }
        }
    }

    /// The arm for a formula, and the questions that led there.
    pub fn decide(&self, probe: &Probe) -> (&str, String) {
        let mut why: Vec<String> = Vec::new();
        let mut tree = self;
        while let Tree::Question { number, limit, branches } = tree {
            let value = probe.number(number).unwrap_or(0);
            let is_small = value <= *limit;
            why.push(format!("{number} {} {limit}", if is_small { "<=" } else { ">" }));
            tree = &branches[usize::from(!is_small)];
        }
        let Tree::Leaf(arm) = tree else { unreachable!("what is no question is a leaf") };
        let why = if why.is_empty() { "it is best for all formulas".to_owned() } else { why.join(", ") };
        (arm, why)
    }

    /// Names of numbers and arms that do not exist.
    #[cfg(test)]
    pub fn unknown_names(
        &self,
        is_number: impl Fn(&str) -> bool + Copy,
        is_arm: impl Fn(&str) -> bool + Copy,
    ) -> Vec<&str> {
        match self {
            Tree::Leaf(arm) => (!is_arm(arm)).then_some(arm.as_str()).into_iter().collect(),
            Tree::Question { number, branches, .. } => {
                let own = (!is_number(number)).then_some(number.as_str()).into_iter();
                own.chain(branches.iter().flat_map(|branch| branch.unknown_names(is_number, is_arm)))
                    .collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# a comment\nmemberships <= 0\n  equations <= 3\n    few\n    many\n  regular\n";

    #[test]
    fn a_tree_asks_one_question_after_the_other() {
        let tree = Tree::read(TEXT).unwrap();
        let decide = |memberships, equations| {
            let probe = Probe { memberships, equations, ..Probe::default() };
            let (arm, why) = tree.decide(&probe);
            (arm.to_owned(), why)
        };
        assert_eq!(decide(0, 3), ("few".to_owned(), "memberships <= 0, equations <= 3".to_owned()));
        assert_eq!(decide(0, 4), ("many".to_owned(), "memberships <= 0, equations > 3".to_owned()));
        assert_eq!(decide(1, 4), ("regular".to_owned(), "memberships > 0".to_owned()));
    }

    #[test]
    fn texts_of_another_form_are_no_trees() {
        for text in ["", "a <= b\n  x\n  y\n", "a <= 1\n  x\n", "x\ny\n", "a <= 1\nx\ny\n"] {
            assert_eq!(Tree::read(text), None, "{text:?}");
        }
    }

    #[test]
    fn unknown_names_are_found() {
        let tree = Tree::read(TEXT).unwrap();
        assert_eq!(
            tree.unknown_names(|name| name == "equations", |arm| arm != "many"),
            ["memberships", "many"]
        );
    }
}
