(declare-const a (_ BitVec 4))
(declare-const b (_ BitVec 4))
(assert (and (bvult a b) (bvule a b) (bvugt a b) (bvuge a b)))
(assert (and (bvslt a b) (bvsle a b) (bvsgt a b) (bvsge a b)))
