// Paths of bound fields, from the field `bind` of a widget, such as "health.hp" and "weapon.left.damage".
#ifndef SHOAL_UI_BIND_PATH_H
#define SHOAL_UI_BIND_PATH_H

#include "ui/state.h"

typedef struct ui_bind_path_t {
  manager_o *manager; // component of the path; NULL if the component is unknown or not of the expected kind
  int32_t column;
  uint32_t instance;
  const char *field; // name of the field in the path; "" if the path has no dot
} ui_bind_path_t;

// Parses `path`, a string id. `of_entity`: the path names a field of a component, not of a singleton. In the result,
// `column` is -1 if the path is invalid.
ui_bind_path_t ui_find_bind_path(const ui_o *ui, uint32_t path, bool of_entity);

#endif
