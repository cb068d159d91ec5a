//! Languages seen through a map of letters to words.
//!
//! Replacing every occurrence of one letter (or of a set of letters) by a word is such a map; so the words whose
//! image lies in a regular language are again a node of the arena, with derivatives of its own: the derivative of
//! pre(h, R) by a letter a is pre(h, D), where D is the derivative of R by the word h(a).

use std::sync::Arc;

use super::progression::Progression;
use super::{Life, Node, Re, Regexes};
use smelt_semantics::letters::LetterSet;

/// A map of letters to words that leaves all but some letters as they are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LetterMap {
    /// Disjoint non-empty sets of letters with their common image, in a canonical order.
    parts: Vec<(LetterSet, Arc<[u32]>)>,
}

impl LetterMap {
    /// The map that takes the letters of the set to `image` and every other letter to itself.
    pub fn replacing(letters: LetterSet, image: &[u32]) -> Self {
        // A letter that stays is no exception.
        let letters = match *image {
            [letter] => letters.intersect(&LetterSet::single(letter).complement()),
            _ => letters,
        };
        let parts = if letters.is_empty() { Vec::new() } else { vec![(letters, image.into())] };
        LetterMap { parts }
    }

    /// Whether every letter stays.
    pub fn is_identity(&self) -> bool {
        self.parts.is_empty()
    }

    /// The letters that do not stay, with their images.
    pub fn parts(&self) -> &[(LetterSet, Arc<[u32]>)] {
        &self.parts
    }

    /// The image of a word.
    pub fn apply(&self, word: &[u32]) -> Vec<u32> {
        let mut image = Vec::with_capacity(word.len());
        for letter in word {
            match self.parts.iter().find(|(letters, _)| letters.contains(*letter)) {
                Some((_, part)) => image.extend_from_slice(part),
                None => image.push(*letter),
            }
        }
        image
    }

    /// The map whose images are read backwards.
    pub fn mirrored(&self) -> LetterMap {
        let mirror = |image: &Arc<[u32]>| image.iter().rev().copied().collect();
        LetterMap {
            parts: self.parts.iter().map(|(letters, image)| (letters.clone(), mirror(image))).collect(),
        }
    }

    /// Lengths of words whose images have one of the given lengths.
    pub fn source_lengths(&self, images: &Progression) -> Progression {
        let longest = self.parts.iter().map(|(_, image)| image.len() as u64).max().unwrap_or(1).max(1);
        let is_erasing = self.parts.iter().any(|(_, image)| image.is_empty());
        let min = images.min.div_ceil(longest);
        Progression::between(min, if is_erasing { None } else { images.max })
    }
}

impl Regexes {
    /// The words that the map takes into the language.
    pub fn preimage(&mut self, map: &LetterMap, re: Re) -> Re {
        if map.is_identity() {
            return re;
        }
        let map = match self.map_ids.get(map) {
            Some(&id) => id,
            None => {
                let id = u32::try_from(self.maps.len()).expect("fewer than 2^32 maps fit in memory");
                let map = Arc::new(map.clone());
                self.maps.push(map.clone());
                self.map_ids.insert(map, id);
                id
            }
        };
        self.preimage_by_id(map, re)
    }

    pub(super) fn preimage_by_id(&mut self, map: u32, re: Re) -> Re {
        self.work += 1;
        match *self.node(re) {
            _ if self.entry(re).life == Life::Dead => Re::NONE,
            _ if re == Re::ALL => Re::ALL,
            // Images of words are words: the complement may be taken before or after.
            Node::Complement(inner) => {
                let inner = self.preimage_by_id(map, inner);
                self.complement(inner)
            }
            _ => self.intern(Node::Preimage { map, body: re }),
        }
    }
}
