; expect: an annotation has the form
(assert (!))
