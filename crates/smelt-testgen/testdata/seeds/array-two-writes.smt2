; expect: unsat
(declare-const a (Array Int Int))
(declare-const i Int)
(declare-const j Int)
(assert (= (select (store (store a i 1) j 2) i) 1))
(assert (= i j))
(check-sat)
