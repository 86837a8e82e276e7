-- A bullet that has hit something is used up.
return {
  phase = "post_update",
  after = { "hits" },
  query = { "bullet", "struck" },
  each = function(e) e:destroy() end,
}
