return {
  boat = { along = 0, doc = "where on its way it is" },
}
