; expect: `declare-const` has the form
(declare-const x)
