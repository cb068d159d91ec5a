; expect: expected a command
check-sat
