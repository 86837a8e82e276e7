-- English names of controls.
return {
  arrows = "arrows", either = "{a} or {b}", dpad = "D-Pad", stick = "Left Stick",
  history = "Hold {rewind}: rewind     {clip}: save a clip", history_pad = "Hold {rewind}: rewind",
}
