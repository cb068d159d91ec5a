; expect: unsat
(declare-const x (_ BitVec 8))
(assert (distinct (bvudiv x #x00) #xff))
(check-sat)
