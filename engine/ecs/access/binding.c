// A program's declarations, matched to the components of its world.
#include "access/binding.h"

#include "access/access.h"
#include "access/declaration_match.h"
#include "access/last_error.h"
#include "ecs/name_hint.h"
#include "ecs/ranges.h"

#include <string.h>

access_binding_t *access_add_binding(access_o *access, const shoal_component *component) {
  access_binding_t *binding = alloc_resize(&access->memory, NULL, 0, access->desc.bound_bytes);
  memset(binding, 0, access->desc.bound_bytes);
  binding->component = component;
  binding->columns = alloc_resize(&access->memory, NULL, 0, component->column_count * sizeof *binding->columns);
  binding->offsets = alloc_resize(&access->memory, NULL, 0, component->column_count * sizeof *binding->offsets);
  binding->copies = alloc_resize(&access->memory, NULL, 0, component->column_count * sizeof *binding->copies);
  binding->data = alloc_resize(&access->memory, NULL, 0, component->column_count * sizeof *binding->data);
  for (uint32_t i = 0; i < component->column_count; ++i)
    binding->data[i] = NULL;
  array_push(&access->memory, &access->bound, binding);
  return binding;
}

static bool fail_wrong_kind(access_o *access, const shoal_component *component) {
  char hint[HINT_BYTES];
  if (component->kind == SHOAL_KIND_EVENT)
    return access_fail("unknown event %.64s%s", component->name, hint_event(access->world, component->name, hint));
  if (!world_find_manager(access->world, component->name))
    return access_fail("unknown component %.64s%s", component->name,
                       hint_component(access->world, component->name, hint));
  return access_fail("cannot use %.64s: .kind must be the kind of the component in this world: change .kind",
                     component->name);
}

