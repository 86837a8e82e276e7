-- The contacts of the most recent ticks, stored outside the world for tests that run in the same VM.
return { begun = {}, ended = {} }
