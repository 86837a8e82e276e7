-- Ember: a spark in a dark wood. Step 2: a wood at night.
return {
  title = "Ember",
  width = 1280, height = 720,
  scene = "wood",
}
