; expect: unsat
(set-logic HO_ALL)
(declare-const a (Set Int))
(assert (= a (set.singleton 3)))
(assert (not (set.member 4 (set.map (lambda ((x Int)) (+ x 1)) a))))
(check-sat)
