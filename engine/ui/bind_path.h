// Paths in the fields `bind` of widgets, such as "health.hp" and "weapon.left.damage". Each path is parsed once.
#ifndef SHOAL_UI_BIND_PATH_H
#define SHOAL_UI_BIND_PATH_H

#include "ui/state.h"

typedef struct bind_path_t {
  manager_o *m; // component of the path; NULL if it is not of the expected kind
  int32_t column;
  uint32_t instance;
  const char *field; // in the path; "" without a dot
} bind_path_t;

// Returns the parsed path (a string id). of_entity: the path names a component's field, not a singleton's.
bind_path_t bind_path_find(const ui_o *ui, uint32_t path, bool of_entity);

#endif
