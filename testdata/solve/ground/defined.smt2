; expect: sat
; Definitions, lets and names are replaced by what they stand for.
(declare-fun x () String)
(define-fun twice ((s String)) String (str.++ s s))
(assert (! (= x (let ((y "ab") (z "c")) (twice (str.++ y z)))) :named first))
(assert (= (str.len x) 6))
(assert (=> first (str.prefixof "abc" x)))
(check-sat)
