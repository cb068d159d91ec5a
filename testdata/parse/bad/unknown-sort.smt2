; expect: unknown sort `Integer`
(declare-const x Integer)
