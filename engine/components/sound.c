// A sound that plays while the row says so. The host starts and stops the voices.
#include "components/plain.h"

#include "components/builtin.h"

// clang-format off
#define SOUND_FIELDS(F)                                                                                                \
  F(asset, file, "") F(f32, volume, 1) F(f32, pan, 0) F(bool, loop, 0) F(bool, playing, 1)
// clang-format on
SHOAL_COMPONENT(sound, SOUND_FIELDS)

bool sound_declare(world_o *w, error_t *error) {
  return builtin_declare(w, &sound_component, error);
}
