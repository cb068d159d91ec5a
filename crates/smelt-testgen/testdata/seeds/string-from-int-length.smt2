; expect: sat
; model: (define-fun n () Int 242)
(declare-const n Int)
(assert (= (str.len (str.from_int n)) 3))
(assert (= (mod n 100) 42))
(check-sat)
