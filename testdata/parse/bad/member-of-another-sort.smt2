; expect: `set.member` has signature `A (Set A) -> Bool`
(declare-const s (Set Int))
(assert (set.member "a" s))
