; expect: unknown command `chek-sat`
(chek-sat)
