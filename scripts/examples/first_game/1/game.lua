-- Ember: a spark in a dark wood. Step 1: the spark flies.
return {
  title = "Ember",
  width = 1280, height = 720,
  start = function() -- runs once, when the game starts
    world.spawn("eye")
    world.spawn("spark")
    world.spawn("words")
  end,
}
