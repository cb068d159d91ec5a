; äöü, 漢字, 🦀
(check-sat)
