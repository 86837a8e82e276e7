-- Changes the language every two seconds and the number of apples twice a second, until the player uses a widget.
local LANGUAGES = { "en", "de", "pl", "ru" }

return {
  update = function()
    local basket = world.single.basket
    if basket.shown and world.tick % 30 == 0 then basket.apples = (basket.apples + 1) % 31 end
    if basket.shown and world.tick % 120 == 0 then settings.language = LANGUAGES[world.tick / 120 % #LANGUAGES + 1] end
  end,
  on = { changed = function() world.single.basket.shown = false end },
}
