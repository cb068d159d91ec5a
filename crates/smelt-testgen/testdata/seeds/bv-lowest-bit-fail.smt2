; expect: unsat
(declare-const x (_ BitVec 8))
(assert (= (bvand x (bvneg x)) #x0c))
(check-sat)
