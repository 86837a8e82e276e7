// Definitions (ecs/definitions.h) that a snapshot holds: names of readers, like those of a living world.
#include "snapshot/state_definitions.h"

#include "ecs/definitions.h"
#include "snapshot/state_view.h"

#include <string.h>

static const char *list_of(const state_view_t *v, world_o *w) {
  definitions_list_begin(w);
  for (uint32_t i = 0; i < v->reader_count; ++i) {
    uint32_t id = v->readers[i].reader;
    size_t length = 0;
    const char *text = v->strings ? strings_text(v->strings, id) : state_text(v, id, &length); // migrated or not
    definitions_list_add(w, text, v->strings ? strings_length(v->strings, id) : length);
  }
  return definitions_list_end(w);
}

const char *definitions_in(const snapshot_o *s, world_o *w) {
  state_view_t *v = state_open(s, &w->allocator, NULL);
  definitions_list_begin(w);
  const char *list = v ? list_of(v, w) : definitions_list_end(w);
  state_close(v);
  return list;
}

bool state_definitions_differ(const state_view_t *v, world_o *w) {
  return strcmp(list_of(v, w), definitions_declared(w)) != 0;
}

void state_definitions_require(const state_view_t *v, world_o *w) {
  definitions_require(w, list_of(v, w));
}
