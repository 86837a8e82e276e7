// Names of the columns of a view. Different fields can have the same name without dots: the colour `shadow` has the
// column shadow_x, and so does the field `shadow_x`.
#ifndef SHOAL_SERVED_VIEW_NAMES_H
#define SHOAL_SERVED_VIEW_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#define VIEW_NAME_BYTES 64u // maximum size of an identifier of PostgreSQL, with the '\0'
#define VIEW_MAX_NAMES 128u

// The names of a view's columns. Zero-initialize it.
typedef struct view_names_t {
  char items[VIEW_MAX_NAMES][VIEW_NAME_BYTES];
  uint32_t count;
} view_names_t;

// Returns true if the view has a column of this name. SQLite ignores case.
bool view_names_contain(const view_names_t *n, const char *name);
// Adds a column, and returns its name, truncated: `name` or, if the view has such a column, "NAME_2", "NAME_3" …
const char *view_names_add(view_names_t *n, const char *name);

#endif
