-- The contacts of the last ticks, for tests that run in the same VM. Not part of the world.
return { begun = {}, ended = {} }
