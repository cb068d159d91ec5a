; expect: unsat
(declare-const t (Tuple Int Int Int))
(assert (distinct ((_ tuple.select 0) ((_ tuple.project 1 1) t)) ((_ tuple.select 1) t)))
(check-sat)
