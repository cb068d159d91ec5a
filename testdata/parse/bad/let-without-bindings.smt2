; expect: binds at least one variable
(assert (let () true))
