-- Smaller than usual, so that more keys have room on a screen of 540 pixels.
return { size = 18, gap = 8, padding = 16, styles = { title = { size = 34 } } }
