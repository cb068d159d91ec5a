; expect: unsat
(declare-const x (_ BitVec 4))
(declare-const y (_ BitVec 8))
(assert (= y ((_ sign_extend 4) x)))
(assert (bvslt y #x00))
(assert (= ((_ extract 7 4) y) #x0))
(check-sat)
