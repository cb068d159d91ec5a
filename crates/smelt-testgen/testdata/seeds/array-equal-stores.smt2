; expect: unsat
(declare-const a (Array Int Int))
(declare-const i Int)
(declare-const j Int)
(declare-const v Int)
(assert (= (store a i v) (store a j v)))
(assert (distinct i j))
(assert (distinct (select a i) v))
(check-sat)
