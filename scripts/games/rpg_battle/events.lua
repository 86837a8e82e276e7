-- Events emitted by systems, parts and buttons.
local t = shoal.types
return {
  go = { to = "title", begins = false }, -- begins: true if a new game begins
  deal = {}, compare = {}, dawn = {}, burst = { kind = "cut", x = 0, y = 0, words = "" },
  hurt = { target = t.entity, points = 0, kind = "cut" }, -- negative `points` heal
  play = {}, card1 = {}, card2 = {}, card3 = {},
}
