; expect: unknown symbol `y`
(declare-const x Int)
(assert (= x y))
