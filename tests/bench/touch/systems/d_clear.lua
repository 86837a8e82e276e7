return {
  after = "c_again",
  query = { "health" },
  update = function(q) q:destroy_all() end,
}
