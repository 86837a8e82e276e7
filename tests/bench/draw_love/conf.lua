function love.conf(t)
  t.window.width, t.window.height, t.window.vsync, t.window.msaa = 1280, 720, 0, 0
  t.modules.audio, t.modules.sound, t.modules.joystick, t.modules.physics = false, false, false, false
end
