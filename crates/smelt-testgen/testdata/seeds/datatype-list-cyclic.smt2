; expect: unsat
(declare-datatypes ((Stack 0)) (((bottom) (on (top Int) (below Stack)))))
(declare-const l Stack)
(declare-const n Int)
(assert (= l (on n l)))
(check-sat)
