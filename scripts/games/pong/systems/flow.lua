-- Phases of the match: the event `go` sets up the next phase. The title starts a demo after a while without input.
-- Input systems also run while the game is paused.
local looks, menu, pause = require "looks", require "menu", require "pause"
local GOALS, DEMO_GOALS = 7, 3 -- number of goals that win a match and a demo
-- OVER: seconds for which the result of the demo is shown; SERVED: maximum distance of the AI's aim from the paddle's
-- middle (0) for the first hit, which the AI never misses
local OVER, TITLE, SERVED = 5, "RALLY", 0.6

local function destroy_scenery() world.query({ "scenery" }):destroy_all() end

local function place_ball()
  world.query({ "ball" }):destroy_all()
  world.spawn("ball")
end

local function remove_stars()
  world.query({ "star" }):destroy_all()
  for e in world.each("paddle") do e.paddle.charged = false end
end

local function animate_scale(e, from, seconds, ease)
  world.tween(e, "transform.scale_x", 1, seconds, ease, { from = from })
  world.tween(e, "transform.scale_y", 1, seconds, ease, { from = from })
end

local function show_score(match)
  for e in world.each("digits") do
    local goals = match.phase == "title" and "" or tostring(e.digits.side < 0 and match.left or match.right)
    if e.text.value ~= goals then animate_scale(e, 1.6, 0.5, "back_out") end
    e.text.value = goals
  end
end

local phases = {}

function phases.title(match)
  destroy_scenery()
  remove_stars()
  place_ball()
  match.players, match.to = 0, world.random() < 0.5 and -1 or 1
  for i = 1, #TITLE do
    local letter = world.spawn("letter", { transform = { x = 640 + (i - (#TITLE + 1) / 2) * 150, y = -120 },
      text = { value = TITLE:sub(i, i), colour = looks.colour(i % 2 == 1 and -1 or 1) } })
    world.tween(letter, "transform.y", 70, 0.9, "bounce_out", { delay = 0.15 * i })
  end
  world.spawn("title_menu", { transform = { y = 140 } })
  world.single["menu.idle"].seconds = 0
  music.play("theme", { section = "title" })
end

function phases.serve(match)
  place_ball()
  match.rally, match.star_in = 0, 0
  for e in world.each("paddle") do e.paddle.aim = SERVED * (world.random() * 2 - 1) end
  audio.play("serve.wav", { volume = 0.5, pitch_variation = 0.05 })
end

function phases.over(match)
  match.played = match.played + 1
  local side = match.left > match.right and -1 or 1
  local name = menu.name_player(side < 0 and 1 or 2) or looks.names[side]
  local result = match.players ~= 1 and tr.key("over.wins", { name = name })
    or side < 0 and "@over.you_win" or "@over.you_lose"
  animate_scale(world.spawn("banner", { text = { value = result, colour = looks.colour(side) } }), 0.2, 0.7,
    "elastic_out")
  world.query({ "ball" }):destroy_all()
  remove_stars() -- a star would cover the words
  audio.play(match.players == 1 and side > 0 and "lose.wav" or "win.wav", { bus = "jingle", volume = 0.8 })
  if match.players > 0 and not players.in_match() then world.spawn("over_menu", { transform = { y = 120 } }) end
end

-- Resets the match when `go` is handled. The end screen shows the old values until then.
local function reset(match)
  match.left, match.right, match.longest, match.is_best, match.stars = 0, 0, 0, false, 0
  match.record = settings.best
end

local function start_match(players)
  destroy_scenery()
  remove_stars()
  world.single.match.players = players
  world.emit("forget")
  music.play("theme", { section = "playing" })
  world.emit("go", { to = "serve", begins = true })
end

return {
  phase = "input",
  on = {
    go = function(ev)
      local match, row = world.single.match, menu.choose_go(ev)
      if ev.begins[row] then reset(match) end
      match.phase, match.clock = ev.to[row], 0
      if phases[match.phase] then phases[match.phase](match) end
      show_score(match)
    end,
    one_player = function() start_match(1) end,
    two_players = function() start_match(2) end,
    again = function() start_match(world.single.match.players) end,
    ["pause.leave"] = function() world.emit("go", { to = "title" }) end,
    goal = function(ev)
      local match, side = world.single.match, ev.side[1]
      match.left, match.right, match.to = match.left + (side < 0 and 1 or 0), match.right + (side > 0 and 1 or 0), -side
      world.emit("go", { to = "point" })
    end,
  },
  update = function(dt)
    local match = world.single.match
    if pause.step(match.players > 0 and match.phase ~= "over") then return end
    match.clock = match.clock + dt
    -- In a network match, menus have no input, so the game begins immediately. It begins again after its result.
    local is_over = match.phase == "over" and match.clock > OVER
    if players.in_match() and (is_over or match.phase == "title" and match.clock > 0.1) then
      start_match(2)
    elseif match.phase == "title" then
      if world.single["menu.idle"].seconds > menu.demo_after then start_match(0) end
    elseif match.players == 0 and input.pressed("skip", nil) and not input.pressed("pause.pause", nil) then
      start_match(1)
    elseif match.players == 0 and input.pressed("skip", nil) or match.phase == "over" and match.players == 0
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
