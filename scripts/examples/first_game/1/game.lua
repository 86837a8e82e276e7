-- Ember: a spark in a dark wood. Step 1: it flies.
return {
  title = "Ember",
  width = 1280, height = 720,
  start = function() -- once, when the game begins
    world.spawn("eye")
    world.spawn("spark")
    world.spawn("words")
  end,
}
