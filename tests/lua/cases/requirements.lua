-- Tests of components that require other components.
local function list_components(e)
  return (e:has("pilot") and "pilot " or "") .. (e:has("glider") and "glider " or "")
    .. (e:has("transform") and "transform" or "")
end

return {
  outside = {
    ["an assemblage gets the components that its components require"] = function(t)
      local kite, tethered = world.spawn("kite"), world.spawn("tethered_kite")
      t.equal(list_components(kite), "pilot glider transform")
      t.equal(kite.glider.lift, 3)
      t.equal(tethered.transform.x, 5)
      kite:enter("parked")
      t.equal(list_components(kite), "glider transform")
      kite:enter("flying")
      t.equal(list_components(kite), "pilot glider transform")
      local list = world.spawn_many("kite", 3, function(q)
        for i = 1, q.count do
          q.transform.x[i] = i
        end
      end)
      t.equal(list[3].transform.x, 3)
      for _, e in ipairs { kite, tethered, list[1], list[2], list[3] } do
        e:destroy()
      end
    end,
    ["world.define and JSON add required components"] = function(t)
      world.define("defined_kite", { components = { pilot = {} } })
      local a = world.spawn("defined_kite")
      t.equal(list_components(a), "pilot glider transform")
      local b = world.spawn { components = { glider = { lift = 4 } } }
      t.equal(list_components(b), "glider transform")
      local copy = world.spawn(json.decode(b:json()))
      t.equal(copy.glider.lift, 4)
      copy:destroy()
      a:destroy()
      b:destroy()
    end,
    ["entering a state cannot remove a component that another component requires"] = function(t)
      local e = world.spawn("cargo")
      e:add("glider")
      t.fails(function() e:enter("stored") end, "entering state stored would remove transform",
        "glider requires transform")
      t.equal(e:state(), "placed")
      e:remove("glider")
      e:enter("stored")
      t.is_false(e:has("transform"))
      e:destroy()
    end,
    ["a query cannot remove a component that another component requires"] = function(t)
      local plain = world.spawn(nil, { transform = {}, probe = {} })
      local e = world.spawn(nil, { glider = {}, probe = {} })
      t.fails(function() world.query({ "transform", "probe" }):remove("transform") end,
        "because glider requires transform")
      t.is_true(plain:has("transform") and e:has("transform"))
      world.query({ "glider", "probe" }):remove("glider")
      world.query({ "transform", "probe" }):remove("transform")
      t.is_false(plain:has("transform") or e:has("transform"))
      world.query({ "probe", without = { "pilot" } }):add("pilot", { skill = 6 })
      t.equal(list_components(plain) .. list_components(e), "pilot glider transformpilot glider transform")
      t.equal(e.pilot.skill, 6)
      plain:destroy()
      e:destroy()
    end,
    ["world.spawn removes a required component only together with the components that require it"] = function(t)
      t.fails(function() world.spawn("kite", { transform = false }) end, "because glider requires transform")
      local e = world.spawn("kite", { transform = false, glider = false, pilot = false })
      t.equal(list_components(e), "")
      e:destroy()
    end,
  },
  inside = {
    ["removing a required component takes the queued changes of the system into account"] = function(t)
      local e, other = world.spawn(nil, { glider = {} }), world.spawn(nil, { transform = {} })
      t.wait()
      e:remove("glider")
      e:remove("transform")
      other:add("pilot")
      other.transform.x = 8
      t.fails(function() other:remove("glider") end, "because pilot requires glider")
      local new = world.spawn("kite")
      t.fails(function() new:remove("glider") end, "because pilot requires glider")
      new:enter("parked")
      new:remove("glider")
      new:remove("transform")
      local added = world.spawn(nil, { marker = {} })
      added:add("pilot")
      added.transform.x = 3
      t.equal(added.transform.x .. list_components(added), "3pilot glider transform")
      t.wait()
      t.equal(list_components(e), "")
      t.equal(list_components(other), "pilot glider transform")
      t.equal(other.transform.x, 8)
      t.equal(list_components(new), "")
      t.equal(added.transform.x, 3)
      for _, gone in ipairs { e, other, new, added } do
        gone:destroy()
      end
    end,
    ["many entities can gain and lose required components in one system"] = function(t)
      local list = {}
      for i = 1, 40 do
        list[i] = world.spawn(nil, { probe = {} })
      end
      t.wait()
      for _, e in ipairs(list) do
        e:add("glider")
      end
      t.wait()
      for _, e in ipairs(list) do
        t.is_true(e:has("glider") and e:has("transform"))
        e:remove("glider")
        e:remove("transform")
      end
      t.wait()
      for _, e in ipairs(list) do
        t.is_false(e:has("glider") or e:has("transform"))
        e:destroy()
      end
    end,
  },
}
