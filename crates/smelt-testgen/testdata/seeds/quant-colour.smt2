; expect: sat
; model: (define-fun c () Colour green)
(declare-datatypes ((Colour 0)) (((red) (green) (blue))))
(declare-const c Colour)
(assert (forall ((d Colour)) (or (= d c) (= d red) (= d blue))))
(check-sat)
