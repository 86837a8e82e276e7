-- Shows the value of each thing, after the plugin's system `thing.grow` has changed it.
return {
  after = "thing.grow",
  query = { "thing", "text" },
  update = function(q)
    for i = 1, q.count do
      q.text.value[i] = string.format("%.1f", q.thing.value[i])
    end
  end,
}
