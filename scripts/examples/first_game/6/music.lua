-- Two layers in sync; a field of a singleton sets the volume of the second one.
return {
  wood = {
    tempo = 96,
    layers = { pad = "pad.wav", danger = { file = "danger.wav", follows = "game.danger" } },
  },
}
