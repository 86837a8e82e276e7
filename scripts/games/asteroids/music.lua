-- One piece of music, at -23 LUFS, and 1.5 LU quieter during play.
return {
  theme = { layers = { theme = "music.wav" }, fade = 2, sections = {
    title = { layers = { theme = 0.6 } },
    playing = { layers = { theme = 0.5 } },
  } },
}
