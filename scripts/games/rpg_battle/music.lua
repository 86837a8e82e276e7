-- One piece of music, which is quieter during play.
return {
  theme = { layers = { theme = "music.wav" }, fade = 1, sections = {
    title = { layers = { theme = 0.9 } },
    playing = { layers = { theme = 0.6 } },
  } },
}
