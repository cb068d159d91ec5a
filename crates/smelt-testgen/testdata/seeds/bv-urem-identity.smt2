; expect: unsat
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (distinct x (bvadd (bvmul (bvudiv x y) y) (bvurem x y))))
(check-sat)
