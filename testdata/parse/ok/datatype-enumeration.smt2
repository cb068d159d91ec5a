(declare-datatype Color ((red) (green) (blue)))
(declare-const c Color)
(assert (distinct c red green))
