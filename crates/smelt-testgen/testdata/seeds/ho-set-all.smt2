; expect: unsat
(set-logic HO_ALL)
(declare-const a (Set Int))
(assert (set.member 1 a))
(assert (set.all (lambda ((x Int)) (> x 2)) a))
(check-sat)
