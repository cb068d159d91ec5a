; expect: sat
; model: (define-fun x () String "\u{2ffff}")
(declare-const x String)
(assert (= (str.to_code x) 196607))
(assert (= x "\u{2ffff}"))
(check-sat)
