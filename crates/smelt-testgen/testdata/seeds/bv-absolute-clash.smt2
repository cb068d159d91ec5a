; expect: unsat
(declare-const x (_ BitVec 8))
(declare-const a (_ BitVec 8))
(assert (= a (ite (bvslt x #x00) (bvneg x) x)))
(assert (bvslt a #x00))
(assert (distinct x #x80))
(check-sat)
