; expect: datatype `A` is not well-founded: it has no finite value
(declare-datatypes ((A 0) (B 0)) (((a (b B))) ((c (d A)))))
