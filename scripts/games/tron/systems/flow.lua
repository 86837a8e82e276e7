-- Phases of the match: the event `go` sets up the next phase. The title starts a demo after a while without input.
local looks, kinds, grid, phases = assets.json "looks.json", assets.json "bursts.json", require "lib.grid", {}
local menu, pause = require "menu", require "pause"
-- ROUNDS, DEMO_ROUNDS: number of wins that decide a match or a demo; LIVES: initial lives of a single player; OVER:
-- seconds for which the result of the demo is shown; FIRST_GEMS: number of gems that appear in quick succession when a
-- round begins
local ROUNDS, DEMO_ROUNDS, LIVES, OVER, FIRST_GEMS = 3, 1, 3, 5, 4

local function destroy_all(component) world.query({ component }):destroy_all() end
local function is_split(match) return match.players == 2 and settings.two_players == "split" end
local function get_name(side) return menu.name_player(side) or looks.names[side] end
local function spawn_banner(value, colour, y)
  local e = world.spawn("banner", { transform = { y = y }, text = { value = value, colour = colour or looks.stone } })
  world.tween(e, "transform.scale_y", 1, 0.5, "back_out", { from = 0.1 })
end
-- Spawns a cycle and, if `is_split_screen`, a camera that follows it in half of the screen.
local function spawn_cycle(side, player, is_split_screen)
  local x, y, dir = unpack(looks.starts[side])
  local px, py = grid.place(x, y)
  local e = world.spawn("cycle", { name = "cycle " .. side,
    shape = { colour = looks.colours[side], points = looks.cycles[side] },
    transform = { x = px, y = py, angle = (dir - 1) * math.pi / 2 }, emitter = kinds.sparks,
    cycle = { side = side, player = player, x = x, y = y, dir = dir, wall = grid.wall(side, x, y, x, y) } })
  if not is_split_screen then return end
  world.spawn("half", { transform = { x = px, y = py }, viewport = { x = (side - 1) * 642, player = side },
    follow = { target = e } })
end

function phases.title()
  destroy_all("prop")
  world.single["menu.idle"].seconds = 0
  world.spawn("title_menu", { transform = { y = 66 } })
  music.play("theme", { section = "title" })
