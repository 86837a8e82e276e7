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

enum { WIDTH = 1280, HEIGHT = 364, EDGE = 4, VIEWS = 2, MAX_WORDS = 64 };

typedef struct view_t {
  shoal_host *host; // NULL after the game has ended
  const char *name;
  SDL_Rect place;
  int exit_code;
} view_t;

typedef struct tool_t {
  SDL_Window *window;
  SDL_GLContext context;
  view_t views[VIEWS];
  int chosen;
  bool quit;
} tool_t;

static bool open_window(tool_t *t) {
  if (SDL_Init(SDL_INIT_VIDEO) != 0)
    return false;
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
  t->window = SDL_CreateWindow("Two views", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, WIDTH, HEIGHT,
                               SDL_WINDOW_OPENGL | SDL_WINDOW_RESIZABLE);
  t->context = t->window ? SDL_GL_CreateContext(t->window) : NULL;
  if (t->context)
    SDL_GL_SetSwapInterval(1);
  return t->context != NULL;
}

// Creates a host with the options of `shoal run`.
static bool open_view(tool_t *t, view_t *v, const char *folder, int argc, char **argv) {
  const char *words[MAX_WORDS];
  shoal_host_options options = shoal_host_default_options();
  for (int i = 0; i < argc && i < MAX_WORDS; ++i)
    words[options.argc++] = argv[i];
  options.argv = words;
  options.game = folder;
  options.window = t->window;
  options.watch = true;
  v->host = shoal_host_create(&options);
  v->name = folder;
  if (!v->host)
    fprintf(stderr, "two_views: %s\n", shoal_host_last_error());
  return v->host != NULL;
}

static void place_views(tool_t *t) {
  int width = 0, height = 0;
  SDL_GetWindowSize(t->window, &width, &height);
  for (int i = 0; i < VIEWS; ++i) {
    int left = width * i / VIEWS, right = width * (i + 1) / VIEWS;
    t->views[i].place = (SDL_Rect){left + EDGE, EDGE, right - left - 2 * EDGE, height - 2 * EDGE};
  }
}

static bool get_mouse_position(const SDL_Event *e, SDL_Point *at) {
  if (e->type == SDL_MOUSEMOTION)
    *at = (SDL_Point){e->motion.x, e->motion.y};
  else if (e->type == SDL_MOUSEBUTTONDOWN || e->type == SDL_MOUSEBUTTONUP)
    *at = (SDL_Point){e->button.x, e->button.y};
  else
    return false;
  return true;
}

static void handle_event(tool_t *t, const SDL_Event *e) {
  SDL_Point at;
  bool key = e->type == SDL_KEYDOWN;
  t->quit |= e->type == SDL_QUIT || (key && e->key.keysym.scancode == SDL_SCANCODE_ESCAPE);
  if (key && e->key.keysym.scancode == SDL_SCANCODE_TAB)
    t->chosen = (t->chosen + 1) % VIEWS;
  if (get_mouse_position(e, &at))
    for (int i = 0; i < VIEWS; ++i)
      if (e->type == SDL_MOUSEBUTTONDOWN && SDL_PointInRect(&at, &t->views[i].place))
        t->chosen = i;
  if (t->views[t->chosen].host && e->type != SDL_QUIT)
    shoal_host_process_event(t->views[t->chosen].host, e);
}

static void close_view(view_t *v) {
  if (!v->host)
    return;
  v->exit_code = shoal_host_exit_code(v->host);
  shoal_host_destroy(v->host);
  v->host = NULL;
}

// Draws a dark background, and a frame around the selected game.
static void draw_background(const tool_t *t) {
  int window_height = 0, height = 0;
  SDL_GetWindowSize(t->window, NULL, &window_height);
  SDL_GL_GetDrawableSize(t->window, NULL, &height);
  int scale = window_height > 0 ? height / window_height : 1;
  SDL_Rect p = t->views[t->chosen].place;
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glDisable(GL_SCISSOR_TEST);
  glClearColor(0.09f, 0.10f, 0.13f, 1.0f);
  glClear(GL_COLOR_BUFFER_BIT);
  glEnable(GL_SCISSOR_TEST);
  glScissor((p.x - EDGE) * scale, height - (p.y + p.h + EDGE) * scale, (p.w + 2 * EDGE) * scale,
            (p.h + 2 * EDGE) * scale);
  glClearColor(0.31f, 0.76f, 1.0f, 1.0f);
  glClear(GL_COLOR_BUFFER_BIT);
  glDisable(GL_SCISSOR_TEST);
}

// Shows the number of entities of each game in the title.
static void show_entity_counts(tool_t *t) {
  char title[256] = "";
  for (int i = 0; i < VIEWS; ++i) {
    shoal_host_state state = {.size = sizeof state};
    if (t->views[i].host)
      shoal_host_get_state(t->views[i].host, &state);
    size_t used = strlen(title);
    snprintf(title + used, sizeof title - used, "%s%u entities", i ? " · " : "Two views: ", state.entities);
  }
  SDL_SetWindowTitle(t->window, title);
}

static bool run_frame(tool_t *t) {
  SDL_Event e;
  bool alive = false;
  while (SDL_PollEvent(&e))
    handle_event(t, &e);
  place_views(t);
  draw_background(t);
  for (int i = 0; i < VIEWS; ++i) {
    view_t *v = &t->views[i];
    if (!v->host)
      continue;
    shoal_host_set_viewport(v->host, v->place.x, v->place.y, v->place.w, v->place.h);
    if (shoal_host_run_frame(v->host))
      alive = true;
    else
      close_view(v);
  }
  show_entity_counts(t);
  SDL_GL_SwapWindow(t->window);
  return alive && !t->quit;
}

int main(int argc, char **argv) {
  tool_t t = {0};
  bool named = argc > 2 && argv[1][0] != '-' && argv[2][0] != '-';
  const char *folders[VIEWS] = {named ? argv[1] : "asteroids", named ? argv[2] : "boids"};
  if (!open_window(&t)) {
    fprintf(stderr, "two_views: cannot open a window: %s\n", SDL_GetError());
    return 2;
  }
  int skip = named ? 3 : 1;
  bool ok = true;
  for (int i = 0; i < VIEWS; ++i)
    ok = ok && open_view(&t, &t.views[i], folders[i], argc - skip, argv + skip);
  if (ok)
    while (run_frame(&t))
      ;
  int code = ok ? 0 : 2;
  for (int i = 0; i < VIEWS; ++i) {
    close_view(&t.views[i]);
    code = code ? code : t.views[i].exit_code;
  }
  SDL_GL_DeleteContext(t.context);
  SDL_DestroyWindow(t.window);
  SDL_Quit();
  return code;
}
