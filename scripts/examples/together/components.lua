-- The game's own components and the defaults of their fields. Shoal's components (transform, sprite, …) are built in.
return { hero = { speed = 80, player = 0 }, slime = { speed = 40 }, coin = {} }
