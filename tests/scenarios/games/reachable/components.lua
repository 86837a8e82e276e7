-- luacheck: read globals reachability
local only = require("lib.only")
-- The save that tests/scenarios/reachability.sh loads has no field `added`, so its rows are migrated.
return {
  marker = { value = 1, place = shoal.types.vec2(0, 0) },
  gun = shoal.types.many { heat = 0 },
  tally = shoal.types.single { count = 0 },
  poise = { balance = 0, added = 1, migrate = function(old, new, q)
    if only("migrate") then reachability.walk("migrate", { old = old, new = new, q = q }) end
  end },
}
