(declare-const s (Set Int))
(declare-const t (Set Int))
(assert (= s t))
