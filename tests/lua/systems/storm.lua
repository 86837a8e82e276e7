-- Whatever a script may do to the world while it goes over it. One function at a time: seen.want.storm.
local seen = require("lib.seen")

return {
  query = { "probe", "transform" },
  update = function(q, dt)
    local storm = seen.want.storm
    seen.want.storm = nil
    if storm then
      storm(q, dt)
    end
  end,
}
