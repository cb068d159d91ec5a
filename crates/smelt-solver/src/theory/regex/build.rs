//! Constructors of regular expressions, and the laws of concatenation, union and intersection.
//!
//! Every law preserves the language. Unions and intersections are flat, sorted and free of repetitions; that they do not
//! depend on order and repetition is what makes the derivatives of an expression finitely many. Beyond that the laws aim at
//! what derivatives produce: `Σ*t` swallows whatever ends with `t`, and neighbouring counts of a loop become one.

use std::sync::Arc;

use super::{Life, Node, Re, Regexes};
use smelt_semantics::letters::LetterSet;

/// How many factors of an operand are looked at for an ending that another operand swallows.
const MAX_ENDINGS: usize = 64;
/// Absorption between operands is looked for up to this many operands.
const MAX_ABSORBING: usize = 64;

impl Regexes {
    /// The language of one word.
    pub fn word(&mut self, letters: &[u32]) -> Re {
        match *letters {
            [] => return Re::EMPTY_WORD,
            [letter] => return self.letters(LetterSet::single(letter)),
            _ => {}
        }
        let word = match self.word_ids.get(letters) {
            Some(&word) => word,
            None => {
                let word = u32::try_from(self.words.len()).expect("fewer than 2^32 words fit in memory");
                let text: Arc<[u32]> = letters.into();
                self.words.push(text.clone());
                self.word_ids.insert(text, word);
                word
            }
        };
        self.intern(Node::Word { word, start: 0 })
    }

    /// The words of one letter of the set.
    pub fn letters(&mut self, letters: LetterSet) -> Re {
        self.intern(Node::Letters(letters))
    }

    /// The concatenation of the factors.
    pub fn concat(&mut self, factors: &[Re]) -> Re {
        factors.iter().rev().fold(Re::EMPTY_WORD, |tail, &head| self.concat_two(head, tail))
    }

    /// The concatenation of two languages.
    pub fn concat_two(&mut self, head: Re, tail: Re) -> Re {
        match self.node(head) {
            Node::Concat { .. } => {
                let factors = self.factors(head);
                factors.into_iter().rev().fold(tail, |tail, factor| self.prepend(factor, tail))
            }
            _ => self.prepend(head, tail),
        }
    }

    /// The factors of a concatenation, or the expression itself.
    pub fn factors(&self, re: Re) -> Vec<Re> {
        let mut factors = Vec::new();
        let mut rest = re;
        while let Node::Concat { head, tail } = *self.node(rest) {
            factors.push(head);
            rest = tail;
        }
        factors.push(rest);
        factors
    }

    /// How many factors a concatenation has; one if an expression is none.
    pub fn factor_count(&self, re: Re) -> usize {
        let mut count = 1;
        let mut rest = re;
        while let Node::Concat { tail, .. } = *self.node(rest) {
            count += 1;
            rest = tail;
        }
        count
    }

    /// Concatenation with a head that is no concatenation.
    fn prepend(&mut self, mut head: Re, mut tail: Re) -> Re {
        loop {
            self.work += 1;
            if head == Re::NONE || tail == Re::NONE {
                return Re::NONE;
            }
            if head == Re::EMPTY_WORD {
                return tail;
            }
            let (first, rest) = match *self.node(tail) {
                Node::EmptyWord => return head,
                Node::Concat { head, tail } => (head, tail),
                _ => (tail, Re::EMPTY_WORD),
            };
            if first == Re::ALL && self.is_nullable(head) {
                return tail;
            }
            if head == Re::ALL && self.is_nullable(first) {
                tail = rest;
                continue;
            }
            match self.joined_loops(head, first) {
                Some((body, min, max)) => {
                    let joined = self.repeat(body, min, max);
                    if let Node::Concat { .. } = self.node(joined) {
                        return self.concat_two(joined, rest);
                    }
                    (head, tail) = (joined, rest);
                }
                None => return self.intern(Node::Concat { head, tail }),
            }
        }
    }

