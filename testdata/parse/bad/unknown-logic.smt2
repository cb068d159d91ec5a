; expect: unknown logic `QF_FOO`
(set-logic QF_FOO)
(check-sat)
