-- Sequences of every kind of step, always some on their way: for the tests of how a world is lived again.
return { title = "sequences", history = 64 }
