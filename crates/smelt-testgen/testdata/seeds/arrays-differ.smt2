; expect: unsat
(declare-const a (Array Int Int))
(declare-const i Int)
(declare-const j Int)
(assert (= (select (store a i 1) j) 2))
(assert (not (= (select a j) 2)))
(check-sat)
