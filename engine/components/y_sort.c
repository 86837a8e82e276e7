// What is lower on the screen is drawn over what is higher, among those with this component on the same layer.
#include "components/plain.h"

#include "components/builtin.h"

// offset: pixels from the transform's place to the feet, along the world's y.
SHOAL_COMPONENT(y_sort, SHOAL_Y_SORT_FIELDS)

bool y_sort_declare(world_o *w, error_t *error) {
  return builtin_declare(w, &y_sort_component, error);
}
