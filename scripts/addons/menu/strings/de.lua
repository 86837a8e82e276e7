-- German names of controls.
return {
  arrows = "Pfeiltasten", either = "{a} oder {b}", dpad = "Steuerkreuz", stick = "linker Stick",
  history = "{rewind} halten: zurückspulen     {clip}: Clip speichern", history_pad = "{rewind} halten: zurückspulen",
}
