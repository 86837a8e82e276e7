-- Hashes the order of enter and leave events.
local function note(n)
  world.single.tally.heard = (world.single.tally.heard * 31 + n) % 1000003
end

return {
  query = { "look", "gun" },
  enter = function(e) note(e.look.size * 8) end,
  leave = function(e) note(1000 + e.look.size) end,
  update = function(q) note(q.count) end,
}
