; expect: sat unsat
; A recursive function that is known by another name.
(define-fun-rec small ((x String)) String
  (ite (= x "") ""
    (let ((first (str.at x 0)))
      (str.++
        (ite (and (<= 65 (str.to_code first)) (<= (str.to_code first) 90))
          (str.from_code (+ (str.to_code first) 32))
          first)
        (small (str.substr x 1 (- (str.len x) 1)))))))
(declare-const x String)
(assert (= (small (str.++ x "B")) "ab"))
(check-sat)
(assert (> (str.len (small x)) (str.len x)))
(check-sat)
