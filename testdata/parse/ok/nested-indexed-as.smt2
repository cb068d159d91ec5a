(declare-const a (Array (_ BitVec 2) (_ FloatingPoint 3 5)))
(assert (= a ((as const (Array (_ BitVec 2) (_ FloatingPoint 3 5))) (_ NaN 3 5))))
