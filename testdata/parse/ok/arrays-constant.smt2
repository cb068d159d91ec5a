(declare-const a (Array Int Int))
(assert (= a ((as const (Array Int Int)) 0)))
