-- Ember: a spark in a dark wood. Step 3: glow-worms to gather.
return {
  title = "Ember",
  width = 1280, height = 720,
  layers = { "spark", "tree", "insect" }, -- collision layers
  scene = "wood",
}
