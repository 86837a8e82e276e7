// A program's declarations, matched to the components of its world.
#include "access/binding.h"

#include "access/access.h"
#include "access/declaration_match.h"
#include "access/last_error.h"
#include "ecs/name_hint.h"
#include "ecs/ranges.h"

#include <string.h>

access_binding_t *access_add_binding(access_o *a, const shoal_component *c) {
  access_binding_t *b = alloc_resize(&a->memory, NULL, 0, a->desc.bound_bytes);
  memset(b, 0, a->desc.bound_bytes);
  b->component = c;
  b->columns = alloc_resize(&a->memory, NULL, 0, c->column_count * sizeof *b->columns);
  b->data = alloc_resize(&a->memory, NULL, 0, c->column_count * sizeof *b->data);
  for (uint32_t i = 0; i < c->column_count; ++i)
    b->data[i] = NULL;
  array_push(&a->memory, &a->bound, b);
  return b;
}

static bool fail_wrong_kind(access_o *a, const shoal_component *c) {
  char hint[HINT_BYTES];
  if (c->kind == SHOAL_KIND_EVENT)
    return access_fail("unknown event %.64s%s", c->name, hint_event(a->world, c->name, hint));
  if (!world_find_manager(a->world, c->name))
    return access_fail("unknown component %.64s%s", c->name, hint_component(a->world, c->name, hint));
  return access_fail("cannot use %.64s: .kind must be the kind of the component in this world: change .kind", c->name);
}

bool access_match_binding(access_o *a, access_binding_t *b) {
  const shoal_component *c = b->component;
  error_info_t error = {0};
  b->event = c->kind == SHOAL_KIND_EVENT ? world_find_event(a->world, c->name) : NULL;
  b->manager = b->event || c->kind == SHOAL_KIND_EVENT ? NULL : world_find_manager(a->world, c->name);
  if (b->manager && b->manager->schema.kind != (schema_kind_t)c->kind)
    b->manager = NULL;
  const schema_t *s = b->manager ? &b->manager->schema : b->event ? &b->event->schema : NULL;
  b->next_unread = 0;
  b->matched =
      s ? access_match_columns(s, c, b->columns, &error) || access_fail("%s", error.text) : fail_wrong_kind(a, c);
  if (!b->matched) {
    b->manager = NULL;
    b->event = NULL;
  }
  return b->matched;
}

access_binding_t *access_bind_component(access_o *a, const shoal_component *component) {
  if (!component || !component->name)
    return access_fail("`component` must not be NULL: pass the address of a declaration"), NULL;
  access_binding_t *b = access_find_binding(a, component);
  if (a->desc.closed) // parts of parallel systems run this branch on any thread, so it must not change bindings
    return (b && b->matched) ||
                   access_fail("cannot use %.64s: this world lacks the component, or declares it with other fields",
                               component->name)
               ? b
               : NULL;
  b = b ? b : access_add_binding(a, component);
  return b->matched || access_match_binding(a, b) ? b : NULL;
}

access_binding_t *access_bind_rows(access_o *a, const shoal_component *component) {
  access_binding_t *b = access_bind_component(a, component);
  return b && (b->manager || access_fail("%s must be a component, got an event", component->name)) ? b : NULL;
}

access_binding_t *access_bind_event(access_o *a, const shoal_component *component) {
  access_binding_t *b = access_bind_component(a, component);
  return b && (b->event || access_fail("%s must be an event, got a component", component->name)) ? b : NULL;
}

void access_remove_binding(access_o *a, access_binding_t *b) {
  uint32_t n = b->component->column_count;
  scratch_free(&a->memory, &b->scratch);
  alloc_resize(&a->memory, b->columns, n * sizeof *b->columns, 0);
  alloc_resize(&a->memory, b->data, n * sizeof *b->data, 0);
  if (b->described)
    access_free_description(&a->memory, b->described);
  alloc_resize(&a->memory, b, a->desc.bound_bytes, 0);
}

access_binding_t *access_find_component_binding(access_o *a, const manager_o *m) {
  access_binding_t *found = NULL;
  for (uint32_t i = 0; i < a->bound.count; ++i) {
    access_binding_t *b = a->bound.items[i];
    bool same = strcmp(b->component->name, m->schema.name) == 0 && b->component->kind != SHOAL_KIND_EVENT;
    if (same && (!found || found->described) && (b->matched || (!a->desc.closed && access_match_binding(a, b))))
      found = b;
  }
  return found;
}

// --- columns

void access_refresh_columns(access_o *a, access_binding_t *b) {
  const manager_o *m = b->manager;
  for (uint32_t i = 0; i < b->component->column_count; ++i) {
    if (!access_is_derived(b, i)) {
      b->data[i] = m->data[b->columns[i]];
    } else if (m->count > 0) {
      size_t bytes = (size_t)m->count * access_element_bytes(b, i);
      b->data[i] = scratch_reserve(&a->memory, &b->scratch, i, b->component->column_count, bytes);
      manager_compute_derived_field(m, b->columns[i], NULL, 0, m->count, b->data[i]);
    }
  }
}

void access_mark_written(const access_o *a, const access_binding_t *b) {
  if (b->manager && (b->manager->ranged | b->manager->listed))
    world_mark_written(a->world, b->manager->id, access_stored_columns(b));
  for (uint32_t i = 0; b->manager && i < b->component->column_count; ++i)
    if (b->manager->schema.fields[b->columns[i]].type == FIELD_ENTITY)
      *world_links_written(a->world) = 1;
}
