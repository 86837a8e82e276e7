-- One piece of music, which is quieter during play.
return {
  theme = { layers = { theme = "music.wav" }, fade = 2, sections = {
    title = { layers = { theme = 0.34 } },
    playing = { layers = { theme = 0.22 } },
  } },
}
