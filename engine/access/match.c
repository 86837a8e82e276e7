// Matches declarations with schemas, and moves values between structs and columns.
#include "access/match.h"

#include "access/why.h"
#include "base/assert.h"
#include "ecs/hint.h"

#include <stdio.h>
#include <string.h>

// --- declarations

void access_find_owner(world_o *w, const shoal_component *c, manager_o **manager, event_o **event) {
  bool is_event = c->kind == SHOAL_KIND_EVENT;
  *manager = is_event ? NULL : world_find_manager(w, c->name);
  *event = is_event ? world_find_event(w, c->name) : NULL;
  if (*manager && (*manager)->schema.kind != (schema_kind_t)c->kind)
    *manager = NULL;
}

static bool match_column(const schema_t *s, const shoal_field *f, const char *axis, uint32_t *out, error_t *error) {
  char name[FIELD_NAME_MAX], hint[HINT_BYTES];
  snprintf(name, sizeof name, axis ? "%s.%s" : "%s", f->name, axis);
  field_type_t wanted = axis ? FIELD_F32 : (field_type_t)f->type;
  int32_t column = schema_find(s, name);
  column = column < 0 ? schema_find_derived(s, name) : column;
  if (column < 0)
    return error_set(error, "it uses %s.%s, and there is no such field%s", s->name, name, hint_field(s, f->name, hint));
  if (s->fields[column].type != wanted)
    return error_set(error, "it uses %s.%s as %s, and it is %s", s->name, name, field_type_name(wanted),
                     field_type_name(s->fields[column].type));
  *out = (uint32_t)column;
  return true;
}

bool access_match(const schema_t *s, const shoal_component *c, uint32_t *columns, error_t *error) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < c->field_count; ++i) {
    uint32_t width = schema_width(c->fields[i].type);
    for (uint32_t k = 0; k < width; ++k)
      if (!match_column(s, &c->fields[i], schema_axis(c->fields[i].type, k), &columns[at++], error))
        return false;
  }
  return true;
}

shoal_component *access_describe(allocator_t *a, const schema_t *s) {
  uint32_t count = s->field_count + s->derived_count;
  shoal_component *c = alloc_resize(a, NULL, 0, sizeof *c);
  shoal_field *fields = alloc_resize(a, NULL, 0, count * sizeof *fields);
  for (uint32_t i = 0; i < count; ++i)
    fields[i] = (shoal_field){.name = s->fields[i].name, .type = (shoal_type)s->fields[i].type};
  *c = (shoal_component){.name = alloc_text(a, s->name),
                         .kind = (shoal_kind)s->kind,
                         .fields = fields,
                         .field_count = count,
                         .column_count = count};
  return c;
}

void access_undescribe(allocator_t *a, shoal_component *c) {
  alloc_free_text(a, (char *)(uintptr_t)c->name);
  alloc_resize(a, (void *)(uintptr_t)c->fields, c->field_count * sizeof *c->fields, 0);
  alloc_resize(a, c, sizeof *c, 0);
}

// --- one value

static bool is_single(const access_row_t *r) {
  return r->manager->schema.kind == SCHEMA_SINGLE;
}

static bool is_named(const access_row_t *r) {
  return r->manager->schema.kind != SCHEMA_MANY || r->instance ||
         access_fail("%s has several rows: name one of them", r->manager->schema.name);
}

static bool is_one(const access_row_t *r) {
  if (is_single(r))
    return r->entity == SHOAL_ENTITY_NONE || access_fail("%s is a single: its entity is 0", r->manager->schema.name);
  return world_alive(r->world, r->entity) || access_fail("entity %u is not alive", r->entity);
}

static bool is_stored(const access_row_t *r, uint32_t column) {
  return r->columns[column] < r->manager->schema.field_count ||
         access_fail("%s.%s is computed from other fields", r->manager->schema.name,
                     r->manager->schema.fields[r->columns[column]].name);
}

