// Where the world is seen from: the transform is the centre of the view. Which of them are seen: viewport.h.
#include "components/plain.h"

#include "components/builtin.h"

#define CAMERA_FIELDS(F) SHOAL_CAMERA_FIELDS(F) F(vec4, background, 0.02f, 0.02f, 0.05f, 1)
SHOAL_COMPONENT(camera, CAMERA_FIELDS)

bool camera_declare(world_o *w, error_t *error) {
  return builtin_declare(w, &camera_component, error);
}
