; expect: unsat
(declare-const p (Bag (Tuple Int Bool)))
(declare-const q (Bag (Tuple Int Int)))
(assert (= p (bag (tuple 1 true) 2)))
(assert (= q (bag (tuple 1 5) 1)))
(assert (not (bag.member (tuple 1 true 1 5) ((_ table.join 0 0) p q))))
(check-sat)
