; expect: unknown symbol `x`
(declare-const x Bool)
(reset)
(assert x)
