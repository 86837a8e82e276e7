-- The lamp's sequence: an endless loop in which the lamp flickers.
return {
  { label = "again" },
  { tween = "transform.scale_x", to = function() return 0.9 + 0.2 * world.random() end, seconds = 0.15,
    ease = "sine_in_out" },
  { wait = function() return 0.3 * world.random() end },
  { jump = "again" },
}
