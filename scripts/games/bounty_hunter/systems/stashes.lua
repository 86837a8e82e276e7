-- Moves the bounties of a train into the stash one by one. The n-th bounty delivered in a row is worth n - 1 more.
local looks = assets.json "looks.json"
local NEAR, EVERY = 62, 0.11 -- NEAR: maximum distance in pixels; EVERY: seconds between two bounties
return {
  when = { match = { phase = { "title", "hunt" } } },
  query = { "hunter", "train", "transform" },
  each = function(e, dt)
    local train, transform, home = e.train, e.transform, e.hunter.home
    local stash, dx, dy = home.stash, home.transform.x - transform.x, home.transform.y - transform.y
    train.wait = train.wait - dt
    if train.load == 0 or dx * dx + dy * dy > NEAR * NEAR then stash.row = 0 end
    if train.load == 0 or dx * dx + dy * dy > NEAR * NEAR or train.wait > 0 then return end
    local last_bounty, worth = train.last, train.last.bounty.value + stash.row
    train.wait, train.load, train.last = EVERY, train.load - 1, last_bounty.carried.after
    stash.gold, stash.row = stash.gold + worth, stash.row + 1
    world.emit("stashed", { x = last_bounty.transform.x, y = last_bounty.transform.y, many = stash.row, worth = worth,
      number = stash.number, player = stash.player })
    last_bounty:destroy()
    if stash.gold >= looks.full then world.emit("stash_full") end
  end,
}
