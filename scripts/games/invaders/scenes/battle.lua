-- The scene of a game: the camera and the cannon. systems/flow.lua adds the bunkers and the fleet of each wave.
return { entities = { { assemblage = "eye" }, { assemblage = "cannon" } } }
