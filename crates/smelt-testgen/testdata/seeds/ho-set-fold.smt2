; expect: unsat
(set-logic HO_ALL)
(declare-const a (Set Int))
(assert (= a (set.singleton 3)))
(assert (distinct (set.fold (lambda ((x Int) (s Int)) (+ x s)) 1 a) 4))
(check-sat)
