-- Records the events `stuffed`, and changes the list of the entity. Checked by cases/list.lua.
local seen = require("lib.seen")

return {
  query = { "bag", "marker" },
  on = {
    stuffed = function(ev)
      for i = 1, ev.count do
        local items = ev.items[i]
        seen.note("stuffed", items[1], items[2], ev.more.names[i][1])
        ev.who[i].bag.items:add(#items)
      end
    end,
  },
  update = function(q)
    for i = 1, q.count do
      local items = q.bag.items[i]
      if #items == 3 then
        items:add(9)
      end
    end
  end,
}
