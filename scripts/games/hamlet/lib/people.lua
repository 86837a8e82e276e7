-- Functions that find players, their heroes and their bags.
local M = {}

-- Returns the table of players.list() with this number, or nil if the player has left.
function M.find_player(number)
  for _, player in ipairs(players.list()) do
    if player.number == number then return player end
  end
end

-- Returns the number (from 1) of the controls that a local player uses on this machine, or nil if there is only one
-- local player, who can use all controls. Call it in a render system.
function M.find_controls(number)
  local count, place = 0, nil
  for _, player in ipairs(players.list()) do
    if player.is_local then
      count = count + 1
      if player.number == number then place = count end
    end
  end
  return count > 1 and place or nil
end

function M.find_hero(number)
  for e in world.each "hero" do
    if e.hero.player == number then return e end
  end
end

-- Returns the bag of a player. Spawns a bag if the player has none.
function M.find_bag(number)
  for e in world.each { "bag", "owned" } do
    if e.owned.player == number then return e end
  end
  return world.spawn("bag", { owned = { player = number } })
end

-- Shows a text that rises from a hero or an object. `text`: a string, or a reference by tr.key.
function M.show_popup(e, text)
  local transform = e.transform
  local popup = world.spawn("popup", { transform = { x = transform.x, y = transform.y - 22 }, text = { value = text } })
  world.tween(popup, "transform.y", transform.y - 36, 0.9, "sine_out")
end

-- Shows a villager's text for six seconds.
function M.say(folk, text)
  folk.speech.text, folk.speech.left = text, 6
end

return M
