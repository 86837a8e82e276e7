-- Phases of the game: the title starts a demo after a while without input, and input ends the demo. In a match and in a
-- served world, the game begins immediately.
local menus, pause = require "menus", require "pause"
local MAX_LOCAL_PLAYERS = 4

local function destroy_all(component)
  world.query({ component }):destroy_all()
end

-- Destroys the heroes, bags and panels of the previous game, and shows the town.
local function start_again()
  destroy_all "hero"
  destroy_all "bag"
  destroy_all "panel"
  world.scene "town"
end

local function show_menu()
  local title = world.find "title menu"
  if not title then world.spawn("title_menu", { name = "title menu" }) return end
  for e in world.each { "button", "widget" } do
    if e.button.emits == "more_players" then e.button.text = tr.key("menus.players", { n = #players.list() }) end
  end
end

return {
  phase = "input",
  update = function(dt)
    local play = world.single.play
    if pause.step(play.phase == "playing") then return end
    play.clock = play.clock + dt
    local skip = input.pressed("start", nil) or input.pressed("pause.pause", nil)
    if players.in_match() or world.room then
      if play.phase ~= "playing" then play.phase = "playing" end
    elseif play.phase == "title" then
      show_menu()
      if world.single["menus.idle"].seconds > menus.demo_after then world.emit("go", { to = "demo" }) end
    elseif play.phase == "demo" and skip then
      world.emit("go", { to = input.pressed("pause.pause", nil) and "title" or "playing" })
    end
  end,
  on = {
    go = function(ev)
      local play = world.single.play
      if world.room or players.in_match() then return end
      start_again()
      play.phase, play.clock = ev.to[ev.count], 0
      world.single["menus.idle"].seconds = 0
      if play.phase == "playing" then audio.play("start.wav", { volume = 0.6 }) end
    end,
    begin = function() world.emit("go", { to = "playing" }) end,
    more_players = function() players.set_local(#players.list() % MAX_LOCAL_PLAYERS + 1) end,
    ["pause.leave"] = function() world.emit("go", { to = "title" }) end,
  },
}
