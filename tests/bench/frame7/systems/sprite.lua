local rules = require "lib.rules"
local SPAWNING, DEAD, HERO, MONSTER, NPC = ("_|@kh"):byte(1, 5)

return {
  after = "damage",
  query = { "player", "health", "glyph" },
  precision = "single",
  update = function(q)
    local status, kind, character = q.health.status, q.player.type, q.glyph.character
    for i = 1, q.count do
      if status[i] == rules.SPAWNING then
        character[i] = SPAWNING
      elseif status[i] == rules.DEAD then
        character[i] = DEAD
      else
        character[i] = kind[i] == rules.HERO and HERO or kind[i] == rules.MONSTER and MONSTER or NPC
      end
    end
  end,
}
