-- A module whose main chunk yields: it would never be loaded to its end.
coroutine.yield("half")
return { whole = true }
