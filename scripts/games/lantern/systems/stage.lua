-- Raises the curtain: on `go` it clears away what was and sets the next scene.
local rooms = require "lib.rooms"

local function clear()
  for e in world.each { "transform", without = { "camera", "widget" }, without_disabled = false } do e:destroy() end
end

local function begin(state)
  local play, quest = world.single.play, world.single.quest
  clear()
  quest.fireball, quest.key = false, false
  play.time, play.room = 0, shoal.none
  rooms.show("yard")
  play.hero = world.spawn("hero", { name = "hero", transform = { x = -100, y = -100 } })
  world.find("eye").follow.target = play.hero
  local travel = world.single.travel
  travel.to, travel.stage, travel.dark = "yard.start", "waiting", 1
  if state ~= "title" then play.hero:sequence("opening") end
end

local scenes = {
  title = function() begin("title") end,
  demo = function() begin("demo") end,
  playing = function()
    begin("playing")
    audio.play("start.wav", { volume = 0.6 })
  end,
  dead = function()
    world.single.play.hero:enter("led")
    audio.play("game_over.wav", { volume = 0.7 })
  end,
  won = function()
    local time = world.single.play.time
    world.single.play.finished = world.single.play.finished + 1
    if world.single.play.hero:has "player" and (settings.best_time == 0 or time < settings.best_time) then
      settings.best_time = time
    end
  end,
}

return {
  phase = "pre_update",
  after = { "flow" },
  on = {
    go = function(ev)
      local play, to = world.single.play, ev.to[ev.count] -- the last word counts
      if to == "demo" or to == "playing" then play.was = to end
      scenes[to]()
      play.phase, play.clock = to, 0
    end,
  },
}
