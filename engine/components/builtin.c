// The one call by which built-in components enter the world, and those by which C finds them. Their names are Shoal's
// own, so that `name` may be one.
#include "components/builtin.h"

#include "base/assert.h"
#include "schema/schema_build.h"

#include <stdio.h>
#include <string.h>

bool builtin_declare(world_o *w, const shoal_component *component, error_t *error) {
  return world_declare_desc(w, &(schema_desc_t){.component = component, .origin = "C", .any_name = true}, error) != 0;
}

// What there was from the beginning: these names are taken in every game.
static const char *const FIRM[] = {"name", "transform", "sprite",   "shape",  "text",    "camera",
                                   "body", "sound",     "lifetime", "script", "disabled"};

static manager_o *find_own(world_o *w, const char *name) {
  manager_o *m = world_find_manager(w, name);
  return m && strcmp(m->schema.origin, "C") == 0 ? m : NULL;
}

manager_o *builtin_find(world_o *w, const char *name) {
  char moved[COMPONENT_NAME_MAX];
  manager_o *m = find_own(w, name);
  if (m)
    return m;
  snprintf(moved, sizeof moved, "shoal.%s", name);
  return find_own(w, moved);
}

bool builtin_may_give_way(world_o *w, const char *name) {
  const manager_o *m = find_own(w, name);
  for (size_t i = 0; i < sizeof FIRM / sizeof *FIRM; ++i)
    if (strcmp(FIRM[i], name) == 0)
      return false;
  return m && m->count == 0 && strncmp(name, "shoal.", 6) != 0;
}

bool builtin_give_way(world_o *w, const char *name, const char *owner) {
  char moved[COMPONENT_NAME_MAX]; // `name` may be the schema's own
  manager_o *m = find_own(w, name);
  if (!builtin_may_give_way(w, name))
    return false;
  snprintf(moved, sizeof moved, "shoal.%s", name);
  log_info(world_log(w), "%s has a component %s of its own: Shoal's %s is shoal.%s here", owner, name, name, name);
  world_rename_manager(w, m->id, moved);
  shoal_assert(builtin_find(w, moved + 6) == m, "%s is not found", m->schema.name);
  return true;
}

event_o *builtin_event(world_o *w, const char *name) {
  event_o *ev = world_find_event(w, name);
  return ev && strcmp(ev->schema.origin, "[shoal]") == 0 ? ev : NULL;
}
