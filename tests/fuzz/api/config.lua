-- Settings of a run, rewritten by scenarios/reentrancy.sh: the number of calls in each phase and the kinds of values.
-- `log_calls`: logs each call before it is made.
return { start = 100, update = 100, render = 50, callbacks = false, endless = false, deep = false, log_calls = false,
  plugins = nil }
