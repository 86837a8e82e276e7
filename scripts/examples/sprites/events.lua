-- Spawns another slime after a delay.
return { slime_due = {} }
