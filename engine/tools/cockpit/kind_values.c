// Writes declared fields and component values as Lua source text, from the members of requests.
#include "cockpit/kind_edit.h"

#include "base/assert.h"
#include "base/json_value.h"
#include "base/nearest_name.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/edit_target.h"
#include "cockpit/edit_text.h"
#include "ecs/name_hint.h"
#include "schema/bit_names.h"
#include "schema/schema_build.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

// --- declared fields

typedef struct declared_type_t {
  const char *name; // name of the type in shoal.types
  shoal_type type;
  double min_value, max_value; // range of integers; 0 for other types
} declared_type_t;

static const declared_type_t types[] = {
    {"f32", SHOAL_TYPE_f32, 0, 0},
    {"f64", SHOAL_TYPE_f64, 0, 0},
    {"i8", SHOAL_TYPE_i8, INT8_MIN, INT8_MAX},
    {"i16", SHOAL_TYPE_i16, INT16_MIN, INT16_MAX},
    {"i32", SHOAL_TYPE_i32, INT32_MIN, INT32_MAX},
    {"u8", SHOAL_TYPE_u8, 0, UINT8_MAX},
    {"u16", SHOAL_TYPE_u16, 0, UINT16_MAX},
    {"u32", SHOAL_TYPE_u32, 0, UINT32_MAX},
    {"bool", SHOAL_TYPE_bool, 0, 0},
    {"entity", SHOAL_TYPE_entity, 0, 0},
    {"string", SHOAL_TYPE_string, 0, 0},
    {"enum", SHOAL_TYPE_enum, 0, 0},
    {"asset", SHOAL_TYPE_asset, 0, 0},
    {"vec2", SHOAL_TYPE_vec2, 0, 0},
    {"vec3", SHOAL_TYPE_vec3, 0, 0},
    {"vec4", SHOAL_TYPE_vec4, 0, 0},
};

#define MAX_CHOICE_BYTES 1024u

// Fields as read from a request.
typedef struct field_reader_t {
  proposal_t *proposal;
  const char *types; // expression that denotes shoal.types in the file (kind_copy_types_name)
  lua_table_t *out;
  shoal_field fields[SCHEMA_MAX_FIELDS];
  const declared_type_t *declared[SCHEMA_MAX_FIELDS];
  field_range_t ranges[SCHEMA_MAX_FIELDS];
  char choices[SCHEMA_MAX_FIELDS][MAX_CHOICE_BYTES]; // choices of each field, separated by '\n'
  uint32_t count;
} field_reader_t;

