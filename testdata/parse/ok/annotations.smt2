(declare-const p Bool)
(assert (! p :named a1))
(assert (! (or a1 p) :custom (some value) :flag))
