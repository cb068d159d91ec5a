; expect: unsat
(declare-const t (Tuple Int Int))
(declare-const u (Tuple Int Int))
(assert (= ((_ tuple.select 0) t) ((_ tuple.select 0) u)))
(assert (= ((_ tuple.select 1) t) ((_ tuple.select 1) u)))
(assert (distinct t u))
(check-sat)
