-- Phases of the run: the event `go` sets up the next phase. The title starts a demo after a while without input.
local kinds, cards, battles = assets.json "kinds.json", assets.json "cards.json", assets.json "battles.json"
local menu, pause = require "menu", require "pause"
local parts, phases, STEPS = require "lib.parts", {}, { 1, 5, 7, 11 }
-- STEPS: distances between the dealt cards in cards.json, coprime with the number of cards so that all three differ.
-- POWER: factor of the monsters' health and damage; OVER: seconds for which the result of the demo is shown; FIRST:
-- first battle of the demo; RETREATS: retreats in a run
local POWER, OVER, FIRST, RETREATS = { easy = 0.8, normal = 1, hard = 1.25 }, 5, 5, 1

-- Tints of the field, one for each battle of a run, from the morning to nightfall.
local TINTS = { "#ffffff", "#fff6e4", "#ffeacb", "#ffd9ae", "#f5bf9f", "#cfa4ba", "#9a98cc", "#757ebc" }

local function tint_field(battle)
  world.tween(world.find("field") --[[@as shoal.Entity]], "sprite.tint", TINTS[battle], 1)
end

local function destroy_props() world.query({ "prop" }):destroy_all() end
local function query_units() return world.query { "unit", without_disabled = false } end

-- Shows a banner for `seconds`; if `seconds` is nil, until the next phase.
local function show_banner(text, y, sound, seconds)
  local e = world.spawn("banner", { transform = { y = y }, text = { value = text },
    lifetime = seconds and { seconds = seconds } })
  world.tween(e, "transform.scale_y", 1, 0.5, "back_out", { from = 0.1 })
  audio.play(sound, { bus = "jingle", volume = 0.7 })
end

-- Spawns unit `i` of a team: fighters in front, all other units behind them. `power`: factor of health and damage.
local function recruit(side, kind, i, power)
  local declaration = kinds[kind]
  local health, attack = declaration.health.max * power, declaration.attack.damage * power
  local x, y = 640 - side * ((declaration.front and 170 or 320) + i * 37 % 60), 392 + i * 89 % 230
  world.spawn(kind, { transform = { x = x, y = y }, unit = { side = side, home_x = x, home_y = y },
    health = { points = health, max = health }, attack = { damage = attack }, walk = { stride = i } })
end

function phases.title(match)
  destroy_props()
  query_units():destroy_all()
  match.demo, match.score = false, 0
  world.emit("dawn") -- handled in the next tick: at the start, world.find does not see the field yet
  for i, kind in ipairs { "melee", "ranger", "flying_ranger", "summoner", "mage" } do
    recruit(1, kind, i, 1)
    recruit(-1, kind, i, 1)
  end
  world.spawn("title_menu", { transform = { y = 56 } })
  world.single["menu.idle"].seconds = 0
  music.play("theme", { section = "title" })
end

