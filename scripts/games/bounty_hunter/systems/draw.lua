-- Draws everything that is not an entity: the gold in the stashes, shadows, the rings of players' hunters, the
-- sun, the day's result and the poster.
local looks, menu, draw_phase, TAU = assets.json "looks.json", require "menu", {}, 2 * math.pi

local function draw_text(value, x, y, size, align, colour)
  draw.colour(colour or looks.ink)
  draw.text(value, x, y, size, align or "center")
end
local function get_name(stash, match)
  if stash.player == 0 then return looks.names[stash.number] elseif match.players == 1 then return "@menu.you" end
  return menu.name_player(stash.player) or tr("menu.player", { n = stash.player })
end
-- Each hunter has an emblem beside its colour: a star, a square, a triangle, a cross.
local EMBLEMS = {
  { 0, -10, 2.6, -3.6, 9.5, -3.1, 4.2, 1.4, 5.9, 8.1, 0, 4.4, -5.9, 8.1, -4.2, 1.4, -9.5, -3.1, -2.6, -3.6 },
  { -7, -7, 7, -7, 7, 7, -7, 7 },
  { 0, -9, 9, 7, -9, 7 },
  { -3, -9, 3, -9, 3, -3, 9, -3, 9, 3, 3, 3, 3, 9, -3, 9, -3, 3, -9, 3, -9, -3, -3, -3 },
}
local function draw_emblem(number, x, y, size, colour)
  local points = {}
  for i, v in ipairs(EMBLEMS[number]) do points[i] = (i % 2 == 1 and x or y) + v * size end
  draw.colour(colour)
  draw.polygon(points, true)
end
local function draw_dots(x, y, radius, count, total, size) -- draws the first `count` dots of a circle of `total` dots
  for k = 0, count - 1 do
    local angle = k / total * TAU - TAU / 4
    draw.circle(x + math.cos(angle) * radius, y + math.sin(angle) * radius, size)
  end
end
local function draw_stash(stash, transform, match)
  draw.colour(looks.gold)
  draw_dots(transform.x, transform.y, 70, math.min(36, stash.gold / looks.full * 36), 36, 5)
  draw_emblem(stash.number, transform.x, transform.y, 2.6, looks.emblem)
  draw.colour(1, 1, 1)
  for k = 1, math.min(22, math.ceil(stash.gold / 6)) do
    local x, y = transform.x + math.cos(k * 2.4) * 7.5 * math.sqrt(k),
      transform.y + math.sin(k * 2.4) * 7.5 * math.sqrt(k)
    draw.image("figures.png", x, y, 0, 0.8, 0.8, 6)
  end
  local label = match.phase ~= "title" and tr("purse", { name = get_name(stash, match), n = stash.gold }) or ""
  draw_text(label, transform.x, transform.y < 360 and transform.y + 80 or transform.y - 118, 26)
end
-- Draws mirrored copies of the ground beyond the field, up to the edges of the window.
local function draw_surroundings()
  local left, top = window.area()
  local columns, rows = math.ceil(-left / 1280), math.ceil(-top / 720)
  draw.layer(-5)
  draw.colour(1, 1, 1)
  for column = -columns, columns do
    for row = -rows, rows do
      local scale_x, scale_y = column % 2 == 0 and 1 or -1, row % 2 == 0 and 1 or -1
      if column ~= 0 or row ~= 0 then
        draw.image("ground.png", 640 + column * 1280, 360 + row * 720, 0, scale_x, scale_y)
      end
    end
  end
end
local function draw_shadows(q)
  for _, rows in ipairs { q.riders, q.loot } do
    local transform, tint, radius = rows.transform, rows.sprite.tint, rows == q.loot and 12 or 21
    for i = 1, rows.count do
      draw.colour(0.2, 0.1, 0.1, 0.22 * tint.a[i]) -- a bounty's shadow fades together with the bounty
      draw.circle(transform.x[i] + 4, transform.y[i] + 7, radius * transform.scale_x[i])
    end
  end
  -- The ring around a player's hunter closes as the time until the next dash runs out.
  for e in world.each("hunter", "dash", "transform") do
    local count = e.hunter.home.stash.player > 0 and 24 - math.max(0, e.dash.rest) * 22 or 0
    draw.colour(looks.ink)
    draw_dots(e.transform.x, e.transform.y, 36, count, 24, 4.5)
    draw.colour(looks.white)
    draw_dots(e.transform.x, e.transform.y, 36, count, 24, 2.5)
  end
