-- Components of motes: fields of most types, and references to other motes.
local t = shoal.types
return {
  mote = {
    a = t.f64(0), b = t.f64(0), c = t.f64(0, { nan = true }), d = t.f64(0, { nan = true }), x = 0, y = 0,
    position = t.vec2(), n = t.i32(0),
    small = t.u8(0), flag = false, kind = t.enum { "x", "y", "z" }, word = "", label = "", note = "",
    to = t.entity, from = t.entity,
  },
  extra = { v = 0 }, -- every third mote has it
  part = t.many { y = 0 }, -- no mote has this component
  totals = t.single { n = 0.5, m = 0.25, word = "p" },
  other_totals = t.single { n = 2, word = "q" },
  hits = t.single { sum = 0 },
}
