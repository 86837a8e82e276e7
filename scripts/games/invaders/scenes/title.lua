-- The title screen: falling letters, one invader of each kind and the saucer, and the menu.
local looks, row_colour = assets.json "looks.json", require("lib.looks").row_colour
local TITLE = "INTRUDERS"

local entities = { { assemblage = "eye" }, { assemblage = "title_menu", components = { transform = { y = 140 } } } }
for i = 1, #TITLE do
  entities[#entities + 1] = { assemblage = "letter", name = "letter " .. i,
    components = { transform = { x = 640 + (i - (#TITLE + 1) / 2) * 112, y = -160 },
      text = { value = TITLE:sub(i, i), colour = row_colour(i, 1) } } }
end
for i, clip in ipairs { "squid", "crab", "octopus", "saucer" } do
  entities[#entities + 1] = { assemblage = "guest", components = { transform = { x = 605 + (i - 2.5) * 210 },
    animation = { clip = clip }, sprite = { tint = i == 4 and looks.red or row_colour(i * 2 - 1, 1) } } }
end

return {
  entities = entities,
  start = function()
    for i = 1, #TITLE do
      world.tween(world.find("letter " .. i), "transform.y", 84, 0.9, "bounce_out", { delay = 0.08 * i })
    end
  end,
}
