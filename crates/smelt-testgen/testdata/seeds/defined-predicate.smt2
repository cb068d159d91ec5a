; expect: sat
(define-fun is-short ((w String) (n Int)) Bool (<= (str.len w) n))
(declare-const x String)
(declare-const n Int)
(assert (is-short x n))
(assert (not (is-short (str.++ x "ab") (+ n 1))))
(assert (! (str.in_re x (re.+ re.allchar)) :named nonempty))
(check-sat)
