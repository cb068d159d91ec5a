; expect: unsat
(declare-const x (_ BitVec 8))
(assert (= ((_ rotate_left 4) x) x))
(assert (distinct ((_ extract 7 4) x) ((_ extract 3 0) x)))
(check-sat)
