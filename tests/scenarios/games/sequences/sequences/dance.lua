-- A sequence with every kind of step except dialogue.
return {
  { wait = function() return 0.1 + world.random() * 0.3 end },
  { name = "round", tween = "transform.x", to = function() return world.random(100) end, seconds = 0.1,
    ease = "cubic_out" },
  { call = function(e)
    e.actor.calls = e.actor.calls + 1
    world.single.heard.calls = world.single.heard.calls + 1
  end },
  { name = "both", all = {
    { tween = "actor.colour", to = { 1, 0.5, 0 }, seconds = 0.2, back = true },
    {
      { wait = 0.05 },
      { label = "beat" },
      { tween = "actor.mood", to = 1, seconds = 0.05, from = 0 },
      { jump = "beat", times = 2 },
      { all = { { wait = 0.1 }, { wait_for = function(e) return e.actor.mood > 0.9 end, seconds = 0.3 } } },
    },
    { wait_for = function() return world.tick % 20 == 0 end },
  } },
  { when = function(e) return e.actor.calls % 2 == 1 end, wait = 0.1 },
  { jump = "round", times = 1 },
}
