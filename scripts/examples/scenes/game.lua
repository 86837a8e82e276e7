-- Three places, each a scene: scenes/shore.lua and scenes/summit.lua, and scenes/cellar.json, which is a text as
-- world.export writes it. Whoever leaves a scene leaves everything in it; what stays are singles, such as the purse.
-- The traveller goes on by himself; 1, 2 and 3 choose.
return { title = "Scenes: three places", width = 1280, height = 720, scene = "shore" }
