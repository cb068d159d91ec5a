; expect: sat
; model: (define-fun l () Stack (on 2 (on 1 bottom)))
(declare-datatypes ((Stack 0)) (((bottom) (on (top Int) (below Stack)))))
(declare-const l Stack)
(assert ((_ is on) l))
(assert ((_ is on) (below l)))
(assert (= (below (below l)) bottom))
(assert (> (top l) (top (below l)) 0))
(check-sat)
