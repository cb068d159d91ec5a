; expect: unsat
(declare-const t (Tuple Int Int))
(declare-const x Int)
(assert (distinct ((_ tuple.select 1) ((_ tuple.update 0) t x)) ((_ tuple.select 1) t)))
(check-sat)
