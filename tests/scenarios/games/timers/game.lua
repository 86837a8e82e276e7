-- Timers and tweens of every kind, some always active: for the tests of re-simulation and replays.
return { title = "Timers", history = 64 }
