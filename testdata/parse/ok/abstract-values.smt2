(declare-sort U 0)
(declare-const a U)
(assert (= a (as @a_0 U)))
