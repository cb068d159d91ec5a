; expect: a let has the form
(assert (let ((x 1))))