static uint32_t align_offset(uint32_t offset, uint32_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

static access_copy_t choose_copy(field_type_t type) {
  switch (type) {
  case FIELD_F32: return ACCESS_COPY_F32;
  case FIELD_F64: return ACCESS_COPY_F64;
  case FIELD_MAT4: return ACCESS_COPY_MATRIX;
  default: return field_size(type) == 1 ? ACCESS_COPY_1 : field_size(type) == 2 ? ACCESS_COPY_2 : ACCESS_COPY_4;
  }
}

// Returns true if values of this type can be copied without validation and without side effects.
static bool is_plain_type(field_type_t type) {
  return type != FIELD_BOOL && type != FIELD_ENUM && type != FIELD_ENTITY;
}

static access_struct_copy_t choose_struct_copy(const access_binding_t *binding) {
  bool are_words = !binding->has_gaps, are_floats = !binding->has_gaps;
  for (uint32_t i = 0; i < binding->component->column_count; ++i) {
    are_floats &= binding->copies[i] == ACCESS_COPY_F32;
    are_words &= binding->copies[i] == ACCESS_COPY_F32 || binding->copies[i] == ACCESS_COPY_4;
  }
  return are_floats ? ACCESS_STRUCT_FLOATS : are_words ? ACCESS_STRUCT_WORDS : ACCESS_STRUCT_BY_MEMBER;
}

// Computes the layout of the value struct, whose members are the declaration's columns, and how each member is copied.
static void place_members(access_binding_t *binding) {
  uint32_t end = 0, alignment = 1, stored_bytes = 0;
  binding->can_copy = true;
  for (uint32_t i = 0; i < binding->component->column_count; ++i) {
    // A mat4 is aligned like a float.
    uint32_t bytes = access_element_bytes(binding, i), aligned = bytes > 8 ? 4 : bytes;
    binding->offsets[i] = align_offset(end, aligned);
    end = binding->offsets[i] + bytes;
    alignment = aligned > alignment ? aligned : alignment;
    binding->copies[i] = ACCESS_COPY_NONE;
    if (access_is_derived(binding, i))
      continue;
    field_type_t type = binding->manager->schema.fields[binding->columns[i]].type;
    binding->copies[i] = choose_copy(type);
    binding->can_copy &= is_plain_type(type);
    stored_bytes += bytes;
  }
  binding->values_bytes = align_offset(end, alignment);
  binding->has_gaps = stored_bytes != binding->values_bytes;
  binding->struct_copy = choose_struct_copy(binding);
}

static void remember_binding(access_o *access, access_binding_t *binding) {
  if (binding->manager)
    access->recent[access_recent_slot(binding->component)] = binding;
}

bool access_match_binding(access_o *access, access_binding_t *binding) {
  const shoal_component *component = binding->component;
  error_info_t error = {0};
  binding->event = component->kind == SHOAL_KIND_EVENT ? world_find_event(access->world, component->name) : NULL;
  binding->manager =
      binding->event || component->kind == SHOAL_KIND_EVENT ? NULL : world_find_manager(access->world, component->name);
  if (binding->manager && binding->manager->schema.kind != (schema_kind_t)component->kind)
    binding->manager = NULL;
  const schema_t *schema = binding->manager ? &binding->manager->schema
                           : binding->event ? &binding->event->schema
                                            : NULL;
  binding->next_unread = 0;
  binding->matched =
      schema ? access_match_columns(schema, component, binding->columns, &error) || access_fail("%s", error.text)
             : fail_wrong_kind(access, component);
  if (!binding->matched) {
    binding->manager = NULL;
    binding->event = NULL;
  }
  binding->is_plain = binding->manager && binding->manager->schema.kind == SCHEMA_COMPONENT;
  if (binding->manager) {
    place_members(binding);
    binding->plain_bytes = binding->is_plain ? binding->values_bytes : UINT32_MAX;
  }
  remember_binding(access, binding);
  return binding->matched;
}

access_binding_t *access_bind_component(access_o *access, const shoal_component *component) {
  if (!component || !component->name)
    return access_fail("`component` must not be NULL: pass the address of a declaration"), NULL;
  access_binding_t *binding = access_find_binding(access, component);
  if (access->desc.closed) // parts of parallel systems run this branch on any thread, so it must not change bindings
    return (binding && binding->matched) ||
                   access_fail(access->part_query
                                   ? "cannot use %.64s in a part: call shoal_declare before shoal_ecs_run_parallel"
                                   : "cannot use %.64s: this world lacks the component, or declares it with different "
                                     "fields",
                               component->name)
               ? binding
               : NULL;
  binding = binding ? binding : access_add_binding(access, component);
  if (!binding->matched && !access_match_binding(access, binding))
    return NULL;
  remember_binding(access, binding);
  return binding;
}

access_binding_t *access_bind_rows(access_o *access, const shoal_component *component) {
  access_binding_t *recent = access_find_recent(access, component);
  if (recent)
    return recent;
  access_binding_t *binding = access_bind_component(access, component);
  return binding && (binding->manager || access_fail("%s must be a component, got an event", component->name)) ? binding
                                                                                                               : NULL;
}

access_binding_t *access_bind_event(access_o *access, const shoal_component *component) {
  access_binding_t *binding = access_bind_component(access, component);
  return binding && (binding->event || access_fail("%s must be an event, got a component", component->name)) ? binding
                                                                                                             : NULL;
}

void access_remove_binding(access_o *access, access_binding_t *binding) {
  uint32_t column_count = binding->component->column_count;
  memset(access->recent, 0, sizeof access->recent);
  scratch_free(&access->memory, &binding->scratch);
  alloc_resize(&access->memory, binding->columns, column_count * sizeof *binding->columns, 0);
  alloc_resize(&access->memory, binding->offsets, column_count * sizeof *binding->offsets, 0);
  alloc_resize(&access->memory, binding->copies, column_count * sizeof *binding->copies, 0);
  alloc_resize(&access->memory, binding->data, column_count * sizeof *binding->data, 0);
  if (binding->described)
    access_free_description(&access->memory, binding->described);
  alloc_resize(&access->memory, binding, access->desc.bound_bytes, 0);
}

access_binding_t *access_find_component_binding(access_o *access, const manager_o *m) {
  access_binding_t *best = NULL;
  for (uint32_t i = 0; i < access->bound.count; ++i) {
    access_binding_t *binding = access->bound.items[i];
    bool is_match =
        strcmp(binding->component->name, m->schema.name) == 0 && binding->component->kind != SHOAL_KIND_EVENT;
    if (is_match && (!best || best->described) &&
        (binding->matched || (!access->desc.closed && access_match_binding(access, binding))))
      best = binding;
  }
  return best;
}

// --- columns

void access_refresh_columns(access_o *access, access_binding_t *binding) {
  const manager_o *m = binding->manager;
  for (uint32_t i = 0; i < binding->component->column_count; ++i) {
    if (!access_is_derived(binding, i)) {
      binding->data[i] = m->data[binding->columns[i]];
    } else if (m->count > 0) {
      size_t bytes = (size_t)m->count * access_element_bytes(binding, i);
      binding->data[i] =
          scratch_reserve(&access->memory, &binding->scratch, i, binding->component->column_count, bytes);
      manager_compute_derived_field(m, binding->columns[i], NULL, 0, m->count, binding->data[i]);
    }
  }
}

void access_mark_written(const access_o *access, const access_binding_t *binding) {
  if (binding->manager && (binding->manager->ranged | binding->manager->listed))
    world_mark_written(access->world, binding->manager->id, access_stored_columns(binding));
}
