; expect: is a reserved word
(declare-const let Int)
