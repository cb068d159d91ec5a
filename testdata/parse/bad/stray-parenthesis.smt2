; expect: closing parenthesis without an opening one
(check-sat))
