-- Pieces by name. Each layer is a file, two bars long; a section lists the layers that play and their volumes.
return {
  night = {
    tempo = 96,
    layers = {
      pad = "pad.wav",
      pluck = "pluck.wav",
      drums = "drums.wav",
      danger = { file = "danger.wav", follows = "heat.value" }, -- volume from the singleton `heat`
    },
    first = "calm",
    sections = {
      calm = { layers = { "pad", "danger", pluck = 0.7 }, at = "bar", fade = 1.2 },
      chase = { layers = { "drums", "danger", "pluck", pad = 0.6 }, at = "bar", fade = 0.1 },
      cave = { layers = { "pad", "danger", pluck = 0.5 }, at = "beat", fade = 0.6, lowpass = 700, reverb = 0.5 },
    },
    stingers = { star = "star.wav" },
  },
}
