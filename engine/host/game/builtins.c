// Declares the built-in components.
#include "game/builtins.h"

#include "base/assert.h"
#include "camera/canvas.h"
#include "light/light.h"
#include "particles/forces.h"
#include "particles/trail.h"
#include "tilemap/tilemap.h"

bool builtins_create(builtins_t *out, const builtins_desc_t *desc, error_info_t *error) {
  world_o *w = desc->world;
  shoal_assert(w && desc->input && desc->input_before, "desc must have a world and both inputs");
  *out = (builtins_t){.components = components_create(w, desc->assets, error)};
  if (!out->components)
    return false;
  tilemaps_set_maps(w, desc->maps);
  out->ui = ui_create(
      &(ui_desc_t){w, desc->input, desc->input_before, desc->audio, components_typesetter(out->components)}, error);
  out->emitters = out->ui ? emitters_create(w, error) : NULL;
  return out->emitters && light_declare(w, error) && trail_declare(w, error) && canvas_declare(w, error) &&
         forces_declare(w, error);
}

void builtins_destroy(builtins_t *builtins) {
  emitters_destroy(builtins->emitters);
  ui_destroy(builtins->ui);
  components_destroy(builtins->components);
}
