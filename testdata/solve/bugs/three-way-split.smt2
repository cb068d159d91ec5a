; expect: sat
; Z3 3100: E = "aa".
(declare-const E String)
(assert (= (str.++ E "aa" E "ab" E) (str.++ "a" E E "aabaa")))
(check-sat)
