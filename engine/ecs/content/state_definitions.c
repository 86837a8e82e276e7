// Definitions (content/definitions.h) in a snapshot: the rows of shoal.definitions.
#include "content/state_definitions.h"

#include "content/definitions.h"
#include "snapshot/state_view.h"

#include <string.h>

static const char *list_definitions(const state_view_t *view, world_o *w) {
  const state_rows_t *rows = state_find_rows(view->components, view->component_count, DEFINITIONS_COMPONENT);
  bool is_readable = rows && rows->schema->field_count == 2 && rows->fields[0].type == FIELD_STRING &&
                     rows->fields[1].type == FIELD_STRING;
  definitions_list_begin(w);
  for (uint32_t row = 1; is_readable && row < rows->count; ++row) {
    size_t name_bytes, json_bytes;
    const char *name = state_text(view, ((const uint32_t *)rows->columns[0])[row], &name_bytes);
    const char *json = state_text(view, ((const uint32_t *)rows->columns[1])[row], &json_bytes);
    definitions_list_add(w, name, name_bytes, json, json_bytes);
  }
  return definitions_list_end(w);
}

const char *state_definitions_list(const snapshot_o *snapshot, world_o *w) {
  state_view_t *view = state_open(snapshot, &w->allocator, NULL);
  definitions_list_begin(w);
  const char *list = view ? list_definitions(view, w) : definitions_list_end(w);
  state_close(view);
  return list;
}

bool state_definitions_are_declared(world_o *w, const state_view_t *view) {
  return strcmp(list_definitions(view, w), definitions_declared_list(w)) == 0;
}

void state_definitions_declare(world_o *w, const state_view_t *view) {
  definitions_ensure_declared(w, list_definitions(view, w));
}
