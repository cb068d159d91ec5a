; expect: datatype `List` is not well-founded: it has no finite value
(declare-datatypes (T) ((List (cons (head T) (tail List)))))
