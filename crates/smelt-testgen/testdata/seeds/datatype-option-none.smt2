; expect: unsat
(declare-datatypes ((Option 0)) (((none) (some (content String)))))
(declare-const o Option)
(assert (not ((_ is none) o)))
(assert (not ((_ is some) o)))
(check-sat)
