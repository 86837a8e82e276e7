-- What a cat sends to the mouse that it has caught, for how long it is dazed.
return { caught = { entity = shoal.types.entity, seconds = 3 } }
