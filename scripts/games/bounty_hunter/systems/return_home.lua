-- Returning hunters head for their stash until it has taken all their bounties.
local heading = require "lib.heading"
return {
  before = "walk",
  after = "seek",
  when = { match = { phase = { "title", "hunt" } } },
  query = { "returns", "hunter", "train", "intent", "transform" },
  each = function(e)
    heading.head(e, e.hunter.home.transform, false)
    if e.train.load == 0 then e:enter("seeking") end
  end,
}
