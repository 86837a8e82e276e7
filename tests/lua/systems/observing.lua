-- Writes down what it hears, for cases/relation.lua; and mends one value itself, which it hears of in the same tick.
local function note(kind, list)
  local heard = world.single.heard
  for _, e in ipairs(list) do
    heard.text = heard.text .. kind .. (e:alive() and e:has("watched") and e.watched.value or "") .. " "
  end
end

return {
  query = { "watched" },
  after = "suite",
  observe = {
    add = function(list) note("+", list) end,
    remove = function(list) note("-", list) end,
    set = function(list)
      note("=", list)
      for _, e in ipairs(list) do
        if e.watched.value > 100 then
          e.watched.value = 100
        end
      end
    end,
  },
}
