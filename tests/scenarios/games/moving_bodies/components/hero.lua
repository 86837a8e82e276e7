local t = shoal.types
return {
  -- A platform that systems/swing.lua moves between two points.
  swing = { x1 = 0, y1 = 0, x2 = 0, y2 = 0, seconds = t.f32(1), elapsed = t.f64(0) },
  hero = {
    lane = 0, kind = "", act = 0, jump = 0, -- act: 1 stands, 2 walks, 3 jumps, 4 floats without gravity
    a = t.entity, b = t.entity, other = t.entity, third = t.entity, -- a, b: platforms; other, third: heroes of the lane
    crushed_a = false, crushed_b = false, -- `crushed` was emitted for the current overlap with a or b
    was_above = false, riding = false, rode = false, jumped = false, offset = t.f32(0), -- values of the previous tick
    x = 0, y = 0,
  },
  tally = t.single { checks = 0, rides = 0, overlaps = 0, shakes = 0, crushed = 0, passed = 0 },
}
