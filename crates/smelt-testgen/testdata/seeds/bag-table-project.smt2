; expect: unsat
(declare-const p (Bag (Tuple Int Bool)))
(assert (= p (bag (tuple 1 true) 2)))
(assert (distinct (bag.count (tuple true) ((_ table.project 1) p)) 2))
(check-sat)
