// Chooses different names for all columns of a view.
#include "served/view_names.h"

#include "base/assert.h"

#include <stdio.h>
#include <strings.h>

bool view_names_contain(const view_names_t *n, const char *name) {
  for (uint32_t i = 0; i < n->count; ++i)
    if (strcasecmp(n->items[i], name) == 0)
      return true;
  return false;
}

const char *view_names_add(view_names_t *n, const char *name) {
  shoal_assert(n->count < VIEW_MAX_NAMES, "a view has more than %u columns", VIEW_MAX_NAMES);
  char *out = n->items[n->count];
  (void)snprintf(out, VIEW_NAME_BYTES, "%.*s", (int)VIEW_NAME_BYTES - 1, name);
  for (uint32_t number = 2; view_names_contain(n, out); ++number)
    (void)snprintf(out, VIEW_NAME_BYTES, "%.*s_%u", (int)VIEW_NAME_BYTES - 5, name, number);
  ++n->count;
  return out;
}
