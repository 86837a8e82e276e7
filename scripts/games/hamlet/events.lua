-- Events exchanged between systems, and with the operator of a served world.
local t = shoal.types

return {
  go = { to = t.enum { "title", "demo", "playing" } },
  begin = {}, more_players = {},
  arrived = { hero = t.entity },
  used = { hero = t.entity, object = t.entity },
  -- One player's part of a trade: the goods or coins given. buyer: name of the other player; empty: the smith.
  trade = { player = t.i32(0), buyer = "", ore = t.i32(0), gold = t.i32(0), coins = t.i32(0) },
  -- Emitted by the operator: ./shoal world DB emit town gift '{"name": "Ada", "good": "gold", "amount": 3}'.
  -- name: name of a player; empty: all players of the room.
  gift = { name = "", good = t.enum { "coins", "gold", "ore" }, amount = t.i32(1) },
  found = { hero = t.entity, good = t.enum { "ore", "gold" }, x = 0, y = 0 },
}
