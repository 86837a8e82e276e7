-- Draws the names of heroes, the villagers' texts, and the prompt above the object that the local player can use.
local deals, labels, menus = require "lib.deals", require "lib.labels", require "menus"
local people, reach = require "lib.people", require "lib.reach"
local WIDTH = 102 -- maximum width of a bubble, in pixels: the bubbles of both villagers fit next to each other

-- Draws a text on a dark plate whose lower edge is at y, or higher where it would cover a label of `placed`.
local function draw_plate(placed, text, x, y, colour, wrap)
  local width, height = draw.text_size(text, 8, wrap)
  x, y = labels.place(placed, x, y + 1, width + 9, height + 6)
  draw.colour "#0e0b16d0"
  draw.rect(x - width / 2 - 4, y - height - 5, width + 8, height + 5)
  draw.colour(colour)
  draw.text(text, x, y - height - 2, 8, "center", wrap)
end

local function draw_name(placed, e)
  local player, name = people.find_player(e.hero.player), menus.name_player(e.hero.player)
  if not name then return end
  local x, y = labels.place(placed, e.transform.x, e.transform.y - 17, draw.text_size(name, 8) + 3, 10)
  draw.colour(player.colour.r, player.colour.g, player.colour.b)
  draw.text_style { outline = "#0e0b16", outline_width = 1 }
  draw.text(name, x, y - 10, 8, "center")
  draw.text_style()
end

-- Draws the names: first of the players of this machine, then of the heroes from the front to the back.
local function draw_names(placed)
  local heroes = {}
  for e in world.each { "hero", "transform" } do
    heroes[#heroes + 1] = { e = e, y = e.transform.y, is_local = menus.is_local(e.hero.player), n = e.hero.player }
  end
  table.sort(heroes, function(a, b)
    if a.is_local ~= b.is_local then return a.is_local end
    if a.y ~= b.y then return a.y > b.y end
    return a.n < b.n
  end)
  for _, hero in ipairs(heroes) do draw_name(placed, hero.e) end
end

-- Draws a request to trade above a hero who waits for a deal, if the deal concerns a player of this machine.
local function draw_request(placed, hero)
  local other = hero:has "deal" and not deals.is_open(hero) and hero.deal.with
  if not other or not other:alive() or not other:has "hero" then return end
  if not menus.is_local(hero.hero.player) and not menus.is_local(other.hero.player) then return end
  local name = menus.name_player(hero.hero.player) or tr("menus.player", { n = hero.hero.player })
  draw_plate(placed, tr("deal.asks", { name = name }), hero.transform.x, hero.transform.y - 20, "#f3ead2")
end

local function draw_prompt(placed, hero)
  local object = hero.hero.wait <= 0 and not deals.is_open(hero) and reach.find_object(hero)
  if not object or object:has "folk" and object.speech.left > 0 then return end
  if object:has "hero" and hero:has "deal" and hero.deal.with == object then return end
  local verb = object:has "vein" and "dig" or object:has "hero" and "trade" or object.folk.name == "smith" and "sell"
    or "talk"
  local key = input.prompt("use", people.find_controls(hero.hero.player))
  draw_plate(placed, tr("prompts." .. verb, { key = key }), object.transform.x, object.transform.y - 20, "#ffe186")
end

return {
  phase = "render",
  update = function()
    local placed, is_playing = {}, world.single.play.phase == "playing"
    draw.layer(12)
    draw.font "pixels.ttf"
    if is_playing then draw_names(placed) end
    for e in world.each { "speech", "transform" } do
      if e.speech.left > 0 then
        draw_plate(placed, e.speech.text, e.transform.x, e.transform.y - 20, "#f3ead2", WIDTH)
      end
    end
    if not is_playing then return end
    for e in world.each { "hero", "transform" } do draw_request(placed, e) end
    for e in world.each { "hero", "transform" } do
      if menus.is_local(e.hero.player) then draw_prompt(placed, e) end
    end
  end,
}
