-- Anna's sequence. In a step, `of` names the entity whose field the tween changes; without `of`, the tween changes
-- Anna.

-- Returns a step in which the entity with the name `who` hops twice.
local function hop(who)
  return { tween = "transform.y", of = who, to = 425, seconds = 0.12, ease = "quad_out", back = true, times = 4 }
end

return {
  { wait = 0.5 },
  { all = {
    { tween = "transform.x", to = 480, seconds = 1.6, ease = "cubic_out" },
    { { wait = 0.4 }, { tween = "transform.x", of = "Ben", to = 800, seconds = 1.6, ease = "cubic_out" } },
  } },
  { say = "There you are!", who = "Anna" },
  { name = "greeting", all = { hop "Ben", { say = "I have been waiting by the lamp.", who = "Ben", seconds = 6 } } },
  { name = "question", say = "Shall we dance?", who = "Anna",
    choice = { "Yes, let us dance", { "Say that again", jump = "greeting" }, { "Not today", jump = "farewell" } } },

  { label = "round" },
  { all = {
    { tween = "transform.x", to = 800, seconds = 0.8, ease = "sine_in_out", back = true },
    { tween = "transform.x", of = "Ben", to = 480, seconds = 0.8, ease = "sine_in_out", back = true },
    { tween = "transform.y", to = 300, seconds = 0.4, ease = "quad_out", back = true, times = 4 },
    { tween = "shape.radius", of = "lamp", to = 30, seconds = 0.4, ease = "quad_out", back = true, times = 4 },
  } },
  { jump = "round", times = 2 },

  { name = "farewell", say = "Good night, Ben.", who = "Anna", seconds = 4 },
  { all = {
    { tween = "transform.x", to = -60, seconds = 1.4, ease = "cubic_in" },
    { tween = "transform.x", of = "Ben", to = 1340, seconds = 1.4, ease = "cubic_in" },
    { tween = "shape.colour", of = "lamp", to = "#40351c", seconds = 1.4 },
  } },
  { wait = 1 },
  { call = function() world.restart() end },
}
