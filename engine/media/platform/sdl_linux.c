// Loads SDL2 and resolves its functions by name.
#include "platform/sdl.h"

#include "base/assert.h"
#include "base/dynamic_library.h"
#include "base/library_names.h"

typedef struct library_t {
  void *handle;
  bool loaded; // true once all functions are resolved
  sdl_t functions;
} library_t;

// Returns the library. All hosts of the process share it, so it is loaded only once.
static library_t *get_library(void) {
  static library_t library;
  return &library;
}

static bool resolve_functions(library_t *l) {
  bool found = true;
#define RESOLVE(name_)                                                                                                 \
  *(void **)&l->functions.name_ = dynamic_library_find(l->handle, "SDL_" #name_);                                      \
  found = found && l->functions.name_;
  SDL_FUNCTIONS(RESOLVE)
#undef RESOLVE
  return found;
}

bool sdl_load(error_info_t *error) {
  library_t *l = get_library();
  if (!l->handle)
    l->handle = dynamic_library_open(library_name(LIBRARY_NAME_SDL));
  l->loaded = l->loaded || (l->handle && resolve_functions(l));
  return l->loaded || error_set(error, "%s", dynamic_library_error());
}

bool sdl_can_open_display_on_any_thread(void) {
  return true;
}

bool sdl_is_loaded(void) {
  return get_library()->loaded;
}

const sdl_t *sdl(void) {
  shoal_assert(sdl_is_loaded(), "SDL is not loaded: call sdl_load first");
  return &get_library()->functions;
}
