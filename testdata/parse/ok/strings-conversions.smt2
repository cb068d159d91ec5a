(declare-const s String)
(assert (str.is_digit s))
(assert (= (str.to_code s) (str.to_int s)))
(assert (= (str.from_code 65) (str.from_int 65)))