-- Deals three cards. The player's units return to their positions with full health and all parts of their kit; monsters
-- and imps are destroyed.
function phases.cards(match)
  local start, step, q = world.random(#cards), STEPS[world.random(#STEPS)], query_units()
  destroy_props()
  match.battle = match.battle + 1
  tint_field(match.battle)
  for i = 1, 3 do match["card" .. i] = (start + i * step) % #cards + 1 end
  for i = 1, q.count do
    local e, unit = q.entity[i], q.entity[i].unit
    if unit.side == -1 or e:assemblage() == "imp" then
      e:destroy()
    else
      e:enable()
      e.health.points, e.transform.x, e.transform.y = e.health.max, unit.home_x, unit.home_y
      for part in unit.kit:gmatch("%a+") do parts.attach(e, part) end
    end
  end
  -- The cards stay hidden until the handler of `deal` has filled them in the next tick.
  world.spawn("cards", { name = "cards", transform = { x = 222, y = 10 }, panel = { keys = not match.demo },
    widget = { visible = false } })
  world.emit("deal")
end

-- Returns a description of a battle's monsters, which are of at most five kinds: "Next battle: 1 fighter, 2 imps".
local function describe_enemies(battle)
  local counts, names, kind_count = {}, {}, 0
  for _, kind in ipairs(battle) do counts[kind] = (counts[kind] or 0) + 1 end
  for _, kind in ipairs(battle) do
    if counts[kind] then
      kind_count = kind_count + 1
      names[("abcde"):sub(kind_count, kind_count)] = tr.key("kinds." .. kind, { n = counts[kind] })
    end
    counts[kind] = nil
  end
  return tr.key("next_battle." .. kind_count, names)
end

-- Applies a card. It recruits a unit, multiplies a field of all units, or adds a part to the kit of units and attaches
-- it, in some cases in place of another part. Finally restores all units to full health.
local function apply_card(number)
  local match, q = world.single.match, query_units()
  local card = cards[match["card" .. number]]
  local uses_left = card.most or 99
  if card.recruit then recruit(1, card.recruit, q.count + match.battle, 1) end
  for i = 1, q.count do
    local e, unit = q.entity[i], q.entity[i].unit
    if card.field then e[card.component][card.field] = e[card.component][card.field] * card.times end
    if card.part and uses_left > 0 and e:assemblage():find(card.kind, 1, true)
      and not unit.kit:find(card.part, 1, true) then
      if card.instead then parts.detach(e, card.instead) end
      uses_left, unit.kit = uses_left - 1, unit.kit:gsub(card.instead or "%s+$", "") .. " " .. card.part
      parts.attach(e, card.part)
    end
    e.health.points = e.health.max
  end
  world.emit("go", { to = "battle" })
end

function phases.battle(match)
  destroy_props()
  match.focus, match.holds, match.fled = shoal.none, false, false
  local power = (match.demo and 1.1 or POWER[settings.monsters]) * (0.82 + 0.075 * match.battle)
  for i, kind in ipairs(battles[match.battle]) do recruit(-1, kind, i + match.battle, power) end
  if match.battle == #battles then
    show_banner("@last_battle", 270, "horn.wav", 3)
  else
    audio.play("horn.wav", { bus = "jingle", volume = 0.6 })
  end
  music.play("theme", { section = "playing" })
end

-- Makes the player's team run off the field. The next deal of cards brings it back.
local function run_away()
  for e in world.each("unit", "transform", "walk") do
    if e.unit.side == 1 then world.tween(e, "transform.x", e.transform.x - 900, 2, "quad_in") end
  end
end

function phases.after(match)
  match.score = match.score + (match.won and 100 * match.battle + 20 * world.query({ "unit" }).count or 0)
  local message = match.won and "@won" or match.fled and "@fled" or "@lost"
  show_banner(message, 320, match.won and "won.wav" or "lost.wav")
  if match.fled then run_away() end
end

-- Makes the monsters walk back to their first positions, where the menu does not cover them.
local function line_up_monsters()
  for e in world.each("unit", "transform", "walk") do
    local unit = e.unit
    if unit.side == -1 then
      world.tween(e, "transform.x", unit.home_x, 1.5, "sine_in_out")
      world.tween(e, "transform.y", unit.home_y, 1.5, "sine_in_out")
      world.tween(e, "walk.stride", e.walk.stride + 18, 1.5)
    end
  end
end

function phases.over(match)
  destroy_props()
  match.played = match.played + 1
  local sound = match.is_best and "best.wav" or match.won and "won.wav" or "lost.wav"
  show_banner(match.won and "@over.free" or tr.key("over.beaten", { n = match.battle }), 290, sound)
  line_up_monsters()
  if match.demo then return end
  world.spawn("over_menu", { name = "over menu", transform = { y = 130 }, widget = { visible = false } })
  world.emit("compare")
end

-- Fills the end screen's labels, which queries and world.find see in the tick after its spawn, and shows it.
local function show_result(match)
  local beaten = match.won and match.battle or match.battle - 1
  world.find("reached").label.text = tr.key("over.battles", { n = beaten })
  world.find("final score").label.text = tr.key("menu.score", { n = match.score })
  local ahead = match.score - match.record
  local comparison = match.record == 0 and "over.first" or ahead > 0 and "over.more" or ahead == 0 and "over.equal"
    or "over.less"
  world.find("comparison").label.text = tr.key(comparison, { n = math.abs(ahead) })
  world.find("over menu").widget.visible = true
end

-- Resets the run when `go` is handled. The end screen shows the old values until then.
local function reset(match)
  match.score, match.is_best, match.battle = 0, false, match.demo and FIRST - 1 or 0
  match.record, match.retreats = settings.best, RETREATS
end

local function start_run(demo)
  query_units():destroy_all()
  world.single.match.demo = demo
  for i, kind in ipairs { "melee", "melee", "ranger", "mage" } do recruit(1, kind, i, 1) end
  world.emit("go", { to = "cards", begins = true })
end

-- Returns the phase after a battle. A battle from which the team has retreated is fought again, with a new card.
local function choose_phase_after(match)
  if match.fled then match.battle = match.battle - 1 end
  return (match.fled or match.won and match.battle < #battles) and "cards" or "over"
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
    deal = function()
      for i = 1, 3 do
        local card = cards[world.single.match["card" .. i]]
        world.find("title " .. i).label.text, world.find("text " .. i).label.text = card.title, card.text
        world.find("picture " .. i).label.frame = world.single.match["card" .. i]
      end
      world.find("cards").widget.visible = true
      world.find("enemies").label.text = describe_enemies(battles[world.single.match.battle])
    end,
    dawn = function() tint_field(1) end,
    compare = function() show_result(world.single.match) end,
    card1 = function() apply_card(1) end, card2 = function() apply_card(2) end, card3 = function() apply_card(3) end,
    play = function() start_run(false) end,
    ["pause.leave"] = function() world.emit("go", { to = "title" }) end,
  },
  update = function(dt)
    local match = world.single.match
    local is_playing = not match.demo and match.phase ~= "over" and match.phase ~= "title"
    if pause.step(is_playing, "pause_menu") then return end
    match.clock = match.clock + dt
    if not match.demo and match.score > settings.best then
      settings.best, match.is_best = match.score, match.record > 0
    end
    -- count: number of units; sum: sum of their sides (1 or -1)
    local phase, clock, count, sum = match.phase, match.clock, 0, 0
    for e in world.each("unit") do count, sum = count + 1, sum + e.unit.side end
    if phase == "title" then return world.single["menu.idle"].seconds > menu.demo_after and start_run(true) end
    if match.demo and input.pressed("skip") and not input.pressed("pause.pause") then return start_run(false) end
    local next_phase = match.demo and (input.pressed("skip") or phase == "over" and clock > OVER) and "title"
      or phase == "battle" and clock > 1 and math.abs(sum) == count and "after"
      or phase == "after" and clock > 2.2 and (choose_phase_after(match))
    if next_phase == "after" then
      match.won = sum > 0
    elseif phase == "battle" and not match.demo and match.retreats > 0 and input.pressed("retreat") then
      next_phase, match.won, match.fled, match.retreats = "after", false, true, match.retreats - 1
    end
    if next_phase then return world.emit("go", { to = next_phase }) end
    if match.demo and phase == "cards" and clock > 1.5 then apply_card(world.random(3)) end
  end,
}
