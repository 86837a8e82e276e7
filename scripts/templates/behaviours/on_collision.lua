-- Reacts to collisions of its entity.
return {
  fields = { hits = 0 },
  on = {
    collision = function(self)
      self.hits = self.hits + 1
    end,
  },
}
