// Shows one cleared frame in an SDL2 window with OpenGL 3.3. Its start-up time is the share of a game's start-up time
// that is due to the system and its graphics driver.
#include <SDL2/SDL.h>
#include <epoxy/gl.h>

int main(void) {
  if (SDL_Init(SDL_INIT_VIDEO) != 0)
    return 1;
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
  SDL_Window *window = SDL_CreateWindow("window", 0, 0, 1280, 720, SDL_WINDOW_OPENGL);
  if (!window || !SDL_GL_CreateContext(window))
    return 1;
  glClearColor(0.2f, 0.3f, 0.4f, 1.0f);
  glClear(GL_COLOR_BUFFER_BIT);
  SDL_GL_SwapWindow(window);
  return 0;
}
