-- Every room has its music; the Snuffer's begins when he wakes.
local tuning, rooms = require "tuning", require "lib.rooms"

return {
  phase = "post_update",
  every = 20,
  update = function()
    local name, boss = rooms.name(), world.find("Snuffer")
    if name == "throne" and (not boss or boss:state() == "asleep" or boss:state() == "dying") then
      audio.music()
    else
      audio.music(tuning.rooms[name].music, 0.5, 1.5)
    end
  end,
}
