//! Things of other crates that users choose by their names.

use smelt_oracle::finding::Class;
use smelt_testgen::construct::{Category, Theory};
use smelt_testgen::scaling::Grown;
use smelt_testgen::stringfuzz::{Family, Transformer};

use super::values::Word;

impl Word for Theory {
    const WHAT: &'static str = "theory";
    const ALL: &'static [Self] = &Theory::ALL;

    fn word(&self) -> &'static str {
        self.name()
    }
}

impl Word for Category {
    const WHAT: &'static str = "category";
    const ALL: &'static [Self] = &Category::ALL;

    fn word(&self) -> &'static str {
        self.name()
    }
}

impl Word for Family {
    const WHAT: &'static str = "family";
    const ALL: &'static [Self] = &Family::ALL;

    fn word(&self) -> &'static str {
        self.name()
    }
}

impl Word for Transformer {
    const WHAT: &'static str = "transformer";
    const ALL: &'static [Self] = &Transformer::ALL;

    fn word(&self) -> &'static str {
        self.name()
    }
}

impl Word for Class {
    const WHAT: &'static str = "class";
    const ALL: &'static [Self] = &Class::ALL;

    fn word(&self) -> &'static str {
        Class::word(*self)
    }
}

impl Word for Grown {
    const WHAT: &'static str = "kind of literal";
    const ALL: &'static [Self] = &Grown::ALL;

    fn word(&self) -> &'static str {
        self.name()
    }
}
