-- Sent by a cat to the mouse it has caught. `seconds`: how long the mouse is dazed.
return { caught = { entity = shoal.types.entity, seconds = 3 } }
