; expect: a finite field has a prime order, not `15`
(declare-const x (_ FiniteField 15))
