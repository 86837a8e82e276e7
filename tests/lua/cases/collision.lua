local seen = require("lib.seen")

local function spawn_circle(x, radius, more)
  local body = { radius = radius }
  for key, v in pairs(more or {}) do
    body[key] = v
  end
  return world.spawn(nil, { transform = { x = x }, body = body })
end

-- Returns the contacts of the most recent tick, each as "a-b" with indices in `es`.
local function collect_contacts(t, es)
  t.wait(2)
  seen.contacts = {}
  seen.want.contacts = true
  t.wait()
  seen.want.contacts = nil
  local number, out = {}, {}
  for i, e in ipairs(es) do
    number[e] = i
  end
  for _, c in ipairs(seen.contacts) do
    out[#out + 1] = number[c.a] .. "-" .. number[c.b]
  end
  return table.concat(out, " ")
end

local function destroy_all(t, es)
  for _, e in ipairs(es) do
    e:destroy()
  end
  t.wait(2)
end

return {
  inside = {
    ["overlapping bodies emit an event with contact data"] = function(t)
      local es = { spawn_circle(0, 10), spawn_circle(15, 10), spawn_circle(100, 10) }
      t.equal(collect_contacts(t, es), "1-2")
      local c = seen.contacts[1]
      t.near(c.depth, 5)
      t.near(c.nx, 1)
      t.near(c.ny, 0)
      t.near(c.x, 7.5)
      t.is_false(c.cancelled)
      destroy_all(t, es)
    end,
    ["boxes collide with circles"] = function(t)
      local es = { spawn_circle(0, 0, { kind = "box", width = 40, height = 10 }), spawn_circle(25, 10) }
      t.equal(collect_contacts(t, es), "1-2")
      es[2].transform.y = 13
      t.equal(collect_contacts(t, es), "1-2")
      es[2].transform.y = 14
      t.equal(collect_contacts(t, es), "")
      destroy_all(t, es)
    end,
    ["a swept body hits a wall in its path, except in a tick with jumped = true"] = function(t)
      local wall, bullet = spawn_circle(500, 0, { kind = "box", width = 2, height = 50 }), spawn_circle(0, 2)
      bullet:add("swept")
      t.wait(2)
      t.equal(bullet.swept.hit, shoal.none)
      bullet.transform.x = 1000
      t.wait(1)
      t.equal(bullet.swept.hit, wall)
      t.near(bullet.swept.stop_x, 497)
      t.near(bullet.swept.time, 0.497)
      t.wait(1)
      t.equal(bullet.swept.hit, shoal.none)
      bullet.transform.x, bullet.swept.jumped = 0, true
      t.wait(1)
      t.equal(bullet.swept.hit, shoal.none)
      t.equal(bullet.swept.time, 1)
      destroy_all(t, { wall, bullet })
    end,
    ["category and mask decide which bodies collide"] = function(t)
      local es = { spawn_circle(0, 10, { category = 1, mask = 2 }), spawn_circle(5, 10, { category = 2, mask = 1 }),
        spawn_circle(8, 10, { category = 4, mask = 4 }) }
      t.equal(collect_contacts(t, es), "1-2")
      es[3].body.mask, es[1].body.mask = 1, 6
      t.equal(collect_contacts(t, es), "1-2 1-3")
      destroy_all(t, es)
    end,
    ["a body with enabled = false does not collide"] = function(t)
      local es = { spawn_circle(0, 10), spawn_circle(5, 10, { enabled = false }) }
      t.equal(collect_contacts(t, es), "")
      es[2].body.enabled = true
      t.equal(collect_contacts(t, es), "1-2")
      destroy_all(t, es)
    end,
    ["a disabled body does not collide"] = function(t)
      local es = { spawn_circle(0, 10), spawn_circle(5, 10), spawn_circle(8, 10) }
      es[2]:disable("body")
      t.equal(collect_contacts(t, es), "1-3")
      es[3]:disable()
      t.equal(collect_contacts(t, es), "")
      es[2]:enable("body")
      t.equal(collect_contacts(t, es), "1-2")
      destroy_all(t, es)
    end,
    ["the scale of a transform applies to its body"] = function(t)
      local es = { spawn_circle(0, 10), spawn_circle(25, 10) }
      t.equal(collect_contacts(t, es), "")
      es[1].transform.scale_x, es[1].transform.scale_y = 2, 2
      t.equal(collect_contacts(t, es), "1-2")
      destroy_all(t, es)
    end,
    -- Source of this test (see engine/docs/sources.md): Klutzershy, ghost power-up.
    ["a system can cancel a contact for later systems"] = function(t)
      local es = { spawn_circle(0, 10), spawn_circle(15, 10) }
      seen.want.cancel_contacts = true
      t.equal(collect_contacts(t, es), "")
      seen.want.cancel_contacts = nil
      t.equal(collect_contacts(t, es), "1-2")
      destroy_all(t, es)
    end,
    ["a game can emit its own contacts"] = function(t)
      local es = { world.spawn("rock"), world.spawn("rock") }
      t.wait()
      seen.contacts, seen.want.contacts = {}, true
      world.emit("collision", { a = es[1], b = es[2], depth = 3 })
      t.wait(2)
      seen.want.contacts = nil
      t.equal(#seen.contacts, 1)
      t.equal(seen.contacts[1].depth, 3)
      t.equal(seen.contacts[1].b, es[2])
      destroy_all(t, es)
    end,
  },
}