end
-- Sets up a round. A single player has one rival in levels 1 and 2, two in levels 3 and 4, then three.
function phases.ready(match)
  local is_single, is_split_screen = match.players == 1, is_split(match)
  local rivals = is_single and math.min(3, math.ceil(match.round / 2)) or match.players == 0 and 2 or 1
  destroy_all("prop")
  match.gem_in, match.gems, match.stop = 0.1, FIRST_GEMS, 0
  for _, line in ipairs(looks.arenas[(match.round - 1) % #looks.arenas + 1]) do grid.wall(0, unpack(line)) end
  for side = 1, 1 + rivals do spawn_cycle(side, side <= match.players and side or 0, is_split_screen) end
  if is_split_screen then world.spawn("map") end
  spawn_banner(tr.key(is_single and "level" or "round", { n = match.round }), "#ffffff", 190)
  for i = 0, 2 do world.after(0.1 + 0.6 * i, "burst", { kind = "count", x = 640, y = 420, words = tostring(3 - i) }) end
  world.after(1.9, "burst", { kind = "start", x = 640, y = 420, words = "@go" })
end
function phases.play() destroy_all("text") end
function phases.crash(match)
  match.winner = 0
  for e in world.each("cycle") do match.winner = e.cycle.side end
  local is_single, winner = match.players == 1, match.winner
  local bonus = is_single and winner == 1 and 250 * match.round or 0
  local has_crashed = is_single and bonus == 0
  local message = bonus > 0 and "@cleared" or is_single and "@crashed" or winner == 0 and "@nobody"
    or tr.key("takes_round", { name = get_name(winner) })
  match.score, match.lives = match.score + bonus, match.lives - (has_crashed and 1 or 0)
  if not is_single and winner > 0 then match["wins" .. winner] = match["wins" .. winner] + 1 end
  if bonus > 0 then world.emit("burst", { kind = "points", x = 640, y = 440, words = "+" .. bonus }) end
  spawn_banner(message, looks.colours[is_single and 1 or winner], 280)
  audio.play(has_crashed and "lose.wav" or "level.wav", { bus = "jingle", volume = 0.6 })
end

function phases.over(match)
  local is_single = match.players == 1
  world.query({ "prop", without = { "wall" } }):destroy_all() -- keeps the walls, which show how the match ended
  match.played = match.played + 1
  spawn_banner(is_single and "@menu.game_over" or tr.key("wins_match", { name = get_name(match.winner) }),
    looks.colours[is_single and 2 or match.winner], 190)
  audio.play(is_single and not match.is_best and "over.wav" or "win.wav", { bus = "jingle", volume = 0.7 })
  if match.players > 0 and not players.in_match() then world.spawn("over_menu", { transform = { y = 150 } }) end
end

-- Resets the match when `go` is handled. The end screen shows the old values until then.
local function reset(match)
  match.round, match.lives, match.score, match.is_best = 1, LIVES, 0, false
  match.record = settings.best
  if match.players == 0 then match.round = world.random(#looks.arenas) end
  match.wins1, match.wins2, match.wins3 = 0, 0, 0
end

local function start_match(players)
  world.single.match.players = players
  music.play("theme", { section = "playing" })
  world.emit("go", { to = "ready", begins = true })
end

-- Returns the phase after a round: the next round, or the end of the match.
local function choose_next_phase(match)
  local max_wins = math.max(match.wins1, match.wins2, match.wins3)
  if match.lives == 0 or max_wins >= (match.players == 0 and DEMO_ROUNDS or ROUNDS) then return "over" end
  if match.players ~= 1 or match.winner == 1 then match.round = match.round + 1 end
  return "ready"
end

return {
  phase = "input",
  on = {
    go = function(ev)
      local match, row = world.single.match, menu.choose_go(ev)
      local phase = ev.to[row]
      if ev.begins[row] then reset(match) end
      match.phase, match.clock = phase, 0
      local is_ready, continues = phase == "ready", phase == "play" or phase == "crash"
      if not continues then world.find("eye").camera.enabled = not (is_ready and is_split(match)) end
      phases[phase](match)
    end,
    one_player = function() start_match(1) end, two_players = function() start_match(2) end,
    again = function() start_match(world.single.match.players) end,
    ["pause.leave"] = function() world.emit("go", { to = "title" }) end,
  },
  update = function(dt)
    local match = world.single.match
    local is_playing = match.players > 0 and match.phase ~= "over" and match.phase ~= "title"
    if pause.step(is_playing, "pause_menu") then return end
    match.clock, match.stop = match.clock + dt, math.max(0, match.stop - 1)
    if match.score > settings.best then settings.best, match.is_best = match.score, match.record > 0 end
    -- In a network match, menus have no input, so the game begins immediately. It begins again after its result.
    local is_over = match.phase == "over" and match.clock > OVER
    if players.in_match() and (is_over or match.phase == "title" and match.clock > 0.1) then return start_match(2) end
    local phase, clock, is_demo = match.phase, match.clock, match.players == 0 and match.phase ~= "title"
    local is_decided = world.count("cycle") <= 1 or match.players == 1 and not world.find("cycle 1")
    if is_demo and input.pressed("skip", nil) and not input.pressed("pause.pause", nil) then return start_match(1) end
    local next_phase = is_demo and (input.pressed("skip", nil) or phase == "over" and clock > OVER) and "title"
      or phase == "ready" and clock > 1.9 and "play" or phase == "play" and is_decided and "crash"
      or phase == "crash" and clock > 2 and choose_next_phase(match)
    if next_phase then world.emit("go", { to = next_phase }) end
    if phase == "title" and world.single["menu.idle"].seconds > menu.demo_after then start_match(0) end
  end,
}
