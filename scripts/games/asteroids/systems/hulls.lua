-- Hides the faces of ships that are wrecks.
return {
  after = { "wrecks" },
  query = { "hull", "transform", "shape" },
  update = function(q)
    for i = 1, q.count do
      local ship = q.transform.parent[i]
      q.shape.visible[i] = ship and ship:alive() and ship:has("shape") or false
    end
  end,
}