end
-- Draws an arrow that points down (`way` 1) or up (-1).
local function draw_arrow(x, y, way, colour)
  draw.colour(looks.white)
  draw.polygon({ x - 17, y - 3 * way, x + 17, y - 3 * way, x, y + 18 * way }, true)
  draw.colour(colour)
  draw.polygon({ x - 12, y, x + 12, y, x, y + 14 * way }, true)
end
local function draw_outlined(value, x, y, colour)
  draw.text_style { outline = "#fff8e0", outline_width = 5 }
  draw_text(value, x, y, 24, "center", colour)
  draw.text_style()
end
-- Draws the emblems on the hats, and an arrow with a name above each player's hunter.
local function draw_marks(match)
  draw.layer(4)
  for e in world.each("hunter", "transform") do
    local stash, x, y = e.hunter.home.stash, e.transform.x, e.transform.y
    draw_emblem(stash.number, x, y, 0.95, looks.ink)
    draw_emblem(stash.number, x, y, 0.7, looks.white)
    if stash.player > 0 then
      local way = y < 130 and -1 or 1 -- at the upper edge, the mark is below the hunter
      local top, colour = y - way * 62 + 4 * math.sin(world.tick * 0.12), looks.colours[stash.number]
      draw_arrow(x, top, way, colour)
      local name = match.players == 1 and "@menu.you" or tostring(stash.player)
      draw_outlined(name, x, top + (way > 0 and -34 or 4), colour)
      if e.train.load >= 3 and stash.gold == 0 and match.phase == "hunt" then
        local home = e.hunter.home.transform
        draw_arrow(home.x, home.y - 96, 1, colour)
        draw_outlined(tr "bring_here", home.x, home.y - 132, colour)
      end
    end
  end
  for e in world.each("outlaw", "transform") do
    local x, y = e.transform.x, e.transform.y + 28
    if match.phase == "hunt" then draw_outlined(tr("ram_outlaw", { n = looks.outlaw }), x, y, looks.red) end
  end
end
function draw_phase.hunt(match)
  local is_late = match.left < 10
  local size = 1 + (is_late and 0.2 * math.sin(match.left * TAU) or 0)
  draw.colour(looks.faint)
  draw.line(440, 34, 840, 34, 3)
  draw.colour(1, is_late and 0.6 or 1, 1)
  draw.image("figures.png", 840 - 400 * match.left / looks.day, 34, world.time * 0.4, size, size, 15)
  draw_text(math.max(0, math.ceil(match.left)), 868, 16, 30, "left", is_late and looks.red)
  draw_text(tr("day", { n = match.day }), 412, 18, 26, "right")
  local left = math.ceil(match.left)
  if left > 5 or left < 1 then return end
  local red = looks.red -- colour of the last seconds, which pulse in the middle of the screen
  draw_text(left, 640, 250, 150, "center", { red[1], red[2], red[3], 0.25 + 0.35 * (match.left % 1) })
