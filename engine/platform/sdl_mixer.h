// SDL2_mixer, loaded on first use. Loading it at startup, with its decoder libraries, would delay every program, and
// programs without sound do not need it.
#ifndef SHOAL_PLATFORM_SDL_MIXER_H
#define SHOAL_PLATFORM_SDL_MIXER_H

#include <SDL2/SDL_mixer.h>

// The functions that the engine uses, without their prefix "Mix_".
#define SDL_MIXER_FUNCTIONS(X)                                                                                         \
  X(Init)                                                                                                              \
  X(Quit)                                                                                                              \
  X(OpenAudio)                                                                                                         \
  X(CloseAudio)                                                                                                        \
  X(AllocateChannels)                                                                                                  \
  X(HookMusic)                                                                                                         \
  X(LoadWAV_RW)                                                                                                        \
  X(FreeChunk)

typedef struct sdl_mixer_t {
#define SDL_MIXER_MEMBER(name_) __typeof__(&Mix_##name_) name_;
  SDL_MIXER_FUNCTIONS(SDL_MIXER_MEMBER)
#undef SDL_MIXER_MEMBER
} sdl_mixer_t;

// Loads the library, which is never unloaded. Call on the main thread or in a decoder process. Returns NULL if the
// library cannot be loaded or lacks a function; SDL_GetError then returns the reason. SDL must be loaded (sdl.h).
const sdl_mixer_t *sdl_mixer_load(void);

#endif