    /// The union of the operands.
    pub fn union(&mut self, operands: &[Re]) -> Re {
        let mut flat =
            self.flat(operands, |node| if let Node::Union(parts) = node { Some(parts) } else { None });
        flat.retain(|&re| re != Re::NONE);
        if flat.contains(&Re::ALL) {
            return Re::ALL;
        }
        if let [only] = *flat {
            return only;
        }
        let mut flat = self.merge_loops(flat);
        if flat.contains(&Re::ALL) {
            return Re::ALL;
        }
        let mut intervals = Vec::new();
        let mut class_count = 0;
        for &re in &flat {
            if let Node::Letters(letters) = self.node(re) {
                intervals.extend_from_slice(letters.intervals());
                class_count += 1;
            }
        }
        if class_count > 1 {
            flat.retain(|&re| !matches!(self.node(re), Node::Letters(_)));
            self.work += intervals.len() as u64;
            let merged = self.letters(LetterSet::from_intervals(intervals));
            flat.push(merged);
        }
        if flat.iter().any(|&re| re != Re::EMPTY_WORD && self.is_nullable(re)) {
            flat.retain(|&re| re != Re::EMPTY_WORD);
        }
        flat.sort_unstable();
        flat.dedup();
        let endings = self.free_endings(&flat);
        if !endings.is_empty() {
            flat.retain(|&re| !self.ends_freely(re, &endings));
        }
        if self.has_opposites(&flat) {
            return Re::ALL;
        }
        match *flat {
            [] => Re::NONE,
            [only] => only,
            _ => self.intern(Node::Union(flat.into())),
        }
    }

    /// The intersection of the operands.
    pub fn inter(&mut self, operands: &[Re]) -> Re {
        let mut flat =
            self.flat(operands, |node| if let Node::Inter(parts) = node { Some(parts) } else { None });
        flat.retain(|&re| re != Re::ALL);
        if flat.iter().any(|&re| self.entry(re).life == Life::Dead) {
            return Re::NONE;
        }
        if flat.contains(&Re::EMPTY_WORD) {
            let all_nullable = flat.iter().all(|&re| self.is_nullable(re));
            return if all_nullable { Re::EMPTY_WORD } else { Re::NONE };
        }
        if let [only] = *flat {
            return only;
        }
        if flat.iter().any(|&re| matches!(self.node(re), Node::Letters(_))) {
            flat = match self.merge_letters(flat) {
                Some(merged) => merged,
                None => return Re::NONE,
            };
        }
        flat.sort_unstable();
        flat.dedup();
        if self.has_opposites(&flat) || self.has_no_common_length(&flat) {
            return Re::NONE;
        }
        self.absorb_in_inter(&mut flat);
        match *flat {
            [] => Re::ALL,
            [only] => only,
            _ => self.intern(Node::Inter(flat.into())),
        }
    }

    /// The words that are not in the language.
    pub fn complement(&mut self, re: Re) -> Re {
        match *self.node(re) {
            _ if self.entry(re).life == Life::Dead => Re::ALL,
            _ if re == Re::ALL => Re::NONE,
            Node::Complement(inner) => inner,
            Node::EmptyWord => self.repeat(Re::ALLCHAR, 1, None),
            Node::Loop { body: Re::ALLCHAR, min: 1, max: None } => Re::EMPTY_WORD,
            _ => self.intern(Node::Complement(re)),
        }
    }

    /// The words of `re` that are not in `removed`.
    pub fn difference(&mut self, re: Re, removed: Re) -> Re {
        let kept = self.complement(removed);
        self.inter(&[re, kept])
    }

    /// The words of the language, and the empty word.
    pub fn optional(&mut self, re: Re) -> Re {
        self.union(&[Re::EMPTY_WORD, re])
    }

    /// Any number of repetitions.
    pub fn star(&mut self, body: Re) -> Re {
        self.repeat(body, 0, None)
    }

