-- The size of the sky.
return { WIDTH = 1280, HEIGHT = 720 }
