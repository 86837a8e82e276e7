-- Sent by a cat to the mouse it has caught. `seconds`: time for which the mouse is dazed.
return { caught = { entity = shoal.types.entity, seconds = 3 } }
