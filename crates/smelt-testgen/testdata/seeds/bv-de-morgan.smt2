; expect: unsat
(declare-const x (_ BitVec 16))
(declare-const y (_ BitVec 16))
(assert (distinct (bvnot (bvand x y)) (bvor (bvnot x) (bvnot y))))
(check-sat)
