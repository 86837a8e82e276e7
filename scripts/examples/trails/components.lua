return {
  orbit = { turn = 0, far = 100, x = 0, y = 0, doc = "a pen of the flower" },
  loop = { along = 0, doc = "where on its way a plane is" },
  dart = { vx = 0, vy = 0, pace = 1, doc = "goes after the mouse, or a place of its own choice" },
}
