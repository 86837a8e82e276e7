-- Draws the contents of the bags of this machine's players, the name of the room, hints for newcomers, and the texts of
-- the title and the demo.
local deals, menus, people = require "lib.deals", require "menus", require "lib.people"
local TITLE = 2.6 -- seconds for which the name of a room is shown
local MANY = 4 -- minimum number of pieces of ore and gold for the hint to return to town

local function draw_outlined(text, x, y, size, align)
  draw.text_style { outline = "#0e0b16", outline_width = 1 }
  draw.text(text, x, y, size or 8, align or "center")
  draw.text_style()
end

-- Draws the contents of a bag, with the middle of the line at y.
local function draw_bag(bag, y)
  draw.colour "#0e0b16a0"
  draw.rect(3, y - 7, 108 + 9 * bag:child("pick").pick.level, 14)
  for i, good in ipairs { "ore", "gold", "coins" } do
    local x = 5 + (i - 1) * 34
    draw.colour(1, 1, 1)
    draw.image("goods.png", x + 6, y, 0, 1, 1, i)
    draw.colour "#f3ead2"
    draw_outlined(tostring(bag.bag[good]), x + 14, y - 4, 8, "left")
  end
  draw.colour(1, 1, 1)
  for i = 1, bag:child("pick").pick.level do draw.image("goods.png", 99 + i * 9, y, 0, 1, 1, 4) end
end

local function draw_bags()
  local y = 11
  for _, player in ipairs(players.list()) do
    local hero = player.is_local and people.find_hero(player.number)
    if hero and hero.hero.bag:alive() then
      draw_bag(hero.hero.bag, y)
      y = y + 15
    end
  end
end

-- Draws the keys of a player; `controls`: the controls of one of several players of this machine.
local function draw_keys(y, controls)
  draw.colour "#f3ead2"
  draw_outlined(tr("title.keys", { walk = menus.name_control({ "go_y-", "go_x-", "go_y+", "go_x+" }, controls),
    use = input.prompt("use", controls or 1) }), 160, y)
end

local function draw_title()
  draw.colour(1, 1, 1)
  draw.image("title.png", 160, 34 + math.floor(1.6 * math.sin(world.tick * 0.028) + 0.5))
  draw_keys(156)
  draw_outlined(menus.name_history_keys(), 160, 167)
end

local function draw_place(play)
  local elapsed = (world.tick - play.since) / 60
  if elapsed > TITLE then return end
  draw.colour(0.95, 0.92, 0.82, math.max(0, math.min(1, elapsed * 2, (TITLE - elapsed) * 2)))
  draw_outlined(tr("places." .. play.place), 160, 26, 16)
end

-- Returns the key of the string with a newcomer's next step, or nil if the hero has coins or a better pick, or trades.
local function find_hint(hero, place)
  local bag = hero.hero.bag.bag
  if bag.coins > 0 or hero.hero.bag:child("pick").pick.level > 1 or deals.is_open(hero) then return nil end
  local pieces = bag.ore + bag.gold
  if place == "town" then return pieces > 0 and "sell" or "mine" end
  return pieces >= MANY and "town" or "dig"
end

-- Draws the next step of the first player of this machine, and at the beginning the player's keys.
local function draw_hint(play)
  for _, player in ipairs(players.list()) do
    local hero = player.is_local and people.find_hero(player.number)
    if hero and hero.hero.bag:alive() then
      local hint, controls = find_hint(hero, play.place), people.find_controls(player.number)
      if not hint then return end
      if hint == "mine" then draw_keys(157, controls) end
      draw.colour "#ffe186"
      return draw_outlined(tr("hints." .. hint, { use = input.prompt("use", controls) }), 160, 168)
    end
  end
end

return {
  phase = "render",
  update = function()
    local play = world.single.play
    draw.space "screen"
    draw.layer(20)
    draw.font "pixels.ttf"
    if play.phase == "title" then
      if world.count "panel" == 1 then draw_title() end
      return
    end
    draw_bags()
    draw_place(play)
    if play.phase == "playing" then draw_hint(play) end
    if play.phase == "demo" and play.clock % 1.4 < 0.9 then
      draw.colour "#ffe186"
      draw_outlined(tr("title.demo", { key = input.prompt("start", 1) }), 314, 7, 8, "right")
    end
  end,
}
