(assert
  (and ; first
    true

    ; second
    (not
      false)))
