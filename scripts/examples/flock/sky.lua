-- Size of the sky in pixels, shared by the systems.
return { WIDTH = 1280, HEIGHT = 720 }
