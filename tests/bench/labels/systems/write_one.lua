return {
  query = { "note", "label" },
  update = function(q)
    if q.count > 0 then q.label.text[world.tick * 37 % q.count + 1] = "changed in tick " .. world.tick end
  end,
}
