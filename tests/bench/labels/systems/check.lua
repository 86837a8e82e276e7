-- Returns a hash of all texts. `q`: a query with labels.
local function hash_texts(q)
  local hash = 0
  for i = 1, q.count do
    for _, byte in ipairs { q.label.text[i]:byte(1, -1) } do hash = (hash * 31 + byte) % 2147483647 end
  end
  return hash
end

-- Returns the sum of positions and sizes, which are whole numbers or halves.
local function sum_places(q)
  local sum = 0
  for i = 1, q.count do
    local w = q.widget
    sum = sum + w.at_x[i] * (i % 7) + w.at_y[i] * (i % 5) + w.at_width[i] * (i % 11) + w.at_height[i]
  end
  return sum
end

return {
  phase = "post_update",
  priority = 200000, -- runs after the layout
  queries = { status = { "status", "label" }, notes = { "note", "label" }, widgets = { "widget" } },
  update = function(q)
    if world.tick ~= world.single.bench.last then return end
    print(("check texts %.17g"):format(hash_texts(world.single.bench.one and q.notes or q.status)))
    print(("check places %.17g"):format(sum_places(q.widgets)))
  end,
}
