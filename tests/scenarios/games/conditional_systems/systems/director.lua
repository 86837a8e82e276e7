return {
  phase = "post_update",
  update = function()
    local scene = world.single.scene
    scene.steps = scene.steps + 1
    if scene.steps % 23 == 0 then scene.phase = scene.phase == "day" and "night" or "day" end
    if scene.steps % 17 == 0 then world.system("handlers", not world.system("handlers")) end
    if scene.steps % 29 == 0 then world.run("alarm", { loud = scene.steps }) end
  end,
}
