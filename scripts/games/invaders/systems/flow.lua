-- Phases of the match: the event `go` sets up the next phase. The title starts a demo after a while without input.
-- Input systems also run while the game is paused.
local looks, phases, menu = assets.json "looks.json", {}, require "menu"
local row_colour, boss_colour = require("lib.looks").row_colour, require("lib.looks").boss_colour
local grow = require("lib.looks").grow

local function clear(components)
  for component in components:gmatch("%a+") do world.query({ component }):destroy_all() end
end

local function banner(value, colour, y)
  local e = world.spawn("banner", { transform = { y = y }, text = { value = value, colour = colour } })
  return grow(e, 0.6, "elastic_out")
end

local function build(match, fleet)
  for i = 0, 4 * 96 - 1 do
    local k, row, column = math.floor(i / 96), math.floor(i % 96 / 12) + 1, i % 12 + 1
    if looks.bunker[row]:sub(column, column) == "#" then
      world.spawn("cell", { transform = { x = 208 + k * 288 + (column - 6.5) * 8, y = 534 + row * 8 } })
    end
  end
  fleet.way, fleet.wait, fleet.bomb_in, fleet.saucer_in = match.wave % 2 * 2 - 1, 0, 1.5, 8 + 6 * world.random()
  if match.wave % looks.boss_every == 0 then
    local health = 18 + 12 * match.wave / looks.boss_every
    grow(world.spawn("boss", { name = "boss", boss = { health = health, max = health },
      sprite = { tint = boss_colour(match.wave) } }), 0.8, "back_out")
    return
  end
  for i = 0, 54 do
    local row, column = 5 - math.floor(i / 11), i % 11
    local x, y = 640 + (column - 5) * 68, 94 + 20 * math.min(6, match.wave) + row * 46
    grow(world.spawn("invader", { transform = { x = x, y = y }, invader = { row = row, x = x, y = y },
      sprite = { frame = looks.rows[row].frame, tint = row_colour(row, match.wave) } }), 0.35, "back_out", i * 0.018)
  end
end

function phases.title(match)
  match.demo = false
  world.scene("title")
  world.single["menu.idle"].seconds = 0
  music.play("theme", { section = "title" })
end

function phases.ready(match)
  match.wave = match.wave + 1
  clear("bomb shot cell saucer powerup boss")
  build(match, world.single.fleet)
  local is_boss = match.wave % looks.boss_every == 0
  local title = is_boss and "@mother_ship" or tr.key("wave", { n = match.wave })
  banner(title, row_colour(match.wave, 3), 446):add("lifetime", 1.6) -- shown below the fleet
  audio.play("wave.wav", { bus = "jingle", volume = 0.5 })
end
function phases.play() return world.find("cannon") or world.spawn("cannon") end
function phases.lost(match)
  match.lives, match.combo = match.lives - 1, 0
  world.emit("burst", { kind = "cannon", x = world.find("cannon").transform.x, y = looks.cannon_y })
  clear("bomb saucer powerup cannon")
end

function phases.over(match)
  match.played = match.played + 1
  clear("shot saucer bomb powerup boss")
  banner(match.lives > 0 and "@fleet_gone" or "@menu.game_over", match.lives > 0 and looks.cyan or looks.red, 330)
  audio.play(match.is_best and "best.wav" or "over.wav", { bus = "jingle", volume = 0.8 })
  for i = 1, match.is_best and 10 or 0 do -- launches fireworks for a new best score
    world.after(0.4 * i, "burst", { kind = "rocket", x = 100 + 1080 * world.random(), y = 80 + 420 * world.random() })
  end
  if not match.demo then world.open("over") end
end

-- Resets the match. Called only when the event `go` begins a new game, because the end screen shows the old values
-- until then.
local function reset(match)
  match.score, match.is_best, match.lives, match.wave, match.combo = 0, false, 3, 0, 0
  match.record = settings.best
end

local function begin(demo)
  world.single.match.demo = demo
  world.scene("battle")
  music.play("theme", { section = "playing" })
  world.emit("go", { to = "ready", begins = true })
end

-- Returns true if the wave is over. Falling power-ups, such as the mother ship's, delay the next wave.
local function is_cleared() return world.count("invader") + world.count("boss") + world.count("powerup") == 0 end

return {
  phase = "input",
  on = {
    go = function(ev)
      local match, row = world.single.match, menu.choose_go(ev)
      if ev.begins[row] then reset(match) end
      match.phase, match.clock = ev.to[row], 0
      phases[match.phase](match)
    end,
    play = function() begin(false) end,
    ["pause.leave"] = function() world.emit("go", { to = "title" }) end,
    ["pause.resume"] = function() world.close("pause") end,
  },
  update = function(dt)
    local match = world.single.match
    if world.find("pause") then return end
    match.clock = match.clock + dt
    local phase, clock = match.phase, match.clock
    if match.demo and input.pressed("skip") and not input.pressed("pause.pause") then return begin(false) end
    local to = match.demo and (input.pressed("skip") or phase == "over" and clock > 5) and "title"
      or phase == "ready" and clock > 1.5 and "play"
      or phase == "play" and clock > 0.5 and is_cleared()
        and (match.demo and "over" or "ready")
      or phase == "lost" and clock > 1.4 and (match.lives > 0 and "play" or "over")
    if to then return world.emit("go", { to = to }) end
    if phase == "title" and world.single["menu.idle"].seconds > menu.demo_after then return begin(true) end
    if not match.demo and phase ~= "title" and phase ~= "over" and input.pressed("pause.pause") then
      world.open("pause")
      world.pause(true)
    end
  end,
}
