return {
  update = function()
    local camera = world.single.bench.what == "tiles" and world.find("camera")
    if camera then
      camera.transform.x, camera.transform.y = 640 + world.tick * 3 % 14000, 360 + world.tick * 2 % 15000
    end
  end,
}
