-- Moves the bounties of a train into the stash one by one. The n-th bounty delivered in a row is worth n - 1 more.
local looks = assets.json "looks.json"
local NEAR, EVERY = 62, 0.11 -- NEAR: maximum distance in pixels; EVERY: seconds between two bounties
return {
  when = { match = { phase = { "title", "hunt" } } },
  query = { "hunter", "train", "transform" },
  each = function(e, dt)
    local train, at, home = e.train, e.transform, e.hunter.home
    local own, dx, dy = home.stash, home.transform.x - at.x, home.transform.y - at.y
    train.wait = train.wait - dt
    if train.load == 0 or dx * dx + dy * dy > NEAR * NEAR then own.row = 0 end
    if train.load == 0 or dx * dx + dy * dy > NEAR * NEAR or train.wait > 0 then return end
    local last, worth = train.last, train.last.bounty.value + own.row
    train.wait, train.load, train.last = EVERY, train.load - 1, last.carried.after
    own.gold, own.row = own.gold + worth, own.row + 1
    world.emit("stashed", { x = last.transform.x, y = last.transform.y, many = own.row, worth = worth,
      number = own.number, player = own.player })
    last:destroy()
    if own.gold >= looks.full then world.emit("stash_full") end
  end,
}
