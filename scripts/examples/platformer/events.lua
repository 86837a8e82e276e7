-- Restarts the level.
return { again = {} }
