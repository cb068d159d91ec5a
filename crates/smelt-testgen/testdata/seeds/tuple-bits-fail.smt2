; expect: unsat
(declare-const t (Tuple (_ BitVec 4) (_ BitVec 4)))
(assert (= t (tuple #x1 (bvnot ((_ tuple.select 0) t)))))
(assert (= ((_ tuple.select 1) t) #xf))
(check-sat)
