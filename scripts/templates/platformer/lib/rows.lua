-- Lines of text → the entities of a scene.
local KINDS = { ["#"] = "ground", ["="] = "earth", o = "coin", s = "spring", h = "hero" }

return function(rows)
  local entities = { { "eye" } }
  for row, line in ipairs(rows) do
    for column = 1, #line do
      local kind = KINDS[line:sub(column, column)]
      if kind then
        table.insert(entities, { kind, { transform = { x = column * 16 - 8, y = row * 16 + 4 } } })
      end
    end
  end
  return entities
end
