; expect: unsat
(declare-const t (Tuple Int Bool))
(declare-const x Int)
(assert (= t (tuple x ((_ tuple.select 1) t))))
(assert (distinct x ((_ tuple.select 0) t)))
(check-sat)