    /// The words that contain a word of the language.
    pub fn containing(&mut self, re: Re) -> Re {
        self.concat(&[Re::ALL, re, Re::ALL])
    }

    /// The operands, sorted, with the parts of operands of the same kind in their place.
    fn flat(&mut self, operands: &[Re], same_kind: fn(&Node) -> Option<&[Re]>) -> Vec<Re> {
        let mut flat = Vec::with_capacity(operands.len());
        for &re in operands {
            match same_kind(self.node(re)) {
                Some(parts) => flat.extend_from_slice(parts),
                None => flat.push(re),
            }
        }
        self.work += flat.len() as u64;
        flat.sort_unstable();
        flat.dedup();
        flat
    }

    /// One set of letters for all operands that are sets of letters; `None` if it is empty.
    fn merge_letters(&mut self, operands: Vec<Re>) -> Option<Vec<Re>> {
        let mut common = LetterSet::full();
        let mut others = Vec::new();
        for re in operands {
            let narrower = match self.node(re) {
                Node::Letters(letters) => Some(letters.clone()),
                Node::Complement(inner) => self.as_letters(*inner).map(LetterSet::complement),
                _ => None,
            };
            match narrower {
                Some(narrower) => {
                    self.work += (common.intervals().len() + narrower.intervals().len()) as u64;
                    common = common.intersect(&narrower);
                }
                None => others.push(re),
            }
        }
        if common.is_empty() {
            return None;
        }
        others.push(self.letters(common));
        Some(others)
    }

    fn has_no_common_length(&self, operands: &[Re]) -> bool {
        let lengths = operands.iter().map(|&re| self.progression(re));
        let mut common = None;
        for next in lengths {
            common = match common {
                None => Some(next),
                Some(lengths) => match next.and(&lengths) {
                    Some(both) => Some(both),
                    None => return true,
                },
            };
        }
        false
    }

    /// Whether some operand is the complement of another. The operands are sorted.
    fn has_opposites(&self, operands: &[Re]) -> bool {
        operands.iter().any(|&re| match self.node(re) {
            Node::Complement(inner) => operands.binary_search(inner).is_ok(),
            _ => false,
        })
    }

    /// For every operand `Σ*t`: the operand itself and `t`.
    fn free_endings(&self, operands: &[Re]) -> Vec<(Re, Re)> {
        let free = operands.iter().filter_map(|&re| match *self.node(re) {
            Node::Concat { head: Re::ALL, tail } => Some((re, tail)),
            _ => None,
        });
        free.take(MAX_ABSORBING).collect()
    }

    /// Whether the words of the language all end in a word of a `t`, for some other `Σ*t`.
    fn ends_freely(&self, re: Re, endings: &[(Re, Re)]) -> bool {
        let mut rest = re;
        for _ in 0..MAX_ENDINGS {
            if endings.iter().any(|&(whole, tail)| whole != re && (rest == whole || rest == tail)) {
                return true;
            }
            match *self.node(rest) {
                Node::Concat { tail, .. } => rest = tail,
                _ => return false,
            }
        }
        false
    }

    /// Removes operands that contain another operand.
    fn absorb_in_inter(&mut self, operands: &mut Vec<Re>) {
        if operands.len() > MAX_ABSORBING {
            return;
        }
        self.work += operands.len() as u64;
        let endings = self.free_endings(operands);
        let is_implied = |re: Re| {
            let swallows = endings.iter().filter(|&&(whole, _)| whole == re);
            swallows.into_iter().any(|&ending| {
                operands.iter().any(|&other| other != re && self.ends_freely(other, &[ending]))
            }) || match self.node(re) {
                Node::Union(parts) => parts.iter().any(|part| operands.binary_search(part).is_ok()),
                _ => false,
            }
        };
        let kept: Vec<Re> = operands.iter().copied().filter(|&re| !is_implied(re)).collect();
        *operands = kept;
    }
}
