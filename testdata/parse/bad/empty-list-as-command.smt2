; expect: expected a command
()
