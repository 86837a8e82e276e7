-- Settings of a run, rewritten by scenarios/reentrancy.sh: the number of calls per place, the kinds of values, and
-- whether each call is logged before it is made (`log_calls`).
return { start = 100, update = 100, render = 50, callbacks = false, endless = false, deep = false, log_calls = false,
  plugins = nil }