bool access_set_value(const access_row_t *r, uint32_t column, double value) {
  error_t error = {0};
  shoal_assert(column < r->component->column_count, "column %u of %s", column, r->component->name);
  if (!is_one(r) || !is_stored(r, column) || !is_named(r))
    return false;
  uint32_t instance = r->manager->schema.kind == SCHEMA_MANY ? strings_intern(world_strings(r->world), r->instance) : 0;
  if (!is_single(r))
    return world_set(r->world, r->entity, r->manager->id, instance, r->columns[column], value, &error) ||
           access_fail("%s", error.text);
  columns_set(&r->manager->columns, 0, r->columns[column], value);
  return true;
}

// ROW_NONE after access_fail.
static uint32_t find_row(const access_row_t *r) {
  uint32_t instance = 0, row = ROW_NONE;
  if (!is_one(r) || !is_named(r))
    return ROW_NONE;
  if (is_single(r))
    return 0;
  if (r->manager->schema.kind == SCHEMA_MANY)
    instance = strings_find(world_strings(r->world), r->instance);
  if (instance != 0 || r->manager->schema.kind != SCHEMA_MANY || !r->instance[0])
    row = manager_instance_row(r->manager, r->entity, instance);
  if (row == ROW_NONE)
    access_fail("entity %u has no %s", r->entity, r->manager->schema.name);
  return row;
}

bool access_get_value(const access_row_t *r, uint32_t column, double *value) {
  shoal_assert(column < r->component->column_count, "column %u of %s", column, r->component->name);
  uint32_t row = is_stored(r, column) ? find_row(r) : ROW_NONE;
  if (row != ROW_NONE)
    *value = columns_get(&r->manager->columns, row, r->columns[column]);
  return row != ROW_NONE;
}

// --- structs, laid out by the rules of C

static uint32_t alignment_of(shoal_type type) {
  return type == SHOAL_TYPE_mat4 || schema_width(type) > 1 ? 4 : field_size((field_type_t)type);
}

static uint32_t column_size(shoal_type type) {
  return schema_width(type) > 1 ? 4 : field_size((field_type_t)type);
}

// Where the columns of a field begin, from the end of the previous field.
static size_t place_of(size_t end, shoal_type type) {
  size_t alignment = alignment_of(type);
  return (end + alignment - 1) / alignment * alignment;
}

static bool check_size(const shoal_component *c, size_t size) {
  size_t end = 0, alignment = 1;
  for (uint32_t i = 0; i < c->field_count; ++i) {
    shoal_type type = c->fields[i].type;
    end = place_of(end, type) + (size_t)schema_width(type) * column_size(type);
    alignment = alignment_of(type) > alignment ? alignment_of(type) : alignment;
  }
  end = (end + alignment - 1) / alignment * alignment;
  return size == end || access_fail("the values of %s have %zu bytes, and the struct has %zu", c->name, end, size);
}

static double read_number(shoal_type type, const void *at) {
  switch (type) {
  case SHOAL_TYPE_f64: return *(const double *)at;
  case SHOAL_TYPE_i8: return *(const int8_t *)at;
  case SHOAL_TYPE_i16: return *(const int16_t *)at;
  case SHOAL_TYPE_i32: return *(const int32_t *)at;
  case SHOAL_TYPE_u16: return *(const uint16_t *)at;
  case SHOAL_TYPE_u8:
  case SHOAL_TYPE_bool:
  case SHOAL_TYPE_enum: return *(const uint8_t *)at;
  case SHOAL_TYPE_u32:
  case SHOAL_TYPE_entity:
  case SHOAL_TYPE_string:
  case SHOAL_TYPE_asset: return *(const uint32_t *)at;
  default: return (double)*(const float *)at; // f32, and each number of a vector
  }
}

