// Two games in one window: a tool that owns the window, the loop and the events, and embeds two hosts.
//
//   two_views [FOLDER FOLDER] [options of `shoal run`, for both]
//
// Tab or a click selects the game that receives input; Escape quits. The tool also exits when both games have ended,
// for example after --ticks N.
#include <SDL2/SDL.h>
#include <epoxy/gl.h>
#include <shoal/host.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1280, HEIGHT = 364, BORDER = 4, VIEWS = 2, MAX_ARGUMENTS = 64 };

typedef struct view_t {
  shoal_host *host; // host of the game; NULL after the game has ended
  const char *name;
  SDL_Rect view_rect;
  int exit_code;
} view_t;

typedef struct tool_t {
  SDL_Window *window;
  SDL_GLContext context;
  view_t views[VIEWS];
  int selected;
  bool quit;
} tool_t;

static bool open_window(tool_t *tool) {
  if (SDL_Init(SDL_INIT_VIDEO) != 0)
    return false;
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
  tool->window = SDL_CreateWindow("Two views", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, WIDTH, HEIGHT,
                                  SDL_WINDOW_OPENGL | SDL_WINDOW_RESIZABLE);
  tool->context = tool->window ? SDL_GL_CreateContext(tool->window) : NULL;
  if (tool->context)
    SDL_GL_SetSwapInterval(1);
  return tool->context != NULL;
}

// Creates the host of a view with the options of `shoal run` in `argv`. Returns true on success. Otherwise, prints the
// error and returns false.
static bool open_view(tool_t *tool, view_t *view, const char *folder, int argc, char **argv) {
  const char *arguments[MAX_ARGUMENTS];
  shoal_host_options options = shoal_host_default_options();
  for (int i = 0; i < argc && i < MAX_ARGUMENTS; ++i)
    arguments[options.argc++] = argv[i];
  options.argv = arguments;
  options.game = folder;
  options.window = tool->window;
  options.watch = true;
  view->host = shoal_host_create(&options);
  view->name = folder;
  if (!view->host)
    fprintf(stderr, "two_views: %s\n", shoal_host_last_error());
  return view->host != NULL;
}

static void place_views(tool_t *tool) {
  int width = 0, height = 0;
  SDL_GetWindowSize(tool->window, &width, &height);
  for (int i = 0; i < VIEWS; ++i) {
    int left = width * i / VIEWS, right = width * (i + 1) / VIEWS;
    tool->views[i].view_rect = (SDL_Rect){left + BORDER, BORDER, right - left - 2 * BORDER, height - 2 * BORDER};
  }
}

static bool get_mouse_position(const SDL_Event *event, SDL_Point *position) {
  if (event->type == SDL_MOUSEMOTION)
    *position = (SDL_Point){event->motion.x, event->motion.y};
  else if (event->type == SDL_MOUSEBUTTONDOWN || event->type == SDL_MOUSEBUTTONUP)
    *position = (SDL_Point){event->button.x, event->button.y};
  else
    return false;
  return true;
}

static void handle_event(tool_t *tool, const SDL_Event *event) {
  SDL_Point position;
  bool is_key = event->type == SDL_KEYDOWN;
  tool->quit |= event->type == SDL_QUIT || (is_key && event->key.keysym.scancode == SDL_SCANCODE_ESCAPE);
  if (is_key && event->key.keysym.scancode == SDL_SCANCODE_TAB)
    tool->selected = (tool->selected + 1) % VIEWS;
  if (get_mouse_position(event, &position))
    for (int i = 0; i < VIEWS; ++i)
      if (event->type == SDL_MOUSEBUTTONDOWN && SDL_PointInRect(&position, &tool->views[i].view_rect))
        tool->selected = i;
  if (tool->views[tool->selected].host && event->type != SDL_QUIT)
    shoal_host_process_event(tool->views[tool->selected].host, event);
}

static void close_view(view_t *view) {
  if (!view->host)
    return;
  view->exit_code = shoal_host_exit_code(view->host);
  shoal_host_destroy(view->host);
  view->host = NULL;
}

// Draws a dark background, and a frame around the selected game.
static void draw_background(const tool_t *tool) {
  int window_height = 0, height = 0;
  SDL_GetWindowSize(tool->window, NULL, &window_height);
  SDL_GL_GetDrawableSize(tool->window, NULL, &height);
  int scale = window_height > 0 ? height / window_height : 1;
  SDL_Rect rect = tool->views[tool->selected].view_rect;
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glDisable(GL_SCISSOR_TEST);
  glClearColor(0.09f, 0.10f, 0.13f, 1.0f);
  glClear(GL_COLOR_BUFFER_BIT);
  glEnable(GL_SCISSOR_TEST);
  glScissor((rect.x - BORDER) * scale, height - (rect.y + rect.h + BORDER) * scale, (rect.w + 2 * BORDER) * scale,
            (rect.h + 2 * BORDER) * scale);
  glClearColor(0.31f, 0.76f, 1.0f, 1.0f);
  glClear(GL_COLOR_BUFFER_BIT);
  glDisable(GL_SCISSOR_TEST);
}

// Shows the number of entities of each game in the title.
static void show_entity_counts(tool_t *tool) {
  char title[256] = "";
  for (int i = 0; i < VIEWS; ++i) {
    shoal_host_state state = {.size = sizeof state};
    if (tool->views[i].host)
      shoal_host_get_state(tool->views[i].host, &state);
    size_t length = strlen(title);
    snprintf(title + length, sizeof title - length, "%s%u entities", i ? " · " : "Two views: ", state.entities);
  }
  SDL_SetWindowTitle(tool->window, title);
}

static bool run_frame(tool_t *tool) {
  SDL_Event event;
  bool is_running = false;
  while (SDL_PollEvent(&event))
    handle_event(tool, &event);
  place_views(tool);
  draw_background(tool);
  for (int i = 0; i < VIEWS; ++i) {
    view_t *view = &tool->views[i];
    if (!view->host)
      continue;
    shoal_host_set_viewport(view->host, view->view_rect.x, view->view_rect.y, view->view_rect.w, view->view_rect.h);
    if (shoal_host_run_frame(view->host))
      is_running = true;
    else
      close_view(view);
  }
  show_entity_counts(tool);
  SDL_GL_SwapWindow(tool->window);
  return is_running && !tool->quit;
}

int main(int argc, char **argv) {
  tool_t tool = {0};
  bool has_folders = argc > 2 && argv[1][0] != '-' && argv[2][0] != '-';
  const char *folders[VIEWS] = {has_folders ? argv[1] : "asteroids", has_folders ? argv[2] : "boids"};
  if (!open_window(&tool)) {
    fprintf(stderr, "two_views: cannot open a window: %s\n", SDL_GetError());
    return 2;
  }
  int first_option = has_folders ? 3 : 1;
  bool opened = true;
  for (int i = 0; i < VIEWS; ++i)
    opened = opened && open_view(&tool, &tool.views[i], folders[i], argc - first_option, argv + first_option);
  if (opened)
    while (run_frame(&tool))
      ;
  int exit_code = opened ? 0 : 2;
  for (int i = 0; i < VIEWS; ++i) {
    close_view(&tool.views[i]);
    exit_code = exit_code ? exit_code : tool.views[i].exit_code;
  }
  SDL_GL_DeleteContext(tool.context);
  SDL_DestroyWindow(tool.window);
  SDL_Quit();
  return exit_code;
}
