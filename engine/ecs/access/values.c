// Reads and writes the values of an entity's component or of a singleton.
#include "access/values.h"

#include "access/changes.h"
#include "access/last_error.h"
#include "ecs/event_deaths.h"
#include "ecs/last_values.h"
#include "shoal/number.h"

#include <stdatomic.h>
#include <string.h>

static world_o *get_world(const access_row_t *r) {
  return r->of->access->world;
}

static const char *get_component_name(const access_row_t *r) {
  return r->bound->component->name;
}

static bool is_of_kind(const access_row_t *r, schema_kind_t kind) {
  return r->bound->manager->schema.kind == kind;
}

static bool check_alive(const access_row_t *r) {
  return world_is_alive(get_world(r), r->entity) || access_fail("entity %u is not alive", r->entity);
}

static bool check_entity(const access_row_t *r) {
  if (is_of_kind(r, SCHEMA_SINGLE))
    return r->entity == SHOAL_ENTITY_NONE || access_fail("%s is a singleton: pass entity 0", get_component_name(r));
  return check_alive(r);
}

static bool check_column(const access_row_t *r, uint32_t column) {
  if (column == SHOAL_NO_COLUMN)
    return access_fail("no column of %s: shoal_find_column found no field with this name", get_component_name(r));
  if (column >= r->bound->component->column_count)
    return access_fail("column %u of %s is out of range (count %u)", column, get_component_name(r),
                       r->bound->component->column_count);
  return !access_is_derived(r->bound, column) ||
         access_fail("cannot access the derived field %s.%s: read the fields from which it is computed",
                     get_component_name(r), r->bound->manager->schema.fields[r->bound->columns[column]].name);
}

static bool check_instance(const access_row_t *r) {
  return !is_of_kind(r, SCHEMA_MANY) || r->instance ||
         access_fail("%s has named instances: name one, for example with shoal_get_instance or shoal_set_instance",
                     get_component_name(r));
}

// Stores the string id of the instance's name in `out`, or 0 if the name is NULL or "" or the component has no
// instances. If `adds`, interns a new name, except in a parallel system. Returns true on success, or false after
// calling access_fail if the name is unknown.
static bool resolve_instance(const access_row_t *r, bool adds, uint32_t *out) {
  strings_o *strings = world_strings(get_world(r));
  *out = 0;
  if (!is_of_kind(r, SCHEMA_MANY) || !r->instance || !r->instance[0])
    return true;
  *out = adds && !r->of->chunk ? strings_intern(strings, r->instance) : strings_find(strings, r->instance);
  return *out != 0 || access_fail("entity %u has no %s named %.60s", r->entity, get_component_name(r), r->instance);
}

static bool check_row_change(const access_row_t *r, uint32_t *instance) {
  if (is_of_kind(r, SCHEMA_SINGLE))
    return access_fail("%s is a singleton, which belongs to no entity", get_component_name(r));
  return check_alive(r) && resolve_instance(r, true, instance);
}

bool access_add_row(const access_row_t *r) {
  uint32_t instance, manager = r->bound->manager->id;
  if (!check_row_change(r, &instance))
    return false;
  if (r->of->chunk)
    return chunk_push(r->of->chunk, CHUNK_ADD, r->entity, manager, instance, 0, 0), true;
  return world_add_component(get_world(r), r->entity, manager, instance, access_last_error());
}

bool access_remove_row(const access_row_t *r) {
  uint32_t instance;
  const manager_o *m = r->bound->manager;
  if (!check_row_change(r, &instance))
    return false;
  bool removed = r->of->chunk ? manager_row(m, r->entity) != ROW_NONE
                              : world_remove_component(get_world(r), r->entity, m->id, instance);
  if (removed && r->of->chunk)
    chunk_push(r->of->chunk, CHUNK_REMOVE, r->entity, m->id, instance, 0, 0);
  // Chunks are filled on worker threads, so removals in a chunk are checked when the chunk is applied.
  if (!removed && !r->of->chunk && !world_check_removal(get_world(r), r->entity, m->id, access_last_error()))
    return false;
  return removed || access_fail("entity %u has no %s", r->entity, get_component_name(r));
}

// --- reading and writing one value

static void record_written_value(const access_row_t *r, uint32_t column, double value) {
  changes_record(r->of->access, CHANGE_SET, "ntttn", (double)r->entity, get_component_name(r), r->instance,
                 r->bound->manager->schema.fields[column].name, value);
}

