-- The towns: the kind of goods that each produces, its position and its colour.
return {
  { good = "fish", x = 170, y = 560, colour = { 0.3, 0.7, 1, 1 } },
  { good = "salt", x = 260, y = 190, colour = { 0.9, 0.9, 0.95, 1 } },
  { good = "silk", x = 640, y = 330, colour = { 1, 0.4, 0.7, 1 } },
  { good = "wine", x = 1040, y = 160, colour = { 0.75, 0.2, 0.4, 1 } },
  { good = "grain", x = 1130, y = 560, colour = { 1, 0.8, 0.3, 1 } },
  { good = "tea", x = 620, y = 630, colour = { 0.4, 0.85, 0.45, 1 } },
}
