-- The lamp's sequence: an endless loop in which its light flickers.
return {
  { label = "again" },
  { tween = "light.intensity", to = function() return 1.3 + 0.4 * world.random() end, seconds = 0.15,
    ease = "sine_in_out" },
  { wait = function() return 0.3 * world.random() end },
  { jump = "again" },
}
