; expect: unsat
(declare-datatypes ((Colour 0)) (((red) (green) (blue))))
(declare-const c Colour)
(declare-const d Colour)
(declare-const e Colour)
(declare-const f Colour)
(assert (distinct c d e f))
(check-sat)
