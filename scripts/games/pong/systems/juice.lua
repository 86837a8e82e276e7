-- Feedback for hits: ripples, sparks, flashes, sounds, camera shake and rumble.
local looks = require "looks"

local function spawn_ring(x, y, colour, radius)
  local e = world.spawn("ring", { transform = { x = x, y = y }, shape = { colour = colour } })
  world.tween(e, "shape.radius", radius, 0.9, "quad_out")
  world.tween(e, "shape.colour.a", 0, 0.9, "quad_out")
end

-- Spawns `count` sparks. `towards`: -1 left, 1 right, 0 all directions.
local function spawn_sparks(x, y, colour, count, speed, towards)
  for _ = 1, count do
    local angle, distance = world.random() * 2 * math.pi, speed * (0.05 + 0.25 * world.random())
    local offset, seconds = math.cos(angle) * distance, 0.3 + 0.5 * world.random()
    local e = world.spawn("spark", { transform = { x = x, y = y }, lifetime = seconds,
      shape = { colour = colour, radius = 1.5 + 2.5 * world.random() } })
    world.tween(e, "transform.x", x + (towards == 0 and offset or math.abs(offset) * towards), seconds, "quad_out")
    world.tween(e, "transform.y", y + math.sin(angle) * distance, seconds, "quad_out")
    world.tween(e, "shape.colour.a", 0, seconds, "quad_in")
  end
end

-- Spawns a word that rises and fades, inside the field.
local function shout(value, x, y)
  x, y = math.max(170, math.min(1110, x)), math.max(100, math.min(600, y))
  local e = world.spawn("shout", { transform = { x = x, y = y }, text = { value = value } })
  world.tween(e, "transform.y", y - 50, 1, "quad_out")
  world.tween(e, "text.colour.a", 0, 1, "expo_in")
end

local function shake(trauma)
  local shaken = world.find("eye").shaken
  shaken.trauma = math.min(1, shaken.trauma + trauma)
end

local function flash(side)
  for e in world.each("paddle") do
    if e.paddle.side == side then
      world.tween(e, "shape.colour", looks.colour(side), 0.35, "quad_out", { from = looks.colour(0) })
      world.tween(e, "shape.width", 16, 0.3, "back_out", { from = 30 })
    end
  end
end

return {
  after = "ball",
  every = 24,
  update = function() -- launches fireworks for the winner
    local match, x, y = world.single.match, 100 + 1080 * world.random(), 80 + 560 * world.random()
    local colour = looks.colour(match.left > match.right and -1 or 1)
    if match.phase ~= "over" then return end
    spawn_ring(x, y, colour, 60 + 60 * world.random())
    spawn_sparks(x, y, colour, 30, 480, 0)
  end,
  on = {
    hit = function(ev)
      local match = world.single.match
      local loudness = match.phase == "title" and 0.25 or 1
      for i = 1, ev.count do
        local x, y, side, power = ev.x[i], ev.y[i], ev.side[i], ev.speed[i] / 1500
        local colour = ev.smash[i] and looks.gold or looks.colour(side)
        flash(side)
        spawn_ring(x, y, colour, 90 + 220 * power)
        spawn_sparks(x, y, colour, 10 + math.floor(22 * power), 260 + 520 * power, -side)
        shake(0.25 * power * loudness)
        if ev.smash[i] then
          shake(0.4)
          shout("@smash", x - side * 130, y - 60)
          audio.play("goal.wav", { volume = 0.4, pitch = 1.7, pan = side * 0.4 })
        end
        audio.play("hit", { volume = (0.6 + 0.4 * power) * loudness, x = x, y = y, range = 2000, within = 700,
          pitch = math.min(2, 2 ^ (match.rally / 24)) })
        if match.players > 0 then input.rumble(0.3 + 0.5 * power, 0.1, match.players == 2 and side > 0 and 2 or 1) end
        if match.is_best and match.rally == settings.best and match.rally % 5 == 0 then
          audio.play("best.wav", { bus = "jingle", volume = 0.6 })
        end
      end
    end,
    wall = function(ev)
      local loudness = world.single.match.phase == "title" and 0.2 or 0.7
      for i = 1, ev.count do
        spawn_sparks(ev.x[i], ev.y[i], looks.colour(0), 6, 220, 0)
        audio.play("wall.wav", { volume = loudness, x = ev.x[i], y = ev.y[i], range = 2000, within = 700,
          pitch_variation = 0.06 })
      end
    end,
    star_taken = function(ev)
      for i = 1, ev.count do
        local x, y, side = ev.x[i], ev.y[i], ev.side[i]
        spawn_ring(x, y, looks.gold, 160)
        spawn_sparks(x, y, looks.gold, 24, 420, 0)
        shout("@smash_next", x + side * 190, y - 30)
        audio.play("serve.wav", { volume = 0.8, pitch = 1.8 })
      end
    end,
    goal = function(ev)
      local side = ev.side[1]
      local x = 640 - side * 636
      for k = 1, 3 do spawn_ring(x, ev.y[1], looks.colour(side), 200 + 190 * k) end
      spawn_sparks(x, ev.y[1], looks.colour(side), 90, 900, side)
      shake(0.8)
      input.rumble(0.9, 0.35)
      audio.play("goal.wav", { volume = 0.9, pan = -side * 0.6 })
    end,
  },
}
