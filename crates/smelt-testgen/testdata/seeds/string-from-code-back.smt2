; expect: sat
; model: (define-fun n () Int 101)
(declare-const n Int)
(assert (= (str.to_code (str.from_code n)) n))
(assert (> n 100))
(assert (< n 110))
(check-sat)
