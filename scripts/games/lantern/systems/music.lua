-- Plays the music of the current room; the throne room is silent while the Snuffer is asleep, dying or dead. Sets
-- `play.danger`, the volume of the heartbeat (music.lua), from the distance of the nearest foe.
local looks, rooms = assets.json "rooms.json", require "lib.rooms"

return {
  phase = "post_update",
  every = 20,
  update = function()
    local name, boss, play, nearest = rooms.name(), world.find("Snuffer"), world.single.play, 110
    local is_silent = name == "throne" and (not boss or boss:state() == "asleep" or boss:state() == "dying")
    if is_silent then music.stop() else music.play(looks[name].music) end
    local hero = play.hero:alive() and play.hero or world.find("eye") --[[@as shoal.Entity]]
    for foe in world.each { "foe", "transform" } do
      local x, y = hero.transform.x - foe.transform.x, hero.transform.y - foe.transform.y
      nearest = math.min(nearest, math.sqrt(x * x + y * y))
    end
    play.danger = play.danger + (math.min(1, (110 - nearest) / 80) - play.danger) * 0.3
  end,
}
