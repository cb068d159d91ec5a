; expect: unknown symbol `x`
(push 1)
(declare-const x Bool)
(pop 1)
(assert x)
