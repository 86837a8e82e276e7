return { WIDTH = 1280, HEIGHT = 720 }
