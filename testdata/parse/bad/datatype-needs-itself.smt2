; expect: datatype `T` is not well-founded: it has no finite value
(declare-datatypes ((Box 1)) ((par (X) ((box (content X))))))
(declare-datatype T ((t (inside (Array Int (Box T))))))
