(declare-const x Int)
(reset)
(declare-const x Bool)
(assert x)
