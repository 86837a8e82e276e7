return {
  drift = { place = shoal.vec3(1, 2, 3), speed = shoal.vec3(0.1, -0.2, 0.3) },
  tumble = { turn = shoal.quat(), spin = shoal.quat.axis_angle(shoal.vec3(1, 2, 3), 0.01) },
}
