// A behaviour: a Lua file that runs for this one entity. The script room loads and runs it.
#include "components/plain.h"

#include "components/builtin.h"

// clang-format off
#define SCRIPT_FIELDS(F)                                                                                               \
  F(string, file, "") F(bool, enabled, 1)
// clang-format on
SHOAL_COMPONENT(script, SCRIPT_FIELDS)

bool script_declare(world_o *w, error_t *error) {
  return builtin_declare(w, &script_component, error);
}
