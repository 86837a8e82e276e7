-- Adds and removes players. A player who joins during a game gets a ship at the safest position of the field. When a
-- player leaves, the ship returns to the reserve; a player who joins again gets a ship from the reserve.
local crew = require "lib.crew"
local sounds = require "lib.sounds"

local MAX_LOCAL_PLAYERS = 4 -- maximum number of players on one machine, each with a device

local function spawn_ripple(transform)
  world.spawn("ring", {
    transform = { x = transform.x, y = transform.y },
    ring = { growth = 260, life = 0.45, peak = 0.9 },
    lifetime = { seconds = 0.45 },
    shape = { radius = 6, colour = { 0.6, 0.8, 1, 1 } },
  })
end

local function add_ship(number)
  local score = world.single.score
  local has_joined_again = bit.band(score.crew, bit.lshift(1, number - 1)) ~= 0
  local ship = crew.spawn_ship(number, crew.find_safest_place(world.query { "hazard", "transform", "motion" }))
  if has_joined_again and score.lives <= 0 then ship:enter("waiting")
  elseif has_joined_again then score.lives = score.lives - 1 end
end

local function remove_ship(number)
  for ship in world.each("ship", "transform") do
    if ship.ship.player == number then
      if ship:has("intent") then
        world.single.score.lives = world.single.score.lives + 1
        spawn_ripple(ship.transform)
        sounds.play("warp.wav", 0.6, ship.transform.x)
      end
      ship:destroy()
    end
  end
end

local function is_game_running()
  local phase = world.single.game.phase
  return phase == "playing" or phase == "paused"
end

local function paint_ships()
  for ship in world.each("ship", "controls") do crew.paint(ship) end
end

return {
  phase = "input",
  before = { "pause" },
  on = {
    player_joined = function(ev)
      for i = 1, is_game_running() and ev.count or 0 do add_ship(ev.player[i]) end
      paint_ships()
    end,
    player_left = function(ev)
      for i = 1, is_game_running() and ev.count or 0 do remove_ship(ev.player[i]) end
      if is_game_running() and #players.list() == 0 then world.emit("leave") end
      paint_ships()
    end,
    more_players = function() players.set_local(#players.list() % MAX_LOCAL_PLAYERS + 1) end,
  },
  update = function()
    if world.single.game.phase ~= "title" then return end
    for e in world.each("button") do
      if e.button.emits == "more_players" then
        e.button.text = tr.key("menu.players", { n = #players.list() })
      end
    end
  end,
}
