// SDL2 on Windows, where it is linked into the program.
#include "platform/sdl.h"

#include "base/assert.h"

static bool loaded;

bool sdl_load(error_info_t *error) {
  (void)error;
  if (!loaded)
    SDL_SetMainReady(); // the program has its own main function
  return loaded = true;
}

bool sdl_can_open_display_on_any_thread(void) {
  return false;
}

bool sdl_is_loaded(void) {
  return loaded;
}

const sdl_t *sdl(void) {
#define SDL_ENTRY(name_) .name_ = SDL_##name_,
  static const sdl_t FUNCTIONS = {SDL_FUNCTIONS(SDL_ENTRY)};
#undef SDL_ENTRY
  shoal_assert(sdl_is_loaded(), "SDL is not loaded: call sdl_load first");
  return &FUNCTIONS;
}
