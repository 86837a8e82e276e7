-- Three scenes: scenes/shore.lua, scenes/summit.lua and scenes/cellar.json, a file written by world.export. Changing
-- the scene destroys its entities; singletons, such as the purse, keep their values. The traveller walks by itself;
-- keys 1, 2 and 3 select a scene.
return { title = "Scenes: three places", width = 1280, height = 720, addons = { "caption" },
  scene = "shore" }
