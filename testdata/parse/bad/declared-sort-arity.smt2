; expect: sort `P` takes 2 arguments
(declare-sort P 2)
(declare-const p (P Int))
