-- Draws everything that is not an entity: the gold in the stashes, shadows, the rings of players' hunters, the
-- sun, the day's result and the poster.
local looks, shows, TAU = assets.json "looks.json", {}, 2 * math.pi

local function draw_text(words, x, y, size, align, colour)
  draw.colour(colour or looks.ink)
  draw.text(words, x, y, size, align or "center")
end
local function name_of(own, match)
  return own.player == 0 and looks.names[own.number] or match.players == 1 and "You" or "Player " .. own.player
end
local function draw_dots(x, y, radius, count, total, size) -- draws the first `count` dots of a circle of `total` dots
  for k = 0, count - 1 do
    local angle = k / total * TAU - TAU / 4
    draw.circle(x + math.cos(angle) * radius, y + math.sin(angle) * radius, size)
  end
end
local function draw_stash(own, at, match)
  draw.colour(looks.gold)
  draw_dots(at.x, at.y, 70, math.min(36, own.gold / looks.full * 36), 36, 5)
  draw.colour(1, 1, 1)
  for k = 1, math.min(22, math.ceil(own.gold / 6)) do
    local x, y = at.x + math.cos(k * 2.4) * 7.5 * math.sqrt(k), at.y + math.sin(k * 2.4) * 7.5 * math.sqrt(k)
    draw.image("figures.png", x, y, 0, 0.8, 0.8, 6)
  end
  local words = match.phase ~= "title" and name_of(own, match) .. "  " .. own.gold or ""
  draw_text(words, at.x, at.y < 360 and at.y + 80 or at.y - 118, 26)
end
local function draw_shadows(q)
  for _, rows in ipairs { q.riders, q.loot } do
    local at, tint, radius = rows.transform, rows.sprite.tint, rows == q.loot and 12 or 21
    for i = 1, rows.count do
      draw.colour(0.2, 0.1, 0.1, 0.22 * tint.a[i]) -- the shadow of a bounty fades with it
      draw.circle(at.x[i] + 4, at.y[i] + 7, radius * at.scale_x[i])
    end
  end
  draw.colour(looks.white)
  -- the ring around a player's hunter closes when the hunter can dash
  for e in world.each("hunter", "dash", "transform") do
    local count = e.hunter.home.stash.player > 0 and 24 - math.max(0, e.dash.rest) * 22 or 0
    draw_dots(e.transform.x, e.transform.y, 34, count, 24, 3)
  end
end
function shows.hunt(match)
  local hot = match.left < 10
  local size = 1 + (hot and 0.2 * math.sin(match.left * TAU) or 0)
  draw.colour(looks.faint)
  draw.line(440, 34, 840, 34, 3)
  draw.colour(1, hot and 0.6 or 1, 1)
  draw.image("figures.png", 840 - 400 * match.left / looks.day, 34, world.time * 0.4, size, size, 15)
  draw_text(math.max(0, math.ceil(match.left)), 868, 16, 30, "left", hot and looks.red)
  draw_text("Day " .. match.day, 412, 18, 26, "right")
end
function shows.tally(match)
  local list = {}
  for e in world.each("stash") do list[#list + 1] = e.stash end
  table.sort(list, function(a, b) return a.gold > b.gold or a.gold == b.gold and a.number < b.number end)
  draw.image("poster.png", 650, 370)
  draw.image("figures.png", 640, 228, math.sin(world.time * 1.3) * 0.15 - TAU / 4, 2.4, 2.4, list[1].number)
  draw_text("SUNSET", 640, 66, 64)
  for i, own in ipairs(list) do
    local y, out = 256 + 76 * i, own.number == match.leaves and match.clock > 1 and match.players > 0
    draw.colour(1, 1, 1, out and 0.4 or 1)
    draw.image("figures.png", 500, y + 20, 0, 1, 1, own.number)
    draw_text(name_of(own, match) .. (out and " leaves" or ""), 550, y, 28, "left", out and looks.red)
    draw_text(own.gold, 800, y, 28, "right")
  end
end
function shows.title(match)
  local over, stays = match.phase == "over", 0
  draw.image("poster.png", 650, 370)
  draw.image("figures.png", 640, 228, math.sin(world.time * 1.3) * 0.15 - TAU / 4, 2.4, 2.4, over and 1 or 5)
  for e in world.each("stash") do
    if e.stash.number ~= match.leaves then stays = math.max(stays, e.stash.player) end
  end
  local result = match.players == 0 and "And who are you?" or stays == 0 and "You have to leave town"
    or match.players == 1 and "The town is yours!" or "Player " .. stays .. " stays!"
  local best = over and match.is_best and "Fullest purse ever!" or "Fullest purse: " .. settings.best
  draw_text(over and "REWARD" or "WANTED", 640, 66, 64)
  draw_text(over and result or "BOUNTY HUNTER", 640, 322, over and 40 or 46, "center", looks.red)
  draw_text(over and match.players > 0 and "Gold brought home: " .. match.purse or "", 640, 386, 26)
  draw_text(best, 640, over and 424 or 380, 22, "center", match.is_best and looks.red)
  draw_text(over and "" or "Ride: WASD, arrows or pads     Ram: Space", 640, 646, 17)
end
shows.over = shows.title
return {
  phase = "render",
  queries = { riders = { "transform", "sprite", any = { "hunter", "outlaw" } },
    loot = { "bounty", "transform", "sprite" } },
  update = function(q)
    local match = world.single.match
    local demo = match.players == 0 and match.phase ~= "title" and "Press " .. input.prompt("skip") .. " to play" or ""
    draw.font("fonts/ui-bold.ttf")
    draw.layer(-2)
    for e in world.each("stash", "transform") do draw_stash(e.stash, e.transform, match) end
    draw_shadows(q)
    draw.space("screen")
    draw.layer(5)
    if shows[match.phase] then shows[match.phase](match) end
    draw_text(demo, 640, 686, 22, "center", { 0.23, 0.13, 0.09, 0.65 + 0.25 * math.sin(world.tick * 0.08) })
  end,
}
