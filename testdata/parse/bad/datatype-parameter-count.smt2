; expect: another number of parameters
(declare-datatypes ((D 1)) (((a))))
