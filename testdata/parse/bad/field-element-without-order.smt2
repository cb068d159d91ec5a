; expect: `#f3` is not an element of a finite field
(assert (= #f3 #f3m11))
