-- Ember: a spark in a dark wood. Step 4: moths that hunt the light.
return {
  title = "Ember",
  width = 1280, height = 720,
  layers = { "spark", "tree", "insect" }, -- collision layers
  scene = "wood",
}
