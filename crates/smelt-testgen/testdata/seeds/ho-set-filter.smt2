; expect: unsat
(set-logic HO_ALL)
(declare-const a (Set Int))
(assert (not (set.subset (set.filter (lambda ((x Int)) (> x 2)) a) a)))
(check-sat)
