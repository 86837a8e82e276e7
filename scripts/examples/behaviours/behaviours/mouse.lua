-- A mouse nibbles at the cheese, flees from cats that are awake, and is dazed for a while after a cat has caught it.
local FLEES = 110

-- Returns the vector from the nearest cat that is awake to the mouse, and the vector's length. If no such cat is closer
-- than FLEES pixels, returns 0, 0 and FLEES.
local function find_nearest_cat(at)
  local dx, dy, min_far = 0, 0, FLEES
  for cat in world.each { "cat", "transform" } do
    local x, y = at.x - cat.transform.x, at.y - cat.transform.y
    local far = math.sqrt(x * x + y * y)
    if far < min_far and cat.cat.mood ~= "sleeps" then dx, dy, min_far = x, y, far end
  end
  return dx, dy, min_far
end

return {
  fields = { dazed = 0, side = 0, doc = "dazed: seconds; side: where it sits at the cheese, in radians" },
  create = function(self) self.side = world.random() * 6.28 end,
  update = function(self, dt)
    local at, cheese = self.entity.transform, world.find("cheese").transform
    self.dazed = math.max(0, self.dazed - dt)
    self.entity.shape.colour = self.dazed > 0 and "#6b7083" or "#cfd6e6"
    if self.dazed > 0 then return end
    local x, y, far = find_nearest_cat(at)
    local speed = 190
    if far >= FLEES then
      x = cheese.x + 58 * math.cos(self.side) - at.x
      y = cheese.y + 44 * math.sin(self.side) - at.y
      speed = math.min(120, 3 * math.sqrt(x * x + y * y))
    end
    local length = math.sqrt(x * x + y * y) + 0.001
    at.x = math.max(30, math.min(1250, at.x + x / length * speed * dt))
    at.y = math.max(30, math.min(650, at.y + y / length * speed * dt))
  end,
  on = {
    caught = function(self, ev) self.dazed = ev.seconds end,
  },
}
