local probe = require("lib.probe")
-- The save that tests/scenarios/phases.sh loads has no field `added`, so its rows are migrated.
return {
  marker = { value = 1 },
  poise = { balance = 0, added = 1, migrate = function() probe("migrate") end },
}
