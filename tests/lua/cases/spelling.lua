-- Names with colour and centre, and with color and center.
return {
  outside = {
    ["fields are found in British and American spelling"] = function(t)
      local e = world.spawn(nil, { transform = {}, shape = { color = "#ff0000", filled = true } })
      t.equal(e.shape.colour.x, 1)
      t.equal(e.shape.color.y, 0)
      e.shape.color = { 0, 1, 0, 1 }
      t.equal(e.shape.colour.y, 1)
      e.shape.color.z = 0.5
      t.equal(e.shape.colour.z, 0.5)
      e:set("shape", { color = "#0000ff" })
      t.equal(e.shape.colour.z, 1)
      e:destroy()
    end,
    ["columns are found in British and American spelling"] = function(t)
      local e = world.spawn(nil, { transform = {}, shape = { colour = { 0.25, 0, 0, 1 } } })
      local q = world.query { "shape" }
      t.equal(q.count, 1)
      t.equal(q.shape.color.x[1], q.shape.colour.x[1])
      e:destroy()
    end,
    ["enum choices are found in British and American spelling"] = function(t)
      local e = world.spawn(nil, { transform = {}, text = { align = "centre" }, widget = { anchor = "center" } })
      t.equal(e.text.align, "center")
      t.equal(e.widget.anchor, "centre")
      e.text.align = "centre"
      t.equal(e.text.align, "center")
      e:destroy()
    end,
    ["list fields of an emitter are found in British and American spelling"] = function(t)
      local values = { colors = { "#ffd040", "#ff400000" }, color_vary = 0.5 }
      local e = world.spawn(nil, { transform = {}, emitter = values })
      t.equal(e.emitter.colours, e.emitter.colors)
      t.is_true(#e.emitter.colours > 0)
      t.equal(e.emitter.colour_vary, 0.5)
      e:destroy()
    end,
    ["e:json() and error messages contain only the declared spelling of a name"] = function(t)
      local e = world.spawn(nil, { transform = {}, shape = { color = "#ff0000" } })
      t.is_false(e:json():find("color") ~= nil)
      t.fails(function() e.shape.colr = 1 end, "has no field colr", "colour")
      t.fails(function() return e.transform.center end, "has no field center")
      t.fails(function() world.spawn(nil, { shape = { colors = 1 } }) end, "has no field colors")
      t.fails(function() e.text = { align = "midle" } end)
      e:destroy()
    end,
  },
}
