-- Moves the bounties of a train into the stash one by one. The bonus is 0 for the first, 1 for the second, 2 for the
-- third, and so on.
local looks = assets.json "looks.json"
local NEAR, EVERY = 62, 0.11 -- NEAR: maximum distance in pixels; EVERY: seconds between two bounties
return {
  when = { match = { phase = { "title", "hunt" } } },
  query = { "hunter", "transform" },
  each = function(e, dt)
    local hunter, at, home = e.hunter, e.transform, e.hunter.home
    local own, dx, dy = home.stash, home.transform.x - at.x, home.transform.y - at.y
    hunter.wait = hunter.wait - dt
    if hunter.load == 0 or dx * dx + dy * dy > NEAR * NEAR then own.row = 0 end
    if hunter.load == 0 or dx * dx + dy * dy > NEAR * NEAR or hunter.wait > 0 then return end
    local last, worth = hunter.last, hunter.last.bounty.value + own.row
    hunter.wait, hunter.load, hunter.last = EVERY, hunter.load - 1, last.carried.after
    own.gold, own.row = own.gold + worth, own.row + 1
    world.emit("stashed", { x = last.transform.x, y = last.transform.y, many = own.row, worth = worth,
      number = own.number, player = own.player })
    last:destroy()
    if own.gold >= looks.full then world.emit("stash_full") end
  end,
}
