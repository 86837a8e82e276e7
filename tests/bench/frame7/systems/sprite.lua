local rules = require "lib.rules"
local m = shoal.math
local SPAWNING, DEAD, HERO, MONSTER, NPC = ("_|@kh"):byte(1, 5)

return {
  after = "damage",
  query = { "player", "health", "glyph" },
  kernel = function(q)
    local status, kind = q.health.status, q.player.type
    local alive = m.select(m.eq(kind, rules.HERO), HERO, m.select(m.eq(kind, rules.MONSTER), MONSTER, NPC))
    q.glyph.character = m.select(m.eq(status, rules.SPAWNING), SPAWNING,
      m.select(m.eq(status, rules.DEAD), DEAD, alive))
  end,
}
