-- Sizes smaller than the default, so that more bindings fit on a screen 540 pixels high.
return { size = 18, gap = 8, padding = 16, styles = { title = { size = 34 } } }
