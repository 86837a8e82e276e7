return {
  query = { "status", "label" },
  each = function(e)
    local s = e.status
    s.hp = (s.hp + 1) % 1000
    s.gold = s.gold + 3
    e.label.text = s.name .. " hp " .. s.hp .. " gold " .. string.format("%d", s.gold)
  end,
}
