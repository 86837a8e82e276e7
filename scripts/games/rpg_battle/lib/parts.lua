-- Functions for parts. A part is a behaviour that gives a unit an ability: a weapon, a shield, wings, spells.
local looks = assets.json "looks.json"
local M = {}
local OUTLINE = "#3b2616"

function M.attach(e, part) if not e:has(part) then e:add(part) end end

function M.detach(e, part) if e:has(part) then e:remove(part) end end

function M.far(a, b)
  local dx, dy = a.transform.x - b.transform.x, a.transform.y - b.transform.y
  return math.sqrt(dx * dx + dy * dy)
end

function M.can_fight(e) return world.alive(e) and e.health.points > 0 end

-- Returns true if the unit is about to stamp (behaviours/stomp.lua).
function M.is_raised(e) return e:has("stomp") and e.stomp.raised > 0 end

-- Counts down the part's timer. Returns true if the part may act: the timer has run out, and a battle is being fought.
function M.is_due(self, dt)
  self.wait = self.wait - dt
  return self.wait <= 0 and world.single.match.phase == "battle"
end

-- If the part may act and the unit's target can fight and is within reach, restarts the part's timer and returns the
-- target, otherwise nil.
function M.ready(self, dt)
  local e, attack, target = self.entity, self.entity.attack, self.entity.unit.target
  if not M.is_due(self, dt) or not M.can_fight(target) or M.far(e, target) > attack.reach then return end
  self.wait, e.pose.lunge = attack.period * (0.85 + 0.3 * world.random()), 1
  return target
end

-- Returns the components of a colour, mixed with white by `share`. A flash lightens a figure instead of
-- painting it white, so it stays visible.
local function lighten(hex, share)
  local function mix(from)
    local value = tonumber(hex:sub(from, from + 1), 16) / 255
    return value + (1 - value) * share
  end
  return mix(2), mix(4), mix(6)
end

-- Draws the shapes of entry `name` of looks.json relative to the unit's position.
function M.draw(e, name)
  local look, transform, pose, side = looks[name], e.transform, e.pose, e.unit.side
  local size, coat = pose.size, looks.coats[side > 0 and "left" or "right"]
  local angle = (look.angle or 0) + (look.swing or 0) * pose.lunge
    + (look.flap or 0) * math.sin(world.tick * 0.25 + e.unit.home_y)
  local x, y = transform.x + side * (pose.lunge * 12 + (look.x or 0) * size),
    transform.y - pose.height + (look.y or 0) * size
  local cosine, sine = math.cos(angle) * size, math.sin(angle) * size
  y = y - math.abs(math.sin(e.walk.stride)) * 4
  draw.layer(100 + math.floor(transform.y / 4) * 3 + (look.order or look.x and 1 or 0))
  for _, shape in ipairs(look.shapes) do
    local points, list = {}, shape.at or shape.points
    local colour = shape.colour == "coat" and coat[e:assemblage()] or coat[shape.colour] or shape.colour
    for i = 1, #list, 2 do
      points[i], points[i + 1] = x + side * (list[i] * cosine - list[i + 1] * sine),
        y + list[i] * sine + list[i + 1] * cosine
    end
    draw.colour(lighten(colour, colour == OUTLINE and 0 or 0.4 * pose.flash))
    if shape.at then draw.circle(points[1], points[2], shape.radius * size) else draw.polygon(points) end
  end
end

-- Spawns a piece of debris that falls to the ground, for a part that is detached or whose unit died.
function M.drop(self)
  local e = self.entity
  local x, y = e.transform.x, e.transform.y
  local piece = world.spawn("debris", { transform = { x = x - e.unit.side * 16, y = y - 30 - e.pose.height } })
  world.tween(piece, "transform.y", y, 0.7, "bounce_out")
  world.tween(piece, "transform.angle", 7, 0.7)
end

-- Returns a behaviour for a ranged weapon, such as a bow or a wand. `times`: factor of the unit's damage; `speed`:
-- speed of its shots in pixels per second.
function M.shooter(name, kind, times, speed, colour)
  return {
    fields = { wait = 0.5 },
    shoot = function(self, target)
      local e = self.entity
      local x, y = e.transform.x + 14 * e.unit.side, e.transform.y - 28 - e.pose.height
      world.spawn("shot", { transform = { x = x, y = y }, shape = { colour = colour },
        shot = { x = x, y = y, target = target, kind = kind, points = e.attack.damage * times, speed = speed } })
      world.emit("burst", { kind = "shot", x = x, y = y })
    end,
    update = function(self, dt)
      local target = M.ready(self, dt)
      if target then self:shoot(target) end
    end,
    destroy = M.drop,
    render = function(self) M.draw(self.entity, name) end,
  }
end

return M
