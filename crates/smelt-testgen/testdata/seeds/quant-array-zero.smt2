; expect: unsat
(declare-const a (Array Int Int))
(assert (forall ((i Int)) (= (select a i) 0)))
(assert (> (select a 5) (select a 6)))
(check-sat)
