--[[ A removed function must not be reported if only a comment contains its name:
world.changed("transform") ]]
-- Component access to the entity being iterated and to entities kept from an earlier iteration. Optional components are
-- accessed through a row map.
local seen = require("lib.seen")

return {
  query = { "burning", optional = { "shield" } },
  each = function(e)
    local want = seen.want.cursor
    if not want or #want.turns == want.max_turns then return end
    local shield = e:has("shield") and e.shield
    local kept = want.kept and want.kept.burning.heat
    want.turns[#want.turns + 1] = ("%g %s %s"):format(e.burning.heat, shield and shield.power or "none",
      kept or "nobody")
    if want.shield then want.shield.power = want.shield.power + 1000 end
    world.run("demand_each") -- runs a nested loop
    e.burning.heat = e.burning.heat + 0.5
    want.kept, want.shield = e, shield or want.shield
  end,
}
