; expect: unsat
(declare-const p (Bag (Tuple Int)))
(declare-const q (Bag (Tuple Bool)))
(assert (= p (bag (tuple 1) 2)))
(assert (= q (bag (tuple true) 3)))
(assert (distinct (bag.count (tuple 1 true) (table.product p q)) 6))
(check-sat)
