-- Timers and tweens of every kind, always some on their way: for the tests of how a world is lived again.
return { title = "later", history = 64 }
