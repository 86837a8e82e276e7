-- Roaming outlaws choose a new goal every two seconds, and flee when a hunter approaches. Fleeing outlaws ride away
-- from the nearest hunter until they tire. Tired outlaws roam again after a while.
local NEAR = 220 -- distance in pixels at which an outlaw notices a hunter
local function find_nearest_hunter(transform) return world.nearest(transform.x, transform.y, "hunter").transform end
return {
  before = "outlaw",
  when = { match = { phase = { "title", "hunt" } } },
  queries = { roaming = { "roams", "outlaw", "transform" }, fleeing = { "flees", "outlaw", "transform" },
    tired = { "tires", "outlaw" } },
  update = function(q)
    for i = 1, q.roaming.count do
      local e = q.roaming.entity[i]
      local outlaw, transform, hunter = e.outlaw, e.transform, find_nearest_hunter(e.transform)
      if outlaw.clock < 0 then
        outlaw.clock, outlaw.x, outlaw.y = 2, 250 + 780 * world.random(), 120 + 480 * world.random()
      end
      if math.abs(hunter.x - transform.x) + math.abs(hunter.y - transform.y) < NEAR then e:enter("fleeing") end
    end
    for i = 1, q.fleeing.count do -- flees from the hunter, and also towards the middle, to avoid corners
      local e = q.fleeing.entity[i]
      local outlaw, transform, hunter = e.outlaw, e.transform, find_nearest_hunter(e.transform)
      outlaw.x, outlaw.y = 3 * transform.x - 2 * hunter.x + (640 - transform.x) * 0.5,
        3 * transform.y - 2 * hunter.y + (360 - transform.y) * 0.7
      if outlaw.clock < 0 then e:enter("tired") end
    end
    for i = 1, q.tired.count do
      if q.tired.outlaw.clock[i] < 0 then q.tired.entity[i]:enter("roaming") end
    end
  end,
}
