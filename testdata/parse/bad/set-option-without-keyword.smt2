; expect: `set-option` has the form
(set-option produce-models true)
