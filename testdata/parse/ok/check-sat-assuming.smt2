(declare-const p Bool)
(declare-const q Bool)
(check-sat-assuming (p (not q)))
(check-sat-assuming ())
