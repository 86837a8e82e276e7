-- Ember: a spark in a dark wood. Step 6: it is heard, it gets harder, and it is remembered.
return {
  title = "Ember",
  id = "ember", -- what settings and saves belong to
  width = 1280, height = 720,
  scene = "title",
}