bool access_set_value(const access_row_t *r, uint32_t column, double value) {
  manager_o *m = r->bound->manager;
  uint32_t instance;
  if (!check_column(r, column) || !check_entity(r) || !check_instance(r) || !resolve_instance(r, true, &instance))
    return false;
  uint32_t store_column = r->bound->columns[column];
  if (r->of->chunk && is_of_kind(r, SCHEMA_SINGLE))
    return access_fail("parallel systems cannot set the singleton %s: set it in a different system",
                       get_component_name(r));
  if (r->of->chunk)
    return chunk_push(r->of->chunk, CHUNK_SET, r->entity, m->id, instance, store_column, value), true;
  if (is_of_kind(r, SCHEMA_SINGLE))
    columns_set(&m->columns, 0, store_column, value);
  else if (!world_set_field(get_world(r), r->entity, m->id, instance, store_column, value, access_last_error()))
    return false;
  r->of->access->write_count++;
  record_written_value(r, store_column, value);
  return true;
}

// Returns the index of the row, or ROW_NONE after calling access_fail. Stores the manager with the row in `m`: the
// component's manager or, while the entity's spawn is queued, a private manager.
static uint32_t find_row(const access_row_t *r, const manager_o **m) {
  uint32_t instance;
  *m = r->bound->manager;
  uint32_t plain_row = is_of_kind(r, SCHEMA_COMPONENT) ? manager_row(*m, r->entity) : ROW_NONE;
  if (plain_row != ROW_NONE) // the owner of a row is alive, and its spawn is not queued
    return plain_row;
  if (!check_entity(r) || !check_instance(r))
    return ROW_NONE;
  if (is_of_kind(r, SCHEMA_SINGLE))
    return 0;
  if (!resolve_instance(r, false, &instance))
    return ROW_NONE;
  if (access_is_queued(r->of, r->entity)) {
    queued_entities_update(get_world(r));
    *m = queued_manager(get_world(r), (*m)->id);
  }
  uint32_t row = manager_find_instance_row(*m, r->entity, instance);
  if (row == ROW_NONE)
    access_fail("entity %u has no %s", r->entity, get_component_name(r));
  return row;
}

bool access_get_value(const access_row_t *r, uint32_t column, double *value) {
  if (!value)
    return access_fail("`value` must not be NULL");
  const manager_o *m;
  uint32_t row = check_column(r, column) ? find_row(r, &m) : ROW_NONE;
  if (row != ROW_NONE)
    *value = columns_get(&m->columns, row, r->bound->columns[column]);
  return row != ROW_NONE;
}

bool access_get_event_value(const access_row_t *r, uint32_t event, uint32_t column, double *value) {
  uint32_t instance, removal = event_deaths_removal(get_world(r), r->entity, event);
  manager_o *m = r->bound->manager;
  if (removal == EVENT_DEATHS_NONE || !value || is_of_kind(r, SCHEMA_SINGLE))
    return access_get_value(r, column, value);
  if (!check_column(r, column) || !check_instance(r) || !resolve_instance(r, false, &instance))
    return false;
  uint32_t row = last_values_find(m, r->entity, removal, instance, false);
  if (row == ROW_NONE)
    return access_fail("entity %u had no %s when it died", r->entity, get_component_name(r));
  *value = last_values_get(m, row, r->bound->columns[column]);
  return true;
}

// --- C structs: access_match_columns has checked that the members have the types of the columns

static bool check_struct(const access_row_t *r, const void *values, size_t size) {
  if (!values)
    return access_fail("`values` must not be NULL (component %s)", get_component_name(r));
  return size == r->bound->values_bytes ||
         access_fail("values of %s: expected %u bytes, got %zu", get_component_name(r), r->bound->values_bytes, size);
}

// Returns true if rows can be written immediately, because changes are neither queued nor recorded.
static inline bool can_write_rows(const access_world_t *w) {
  return !w->chunk && !w->access->records && !world_is_deferring(w->access->world);
}

static inline void copy_value(void *target, const void *column, size_t row, access_copy_t copy) {
  switch (copy) { // constant sizes compile to single moves
  case ACCESS_COPY_1: memcpy(target, (const uint8_t *)column + row, 1); break;
  case ACCESS_COPY_2: memcpy(target, (const uint16_t *)column + row, 2); break;
  case ACCESS_COPY_4:
  case ACCESS_COPY_F32: memcpy(target, (const uint32_t *)column + row, 4); break;
  case ACCESS_COPY_F64:
  case ACCESS_COPY_8: memcpy(target, (const uint64_t *)column + row, 8); break;
  case ACCESS_COPY_MATRIX: memcpy(target, (const float *)column + row * 16, sizeof(float[16])); break;
  default: break;
  }
}

