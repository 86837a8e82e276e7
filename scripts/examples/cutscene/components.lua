local t = shoal.types

return {
  talk = t.single { chosen = t.i32(1), doc = "which of the choices is marked" },
}
