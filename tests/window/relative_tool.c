// A tool that embeds one game, given as the argument, in its own window. R makes the mouse relative, N normal; Escape
// quits.
#include <SDL2/SDL.h>
#include <shoal/host.h>
#include <stdio.h>

static bool handle_event(shoal_host *host, const SDL_Event *event) {
  SDL_Scancode key = event->type == SDL_KEYDOWN ? event->key.keysym.scancode : SDL_SCANCODE_UNKNOWN;
  if (key == SDL_SCANCODE_R || key == SDL_SCANCODE_N) {
    SDL_SetRelativeMouseMode(key == SDL_SCANCODE_R ? SDL_TRUE : SDL_FALSE);
    fprintf(stderr, "relative: %d\n", SDL_GetRelativeMouseMode());
  }
  shoal_host_process_event(host, event);
  return event->type != SDL_QUIT && key != SDL_SCANCODE_ESCAPE;
}

static int run(SDL_Window *window, const char *game) {
  shoal_host_options options = shoal_host_default_options();
  const char *arguments[] = {"--log", "info"};
  bool is_running = true;
  SDL_Event event;
  options.argv = arguments;
  options.argc = 2;
  options.game = game;
  options.window = window;
  shoal_host *host = shoal_host_create(&options);
  if (!host)
    return fprintf(stderr, "relative_tool: %s\n", shoal_host_last_error());
  while (is_running) {
    while (SDL_PollEvent(&event))
      is_running &= handle_event(host, &event);
    is_running &= shoal_host_run_frame(host);
    SDL_GL_SwapWindow(window);
  }
  shoal_host_destroy(host);
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 2 || SDL_Init(SDL_INIT_VIDEO) != 0)
    return 2;
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
  SDL_Window *window =
      SDL_CreateWindow("Relative tool", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, 640, 360, SDL_WINDOW_OPENGL);
  SDL_GLContext context = window ? SDL_GL_CreateContext(window) : NULL;
  int status = context ? run(window, argv[1]) : 2;
  SDL_GL_DeleteContext(context);
  SDL_DestroyWindow(window);
  SDL_Quit();
  return status;
}
