return { name = "caption", version = "1.0.0", licence = "MIT",
  doc = "a caption: a line of text on a dark strip along the lower edge of the picture" }
