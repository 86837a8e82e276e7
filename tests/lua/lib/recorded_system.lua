-- Creates a system that counts its starts in `seen` and, while `want.turns` is set, records its calls under `name`.
local seen = require("lib.seen")

return function(name)
  local starts = name .. "_starts"

  local function note(...)
    if seen.want.turns then seen.note(name, ...) end
  end

  return {
    priority = 200000, -- runs after the system `suite`
    query = { "display", "fuel" },
    start = function() seen[starts] = (seen[starts] or 0) + 1 end,
    update = function() note("update") end,
    enter = function(e) note("enter", e:alive() and e.fuel.left) end,
    leave = function(e) note("leave", e:alive()) end,
    on = {
      hit = function(ev)
        for i = 1, ev.count do
          if ev.what[i] == "turn" then note("hit", ev.power[i]) end
        end
      end,
    },
  }
end
