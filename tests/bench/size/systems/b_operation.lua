-- Runs one operation per tick, selected by the form, and checks its result.
local function expect(what, is, wanted)
  if is ~= wanted then error(("%s: %s, not %s"):format(what, is, wanted)) end
end

local forms = {}

function forms.first()
  expect("the first", world.each { "place", "health" }().health.hp, 1)
end

function forms.all(count)
  local sum = 0
  for e in world.each { "place", "health" } do sum = sum + e.health.hp end
  expect("all of them", sum, count * 49.5)
end

-- Counts the exported entities only once, because counting takes longer than the export.
function forms.export(count)
  local text = world.export()
  if world.tick == 1 then
    local _, entities = text:gsub('"assemblage": "thing"', "")
    expect("entities in the text", entities, count)
  end
  expect("its end", text:sub(-12), "    }\n  ]\n}\n")
end

function forms.count(count)
  expect("rows", world.sql("SELECT count(*) AS n FROM health")[1].n, count)
end

function forms.where(count)
  expect("rows", world.sql("SELECT count(*) AS n FROM health WHERE hp < 10")[1].n, count / 10)
end

function forms.join(count)
  local rows = world.sql("SELECT number, sum(hp) AS hp FROM health JOIN team USING (entity) GROUP BY number")
  local sum = 0
  for _, row in ipairs(rows) do sum = sum + row.hp end
  expect("teams", #rows, 10)
  expect("what they have", sum, count * 49.5)
end

return {
  update = function()
    local ask = forms[world.single.bench.form]
    if ask and world.tick > 0 then ask(world.single.bench.count) end
  end,
}
