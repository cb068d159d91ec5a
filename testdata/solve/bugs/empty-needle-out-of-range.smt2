; expect: sat unsat
; Z3 10410: an empty needle below a search that is out of range.
(declare-const x String)
(declare-const i Int)
(assert (= (str.indexof x "" i) (- 1)))
(assert (= (str.substr x i 1) ""))
(check-sat)
(assert (<= 0 i (str.len x)))
(check-sat)
