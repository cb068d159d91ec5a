; expect: sat
(declare-const a (Array Int String))
(declare-const i Int)
(assert (= (select a i) (str.++ (select a (+ i 1)) "a")))
(assert (= (str.len (select a i)) i))
(assert (not (= (store a 0 "b") a)))
(check-sat)
