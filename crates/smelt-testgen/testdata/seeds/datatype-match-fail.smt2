; expect: unsat
(declare-datatypes ((Stack 0)) (((bottom) (on (top Int) (below Stack)))))
(declare-const l Stack)
(declare-const n Int)
(assert (= n (match l ((bottom 0) ((on h t) h)))))
(assert (> n 5))
(assert ((_ is bottom) l))
(check-sat)
