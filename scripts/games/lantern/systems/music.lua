-- Every room has its music; the Snuffer's begins when he wakes.
local looks, rooms = assets.json "rooms.json", require "lib.rooms"

return {
  phase = "post_update",
  every = 20,
  update = function()
    local name, boss = rooms.name(), world.find("Snuffer")
    local still = name == "throne" and (not boss or boss:state() == "asleep" or boss:state() == "dying")
    audio.music(not still and looks[name].music or nil, 0.5, 1.5)
  end,
}
