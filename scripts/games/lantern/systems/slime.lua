-- Slimes rest, then hop: away from the keeper, towards the hero if he is near, otherwise in a random direction.
local rooms = require "lib.rooms"
local NEAR, KEEPER_NEAR = 84, 100 -- maximum distances in pixels

-- Returns the direction from the keeper to `transform`; nil if no keeper is near.
local function flee_keeper(transform)
  local keeper = rooms.name() == "yard" and world.find("keeper")
  if not keeper then return end
  local dx, dy = transform.x - keeper.transform.x, transform.y - keeper.transform.y
  local distance = math.sqrt(dx * dx + dy * dy) + 0.01
  if distance < KEEPER_NEAR then return dx / distance, dy / distance end
end

return {
  query = { "slime", "intent", "transform", "animation" },
  each = function(e, dt)
    local slime, hero = e.slime, world.single.play.hero
    slime.wait = slime.wait - dt
    if slime.wait <= 0 then
      slime.wait = 0.9 + world.random() * 0.5
      local dx, dy = hero.transform.x - e.transform.x, hero.transform.y - e.transform.y
      local distance = math.sqrt(dx * dx + dy * dy)
      local angle = world.random() * 2 * math.pi
      slime.x, slime.y = math.cos(angle), math.sin(angle)
      if distance < NEAR and hero:state() ~= "led" then slime.x, slime.y = dx / distance, dy / distance end
      local away_x, away_y = flee_keeper(e.transform)
      slime.x, slime.y = away_x or slime.x, away_y or slime.y
      e.animation.clip = "hop"
      e.animation.elapsed = -1
    end
    local is_hopping = slime.wait > 0.45
    e.intent.x, e.intent.y = is_hopping and slime.x or 0, is_hopping and slime.y or 0
    if not is_hopping then e.animation.clip = "go" end
    e.sprite.flip = slime.x < 0
  end,
}
