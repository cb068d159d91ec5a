; expect: sat
; model: (define-fun n () Int (- 1))
(declare-const n Int)
(assert (= (str.from_int n) ""))
(assert (< n 0))
(check-sat)
