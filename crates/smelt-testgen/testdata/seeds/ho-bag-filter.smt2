; expect: unsat
(set-logic HO_ALL)
(declare-const a (Bag Int))
(declare-const x Int)
(assert (bag.member x (bag.filter (lambda ((y Int)) (> y 2)) a)))
(assert (< x 2))
(check-sat)
