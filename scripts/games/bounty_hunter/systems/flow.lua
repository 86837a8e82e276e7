-- Phases of the match: the event `go` sets up the next phase. The title starts a demo after a while without input.
-- Input systems also run while the game is paused.
local looks, phases, menu, pause = assets.json "looks.json", {}, require "menu", require "pause"
local function destroy_props() world.query({ "prop" }):destroy_all() end
local function grow(e, size)
  world.tween(e, "transform.scale_x", size, 0.4, "back_out", { from = 0 })
  world.tween(e, "transform.scale_y", size, 0.4, "back_out", { from = 0 })
end
-- Spawns up to eight rocks with some distance between them, then the spawners, and a hunter at each stash.
local function build(match)
  local placed = {}
  for i = 1, 40 do
    local x, y, is_free = 250 + 780 * world.random(), 120 + 490 * world.random(), #placed < 8
    for _, rock in ipairs(placed) do is_free = is_free and math.abs(rock.x - x) + math.abs(rock.y - y) > 150 end
    if is_free then
      local size, transform = 0.9 + 0.5 * world.random(), { x = x, y = y, angle = 6 * world.random() }
      placed[#placed + 1] = transform
      local body, sprite = { radius = 27 * size }, { frame = 12 + i % 3 }
      grow(world.spawn("rock", { transform = transform, sprite = sprite, body = body }), size)
    end
  end
  for i = 1, 11 do world.spawn("spawner", { spawner = { wait = 0.15 * i } }) end
  for e in world.each("stash", "transform") do
    e.stash.gold, e.stash.row = 0, 0
    local transform = { x = e.transform.x, y = e.transform.y, angle = e.transform.x < 640 and 0 or math.pi }
    local rider = world.spawn("hunter", { transform = transform, hunter = { home = e },
      sprite = { frame = e.stash.number } })
    rider.light.intensity, e.light.intensity = looks.days[match.day].lamp, looks.days[match.day].lamp
    if e.stash.player > 0 then rider:enter("ridden") end
  end
  match.outlaw_in = 10 + 8 * world.random()
  world.tween(world.find("eye") --[[@as shoal.Entity]], "camera.background", looks.days[match.day].ground, 1)
  world.tween(world.find("eye") --[[@as shoal.Entity]], "ambient.colour", looks.days[match.day].light, 2.5)
end
-- Gives the first stashes to the players, and the other stashes to AI hunters.
local function settle(is_demo, match)
  local list = players.list()
  destroy_props()
  world.query({ "stash" }):destroy_all()
  for i, home in ipairs(looks.homes) do
    local stash = { number = i, player = not is_demo and list[i] and list[i].number or 0 }
    world.spawn("stash", { transform = { x = home[1], y = home[2] }, sprite = { frame = i }, stash = stash })
  end
  match.players = is_demo and 0 or #list
  music.play("theme", { section = is_demo and "title" or "playing" })
end
-- Resets the match. The `go` handler calls this, so that the end screen shows the old values until then.
local function reset(match)
  match.day, match.purse, match.is_best, match.leaves = 0, 0, false, 0
  match.record, match.warned = settings.best, false
end
function phases.title(match)
  settle(true, match)
  reset(match)
  match.day, match.left = 1, 3600
  world.spawn("title_menu", { transform = { y = 160 } })
  world.single["menu.idle"].seconds = 0
  world.emit("build") -- `build` is handled in the next tick, when queries find the new stashes
end
-- Returns the rule that determines which hunter leaves town. With several players, AI hunters leave first.
local function choose_rule(match)
  if match.players == 0 then return looks.rule elseif match.players == 1 then return looks.days[match.day].rule end
  local rivals, total = 0, 0
  for e in world.each("stash") do
    local is_here = e.stash.number ~= match.leaves -- the stash is destroyed at the end of this tick
    total = total + (is_here and 1 or 0)
    rivals = rivals + (is_here and e.stash.player == 0 and 1 or 0)
  end
  if rivals > 1 then return looks.together.rivals elseif rivals == 1 then return looks.together.last_rival end
  return total == 2 and looks.together.last_two or looks.together.players
end
function phases.ready(match)
  destroy_props()
  for e in world.each("stash") do if e.stash.number == match.leaves then e:destroy() end end
  match.day, match.left = match.day + 1, match.players == 0 and looks.demo_day or looks.day
  local day = looks.days[match.day]
  for i, value in ipairs { day.name, choose_rule(match) } do
    grow(world.spawn("banner", { transform = { y = 156 + 96 * i }, text = { value = value, size = 116 - 44 * i } }), 1)
  end
  world.emit("build")
end
function phases.hunt() audio.play("shot.wav", { volume = 0.7 }) end
-- Returns true if a hunter may stay even if it is the poorest. In a game of several players, all AI hunters leave
-- before a player does; a single player is only warned on the first day.
local function may_stay(match, stash)
  if stash.player == 0 or match.players <= 1 then return stash.player > 0 and match.day < 2 end
  for e in world.each("stash") do
    if e.stash.player == 0 then return true end
  end
  return false
end
local function is_poorest(stash)
  for e in world.each("stash") do
    if e.stash.number ~= stash.number and e.stash.gold <= stash.gold then return false end
  end
  return true
end
-- Chooses the hunter that leaves: the poorest that may not stay or, if several are equally poor, an AI hunter.
function phases.tally(match)
  local poorest, max_gold = math.huge, 0
  for e in world.each("stash") do
    local stash = e.stash
    local is_safe = may_stay(match, stash)
    match.warned = match.warned or is_safe and match.players == 1 and is_poorest(stash)
    local rank = stash.gold + (is_safe and 1000 or 0) + stash.player / 9
    if stash.player > 0 then max_gold = math.max(max_gold, stash.gold) end
    if rank < poorest then poorest, match.leaves, match.last = rank, stash.number,
      stash.player > 0 and match.players == 1 end
  end
  match.purse, match.last = match.purse + max_gold, match.last or match.players == 0 or match.day == 3
  if match.players > 0 and match.purse > settings.best then
    settings.best, match.is_best = match.purse, match.record > 0
  end
  for e in world.each("intent") do e:set("intent", { x = 0, y = 0, dash = false }) end
  audio.play("bell.wav", { bus = "jingle", volume = 0.6 })
end
function phases.over(match)
  match.played = match.played + 1
  destroy_props()
  local is_lost = match.players == 1 and match.leaves == 1
  audio.play(match.is_best and "best.wav" or is_lost and "lose.wav" or "win.wav", { bus = "jingle", volume = 0.8 })
  if match.players > 0 and not players.in_match() then world.spawn("over_menu", { transform = { y = 200 } }) end
end
local function start_match(is_demo)
  world.pause(false)
  settle(is_demo, world.single.match)
  world.emit("go", { to = "ready", begins = true })
end
return {
  phase = "input",
  on = {
    go = function(ev)
      local match, row = world.single.match, menu.choose_go(ev)
      if ev.begins[row] then reset(match) end
      match.phase, match.clock = ev.to[row], 0
      phases[match.phase](match)
    end,
    build = function() build(world.single.match) end,
    stash_full = function() if world.single.match.phase == "hunt" then world.emit("go", { to = "tally" }) end end,
    play = function() start_match(false) end, again = function() start_match(false) end,
    ["pause.leave"] = function() world.emit("go", { to = "title" }) end,
  },
  update = function(dt)
    local match = world.single.match
    if pause.step(match.players > 0 and match.phase ~= "over", "pause_menu") then return end
    local phase, clock, is_demo = match.phase, match.clock + dt, match.players == 0
    match.clock, match.left = clock, match.left - (phase == "hunt" and dt or 0)
    -- A network match has the lobby instead of a title screen, so the game begins immediately. It begins again after
    -- its result.
    local is_waiting = phase == "title" and clock > 0.1 or phase == "over" and clock > 6
    if players.in_match() and is_waiting then return start_match(false) end
    if phase == "title" and world.single["menu.idle"].seconds > menu.demo_after then return start_match(true) end
    if is_demo and phase ~= "title" and input.pressed("skip", nil) and not input.pressed("pause.pause", nil) then
      return start_match(false)
    end
    local next_phase = is_demo and phase ~= "title" and (input.pressed("skip", nil) or phase == "over" and clock > 6)
      and "title"
      or phase == "ready" and clock > 2.4 and "hunt" or phase == "hunt" and match.left <= 0 and "tally"
      or phase == "tally" and clock > 4 and (match.last and "over" or "ready")
    if next_phase then return world.emit("go", { to = next_phase }) end
  end,
}
