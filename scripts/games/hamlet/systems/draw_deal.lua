-- Draws the open deal of a local player: both offers, the selected good, and the agreements.
local deals, menus, people = require "lib.deals", require "menus", require "lib.people"
local X, Y, WIDTH, HEIGHT, COLUMN = 76, 62, 168, 74, 84

local function draw_side(e, x, is_own)
  local player = people.find_player(e.hero.player)
  local name = menus.name_player(e.hero.player) or tr("menus.player", { n = player and player.number or 1 })
  draw.colour "#ffe186"
  draw.text(name, x + COLUMN / 2, Y + 5, 8, "center")
  for i, good in ipairs(deals.GOODS) do
    local y = Y + 11 + i * 13
    if is_own and e.deal.row == i then
      draw.colour "#3a2230"
      draw.rect(x + 8, y - 5, COLUMN - 16, 12, true)
    end
    draw.colour(1, 1, 1)
    draw.image("goods.png", x + 20, y + 1, 0, 1, 1, i)
    draw.colour(is_own and e.deal.row == i and "#ffe186" or "#f3ead2")
    local amount = is_own and ("%d / %d"):format(e.deal[good], e.hero.bag.bag[good]) or tostring(e.deal[good])
    draw.text(amount, x + 34, y - 3, 8, "left")
  end
  draw.colour(e.deal.agreed and "#98c85c" or "#8c93b4")
  draw.text(tr(e.deal.agreed and "deal.agreed" or "deal.thinks"), x + COLUMN / 2, Y + HEIGHT - 13, 8, "center")
end

return {
  phase = "render",
  query = { "deal", "hero" },
  each = function(e)
    if not menus.is_local(e.hero.player) or not deals.is_open(e) then return end
    draw.space "screen"
    draw.layer(24)
    draw.font "pixels.ttf"
    draw.colour "#0e0b16e8"
    draw.rect(X - 3, Y - 3, WIDTH + 6, HEIGHT + 6, true)
    draw.colour "#f0a456"
    draw.rect(X, Y, WIDTH, HEIGHT)
    draw.rect(X + COLUMN, Y + 6, 1, HEIGHT - 12, true)
    draw_side(e, X, true)
    draw_side(e.deal.with, X + COLUMN, false)
    draw.colour "#8c93b4"
    draw.text(tr("deal.keys", { use = input.prompt("use", e.hero.player), back = input.prompt("back", e.hero.player) }),
      160, Y + HEIGHT + 6, 8, "center")
  end,
}
