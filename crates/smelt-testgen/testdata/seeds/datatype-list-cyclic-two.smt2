; expect: unsat
(declare-datatypes ((Stack 0)) (((bottom) (on (top Int) (below Stack)))))
(declare-const k Stack)
(declare-const l Stack)
(assert (= l (on 1 k)))
(assert (= k (on 2 l)))
(check-sat)
