-- Draws the open deal of a player of this machine: both offers, the selected good, and the agreements.
local deals, menus, people = require "lib.deals", require "menus", require "lib.people"
local X, Y, WIDTH, HEIGHT, COLUMN = 76, 62, 168, 74, 84

-- Draws the offer of one hero. Only the hero's player sees the contents of the bag.
local function draw_side(e, x)
  local is_own = menus.is_local(e.hero.player)
  local name = menus.name_player(e.hero.player) or tr("menus.player", { n = e.hero.player })
  draw.colour "#ffe186"
  draw.text(name, x + COLUMN / 2, Y + 5, 8, "center")
  for i, good in ipairs(deals.GOODS) do
    local y = Y + 11 + i * 13
    if is_own and e.deal.row == i then
      draw.colour "#3a2230"
      draw.rect(x + 8, y - 5, COLUMN - 16, 12)
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

-- Returns true if this machine shows the deal from the view of this hero. Two players of one machine share a view.
local function is_shown(e)
  if not menus.is_local(e.hero.player) or not deals.is_open(e) then return false end
  local other = e.deal.with.hero.player
  return not menus.is_local(other) or e.hero.player < other
end

return {
  phase = "render",
  query = { "deal", "hero" },
  each = function(e)
    if not is_shown(e) then return end
    draw.space "screen"
    draw.layer(24)
    draw.font "pixels.ttf"
    for inset, colour in ipairs { "#0e0b16", "#f0a456", "#1f1b33" } do
      draw.colour(colour)
      draw.rect(X - 3 + inset, Y - 3 + inset, WIDTH + 6 - 2 * inset, HEIGHT + 6 - 2 * inset)
    end
    draw.colour "#575a84"
    draw.rect(X + COLUMN, Y + 6, 1, HEIGHT - 12)
    draw_side(e, X)
    draw_side(e.deal.with, X + COLUMN)
    draw.colour "#f3ead2"
    draw.text_style { outline = "#0e0b16", outline_width = 1 }
    local controls = people.find_controls(e.hero.player)
    draw.text(tr("deal.offer", { walk = menus.name_control({ "go_y-", "go_x-", "go_y+", "go_x+" }, controls) }), 160,
      Y - 17, 8, "center")
    draw.text(tr("deal.keys", { use = input.prompt("use", controls), back = input.prompt("back", controls) }), 160,
      Y + HEIGHT + 8, 8, "center")
    draw.text_style()
  end,
}
