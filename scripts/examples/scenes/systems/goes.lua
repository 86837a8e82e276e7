-- Moves the traveller to the right. The next scene starts when he reaches the right edge; a key starts the scene that
-- it selects.
local NEXT = { shore = "summit", summit = "cellar", cellar = "shore" }

local function go_to(scene)
  world.single.purse.scene = scene
  world.scene(scene)
end

return {
  query = { "traveller", "transform" },
  each = function(e, dt)
    local at = e.transform
    at.x = at.x + e.traveller.speed * dt
    at.y = 506 - math.abs(math.sin(world.tick * 0.16)) * 9
    if input.pressed("one") then
      go_to("shore")
    elseif input.pressed("two") then
      go_to("summit")
    elseif input.pressed("three") then
      go_to("cellar")
    elseif at.x > 1300 then
      go_to(NEXT[world.single.purse.scene])
    end
  end,
}
