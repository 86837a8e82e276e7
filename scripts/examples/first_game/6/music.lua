-- Two layers in sync. A field of a single controls the volume of the second one.
return {
  wood = {
    tempo = 96,
    layers = { pad = "pad.wav", danger = { file = "danger.wav", follows = "game.danger" } },
  },
}
