-- Emitted by a timer when the next slime must appear.
return { slime_due = {} }