// Copies `source` to element `row` of a column. Stores a NaN as the canonical NaN.
static inline void store_value(void *column, size_t row, const void *source, access_copy_t copy) {
  uint32_t f32;
  uint64_t f64;
  switch (copy) {
  case ACCESS_COPY_F32:
    memcpy(&f32, source, sizeof f32);
    f32 = shoal_is_nan_f32(f32) ? SHOAL_NAN_F32 : f32;
    memcpy((uint32_t *)column + row, &f32, sizeof f32);
    break;
  case ACCESS_COPY_F64:
    memcpy(&f64, source, sizeof f64);
    f64 = shoal_is_nan_f64(f64) ? SHOAL_NAN_F64 : f64;
    memcpy((uint64_t *)column + row, &f64, sizeof f64);
    break;
  case ACCESS_COPY_1: memcpy((uint8_t *)column + row, source, 1); break;
  case ACCESS_COPY_2: memcpy((uint16_t *)column + row, source, 2); break;
  case ACCESS_COPY_4: memcpy((uint32_t *)column + row, source, 4); break;
  case ACCESS_COPY_8: memcpy((uint64_t *)column + row, source, 8); break;
  case ACCESS_COPY_MATRIX: memcpy((float *)column + row * 16, source, sizeof(float[16])); break;
  default: break;
  }
}

static inline uint32_t read_word(const void *memory, size_t index) {
  uint32_t word;
  memcpy(&word, (const uint32_t *)memory + index, sizeof word);
  return word;
}

// Writes a row of floats. Uses local variables for arrays, because compilers assume that writes may change the binding.
static inline void write_floats(const access_binding_t *binding, uint32_t row, const void *values) {
  void *const *data = binding->manager->data;
  const uint32_t *columns = binding->columns;
  for (uint32_t i = 0, count = binding->component->column_count; i < count; ++i) {
    uint32_t bits = read_word(values, i);
    bits = shoal_is_nan_f32(bits) ? SHOAL_NAN_F32 : bits;
    memcpy((uint32_t *)data[columns[i]] + row, &bits, sizeof bits);
  }
}

static inline void read_words(const access_binding_t *binding, const manager_o *m, uint32_t row, void *values) {
  void *const *data = m->data;
  const uint32_t *columns = binding->columns;
  for (uint32_t i = 0, count = binding->component->column_count; i < count; ++i) {
    uint32_t word = read_word(data[columns[i]], row);
    memcpy((uint32_t *)values + i, &word, sizeof word);
  }
}

static void write_row(access_o *access, const access_binding_t *binding, uint32_t row, const void *values) {
  manager_o *m = binding->manager;
  bool has_marks = m->columns.stored_count > m->columns.column_count;
  access->write_count++;
  if (!binding->can_copy || m->ranged || m->is_tracked || has_marks)
    world_write_row(access->world, m, row, values, binding->columns, binding->offsets,
                    binding->component->column_count);
  else if (binding->struct_copy == ACCESS_STRUCT_FLOATS)
    write_floats(binding, row, values);
  else
    for (uint32_t i = 0, count = binding->component->column_count; i < count; ++i)
      if (binding->copies[i] != ACCESS_COPY_NONE)
        store_value(m->data[binding->columns[i]], row, (const char *)values + binding->offsets[i], binding->copies[i]);
}

// Not inline, so that read_row needs no stack frame.
__attribute__((noinline)) static void read_members(const access_binding_t *binding, const manager_o *m, uint32_t row,
                                                   void *values) {
  if (binding->has_gaps)
    memset(values, 0, binding->values_bytes);
  for (uint32_t i = 0, count = binding->component->column_count; i < count; ++i)
    if (binding->copies[i] != ACCESS_COPY_NONE)
      copy_value((char *)values + binding->offsets[i], m->data[binding->columns[i]], row, binding->copies[i]);
}

// Copies a row to a struct. `m` is the binding's manager or the private manager of queued entities.
static inline void read_row(const access_binding_t *binding, const manager_o *m, uint32_t row, void *values) {
  if (binding->struct_copy != ACCESS_STRUCT_BY_MEMBER)
    read_words(binding, m, row, values);
  else
    read_members(binding, m, row, values);
}

static bool set_matrix(const access_row_t *r, uint32_t store_column, const void *matrix) {
  manager_o *m = r->bound->manager;
  const manager_o *row_manager;
  uint32_t row = find_row(r, &row_manager);
  if (row == ROW_NONE || r->of->chunk || world_is_deferring(get_world(r)))
    return row != ROW_NONE &&
           access_fail("cannot set the mat4 field of %s while changes are queued: set the fields one by one",
                       get_component_name(r));
  columns_set_element(&m->columns, row, store_column, matrix);
  r->of->access->write_count++;
  return true;
}

