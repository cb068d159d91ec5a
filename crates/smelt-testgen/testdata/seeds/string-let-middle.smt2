; expect: sat
; model: (define-fun x () String "food")
(declare-const x String)
(assert (let ((m (str.substr x 1 (- (str.len x) 2)))) (and (= m "oo") (= (str.at x 0) "f") (str.suffixof "d" x))))
(check-sat)
