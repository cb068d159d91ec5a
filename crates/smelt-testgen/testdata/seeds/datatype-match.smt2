; expect: sat
; model: (define-fun l () Stack (on 5 bottom))
; model: (define-fun n () Int 6)
(declare-datatypes ((Stack 0)) (((bottom) (on (top Int) (below Stack)))))
(declare-const l Stack)
(declare-const n Int)
(assert (= n (match l ((bottom 0) ((on h t) (+ h 1))))))
(assert (> n 5))
(check-sat)
