-- Draws the names of heroes, the villagers' texts, and the prompt above the object that the local player can use.
local deals, menus, people, reach = require "lib.deals", require "menus", require "lib.people", require "lib.reach"
local WIDTH = 118 -- maximum width of a bubble, in pixels

-- Draws a text on a dark plate whose lower edge is at y, inside the picture.
local function draw_plate(text, x, y, colour, wrap)
  local width, height = draw.text_size(text, 8, wrap)
  x = math.max(width / 2 + 6, math.min(314 - width / 2, x))
  draw.colour "#0e0b16d0"
  draw.rect(x - width / 2 - 4, y - height - 4, width + 8, height + 5)
  draw.colour(colour)
  draw.text(text, x, y - height - 1, 8, "center", wrap)
end

local function draw_prompt(hero)
  local object = not deals.is_open(hero) and reach.find_object(hero)
  if not object or object:has "folk" and object.speech.left > 0 then return end
  local verb = object:has "vein" and "dig" or object:has "hero" and "trade" or object.folk.name == "smith" and "sell"
    or "talk"
  local key = input.prompt("use", people.find_controls(hero.hero.player))
  draw_plate(tr("prompts." .. verb, { key = key }), object.transform.x, object.transform.y - 20, "#ffe186")
end

return {
  phase = "render",
  update = function()
    local play = world.single.play
    draw.layer(12)
    draw.font "pixels.ttf"
    for e in world.each { "speech", "transform" } do
      if e.speech.left > 0 then draw_plate(e.speech.text, e.transform.x, e.transform.y - 20, "#f3ead2", WIDTH) end
    end
    if play.phase ~= "playing" then return end
    for e in world.each { "hero", "transform" } do
      local player = people.find_player(e.hero.player)
      local name = menus.name_player(e.hero.player)
      if name then
        draw.colour(player.colour.r, player.colour.g, player.colour.b)
        draw.text_style { outline = "#0e0b16", outline_width = 1 }
        draw.text(name, e.transform.x, e.transform.y - 27, 8, "center")
        draw.text_style()
      end
      if menus.is_local(e.hero.player) then draw_prompt(e) end
    end
  end,
}
