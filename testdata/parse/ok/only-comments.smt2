; nothing here
; but comments
