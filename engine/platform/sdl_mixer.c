// Loads SDL2_mixer and resolves its functions by name.
#include "platform/sdl_mixer.h"

#include "platform/sdl.h"

#include <dlfcn.h>
#include <stdbool.h>

static const char NAME[] = "libSDL2_mixer-2.0.so.0"; // scripts/build/package.sh adds this file to packages

static bool resolve_functions(void *library, sdl_mixer_t *out) {
  bool found = true;
#define FIND(name_)                                                                                                    \
  *(void **)&out->name_ = dlsym(library, "Mix_" #name_);                                                               \
  found = found && out->name_;
  SDL_MIXER_FUNCTIONS(FIND)
#undef FIND
  return found;
}

const sdl_mixer_t *sdl_mixer_load(void) {
  static sdl_mixer_t mixer;
  static void *library;
  static bool loaded;
  if (!library)
    library = dlopen(NAME, RTLD_NOW | RTLD_LOCAL);
  loaded = loaded || (library && resolve_functions(library, &mixer));
  if (!loaded)
    sdl()->SetError("%s", dlerror());
  return loaded ? &mixer : NULL;
}
