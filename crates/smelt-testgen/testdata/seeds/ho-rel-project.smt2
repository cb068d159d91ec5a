; expect: unsat
(set-logic HO_ALL)
(declare-const r (Relation Int Bool))
(declare-const x Int)
(declare-const b Bool)
(assert (set.member (tuple x b) r))
(assert (not (set.member (tuple b) ((_ rel.project 1) r))))
(check-sat)