bool access_set_values(const access_row_t *r, const void *values, size_t size, uint32_t skipped) {
  const access_binding_t *binding = r->bound;
  if (!check_struct(r, values, size))
    return false;
  uint32_t row = binding->is_plain && can_write_rows(r->of) ? manager_row(binding->manager, r->entity) : ROW_NONE;
  if (row != ROW_NONE) {
    write_row(r->of->access, binding, row, values);
    return true;
  }
  // Matrices are set first: if setting a matrix fails, nothing has been changed yet.
  for (uint32_t pass = 0; pass < 2; ++pass)
    for (uint32_t i = 0; i < binding->component->column_count; ++i) {
      uint32_t store_column = binding->columns[i];
      const void *element = (const char *)values + binding->offsets[i];
      bool is_matrix = binding->manager->schema.fields[store_column].type == FIELD_MAT4;
      if (access_is_derived(binding, i) || is_matrix != (pass == 0) || store_column == skipped)
        continue;
      if (!(is_matrix
                ? set_matrix(r, store_column, element)
                : access_set_value(r, i, columns_read_element(&binding->manager->columns, store_column, element))))
        return false;
    }
  return true;
}

bool access_get_values(const access_row_t *r, void *values, size_t size) {
  const access_binding_t *binding = r->bound;
  const manager_o *m;
  uint32_t row = check_struct(r, values, size) ? find_row(r, &m) : ROW_NONE;
  if (row != ROW_NONE)
    read_row(binding, m, row, values);
  return row != ROW_NONE;
}

// --- whole rows

// Returns e's row if the binding has a plain component and `size` is the size of its struct. Returns ROW_NONE if the
// binding or the size differs, or e has no row.
static inline uint32_t find_struct_row(const access_binding_t *binding, shoal_entity e, const void *values,
                                       size_t size) {
  if (!binding || !values || size != binding->plain_bytes)
    return ROW_NONE;
  return manager_row(binding->manager, e);
}

// Not inline, so that the common case below needs no stack frame.
__attribute__((noinline)) static bool set_any_struct(shoal_world *w, shoal_entity e, const shoal_component *component,
                                                     const void *values, size_t size) {
  access_row_t r;
  return access_describe_row(w, component, e, NULL, &r) && access_set_values(&r, values, size, ACCESS_SKIP_NONE);
}

__attribute__((noinline)) static bool get_any_struct(shoal_world *w, shoal_entity e, const shoal_component *component,
                                                     void *values, size_t size) {
  access_row_t r;
  return access_describe_row(w, component, e, NULL, &r) && access_get_values(&r, values, size);
}

__attribute__((noinline)) static bool get_any_value(shoal_world *w, shoal_entity e, const shoal_component *component,
                                                    const char *instance, uint32_t column, double *value) {
  access_row_t r;
  return access_describe_row(w, component, e, instance, &r) && access_get_value(&r, column, value);
}

bool world_access_get_instance(shoal_world *w, shoal_entity e, const shoal_component *component, const char *instance,
                               uint32_t column, double *value) {
  const access_binding_t *binding = access_find_recent(access_of(w), component);
  if (!binding || !binding->is_plain || instance || !value || column >= component->column_count)
    return get_any_value(w, e, component, instance, column, value);
  uint32_t row = manager_row(binding->manager, e);
  if (row == ROW_NONE || binding->copies[column] != ACCESS_COPY_F32)
    return get_any_value(w, e, component, instance, column, value);
  *value = (double)((const float *)binding->manager->data[binding->columns[column]])[row];
  return true;
}

bool world_access_set_struct(shoal_world *w, shoal_entity e, const shoal_component *component, const void *values,
                             size_t size) {
  access_o *access = access_of(w);
  const access_binding_t *binding = access_find_recent(access, component);
  uint32_t row = can_write_rows(access_world_of(w)) ? find_struct_row(binding, e, values, size) : ROW_NONE;
  if (row == ROW_NONE)
    return set_any_struct(w, e, component, values, size);
  write_row(access, binding, row, values);
  return true;
}

bool world_access_get_struct(shoal_world *w, shoal_entity e, const shoal_component *component, void *values,
                             size_t size) {
  const access_binding_t *binding = access_find_recent(access_of(w), component);
  uint32_t row = find_struct_row(binding, e, values, size);
  if (row == ROW_NONE)
    return get_any_struct(w, e, component, values, size);
  read_row(binding, binding->manager, row, values);
  return true;
}
