-- Attaches, detaches and replaces parts of the monster. Changes take effect at the end of this system.
local PARTS = { "FlyingPart", "SpellsPart", "MonsterControllerPart" }

local function create()
  for _, name in ipairs { "monster", "villager" } do
    local e = world.find(name)
    if e then e:destroy() end
  end
  local villager = world.spawn("villager")
  world.spawn("monster", { MonsterControllerPart = { target = villager } })
end

return {
  phase = "input",
  on = { again = create },
  update = function()
    local monster = world.find("monster")
    if not monster then return end
    for _, part in ipairs(PARTS) do
      if input.pressed(part) and monster:has(part) then
        monster:remove(part)
      elseif input.pressed(part) then
        monster:add(part, part == "MonsterControllerPart" and { target = world.find("villager") } or nil)
      end
    end
    if input.pressed("StatsPart") then
      monster:remove("StatsPart")
      monster:add("StatsPart", { health = 100, damage = 2 })
    end
    if input.pressed("again") then world.emit("again") end
  end,
}
