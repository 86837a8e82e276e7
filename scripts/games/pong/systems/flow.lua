-- Which phase the match is in: on `go` the next one is set up. Left alone, the title begins a match by itself.
local looks = require "looks"
local GOALS, DEMO_GOALS = 7, 3 -- that win
local IDLE, OVER = 6, 5 -- seconds

local function clear()
  for e in world.each("scenery") do e:destroy() end
end

local function place_ball()
  for e in world.each("ball") do e:destroy() end
  world.spawn("ball")
end

local function pop(digits, value)
  digits.text.value = tostring(value)
  world.tween(digits, "transform.scale_x", 1, 0.5, "back_out", { from = 1.6 })
  world.tween(digits, "transform.scale_y", 1, 0.5, "back_out", { from = 1.6 })
end

local function show_score()
  local match = world.single.match
  for e in world.each("digits") do
    local value = e.digits.side < 0 and match.left or match.right
    if match.phase == "title" then e.text.value = "" elseif e.text.value ~= tostring(value) then pop(e, value) end
  end
end

local phases = {}

function phases.title(match)
  clear()
  place_ball()
  match.players, match.to = 0, world.random() < 0.5 and -1 or 1
  for i = 1, 4 do
    local letter = world.spawn("letter", { transform = { x = 640 + (i - 2.5) * 170, y = -120 },
      text = { value = ("PONG"):sub(i, i), colour = i % 2 == 1 and looks.left or looks.right } })
    world.tween(letter, "transform.y", 70, 0.9, "bounce_out", { delay = 0.15 * i })
  end
  world.spawn("title_menu", { transform = { y = 140 } })
  audio.music("music.wav", { volume = 0.9, fade = 1.5 })
end

-- The ball waits in the middle.
function phases.serve(match)
  place_ball()
  match.rally = 0
  audio.play("serve.wav", { volume = 0.5, pitch_variation = 0.05 })
end

function phases.over(match)
  match.played = match.played + 1
  local side = match.left > match.right and -1 or 1
  local banner = world.spawn("banner", { text = { value = looks.names[side] .. " wins",
    colour = side < 0 and looks.left or looks.right } })
  world.tween(banner, "transform.scale_x", 1, 0.7, "elastic_out", { from = 0.2 })
  world.tween(banner, "transform.scale_y", 1, 0.7, "elastic_out", { from = 0.2 })
  for e in world.each("ball") do e:destroy() end
  audio.play(match.players == 1 and side > 0 and "lose.wav" or "win.wav", { bus = "jingle", volume = 0.8 })
  if match.players > 0 then world.spawn("over_menu", { transform = { y = 120 } }) end
end

local function begin(players)
  local match = world.single.match
  clear()
  match.players, match.left, match.right, match.longest, match.is_best = players, 0, 0, 0, false
  audio.music("music.wav", { volume = 0.6, fade = 1 })
  world.emit("go", { to = "serve" })
end

return {
  on = {
    go = function(ev)
      local match = world.single.match
      match.phase, match.clock = ev.to[ev.count], 0
      if phases[match.phase] then phases[match.phase](match) end
      show_score()
    end,
    one_player = function() begin(1) end,
    two_players = function() begin(2) end,
    again = function() begin(world.single.match.players) end,
    leave = function()
      world.pause(false)
      world.emit("go", { to = "title" })
    end,
    quit = function() world.quit() end,
    focused = function() world.single.match.clock = 0 end, -- somebody is there
    goal = function(ev)
      local match, side = world.single.match, ev.side[1]
      local name = side < 0 and "left" or "right"
      match[name], match.to = match[name] + 1, -side
      world.emit("go", { to = "point" })
    end,
  },
  update = function(dt)
    local match = world.single.match
    match.clock = match.clock + dt
    if match.phase == "title" then
      if match.clock > IDLE and not world.find("options") then begin(0) end
    elseif match.players == 0 and input.pressed("skip") or match.phase == "over" and match.players == 0
      and match.clock > OVER then
      world.emit("go", { to = "title" })
    elseif match.phase == "serve" and match.clock > 0.9 then
      world.emit("go", { to = "play" })
    elseif match.phase == "point" and match.clock > 0.9 then
      local goals = math.max(match.left, match.right)
      world.emit("go", { to = goals >= (match.players == 0 and DEMO_GOALS or GOALS) and "over" or "serve" })
    end
  end,
}
