-- A blow takes its time.
return {
  query = { "striking" },
  each = function(e, dt)
    e.striking.left = e.striking.left - dt
    if e.striking.left <= 0 then e:remove("striking") end
  end,
}
