; expect: `set.comprehension` has the form
(assert (set.member 1 (set.comprehension ((x Int)) (> x 0))))
