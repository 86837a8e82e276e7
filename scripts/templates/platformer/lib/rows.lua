-- Converts the rows of a level, one character per cell, to the list of entities of a scene.
local KINDS = { ["#"] = "ground", ["="] = "earth", o = "coin", s = "spring", h = "hero" }

return function(rows)
  local entities = { { assemblage = "eye" } }
  for row, line in ipairs(rows) do
    for column = 1, #line do
      local kind = KINDS[line:sub(column, column)]
      if kind then
        local transform = { x = column * 16 - 8, y = row * 16 + 4 }
        table.insert(entities, { assemblage = kind, components = { transform = transform } })
      end
    end
  end
  return entities
end
