; expect: unsat
(set-logic HO_ALL)
(declare-fun f ((_ BitVec 1)) (_ BitVec 1))
(assert (= f (lambda ((x (_ BitVec 1))) (bvnot x))))
(assert (= (f #b0) #b0))
(check-sat)
