; expect: unsat
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (distinct (bvashr x y) #x00 #xff))
(assert (bvuge y #x08))
(check-sat)
