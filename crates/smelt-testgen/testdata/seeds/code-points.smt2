; expect: sat
(declare-const c String)
(declare-const d String)
(assert (= (str.to_code d) (+ (str.to_code c) 1)))
(assert (str.is_digit c))
(assert (not (str.is_digit d)))
(assert (= (str.len c) (str.len d) 1))
(check-sat)
