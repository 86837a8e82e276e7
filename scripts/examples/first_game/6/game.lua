-- Ember: a spark in a dark wood. Step 6: sound, difficulty and a best score.
return {
  title = "Ember",
  id = "ember", -- names the folder of settings and saves
  width = 1280, height = 720,
  layers = { "spark", "tree", "insect", "moth" }, -- collision layers
  scene = "title",
}
