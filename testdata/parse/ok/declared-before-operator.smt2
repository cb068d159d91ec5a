(declare-fun max (Int Int) Int)
(declare-const min Int)
(assert (= (max 1 2) min))
