local seen = require("lib.seen")

return {
  query = { "probe", "transform" },
  each = function(e)
    if seen.want.change_each then
      seen.want.change_each(e)
    end
  end,
}
