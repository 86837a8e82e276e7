-- Destroys bullets and shells that have hit something.
return {
  phase = "post_update",
  after = { "hits" },
  query = { "bullet", "struck" },
  each = function(e) e:destroy() end,
}
