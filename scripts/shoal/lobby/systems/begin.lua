-- Begins the game when all players are ready, or when the host's player chooses *Begin*.
local seats = require "lib.seats"

local function begin()
  log.info("lobby: the game begins")
  lobby.begin()
end

return {
  phase = "input",
  after = { "seats" },
  on = {
    begin_chosen = function()
      if seats.count() >= lobby.min_players then begin() end
    end,
  },
  update = function()
    local joined, ready = seats.count()
    local missing = lobby.min_players - joined
    local status = world.find("status").label
    status.text = missing > 0 and tr.key("shoal.lobby_missing", { n = missing }) or "@shoal.lobby_waiting"
    world.find("begin_button").widget.disabled = missing > 0
    local is_complete = missing <= 0 and joined > 0 and ready == joined
    if is_complete and not world.single.progress.is_complete then begin() end
    world.single.progress.is_complete = is_complete
  end,
}
