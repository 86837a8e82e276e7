-- French names of controls.
return {
  arrows = "flèches", either = "{a} ou {b}", dpad = "croix", stick = "stick gauche",
  history = "Maintenir {rewind} : rembobiner     {clip} : enregistrer un clip",
  history_pad = "Maintenir {rewind} : rembobiner",
}
