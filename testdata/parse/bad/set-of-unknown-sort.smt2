; expect: unknown sort `Thing`
(declare-const s (Set Thing))
