; expect: unsat
(declare-const a (Array Int (Array Int Int)))
(declare-const i Int)
(declare-const j Int)
(assert (= (select (select (store a i (store (select a i) j 6)) i) j) 7))
(check-sat)
