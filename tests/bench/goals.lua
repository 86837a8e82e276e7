-- The goals of ./shoal bench --goals. Maps the key of a case, or the name of a benchmark whose case has no key, to rows
-- in the format of workloads.lua. With --goals, these rows replace the rows of the case. For a row with `absolute`, the
-- goal `reach` is a value, even if the row has `c`.

local function entity_row(what, name, goal, plain)
  return { what = what, value = "entity." .. name, c = plain and "entity.plain_" .. plain, reach = goal,
    absolute = plain and true or nil }
end

local function flecs_row(what, name, peer, reach)
  return { what = what, value = "entity." .. name, c = "flecs." .. peer, of = "flecs", reach = reach }
end

return {
  ai = {
    { what = "an AI with an enum, LuaJIT", value = "lua.think", c = "plain.c", reach = 55, absolute = true },
    { what = "  native", value = "shoal.think", c = "plain.c", reach = 5, absolute = true },
  },
  hierarchy = {
    { what = "transform.world", value = "shoal.locate", c = "plain.c", reach = 120, absolute = true },
    { what = "world_x and world_y, LuaJIT", value = "lua.place", c = "plain.c", reach = 15, absolute = true },
    { what = "  native", value = "shoal.place", c = "plain.c", reach = 5, absolute = true },
  },
  paths = { { what = "path costs, native", value = "shoal.b_sweep", c = "plain.c", reach = 9, absolute = true } },
  nbody = {
    { what = "N-body, double", value = "shoal.pull", c = "plain.double", reach = 1200, absolute = true },
    { what = "  single", value = "shoal.pull_single", c = "plain.single", reach = 450, absolute = true },
  },
  optional = {
    { what = "optional columns, native", value = "shoal.burn", c = "plain.c", reach = 1, absolute = true },
  },
  hits = { { what = "world.emit, native", value = "shoal.attack", c = "plain.attack", reach = 1.5, absolute = true } },
  overlap = {
    { what = "two of the components, single precision", value = "shoal.two_single", c = "plain.two", reach = 2.2 },
    { what = "  update", value = "shoal.two_update", c = "plain.two", reach = 2.2 },
    { what = "three, single precision", value = "shoal.three_single", c = "plain.three", reach = 2.2 },
    { what = "  update", value = "shoal.three_update", c = "plain.three", reach = 2.2 },
  },
  read_1m = {
    { what = "world.lookup, native", value = "shoal.a_lookup", c = "plain.c", reach = 4 },
    { what = "  LuaJIT", value = "lua.a_lookup", c = "plain.c", reach = 10 },
    { what = "e.health.hp, native", value = "shoal.b_handle", c = "plain.c", reach = 4 },
    { what = "  LuaJIT", value = "lua.b_handle", c = "plain.c", reach = 16 },
  },
  towers = {
    { what = "world.nearest", value = "shoal.shoot", c = "plain.shoot", reach = 10 },
  },
  crafting = {
    { what = "world.who_targets in each", value = "shoal.make", c = "plain.make", reach = 10 },
    { what = "  LuaJIT", value = "lua.make", c = "plain.make" },
  },
  sparks_100k = { { what = "particles with destroy: two workers", value = "faster", unit = "times", reach = 1.3,
    at_least = true } },
  entity = {
    entity_row("create with two components", "create", 150, "create"),
    entity_row("  with four queries", "create_four", 150, "create"),
    entity_row("create many", "bulk_create", 10, "create"),
    flecs_row("  without queries", "bulk_create_bare", "bulk_create", 1),
    entity_row("destroy many, with four queries", "bulk_destroy", 25, "destroy"),
    entity_row("  the first half of a list", "bulk_destroy_half", 25, "destroy"),
    entity_row("remove, with four queries", "remove_four", 200, "remove"),
    { what = "  one of them a group, against none", value = "entity.remove_group", c = "entity.remove_four",
      of = "none", reach = 2 },
    entity_row("SHOAL_GET", "read", 30, "read"),
    entity_row("SHOAL_SET", "write", 35, "write"),
    entity_row("destroy, with four queries", "destroy_four", 250, "destroy"),
    flecs_row("destroy, without queries", "destroy", "destroy", 2),
    flecs_row("shoal_has, in order of the rows", "has_in_order", "has_in_order", 1.5),
    flecs_row("SHOAL_GET, in order of the rows", "get_in_order", "get_in_order", 1.5),
    flecs_row("  shoal_get, one field", "get_field_in_order", "get_in_order", 1.5),
  },
  entity_1m = { entity_row("1M: destroy, with four queries", "destroy_four", 700, "destroy") },
  relation = {
    { what = "pairs of one target, after a change", value = "shoal.c_pairs", c = "flecs.pairs", of = "flecs",
      reach = 2 },
    { what = "  unchanged", value = "shoal.c_pairs_again", c = "flecs.pairs", of = "flecs", reach = 2 },
  },
  state = {
    { what = "shoal_snapshot", value = "state.take", unit = "ms", c = "state.memcpy", of = "memcpy", reach = 1.3 },
    { what = "shoal_restore", value = "state.restore", unit = "ms", c = "state.memcpy", of = "memcpy", reach = 2.2 },
    { what = "rollback of eight ticks, every fourth state", value = "state.rollback_fourth", unit = "ms",
      c = "state.memcpy", of = "memcpy", reach = 6, absolute = true },
  },
  history = {
    { what = "Asteroids with history, main thread", value = "asteroids_main", unit = "times", reach = 1.2 },
    { what = "  all threads", value = "asteroids_process", unit = "times", reach = 1.5 },
    { what = "Bounty Hunter with history, main thread", value = "bounty_hunter_main", unit = "times", reach = 1.2 },
    { what = "  all threads", value = "bounty_hunter_process", unit = "times", reach = 1.5 },
  },
  start = {
    { what = "Asteroids to its first picture, in memory", value = "frame.process", unit = "ms", reach = 150 },
    { what = "  packaged, in a window", value = "first.picture", unit = "ms" },
    { what = "an empty game, headless", value = "empty.process", unit = "ms" },
  },
  memory = { { what = "memory of an entity of 40 bytes, at the peak", value = "peak", unit = "bytes", reach = 105 } },
}
