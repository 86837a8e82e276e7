-- Spanish names of controls.
return {
  arrows = "flechas", either = "{a} o {b}", dpad = "cruceta", stick = "stick izquierdo",
  history = "Mantén {rewind}: rebobinar     {clip}: guardar un clip", history_pad = "Mantén {rewind}: rebobinar",
}
