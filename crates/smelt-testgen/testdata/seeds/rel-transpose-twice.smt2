; expect: unsat
(declare-const r (Relation Int Int))
(assert (distinct (rel.transpose (rel.transpose r)) r))
(check-sat)
