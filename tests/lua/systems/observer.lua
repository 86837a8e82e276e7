-- Records its calls for cases/relation.lua. Changes that it makes itself are reported in the same tick.
local function record_event(kind, e)
  world.single.heard.text = world.single.heard.text .. kind .. e.watched.value .. " "
end

return {
  query = { "watched", optional = { "watched_optional" } },
  after = "suite",
  leave = function(e) record_event("-", e) end,
  enter = function(e) record_event("+", e) end,
  changed = function(e)
    record_event("=", e)
    if e.watched.value > 100 then
      e.watched.value = 100
    elseif e.watched.value == 50 then
      world.spawn(nil, { watched = { value = 51 } })
    end
  end,
}
