-- Phases of the match: the event `go` sets up the next phase. The title starts a demo after a while without input.
-- Input systems also run while the game is paused.
local menu, pause = require "menu", require "pause"
local looks, traits, phases = assets.json "looks.json", assets.json "traits.json", {}

-- Redefines the assemblage of all rectangles from the chosen traits, which also changes existing rectangles.
local function redefine(match)
  local components = {}
  match.worth = 1
  for _, number in ipairs(match.traits) do
    local trait = traits[number] or { worth = 1, components = {} }
    match.worth = match.worth * trait.worth
    for name, fields in pairs(trait.components) do
      components[name] = components[name] or {}
      for field, value in pairs(fields) do components[name][field] = value end
    end
  end
  world.define("morsel", { is = "rectangle", components = components })
end

local function destroy_props() world.query({ "prop" }):destroy_all() end
local function destroy_menus() world.query({ "panel", "prop" }):destroy_all() end

function phases.title(match)
  destroy_props()
  match.demo = false
  world.spawn("title_menu", { transform = { y = 122 } })
  world.single["menu.idle"].seconds = 0
  music.play("theme", { section = "title" })
end

function phases.course(match)
  destroy_menus()
  match.course, match.chain.bites = match.course + 1, 0
  audio.play("course.wav", { bus = "jingle", volume = 0.6 })
end

-- Returns the subject of a trait. Rectangles have at most one trait per subject: they cannot both flee and hunt.
local function get_subject(number) return traits[number] and traits[number].about or number end

-- Offers up to three traits whose subjects differ from the subjects of the rectangles' traits.
function phases.menu(match)
  local remaining, is_taken = {}, {}
  for _, number in ipairs(match.traits) do is_taken[get_subject(number)] = true end
  for i = 1, #traits do remaining[#remaining + 1] = not is_taken[get_subject(i)] and i or nil end
  match.offers = {}
  for _ = 1, math.min(3, #remaining) do match.offers:add(table.remove(remaining, world.random(#remaining))) end
  world.spawn("course_menu", { name = "course menu", transform = { y = 20 } })
  world.emit("offer") -- `offer` is handled in the next tick, when world.find finds the new buttons
end

function phases.over(match)
  match.played, match.full = match.played + 1, world.query({ "playerControlled" }).count > 0
  destroy_menus()
  local jingle = match.is_best and "best.wav" or match.full and "full.wav" or "starved.wav"
  audio.play(jingle, { bus = "jingle", volume = 0.8 })
  if not match.demo then world.spawn("over_menu", { transform = { y = 130 } }) end
end

-- Resets the match when `go` is handled. The end screen shows the old values until then.
local function reset(match)
  local count = match.players
  match.course, match.points, match.is_best, match.traits = 0, 0, false, {}
  match.record = settings.best
  redefine(match)
  for i = 1, count do
    world.spawn("eater", { position = { x = 640 + 240 * (i - 1) - 120 * (count - 1) }, mouth = { grace = 2 },
      appearance = { colors = looks.eaters[i] }, playerControlled = { player = count > 1 and i or 0 } })
  end
end

local function start_game(players, demo)
  local match = world.single.match
  world.pause(false)
  destroy_props()
  match.players, match.demo = players, demo
  music.play("theme", { section = "playing" })
  world.emit("go", { to = "course", begins = true })
end

local function choose_trait(number)
  local match = world.single.match
  match.traits:add(number)
  redefine(match)
  world.emit("go", { to = "course" })
end

return {
  phase = "input",
  -- `reload` also runs after an edit to traits.json.
  reload = function() if world.single.match.course > 0 then redefine(world.single.match) end end,
  on = {
    go = function(ev)
      local match, row = world.single.match, menu.choose_go(ev)
      if ev.begins[row] then reset(match) end
      match.phase, match.clock = ev.to[row], 0
      phases[match.phase](match)
    end,
    offer = function()
      for i, number in ipairs(world.single.match.offers) do
        local trait = traits[number]
        world.find("dish " .. i).button.text = tr.key("dishes.text", { trait = trait.sentence, worth = trait.worth })
      end
    end,
    serve = function(ev)
      local number = world.single.match.offers[tonumber(ev.entity[1]:name():match "%d+")]
      if number then choose_trait(number) end
    end,
    play = function() start_game(1, false) end, play_two = function() start_game(2, false) end,
    again = function() start_game(world.single.match.players, false) end,
    ["pause.leave"] = function() world.emit("go", { to = "title" }) end,
  },
  update = function(dt)
    local match = world.single.match
    local phase, clock, demo = match.phase, match.clock + dt, match.demo
    local is_playing = not demo and (phase == "course" or phase == "menu")
    if pause.step(is_playing, "pause_menu") then return end
    match.clock = clock
    if phase == "title" and world.single["menu.idle"].seconds > menu.demo_after then return start_game(1, true) end
    if demo and input.pressed("skip") and not input.pressed("pause.pause") then return start_game(1, false) end
    if demo and phase == "menu" and clock > 2.5 then return choose_trait(match.offers[1]) end
    local is_last = match.course == (demo and looks.demo_courses or looks.courses)
    local next_phase = demo and (input.pressed("skip") or phase == "over" and clock > 6) and "title"
      or phase == "course" and clock > (demo and looks.demo_seconds or looks.seconds) and (is_last and "over" or "menu")
    if next_phase then return world.emit("go", { to = next_phase }) end
  end,
}
