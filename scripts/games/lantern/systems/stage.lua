-- On the event `go`, sets up the next screen. The title, the demo and a game start with new entities.
local rooms = require "lib.rooms"

local function start_screen(state)
  local play, quest = world.single.play, world.single.quest
  world.query({ "transform", without = { "camera", "widget", "in_scene" }, without_disabled = false }):destroy_all()
  quest.fireball, quest.key = false, false
  play.time = 0
  rooms.reset()
  play.hero = world.spawn("hero", { name = "hero", transform = { x = -100, y = -100 } })
  world.find("eye").follow.target = play.hero
  local travel = world.single.travel
  travel.to, travel.stage, travel.dark = "yard.start", "waiting", 1
  if state == "title" then world.spawn("title_menu", { name = "title menu" }) else play.hero:sequence("opening") end
end

local scenes = {
  title = function() start_screen("title") end,
  demo = function() start_screen("demo") end,
  playing = function()
    start_screen("playing")
    audio.play("start.wav", { volume = 0.6 })
  end,
  dead = function()
    world.single.play.hero:enter("led")
    audio.play("game_over.wav", { volume = 0.7 })
  end,
  won = function()
    local play, best = world.single.play, settings.best_time
    play.finished = play.finished + 1
    if play.was == "playing" and (best == 0 or play.time < best) then settings.best_time = play.time end
  end,
}

return {
  phase = "pre_update",
  after = { "flow" },
  on = {
    go = function(ev)
      -- If the tick has several `go` events, the last one is used.
      local play, phase = world.single.play, ev.to[ev.count]
      if world.find("title menu") then world.find("title menu"):destroy() end
      if phase == "demo" or phase == "playing" then play.was = phase end
      scenes[phase]()
      play.phase, play.clock = phase, 0
    end,
  },
}
