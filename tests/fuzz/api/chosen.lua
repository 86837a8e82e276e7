-- Written anew for each run by scenarios/guarded.sh: how many calls where, and whether each is said before it is made.
return { start = 100, update = 100, render = 50, callbacks = false, endless = false, deep = false, said = false,
  plugins = nil }
