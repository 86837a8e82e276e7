-- A module that yields while it is loaded.
coroutine.yield("half")
return { whole = true }
