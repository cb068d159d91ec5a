; expect: unsat
(declare-const a (Array Int Int))
(declare-const b (Array Int Int))
(declare-const i Int)
(declare-const j Int)
(assert (= b (store (store a i (select a j)) j (select a i))))
(assert (distinct (select b j) (select a i)))
(check-sat)
