-- The boss. His states and their components are in assemblages.lua; the transitions are here. He prowls, then fires a
-- ring of bolts or charges. He is dazed when he charges into a wall, or when a fireball hits him while he prowls. Only
-- while he is dazed can he be hurt.
local function fire_ring(e, count)
  local transform, turn = e.transform, world.random() * 2 * math.pi
  for i = 1, count do
    local angle = turn + i * 2 * math.pi / count
    world.spawn("bolt", { transform = { x = transform.x, y = transform.y - 16 },
      flight = { x = math.cos(angle) * 70, y = math.sin(angle) * 70 } })
  end
  world.emit("noise", { file = "bolts.wav", x = transform.x })
end

local function compute_hero_direction(e)
  local transform, hero = e.transform, world.single.play.hero.transform
  local dx, dy = hero.x - transform.x, hero.y - transform.y
  local distance = math.sqrt(dx * dx + dy * dy) + 0.01
  return dx / distance, dy / distance, distance
end

local function daze(e, seconds)
  e:enter("dazed")
  e.snuffer.wait = seconds
  world.find("eye").shaken.trauma = 0.8
  world.emit("noise", { file = "dazed.wav", x = e.transform.x })
  world.emit("burst", { x = e.transform.x, y = e.transform.y - 20, specks = 14, speed = 110, colour = "#62bbd6" })
end

local finish_state = {} -- { [state] = function that enters the next state when `snuffer.wait` has run out }
function finish_state.prowling(e)
  e.snuffer.shots = e.snuffer.shots + 1
  e:enter(e.snuffer.shots % 2 == 1 and "casting" or "aiming")
end
function finish_state.casting(e)
  fire_ring(e, e.health.hp <= e.health.max / 2 and 14 or 9)
  e:enter("prowling")
end
function finish_state.aiming(e)
  e.snuffer.x, e.snuffer.y = compute_hero_direction(e)
  e:enter("rushing")
  world.emit("noise", { file = "rush.wav", x = e.transform.x })
end
function finish_state.rushing(e) e:enter("prowling") end
finish_state.dazed = finish_state.rushing

return {
  query = { "snuffer", "intent", "transform", "mover", "material" },
  each = function(e, dt)
    local snuffer, state = e.snuffer, e:state()
    local x, y = compute_hero_direction(e)
    e.intent.x, e.intent.y = 0, 0
    e.material.outline.a = state == "aiming" and 1 or 0
    if not finish_state[state] then return end
    if state == "prowling" then
      local sway = math.sin(world.time * 2.2) * 0.7
      e.intent.x, e.intent.y = x - y * sway, y + x * sway
    elseif state == "rushing" then
      e.intent.x, e.intent.y = snuffer.x, snuffer.y
      if e.mover.on_wall or e.mover.on_ceiling or (e.mover.on_floor and snuffer.y > 0.3) then return daze(e, 2.8) end
    end
    snuffer.wait = snuffer.wait - dt
    if snuffer.wait <= 0 then finish_state[state](e) end
  end,
  on = {
    stung = function(ev)
      for i = 1, ev.count do
        local e = ev.entity[i]
        if e:alive() and e:state() == "prowling" then daze(e, 1.5) end
      end
    end,
  },
}