end
function draw_phase.tally(match)
  local list = {}
  for e in world.each("stash") do list[#list + 1] = e.stash end
  table.sort(list, function(a, b) return a.gold > b.gold or a.gold == b.gold and a.number < b.number end)
  draw.image("poster.png", 650, 370)
  draw.image("figures.png", 640, 228, math.sin(world.time * 1.3) * 0.15 - TAU / 4, 2.4, 2.4, list[1].number)
  draw_text(tr "tally.heading", 640, 66, 64)
  for i, stash in ipairs(list) do
    local y, is_leaving = 256 + 76 * i, stash.number == match.leaves and match.clock > 1 and match.players > 0
    draw.colour(1, 1, 1, is_leaving and 0.4 or 1)
    draw.image("figures.png", 500, y + 20, 0, 1, 1, stash.number)
    local is_warned = stash.player > 0 and match.warned and match.day == 1 and match.clock > 1
    local is_you = stash.player > 0 and match.players == 1
    local text = is_leaving and (is_you and "@tally.you_leave"
      or tr("tally.leaves", { name = get_name(stash, match) })) or is_warned and "@tally.you_are_warned"
      or get_name(stash, match)
    draw_text(text, 550, y, 28, "left", (is_leaving or is_warned) and looks.red)
    draw_text(stash.gold, 800, y, 28, "right")
  end
end
local RIDING = { "go_y-", "go_x-", "go_y+", "go_x+" }
-- Returns the text about one player's controls in a game of several players: the keys for riding, and the key for
-- ramming.
local function list_controls(player)
  return tr("title.keys_of_one", { ride = menu.name_control(RIDING, player), ram = input.prompt("dash", player) })
end
function draw_phase.title(match)
  local is_over, is_together, winner = match.phase == "over", #players.list() > 1, 0
  draw.image("poster.png", 650, 370)
  draw.image("figures.png", 640, 228, math.sin(world.time * 1.3) * 0.15 - TAU / 4, 2.4, 2.4, is_over and 1 or 5)
  for e in world.each("stash") do
    if e.stash.number ~= match.leaves then winner = math.max(winner, e.stash.player) end
  end
  local result = match.players == 0 and "@title.who"
    or winner == 0 and (is_together and "@over.all_leave" or "@over.you_leave")
    or match.players == 1 and "@over.town" or tr("over.stays", { name = get_name({ player = winner }, match) })
  local best = is_over and match.is_best and "@over.best"
    or settings.best > 0 and tr("title.best", { n = settings.best }) or ""
  local has_lost = match.players > 0 and winner == 0
  draw_text(not is_over and "@title.heading" or has_lost and "@over.lost" or "@over.won", 640, 66, 64)
  draw_text(is_over and result or "BOUNTY HUNTER", 640, 322, is_over and 34 or 46, "center", looks.red)
  draw_text(is_over and match.players > 0 and tr("over.gold", { n = match.purse }) or "", 640, 386, 26)
  draw_text(best, 640, is_over and 424 or 380, 22, "center", match.is_best and looks.red)
  draw_text(is_over and ""
    or is_together and not players.in_match()
      and tr("title.keys_of_two", { a = list_controls(1), b = list_controls(2) })
    or tr("title.keys", { ride = menu.name_control(RIDING), ram = input.prompt("dash") }), 640, 628, 17)
  draw_text(is_over and "" or menu.name_history_keys(), 640, 647, 15)
end
draw_phase.over = draw_phase.title
return {
  phase = "render",
  queries = { riders = { "transform", "sprite", any = { "hunter", "outlaw" } },
    loot = { "bounty", "transform", "sprite" } },
  update = function(q)
    local match = world.single.match
    local is_demo = match.players == 0 and match.phase ~= "title"
    local demo_prompt = is_demo and tr("menu.press_to_play", { key = input.prompt("skip") }) or ""
    draw.font("fonts/ui-bold.ttf")
    draw.layer(-2)
    for e in world.each("stash", "transform") do draw_stash(e.stash, e.transform, match) end
    draw_shadows(q)
    draw_marks(match)
    draw_surroundings()
    draw.layer(5)
    draw.colour(0.98, 0.91, 0.72, 0.88)
    if match.phase == "ready" then draw.rect(150, 256, 980, 152, true) end -- a plate behind the banners
    draw.space("screen")
    draw.layer(5)
    draw.colour(looks.white)
    if draw_phase[match.phase] then draw_phase[match.phase](match) end
    draw_text(demo_prompt, 640, 686, 22, "center", { 0.23, 0.13, 0.09, 0.65 + 0.25 * math.sin(world.tick * 0.08) })
  end,
}
