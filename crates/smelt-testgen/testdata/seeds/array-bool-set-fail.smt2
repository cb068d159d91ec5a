; expect: unsat
(declare-const a (Array Int Bool))
(declare-const b (Array Int Bool))
(declare-const i Int)
(assert (select a i))
(assert (not (select b i)))
(assert (= b (store a 3 false)))
(assert (> i 3))
(check-sat)
