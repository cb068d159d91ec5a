; expect: at least 2 exponent
(declare-const x (_ FloatingPoint 1 5))
