-- again: restarts the level.
return { again = {} }
