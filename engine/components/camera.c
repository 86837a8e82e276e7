// Where the world is seen from: the transform is the centre of the view. Which of them are seen: viewport.h.
#include "components/plain.h"

#include "components/builtin.h"

SHOAL_COMPONENT(camera, SHOAL_CAMERA_FIELDS)

bool camera_declare(world_o *w, error_t *error) {
  return builtin_declare(w, &camera_component, error);
}
