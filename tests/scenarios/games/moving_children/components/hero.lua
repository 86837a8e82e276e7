local t = shoal.types
return {
  -- crushed: the overlap began with the event `crushed`; overlapped: last tick with an overlap
  hero = { phase = 0, crushed = false, overlapped = 0 },
  part = { root = t.entity }, -- a child body; root: its parent
  tally = t.single { contacts = 0, crushed = 0, overlaps = 0 },
}
