-- Moves the choice and opens the game that is chosen.
local layout = require("layout")

return {
  phase = "input",
  update = function()
    local games, choice = menu.games(), world.single.choice
    local before = choice.index
    if input.pressed("down") then
      choice.index = choice.index % math.max(#games, 1) + 1
    elseif input.pressed("up") then
      choice.index = (choice.index - 2) % math.max(#games, 1) + 1
    end
    local _, mouse_y = input.mouse()
    local pointed = layout.row_at(mouse_y)
    if input.pressed("click") and games[pointed] then
      choice.index = pointed
    end
    if input.pressed("quit") then
      world.quit()
    elseif games[choice.index]
      and (input.pressed("choose") or (input.pressed("click") and pointed == choice.index)) then
      menu.open(games[choice.index].folder)
    elseif before ~= choice.index then
      log.info("menu: %s", games[choice.index].name)
    end
  end,
}
