// The built-in components of a world, for games and for opened saves.
#ifndef SHOAL_GAME_BUILTINS_H
#define SHOAL_GAME_BUILTINS_H

#include "particles/emitter.h"
#include "platform/audio.h"
#include "simulation/components.h"
#include "tiles/maps.h"
#include "ui/ui.h"

// Objects of the built-in systems that are not part of the world. One builtins_t per world.
typedef struct builtins_t {
  components_o *components;
  ui_o *ui;
  emitters_o *emitters;
} builtins_t;

typedef struct builtins_desc_t {
  world_o *world;         // world in which the components are declared; must be new
  const assets_t *assets; // assets of the game; may be NULL
  const input_state_t *input, *input_before;
  audio_o *audio; // mixer for the built-in sounds; may be NULL
  maps_o *maps;   // maps for tilemaps; may be NULL
} builtins_desc_t;

// Declares all built-in components. All pointers of `desc` are borrowed until builtins_destroy, except `desc` itself.
// Returns true on success, or false with an error if a declaration is rejected. The caller must call builtins_destroy
// in both cases.
bool builtins_create(builtins_t *out, const builtins_desc_t *desc, error_info_t *error);
// Destroys the objects of the built-in systems. Call before world_destroy.
void builtins_destroy(builtins_t *builtins);

#endif
