-- Creates a system that counts its starts in `seen` and, while `want.turns` is set, records its calls under `name`.
local seen = require("lib.seen")

return function(name)
  local starts = name .. "_starts"

  local function record_call(...)
    if seen.want.turns then seen.note(name, ...) end
  end

  return {
    priority = 200000, -- runs after the system `suite`
    query = { "display", "fuel" },
    start = function() seen[starts] = (seen[starts] or 0) + 1 end,
    update = function() record_call("update") end,
    enter = function(e) record_call("enter", e:alive() and e.fuel.left) end,
    leave = function(e) record_call("leave", e:alive()) end,
    on = {
      hit = function(ev)
        for i = 1, ev.count do
          if ev.what[i] == "turn" then record_call("hit", ev.power[i]) end
        end
      end,
    },
  }
end
