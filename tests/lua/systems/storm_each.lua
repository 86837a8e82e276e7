local seen = require("lib.seen")

return {
  query = { "probe", "transform" },
  each = function(e)
    if seen.want.storm_each then
      seen.want.storm_each(e)
    end
  end,
}