bool access_each_value(const shoal_component *c, const void *values, size_t size, access_put_t put, void *context) {
  size_t end = 0;
  uint32_t column = 0;
  if (!values || !check_size(c, size))
    return values ? false : access_fail("the values of %s are missing", c->name);
  for (uint32_t i = 0; i < c->field_count; ++i) {
    shoal_type type = c->fields[i].type;
    end = place_of(end, type);
    for (uint32_t k = 0; k < schema_width(type); ++k, ++column, end += column_size(type))
      if (type != SHOAL_TYPE_mat4 && !put(context, column, read_number(type, (const char *)values + end)))
        return false;
  }
  return true;
}

static bool put_value(void *context, uint32_t column, double value) {
  const access_row_t *r = context;
  return r->columns[column] >= r->manager->schema.field_count || access_set_value(r, column, value);
}

// Matrices are no numbers: they are copied as bytes, while nothing is queued.
static bool copy_matrices(const access_row_t *r, const void *from, void *to) {
  size_t end = 0;
  uint32_t column = 0;
  const shoal_component *c = r->component;
  for (uint32_t i = 0; i < c->field_count; ++i) {
    shoal_type type = c->fields[i].type;
    end = place_of(end, type);
    if (type == SHOAL_TYPE_mat4 && r->columns[column] < r->manager->schema.field_count) {
      uint32_t row = find_row(r), real = r->columns[column];
      char *at = row != ROW_NONE ? (char *)manager_column(r->manager, real) + (size_t)row * column_size(type) : NULL;
      if (!at || (from && world_is_deferring(r->world)))
        return at && access_fail("%s has a matrix, which cannot be set while changes are queued", c->name);
      memcpy(from ? at : (char *)to + end, from ? (const char *)from + end : at, column_size(type));
      if (from)
        columns_touch(&r->manager->columns, real, row, 1);
    }
    column += schema_width(type);
    end += (size_t)schema_width(type) * column_size(type);
  }
  return true;
}

bool access_set_values(const access_row_t *r, const void *values, size_t size) {
  access_row_t row = *r;
  if (!values || !check_size(r->component, size))
    return values ? false : access_fail("the values of %s are missing", r->component->name);
  return copy_matrices(r, values, NULL) && access_each_value(r->component, values, size, put_value, &row);
}

static void write_number(shoal_type type, void *at, double value) {
  switch (type) {
  case SHOAL_TYPE_f64: *(double *)at = value; break;
  case SHOAL_TYPE_i8: *(int8_t *)at = (int8_t)value; break;
  case SHOAL_TYPE_i16: *(int16_t *)at = (int16_t)value; break;
  case SHOAL_TYPE_i32: *(int32_t *)at = (int32_t)value; break;
  case SHOAL_TYPE_u16: *(uint16_t *)at = (uint16_t)value; break;
  case SHOAL_TYPE_u8:
  case SHOAL_TYPE_bool:
  case SHOAL_TYPE_enum: *(uint8_t *)at = (uint8_t)value; break;
  case SHOAL_TYPE_u32:
  case SHOAL_TYPE_entity:
  case SHOAL_TYPE_string:
  case SHOAL_TYPE_asset: *(uint32_t *)at = (uint32_t)value; break;
  default: *(float *)at = (float)value; break;
  }
}

bool access_get_values(const access_row_t *r, void *values, size_t size) {
  size_t end = 0;
  uint32_t column = 0;
  const shoal_component *c = r->component;
  if (!values || !check_size(c, size))
    return values ? false : access_fail("the values of %s have no place", c->name);
  uint32_t row = find_row(r);
  if (row == ROW_NONE)
    return false;
  memset(values, 0, size);
  for (uint32_t i = 0; i < c->field_count; ++i) {
    shoal_type type = c->fields[i].type;
    end = place_of(end, type);
    for (uint32_t k = 0; k < schema_width(type); ++k, ++column, end += column_size(type))
      if (type != SHOAL_TYPE_mat4)
        write_number(type, (char *)values + end, columns_get(&r->manager->columns, row, r->columns[column]));
  }
  return copy_matrices(r, NULL, values);
}
