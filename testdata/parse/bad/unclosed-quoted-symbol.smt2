; expect: quoted symbol is never closed
(declare-const |x Int)
