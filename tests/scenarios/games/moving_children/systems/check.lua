-- Checks the heroes after shoal.mover.
local TOLERANCE = 0.02 -- pixels

local function check(hero, part)
  local x = (hero.body.width + part.body.width) / 2 - math.abs(hero.transform.x - part.transform.world_x)
  local y = (hero.body.height + part.body.height) / 2 - math.abs(hero.transform.y - part.transform.world_y)
  local tally = world.single.tally
  if x < -TOLERANCE or y < -TOLERANCE or hero == part.part.root then return end
  tally.contacts = tally.contacts + 1
  if x <= TOLERANCE or y <= TOLERANCE then return end
  hero.hero.overlapped = world.tick
  if not hero.hero.crushed then
    tally.overlaps = tally.overlaps + 1
    print(("tick %d: %s overlaps %s by %g, %g"):format(world.tick, tostring(hero), tostring(part), x, y))
  end
end

return {
  phase = "post_update", after = "shoal.mover",
  query = { "part" },
  on = {
    crushed = function(ev)
      for i = 1, ev.count do
        ev.entity[i].hero.crushed, ev.entity[i].hero.overlapped = true, world.tick
        world.single.tally.crushed = world.single.tally.crushed + 1
      end
    end,
  },
  each = function(part)
    for hero in world.each("hero") do check(hero, part) end
  end,
}
