-- Ember: a spark in a dark wood. Step 5: a menu and an end.
return {
  title = "Ember",
  width = 1280, height = 720,
  layers = { "spark", "tree", "insect" }, -- collision layers
  scene = "title",
}
