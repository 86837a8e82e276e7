local t = shoal.types
return {
  drift = { vx = 0, vy = 0 },
  glow = { level = t.i32(0), tint = t.enum { "red", "blue" } },
  tag = { text = "" },
  bag = { items = t.list(t.u32, 4) },
  arm = t.many { reach = 1 },
  likes = { target = t.entity },
  tally = t.single { born = t.i32(0), drawn = 0 },
}
