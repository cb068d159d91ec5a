; expect: unsat
(declare-const t (Tuple Int Int))
(assert (= ((_ tuple.project 1 0) t) t))
(assert (distinct ((_ tuple.select 0) t) ((_ tuple.select 1) t)))
(check-sat)
