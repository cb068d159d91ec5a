; expect: unsat
(set-logic HO_ALL)
(declare-const a (Set Int))
(assert (set.is_empty a))
(assert (set.some (lambda ((x Int)) (> x 2)) a))
(check-sat)
