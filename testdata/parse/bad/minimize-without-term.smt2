; expect: `minimize` has the form `(minimize term)`
(minimize)
