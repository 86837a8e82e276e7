-- Checks the heroes after shoal.mover.
local TOLERANCE = 0.02 -- pixels

local function report(hero, what, body)
  print(("tick %d, lane %d, %s, act %d: %s %s"):format(world.tick, hero.hero.lane, hero.hero.kind, hero.hero.act, what,
    body and tostring(body) or ""))
end

-- Returns how far two boxes overlap along x and along y: negative if there is a gap.
local function overlap(a, b)
  local at, bt, ab, bb = a.transform, b.transform, a.body, b.body
  return (ab.width + bb.width) / 2 - math.abs(at.x - bt.x), (ab.height + bb.height) / 2 - math.abs(at.y - bt.y)
end

local function overlaps(a, b)
  local x, y = overlap(a, b)
  return x > TOLERANCE and y > TOLERANCE
end

-- Returns whether the overlap of a hero and a platform is allowed in the next tick.
local function check_platform(hero, platform, was_crushed)
  local x, y = overlap(hero, platform)
  if x <= 0 or y <= 0 then return false end
  if not was_crushed and x > TOLERANCE and y > TOLERANCE then
    world.single.tally.overlaps = world.single.tally.overlaps + 1
    report(hero, "overlaps", platform)
  end
  return was_crushed
end

-- A hero that was above a wide platform, and was not crushed, stays above.
local function check_side(e, was_crushed)
  local hero, a = e.hero, e.hero.a
  local gap = a.transform.y - a.body.height / 2 - (e.transform.y + e.body.height / 2)
  if hero.kind == "lift" or hero.kind == "one_way" then
    if hero.was_above and gap < -TOLERANCE and math.abs(e.transform.x - a.transform.x) < 130 then
      world.single.tally.passed = world.single.tally.passed + 1
      report(e, "fell through", a)
    end
    hero.was_above = gap >= -TOLERANCE
  elseif hero.kind == "wall" and not was_crushed then
    local side, was = e.transform.x > a.transform.x, hero.offset > 0
    if world.tick > 1 and side ~= was then
      world.single.tally.passed = world.single.tally.passed + 1
      report(e, "is behind", a)
    end
  end
  return gap
end

-- Returns true if another hero may be in the way: a hero that does not stand on the same platform; a hero that touches
-- `e`, since rounded positions can add up until the two overlap by more than movers tolerate; or, on a fast platform, a
-- neighbour if one of the two is low, since the hero that is carried first may be carried over the other hero.
local function may_be_blocked(e)
  local hero = e.hero
  for _, other in ipairs { hero.other, hero.third } do
    if not other.hero.rode and math.abs(other.transform.x - e.transform.x) < 80 then return true end
    local x = overlap(e, other)
    if other ~= e and (x > -0.01 or (x > -32 and math.min(e.body.height, other.body.height) < 32)) then return true end
  end
  return false
end

local function check_ride(e, gap)
  local hero, tally = e.hero, world.single.tally
  local riding = e.mover.on_floor and e.mover.floor == hero.a
  local offset = e.transform.x - hero.a.transform.x
  if hero.riding and (hero.kind == "lift" or hero.kind == "one_way") and (hero.act == 1 or hero.act == 3)
    and not hero.jumped and not may_be_blocked(e) then
    tally.rides = tally.rides + 1
    if not riding or math.abs(gap) > TOLERANCE or math.abs(offset - hero.offset) > TOLERANCE then
      tally.shakes = tally.shakes + 1
      report(e, ("shakes: gap %g, offset %g after %g on"):format(gap, offset, hero.offset), hero.a)
    end
  end
  hero.riding, hero.offset = riding, offset
end

return {
  phase = "post_update", after = "shoal.mover",
  query = { "hero", "mover" },
  on = {
    crushed = function(ev)
      for i = 1, ev.count do
        local hero = ev.entity[i].hero
        hero.crushed_a = hero.crushed_a or ev.by[i] == hero.a
        hero.crushed_b = hero.crushed_b or ev.by[i] == hero.b
        world.single.tally.crushed = world.single.tally.crushed + 1
      end
    end,
  },
  each = function(e)
    local hero, tally = e.hero, world.single.tally
    tally.checks = tally.checks + 1
    local was_crushed = hero.crushed_a
    if hero.kind ~= "one_way" then
      hero.crushed_a = check_platform(e, hero.a, hero.crushed_a)
      if hero.b ~= hero.a then hero.crushed_b = check_platform(e, hero.b, hero.crushed_b) end
    end
    for _, other in ipairs { hero.other, hero.third } do
      if other ~= e and overlaps(e, other) then
        tally.overlaps = tally.overlaps + 1
        report(e, "overlaps the hero", other)
      end
    end
    check_ride(e, check_side(e, was_crushed))
  end,
}
