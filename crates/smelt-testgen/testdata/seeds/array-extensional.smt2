; expect: unsat
(declare-const a (Array Int Int))
(declare-const b (Array Int Int))
(declare-const i Int)
(assert (= (store a i 0) (store b i 0)))
(assert (distinct a b))
(assert (= (select a i) (select b i)))
(check-sat)