static bool add_field_problem(const field_reader_t *r, uint32_t i, const char *member, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static bool add_field_problem(const field_reader_t *reader, uint32_t i, const char *member, const char *format, ...) {
  char path[64], text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  snprintf(path, sizeof path, "fields.%u.%s", i, member);
  return proposal_add_problem(reader->proposal, path, "%s", text);
}

static bool read_type(field_reader_t *reader, uint32_t i, const json_t *json) {
  const char *name = get_text_member(json, "type");
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  nearest_name_t nearest;
  nearest_name_init(&nearest, name);
  for (size_t k = 0; k < sizeof types / sizeof *types; ++k) {
    nearest_name_offer(&nearest, types[k].name);
    if (strcmp(types[k].name, name) == 0) {
      reader->declared[i] = &types[k];
      reader->fields[i].type = types[k].type;
      return true;
    }
  }
  return add_field_problem(reader, i, "type", "unknown type %.32s%s", name,
                           nearest_name_hint(&nearest, hint, sizeof hint));
}

// Reads an optional number. Sets *exists to false if the member is missing or null, otherwise to true. Returns true on
// success, or false after reporting a problem if the member is not a number.
static bool read_number(field_reader_t *reader, uint32_t i, const json_t *json, const char *member, double *out,
                        bool *exists) {
  const json_t *value = json_object_get(json, member);
  char description[JSON_VALUE_BYTES];
  *exists = value && !json_is_null(value);
  if (*exists && (!json_is_number(value) || !isfinite(json_number_value(value))))
    return add_field_problem(reader, i, member, "expected a number, got %s", json_value_describe(value, description));
  *out = json_number_value(value);
  return true;
}

static bool read_choices(field_reader_t *reader, uint32_t i, const json_t *json) {
  const json_t *list = json_object_get(json, "choices");
  size_t bytes = 0;
  for (size_t k = 0; k < json_array_size(list); ++k) {
    const char *text = json_string_value(json_array_get(list, k));
    if (!text || !text[0] || strchr(text, '\n'))
      return add_field_problem(reader, i, "choices", "each choice must be a non-empty string of one line");
    if (bytes + strlen(text) + 2 > MAX_CHOICE_BYTES)
      return add_field_problem(reader, i, "choices", "the choices are too long (at most %u bytes in total)",
                               MAX_CHOICE_BYTES);
    bytes += (size_t)snprintf(reader->choices[i] + bytes, MAX_CHOICE_BYTES - bytes, "%s\n", text);
  }
  reader->fields[i].default_string = reader->choices[i];
  return bytes > 0 || add_field_problem(reader, i, "choices", "enter at least one choice");
}

static bool read_default(field_reader_t *reader, uint32_t i, const json_t *json) {
  shoal_field *f = &reader->fields[i];
  const json_t *value = json_object_get(json, "default");
  bool exists = value && !json_is_null(value);
  uint32_t count = schema_column_count(f->type);
  char description[JSON_VALUE_BYTES];
  switch (f->type) {
  case SHOAL_TYPE_entity:
    return !exists ||
           add_field_problem(reader, i, "default", "a field of type entity cannot have a default: remove the default");
  case SHOAL_TYPE_enum: return read_choices(reader, i, json);
  case SHOAL_TYPE_bool:
    f->default_number = json_is_true(value);
    return !exists || json_is_boolean(value) ||
           add_field_problem(reader, i, "default", "expected true or false, got %s",
                             json_value_describe(value, description));
  case SHOAL_TYPE_string:
  case SHOAL_TYPE_asset:
    f->default_string = exists ? json_string_value(value) : "";
    return f->default_string != NULL || add_field_problem(reader, i, "default", "expected a string, got %s",
                                                          json_value_describe(value, description));
  default: break;
  }
  if (count == 1)
    return read_number(reader, i, json, "default", &f->default_number, &exists);
  if (exists && json_array_size(value) != count)
    return add_field_problem(reader, i, "default", "expected %u numbers, got %s", count,
                             json_value_describe(value, description));
  for (uint32_t k = 0; exists && k < count; ++k) {
    if (!json_is_number(json_array_get(value, k)))
      return add_field_problem(reader, i, "default", "expected %u numbers, got %s", count,
                               json_value_describe(value, description));
    f->default_vector[k] = (float)json_number_value(json_array_get(value, k));
  }
  return true;
}

static bool check_integer(const field_reader_t *reader, uint32_t i) {
  const declared_type_t *type = reader->declared[i];
  double number = reader->fields[i].default_number;
  bool ok = type->max_value <= 0 || (number == floor(number) && number >= type->min_value && number <= type->max_value);
  return ok || add_field_problem(reader, i, "default", "expected an integer from %.0f to %.0f, got %g", type->min_value,
                                 type->max_value, number);
}

static bool read_field(field_reader_t *reader, uint32_t i, const json_t *json) {
  shoal_field *f = &reader->fields[i];
  field_range_t *range = &reader->ranges[i];
  const char *unit = get_text_member(json, "unit"), *doc = get_text_member(json, "doc");
  char path[32];
  f->name = get_text_member(json, "name");
  f->unit = unit[0] ? unit : NULL;
  f->doc = doc[0] ? doc : NULL;
  snprintf(path, sizeof path, "fields.%u.name", i);
  bool ok = kind_check_name(reader->proposal, path, f->name);
  ok = read_type(reader, i, json) && ok;
  ok = ok && read_default(reader, i, json) && check_integer(reader, i);
  ok = read_number(reader, i, json, "min", &range->min, &range->has_min) && ok;
  return read_number(reader, i, json, "max", &range->max, &range->has_max) && ok;
}

// Returns true if the component is valid according to the schema's rules. Otherwise, reports the first problem and
// returns false.
static bool check_schema(field_reader_t *reader, const char *component) {
  shoal_component c = {.name = component, .fields = reader->fields, .field_count = reader->count};
  schema_desc_t desc = {.component = &c, .ranges = reader->ranges, .origin = "", .choice_separator = '\n'};
  schema_t schema;
  uint32_t invalid_field = SCHEMA_NO_FIELD;
  error_info_t error = {0};
  char path[32];
  if (schema_build(&schema, &desc, &reader->proposal->cockpit->memory, &invalid_field, &error)) {
    schema_fini(&schema, &reader->proposal->cockpit->memory);
    return true;
  }
  snprintf(path, sizeof path, invalid_field == SCHEMA_NO_FIELD ? "name" : "fields.%u.name", invalid_field);
  return proposal_add_problem(reader->proposal, path, "%s", error.text);
}

static void write_default(const shoal_field *f, json_writer_t *out) {
  uint32_t count = schema_column_count(f->type);
  lua_table_t choices;
  if (f->type == SHOAL_TYPE_enum) {
    lua_table_init(&choices, out->allocator, KIND_MAX_COLUMNS);
    for (const char *p = f->default_string; *p; p += strcspn(p, "\n") + 1) {
      char choice[MAX_CHOICE_BYTES];
      snprintf(choice, sizeof choice, "%.*s", (int)strcspn(p, "\n"), p);
      lua_table_add_text(&choices, NULL, choice);
    }
    lua_table_write(&choices, out);
    lua_table_fini(&choices);
  } else if (f->type == SHOAL_TYPE_string || f->type == SHOAL_TYPE_asset) {
    edit_write_text(out, f->default_string);
  } else if (f->type == SHOAL_TYPE_bool) {
    json_write_text(out, f->default_number != 0 ? "true" : "false");
  } else if (f->type != SHOAL_TYPE_entity) {
    for (uint32_t k = 0; k < count; ++k) {
      json_write_text(out, k > 0 ? ", " : "");
      edit_write_number(out, count > 1 ? (double)f->default_vector[k] : f->default_number);
    }
  }
}

static void write_options(const field_reader_t *reader, uint32_t i, json_writer_t *out) {
  const shoal_field *f = &reader->fields[i];
  const field_range_t *range = &reader->ranges[i];
  lua_table_t options;
  json_writer_t number;
  lua_table_init(&options, out->allocator, UINT32_MAX);
  json_writer_init(&number, out->allocator);
  if (range->has_min) {
    edit_write_number(&number, range->min);
    lua_table_add(&options, "min", json_writer_text(&number));
    json_writer_clear(&number);
  }
  if (range->has_max) {
    edit_write_number(&number, range->max);
    lua_table_add(&options, "max", json_writer_text(&number));
  }
  if (f->unit)
    lua_table_add_text(&options, "unit", f->unit);
  if (f->doc)
    lua_table_add_text(&options, "doc", f->doc);
  if (!lua_table_is_empty(&options))
    lua_table_write(&options, out);
  json_writer_fini(&number);
  lua_table_fini(&options);
}

// Writes a field in its shortest form. For an f32 or a boolean without options, this is the default value, such as 3 or
// true. Otherwise, this is the type, alone or as a call, such as t.i32(3).
static void write_field(const field_reader_t *reader, uint32_t i, json_writer_t *out) {
  const shoal_field *f = &reader->fields[i];
  json_writer_t initial, options;
  json_writer_init(&initial, out->allocator);
  json_writer_init(&options, out->allocator);
  write_default(f, &initial);
  write_options(reader, i, &options);
  bool has_options = options.text.count > 0;
  bool is_plain = !has_options && (f->type == SHOAL_TYPE_f32 || f->type == SHOAL_TYPE_bool);
  bool is_call = !is_plain && (initial.text.count > 0 || has_options);
  bool is_bare = f->type == SHOAL_TYPE_enum && !has_options; // t.enum { "a", "b" }
  if (!is_plain) {
    json_write_text(out, reader->types);
    json_write_text(out, ".");
    json_write_text(out, reader->declared[i]->name);
  }
  json_write_text(out, !is_call ? "" : is_bare ? " " : "(");
  json_write_bytes(out, initial.text.items, initial.text.count);
  json_write_text(out, initial.text.count > 0 && has_options ? ", " : "");
  json_write_bytes(out, options.text.items, options.text.count);
  json_write_text(out, is_call && !is_bare ? ")" : "");
  json_writer_fini(&options);
  json_writer_fini(&initial);
}

static bool read_fields(field_reader_t *reader) {
  const json_t *list = json_object_get(reader->proposal->request, "fields");
  bool ok = true;
  if (json_array_size(list) > SCHEMA_MAX_FIELDS)
    return proposal_add_problem(reader->proposal, "fields", "too many fields: %zu (at most %d)", json_array_size(list),
                                SCHEMA_MAX_FIELDS);
  reader->count = (uint32_t)json_array_size(list);
  for (uint32_t i = 0; i < reader->count; ++i)
    ok = read_field(reader, i, json_array_get(list, i)) && ok;
  return ok;
}

bool kind_add_fields(proposal_t *proposal, const char *component, const char *types_name, lua_table_t *out) {
  field_reader_t *reader = alloc_object(sizeof *reader);
  json_writer_t text;
  reader->proposal = proposal;
  reader->types = types_name;
  bool ok = read_fields(reader) && check_schema(reader, component);
  for (uint32_t i = 0; ok && i < reader->count; ++i) {
    json_writer_init(&text, &proposal->cockpit->memory);
    write_field(reader, i, &text);
    lua_table_add(out, reader->fields[i].name, json_writer_text(&text));
    json_writer_fini(&text);
  }
  free(reader);
  return ok;
}

// --- values of components

static bool matches_field_name(const field_t *field, const char *name) {
  return field_base_bytes(field) == strlen(name) && memcmp(field->name, name, strlen(name)) == 0;
}

// Returns the first column of a field, vector or list, or -1 if the name is unknown.
static int32_t find_column(const schema_t *schema, const char *name) {
  for (uint32_t i = 0; i < schema->field_count; ++i)
    if (matches_field_name(&schema->fields[i], name))
      return (int32_t)i;
  return -1;
}

static bool is_colour(const char *text) {
  size_t digits = text && text[0] == '#' ? strspn(text + 1, "0123456789abcdefABCDEF") : 0;
  return (digits == 6 || digits == 8) && text[digits + 1] == '\0';
}

// Writes a vector: a list of numbers, or a colour if it has at least three parts.
static bool write_vector(const schema_t *schema, uint32_t column, const json_t *value, json_writer_t *out,
                         error_info_t *error) {
  uint32_t count = 0;
  char description[JSON_VALUE_BYTES];
  const char *text = json_string_value(value);
  size_t bytes = field_base_bytes(&schema->fields[column]);
  while (column + count < schema->field_count && field_base_bytes(&schema->fields[column + count]) == bytes &&
         memcmp(schema->fields[column + count].name, schema->fields[column].name, bytes) == 0)
    ++count;
  if (text && count > 2 && is_colour(text)) {
    edit_write_text(out, text);
    return true;
  }
  if (json_array_size(value) != count)
    return error_set(error, "expected %u numbers%s, got %s", count, count > 2 ? " or a colour such as #ff8800" : "",
                     json_value_describe(value, description));
  for (uint32_t i = 0; i < count; ++i) {
    if (!json_is_number(json_array_get(value, i)))
      return error_set(error, "expected %u numbers, got %s", count,
                       json_value_describe(json_array_get(value, i), description));
    json_write_text(out, i == 0 ? "{ " : ", ");
    edit_write_number(out, json_number_value(json_array_get(value, i)));
  }
  json_write_text(out, " }");
  return true;
}

static bool write_list(target_t target, const json_t *value, json_writer_t *out, error_info_t *error) {
  const schema_t *schema = &target.manager->schema;
  uint32_t column = (uint32_t)target.field, capacity = schema_list_capacity(schema, column);
  char label[FIELD_NAME_MAX];
  if (schema->fields[column + 1].type == FIELD_ENTITY)
    return error_set(error, "%s.%s is a list of entities, which an assemblage cannot set", schema->name,
                     field_label(&schema->fields[column], label));
  if (!json_is_array(value) || json_array_size(value) > capacity)
    return error_set(error, "expected a list of at most %u value%s", capacity, capacity == 1 ? "" : "s");
  json_write_text(out, json_array_size(value) > 0 ? "{ " : "{");
  for (uint32_t i = 0; i < json_array_size(value); ++i) {
    target.field = (int32_t)(column + 1 + i);
    json_write_text(out, i > 0 ? ", " : "");
    if (!edit_write_value(&target, json_array_get(value, i), out, error))
      return false;
  }
  json_write_text(out, json_array_size(value) > 0 ? " }" : "}");
  return true;
}

static bool write_value(proposal_t *proposal, const manager_o *manager, uint32_t column, const json_t *value,
                        json_writer_t *out, error_info_t *error) {
  const field_t *field = &manager->schema.fields[column];
  target_t target = {
      .world = kind_get_world(proposal, NULL), .manager = manager, .instance_name = "", .field = (int32_t)column};
  double number = json_number_value(value);
  char range[80];
  if (field->flags & (FIELD_READ_ONLY | FIELD_HIDDEN | FIELD_DERIVED) || field->type == FIELD_MAT4)
    return error_set(error, "cannot set %s.%s: the field is read-only", manager->schema.name, field->name);
  if (field->type == FIELD_ENTITY)
    return error_set(error, "cannot set %s.%s in an assemblage: no entity exists yet when assemblages are declared",
                     manager->schema.name, field->name);
  if (field->flags & FIELD_IS_AXIS)
    return write_vector(&manager->schema, column, value, out, error);
  if (field->flags & FIELD_IS_COUNT)
    return write_list(target, value, out, error);
  if (!edit_write_value(&target, value, out, error))
    return false;
  if (json_is_number(value) &&
      ((field->flags & FIELD_HAS_MIN && number < field->min) || (field->flags & FIELD_HAS_MAX && number > field->max)))
    return error_set(error, "must be %s, got %g", field_format_range(field, range, sizeof range), number);
  return true;
}

static bool reject_field(proposal_t *proposal, const char *path, const schema_t *schema, const char *name) {
  char hint[HINT_BYTES];
  return proposal_add_problem(proposal, path, "%s has no field %.48s%s", schema->name, name,
                              hint_field(schema, name, hint));
}

bool kind_write_value(proposal_t *proposal, const char *path, const manager_o *manager, const char *field,
                      const json_t *value, json_writer_t *out) {
  int32_t column = find_column(&manager->schema, field);
  error_info_t error = {0};
  if (column < 0)
    return reject_field(proposal, path, &manager->schema, field);
  return write_value(proposal, manager, (uint32_t)column, value, out, &error) ||
         proposal_add_problem(proposal, path, "%s", error.text);
}

// Values of a component by column name ("colors.r"), written as one nested table per record ("colors").
typedef struct value_tree_t {
  proposal_t *proposal;
  const char *path;
  const manager_o *m;
  const json_t *values;
} value_tree_t;

static bool add_values(const value_tree_t *t, const char *record, lua_table_t *out);

// Adds the record that begins at column `i` unless an earlier column belongs to the same record.
static bool add_record(const value_tree_t *tree, uint32_t i, size_t prefix, lua_table_t *out) {
  const schema_t *schema = &tree->m->schema;
  char path[FIELD_NAME_MAX], name[FIELD_NAME_MAX];
  size_t bytes = prefix + strcspn(schema->fields[i].name + prefix, ".") + 1;
  lua_table_t record_table;
  for (uint32_t k = 0; k < i; ++k)
    if (strncmp(schema->fields[k].name, schema->fields[i].name, bytes) == 0)
      return true;
  snprintf(path, sizeof path, "%.*s", (int)bytes, schema->fields[i].name);
  snprintf(name, sizeof name, "%.*s", (int)(bytes - prefix - 1), schema->fields[i].name + prefix);
  lua_table_init(&record_table, &tree->proposal->cockpit->memory, KIND_MAX_COLUMNS);
  bool ok = add_values(tree, path, &record_table);
  if (!lua_table_is_empty(&record_table))
    lua_table_add_table(out, name, &record_table);
  lua_table_fini(&record_table);
  return ok;
}

static bool add_value(const value_tree_t *tree, uint32_t i, size_t prefix, lua_table_t *out) {
  const field_t *field = &tree->m->schema.fields[i];
  char name[FIELD_NAME_MAX], value_path[160];
  json_writer_t text;
  error_info_t error = {0};
  snprintf(name, sizeof name, "%.*s", (int)field_base_bytes(field), field->name);
  const json_t *value = json_object_get(tree->values, name);
  if (!value || json_is_null(value) || find_column(&tree->m->schema, name) != (int32_t)i)
    return true;
  json_writer_init(&text, &tree->proposal->cockpit->memory);
  bool ok = write_value(tree->proposal, tree->m, i, value, &text, &error);
  if (ok)
    lua_table_add(out, name + prefix, json_writer_text(&text));
  json_writer_fini(&text);
  snprintf(value_path, sizeof value_path, "%s.values.%s", tree->path, name);
  return ok || proposal_add_problem(tree->proposal, value_path, "%s", error.text);
}

static bool add_values(const value_tree_t *tree, const char *record, lua_table_t *out) {
  const schema_t *schema = &tree->m->schema;
  size_t prefix = strlen(record);
  bool ok = true;
  for (uint32_t i = 0; i < schema->field_count; ++i) {
    const field_t *field = &schema->fields[i];
    if (strncmp(field->name, record, prefix) != 0)
      continue;
    bool is_nested = memchr(field->name + prefix, '.', field_base_bytes(field) - prefix) != NULL;
    ok = (is_nested ? add_record(tree, i, prefix, out) : add_value(tree, i, prefix, out)) && ok;
  }
  return ok;
}

bool kind_add_values(proposal_t *proposal, const char *path, const manager_o *manager, const json_t *values,
                     lua_table_t *out) {
  value_tree_t tree = {proposal, path, manager, values};
  bool ok = true;
  const char *name;
  json_t *value;
  char value_path[160];
  json_object_foreach((json_t *)(uintptr_t)values, name, value) {
    snprintf(value_path, sizeof value_path, "%s.values.%.64s", path, name);
    if (find_column(&manager->schema, name) < 0)
      ok = reject_field(proposal, value_path, &manager->schema, name);
  }
  return add_values(&tree, "", out) && ok;
}
