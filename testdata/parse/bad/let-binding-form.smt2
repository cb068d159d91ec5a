; expect: a binding has the form
(assert (let ((x)) true))
