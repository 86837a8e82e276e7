// Builds schemas from descriptions: checks names, types, enum choices and the number of columns; expands vectors.
// Descriptions come from scripts and plugins, so everything is validated.
#include "schema/schema_build.h"

#include "base/assert.h"
#include "shoal/number.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

_Static_assert((int)SHOAL_TYPE_f32 == (int)FIELD_F32 && (int)SHOAL_TYPE_bool == (int)FIELD_BOOL &&
                   (int)SHOAL_TYPE_enum == (int)FIELD_ENUM && (int)SHOAL_TYPE_mat4 == (int)FIELD_MAT4,
               "shoal_type differs from field_type_t");
_Static_assert((int)SHOAL_KIND_COMPONENT == (int)SCHEMA_COMPONENT && (int)SHOAL_KIND_MANY == (int)SCHEMA_MANY &&
                   (int)SHOAL_KIND_SINGLE == (int)SCHEMA_SINGLE && (int)SHOAL_KIND_EVENT == (int)SCHEMA_EVENT,
               "shoal_component_kind differs from schema_kind_t");
_Static_assert((int)SHOAL_HIDDEN == (int)FIELD_HIDDEN && (int)SHOAL_READ_ONLY == (int)FIELD_READ_ONLY,
               "the flags of shoal_field and field_t differ");
_Static_assert(SHOAL_MAX_COLUMNS == SCHEMA_MAX_FIELDS, "SHOAL_MAX_COLUMNS differs from SCHEMA_MAX_FIELDS");
_Static_assert(SHOAL_MAX_NAMES == SCHEMA_MAX_REQUIRED, "SHOAL_MAX_NAMES differs from SCHEMA_MAX_REQUIRED");

#define MAX_CHOICES 256 // maximum number of choices, because enum values are stored in one byte

// --- names

// Names that already have a meaning in scripts: a component or field with one of these names would be inaccessible.
#define ENTITY_METHODS                                                                                                 \
  "alive destroy has add set remove enter state child children parent name assemblage describe json send "             \
  "disable enable sequence answer"
#define RESERVED_COMPONENT_NAMES ENTITY_METHODS " count entity instance destroy_all"
#define RESERVED_FIELD_NAMES                                                                                           \
  "alive destroy has add set remove enter children assemblage describe send raw renamed_from migrate "                 \
  "requires"
#define LUA_KEYWORDS                                                                                                   \
  "and break do else elseif end false for function goto if in local nil not or repeat return then true until while"

const char *schema_entity_methods(void) {
  return ENTITY_METHODS;
}

static bool is_listed_word(const char *words, const char *name) {
  size_t bytes = strlen(name), length = 0;
  for (const char *word = words; *word; word += length + (word[length] == ' ')) {
    length = strcspn(word, " ");
    if (length == bytes && memcmp(word, name, bytes) == 0)
      return true;
  }
  return false;
}

bool schema_is_lua_keyword(const char *name) {
  return is_listed_word(LUA_KEYWORDS, name);
}

bool schema_is_valid_name(const char *name, size_t capacity) {
  if (!name || !(isalpha((unsigned char)name[0]) || name[0] == '_'))
    return false;
  size_t length = 0;
  while (length < capacity && (isalnum((unsigned char)name[length]) || name[length] == '_'))
    ++length;
  return length < capacity && name[length] == '\0';
}

// Checks a name. `subject` is the object being named, such as "a component" or "field 2 of heat". `allow_any` allows
// all characters. Returns true, or false with an error.
static bool check_name(const char *subject, const char *name, size_t capacity, bool allow_any, error_info_t *error) {
  if (!name || !name[0])
    return error_set(error, "%s has no name", subject);
  if (strnlen(name, capacity) == capacity)
    return error_set(error, "the name of %s is too long (%.80s…): use at most %zu bytes", subject, name, capacity - 1);
  return allow_any || schema_is_valid_name(name, capacity) ||
         error_set(error, "%s cannot be the name of %s: use letters, digits and _, and do not start with a digit", name,
                   subject);
}

static bool check_component_name(const shoal_component *component, bool allow_any, error_info_t *error) {
  // Scripts name events in strings, as in world.emit("count"), so keywords are allowed.
  bool is_event = component->kind == SHOAL_KIND_EVENT;
  if (!check_name(is_event ? "an event" : "a component", component->name, COMPONENT_NAME_MAX, allow_any, error))
    return false;
  if (is_event || allow_any)
    return true;
  if (is_listed_word(RESERVED_COMPONENT_NAMES, component->name))
    return error_set(error, "a component cannot be named %s: entities have a method with this name", component->name);
  if (schema_is_lua_keyword(component->name))
    return error_set(error, "a component cannot be named %s: it is a Lua keyword", component->name);
  return true;
}

// Checks the name of a field, or one name of its path.
static bool check_field_name_part(const shoal_component *component, uint32_t i, const char *name, size_t capacity,
                                  error_info_t *error) {
  char subject[COMPONENT_NAME_MAX + 32];
  snprintf(subject, sizeof subject, "field %u of %.63s", i + 1, component->name);
  if (!check_name(subject, name, capacity, false, error))
    return false;
  if (is_listed_word(RESERVED_FIELD_NAMES, name) || (component->kind == SHOAL_KIND_EVENT && strcmp(name, "count") == 0))
    return error_set(error, "the field %s of %s has the name of a method: choose a different name", name,
                     component->name);
  if (schema_is_lua_keyword(name))
    return error_set(error, "the field %s of %s has the name of a Lua keyword: choose a different name", name,
                     component->name);
  return true;
}

// Checks each name of a path such as "colors.r".
static bool check_path(const shoal_component *component, uint32_t i, size_t capacity, error_info_t *error) {
  const char *path = component->fields[i].name;
  char name[FIELD_NAME_MAX];
  if (strnlen(path, capacity) == capacity)
    return error_set(
        error,
        "the name of the field %.80s… of %s is too long: use at most %zu bytes, including the names of the records",
        path, component->name, capacity - 1);
  for (size_t length; *path; path += length + (path[length] == '.')) {
    length = strcspn(path, ".");
    snprintf(name, sizeof name, "%.*s", (int)length, path);
    bool is_of_list = !path[length] && component->fields[i].flags & FIELD_IS_OF_LIST;
    if (!is_of_list && !check_field_name_part(component, i, name, sizeof name, error))
      return false;
  }
  return true;
}

static bool check_field_name(const schema_desc_t *desc, uint32_t i, error_info_t *error) {
  const shoal_component *component = desc->component;
  const char *name = component->fields[i].name;
  size_t capacity = FIELD_NAME_MAX - (schema_column_count(component->fields[i].type) > 1 ? 2 : 0);
  bool is_path = desc->has_paths && name && strchr(name, '.');
  if (!(is_path ? check_path(component, i, capacity, error)
                : check_field_name_part(component, i, name, capacity, error)))
    return false;
  for (uint32_t k = 0; k < i; ++k) {
    if (strcmp(component->fields[k].name, name) == 0)
      return error_set(error, "%s has two fields named %s: rename one of them", component->name, name);
    if (field_is_same_flat_name(component->fields[k].name, name))
      return error_set(error, "%s and %s of %s have the same column name in SQL and C: rename one of them",
                       component->fields[k].name, name, component->name);
  }
  return true;
}

// --- enum choices

// Returns the next choice at or after `text` and stores its length. Returns NULL after the last choice.
static const char *find_next_choice(const char *text, char separator, size_t *bytes) {
  const char separators[] = {separator, '\0'};
  text += strspn(text, separators);
  *bytes = strcspn(text, separators);
  return *bytes > 0 ? text : NULL;
}

static bool check_choices(const shoal_component *component, const shoal_field *field, char separator,
                          error_info_t *error) {
  uint32_t count = 0;
  size_t bytes = 0, previous_bytes = 0;
  const char *choices = field->default_string ? field->default_string : "";
  for (const char *choice = choices; (choice = find_next_choice(choice, separator, &bytes)) != NULL; choice += bytes) {
    ++count;
    for (const char *previous = choices; (previous = find_next_choice(previous, separator, &previous_bytes)) != choice;
         previous += previous_bytes)
      if (previous_bytes == bytes && memcmp(previous, choice, bytes) == 0)
        return error_set(error, "enum %s.%s has the choice %.*s twice: remove one", component->name, field->name,
                         (int)bytes, choice);
  }
  if (count == 0)
    return error_set(error, "enum %s.%s must have at least one choice", component->name, field->name);
  return count <= MAX_CHOICES || error_set(error, "too many choices in the enum %s.%s: %u (at most %d)",
                                           component->name, field->name, count, MAX_CHOICES);
}

static void add_choices(field_t *out, const shoal_field *field, char separator, allocator_t *a) {
  char *buffer = alloc_resize(a, NULL, 0, strlen(field->default_string) + 1), *cursor = buffer;
  const char *choices[MAX_CHOICES];
  uint32_t count = 0;
  size_t bytes = 0;
  for (const char *choice = field->default_string; (choice = find_next_choice(choice, separator, &bytes)) != NULL;
       choice += bytes) {
    shoal_assert(count < MAX_CHOICES, "%s has too many choices", field->name);
    choices[count++] = memcpy(cursor, choice, bytes);
    cursor[bytes] = '\0';
    cursor += bytes + 1;
  }
  field_set_choices(out, a, choices, count);
  alloc_resize(a, buffer, strlen(field->default_string) + 1, 0);
}

// --- fields

uint32_t schema_column_count(shoal_type type) {
  switch (type) {
  case SHOAL_TYPE_vec2: return 2;
  case SHOAL_TYPE_vec3: return 3;
  case SHOAL_TYPE_vec4:
  case SHOAL_TYPE_quat: return 4;
  default: return 1;
  }
}

const char *schema_axis_suffix(shoal_type type, uint32_t column) {
  static const char *const axes[] = {"x", "y", "z", "w"};
  shoal_assert(column < schema_column_count(type), "column %u is out of range (count %u)", column,
               schema_column_count(type));
  return schema_column_count(type) > 1 ? axes[column] : NULL;
}

// Returns true if the default contains no NaN, which would spread to every entity with the component; otherwise returns
// false with an error.
static bool check_default(const shoal_component *component, const shoal_field *field, error_info_t *error) {
  bool is_number = field->type <= SHOAL_TYPE_bool;
  for (uint32_t k = 0; k < schema_column_count(field->type); ++k)
    if (isnan(schema_column_count(field->type) > 1 ? (double)field->default_vector[k]
              : is_number                          ? field->default_number
                                                   : 0))
      return error_set(error, "the default of %s.%s must be a number, got nan: check for a division by zero",
                       component->name, field->name);
  return true;
}

// Returns the numeric default; 0 for entities, strings, enums and matrices, whose defaults are no entity, "", the first
// choice and the identity. The values of a list of enums may have different defaults.
static double get_numeric_default(const shoal_field *field, uint32_t column) {
  if (schema_column_count(field->type) > 1)
    return (double)field->default_vector[column];
  return field->type <= SHOAL_TYPE_bool || field->flags & FIELD_IS_ELEMENT ? field->default_number : 0;
}

// Returns a bound of a range as a value of the field's type. Bounds of integers are rounded inward.
static double compute_range_bound(field_type_t type, double bound, bool is_low) {
  if (type == FIELD_F32)
    return (double)shoal_to_f32(bound);
  return type == FIELD_F64 ? bound : is_low ? ceil(bound) : floor(bound);
}

static bool check_range(const shoal_component *component, const shoal_field *field, const field_range_t *field_range,
                        error_info_t *error) {
  char range[80];
  double low = field_range->has_min ? field_range->min : -INFINITY,
         high = field_range->has_max ? field_range->max : INFINITY;
  bool is_integer = field->type >= SHOAL_TYPE_i8 && field->type <= SHOAL_TYPE_u32;
  if (!(field->type >= SHOAL_TYPE_f32 && field->type <= SHOAL_TYPE_u32) && schema_column_count(field->type) == 1)
    return error_set(error, "%s.%s cannot have min or max: only numbers and vectors have a range", component->name,
                     field->name);
  if (!(is_integer ? ceil(low) <= floor(high) : low <= high))
    return error_set(error, "%s.%s has an empty range: min %g is greater than max %g", component->name, field->name,
                     low, high);
  for (uint32_t k = 0; k < schema_column_count(field->type); ++k) {
    double value = get_numeric_default(field, k);
    if (field->flags & FIELD_IS_ELEMENT && value == 0) // an unused value of a list
      continue;
    // A vector's default is an f32, so it is compared with bounds that are rounded to f32, too.
    field_type_t type = schema_column_count(field->type) > 1 ? FIELD_F32 : FIELD_F64;
    if (!(value >= compute_range_bound(type, low, true) && value <= compute_range_bound(type, high, false)))
      return error_set(error, "the default of %s.%s must be %s, got %g: change the default or the range",
                       component->name, field->name, schema_format_range(low, high, range, sizeof range), value);
  }
  return true;
}

// Returns true if `path` is a valid name or, if `allow_any`, a list of valid names joined with ".".
static bool is_valid_path(const char *path, bool allow_any) {
  char names[FIELD_NAME_MAX];
  snprintf(names, sizeof names, "%.*s", FIELD_NAME_MAX - 1, path);
  for (char *dot = names; allow_any && (dot = strchr(dot, '.')) != NULL;)
    *dot = '_';
  return strlen(path) < FIELD_NAME_MAX - 2 && schema_is_valid_name(names, sizeof names);
}

// Copies the next name of a list that is separated by spaces. Returns the position after the name; NULL at the end.
static const char *read_next_former_name(const char *names, char *out, size_t bytes) {
  names += names ? strspn(names, " ") : 0;
  size_t length = names ? strcspn(names, " ") : 0;
  if (length == 0)
    return NULL;
  snprintf(out, bytes, "%.*s", (int)length, names);
  return names + length;
}

static bool check_former_names(const schema_desc_t *desc, const shoal_field *field, error_info_t *error) {
  char name[128];
  size_t used_bytes = 0, axis_bytes = schema_column_count(field->type) > 1 ? 2 : 0;
  if (field->renamed_from && !field->renamed_from[0])
    return error_set(error, "renamed_from of %s.%s must be the old name of a field, got \"\"", desc->component->name,
                     field->name);
  for (const char *cursor = field->renamed_from; (cursor = read_next_former_name(cursor, name, sizeof name)) != NULL;) {
    used_bytes += strlen(name) + axis_bytes + 1;
    if (!is_valid_path(name, desc->has_paths))
      return error_set(error, "renamed_from of %s.%s must be the old name of a field, got %.80s", desc->component->name,
                       field->name, name);
    if (used_bytes > FIELD_FORMER_NAMES_MAX)
      return error_set(error, "renamed_from of %s.%s is too long (at most %d bytes): remove the oldest names",
                       desc->component->name, field->name, FIELD_FORMER_NAMES_MAX);
  }
  return true;
}

static bool check_field(const schema_desc_t *desc, uint32_t i, error_info_t *error) {
  const shoal_component *component = desc->component;
  const shoal_field *field = &component->fields[i];
  if (!check_field_name(desc, i, error))
    return false;
  if (field->type <= SHOAL_TYPE_none || field->type >= SHOAL_TYPE_COUNT)
    return error_set(error, "%s.%s has an unknown type (%d)", component->name, field->name, (int)field->type);
  if (!check_former_names(desc, field, error))
    return false;
  if (!check_default(component, field, error) ||
      (field->type == SHOAL_TYPE_enum && !check_choices(component, field, desc->choice_separator, error)))
    return false;
  return !desc->ranges || (!desc->ranges[i].has_min && !desc->ranges[i].has_max) ||
         check_range(component, field, &desc->ranges[i], error);
}

void field_set_range(field_t *out, const field_range_t *range) {
  out->flags |= (range->has_min ? FIELD_HAS_MIN : 0u) | (range->has_max ? FIELD_HAS_MAX : 0u);
  out->min = range->min;
  out->max = range->max;
  out->low = range->has_min ? compute_range_bound(out->type, range->min, true) : -INFINITY;
  out->high = range->has_max ? compute_range_bound(out->type, range->max, false) : INFINITY;
}

static void set_properties(field_t *out, const shoal_field *field, const field_range_t *range, const char *axis,
                           allocator_t *a) {
  char name[FIELD_NAME_MAX];
  out->flags |= field->flags & (SHOAL_HIDDEN | SHOAL_READ_ONLY);
  out->flags |= axis ? FIELD_IS_AXIS : 0u;
  out->flags |= field->type == SHOAL_TYPE_entity ? field->flags & FIELD_CASCADES : 0;
  for (const char *cursor = field->renamed_from; (cursor = read_next_former_name(cursor, name, sizeof name)) != NULL;) {
    char former[FIELD_NAME_MAX + 2];
    snprintf(former, sizeof former, axis ? "%s.%s" : "%s", name, axis);
    field_add_former_name(out, a, former);
  }
  if (range && (range->has_min || range->has_max))
    field_set_range(out, range);
  field_set_docs(out, a, field->unit, field->doc);
}

static void add_field(schema_t *schema, const schema_desc_t *desc, uint32_t i, allocator_t *a) {
  const shoal_field *field = &desc->component->fields[i];
  uint32_t width = schema_column_count(field->type);
  if (i >= desc->component->field_count - desc->derived_count) {
    set_properties(schema_add_derived_field(schema, field->name, (field_type_t)field->type), field, NULL, NULL, a);
    return;
  }
  for (uint32_t k = 0; k < width; ++k) {
    char name[FIELD_NAME_MAX];
    const char *axis = schema_axis_suffix(field->type, k);
    snprintf(name, sizeof name, axis ? "%s.%s" : "%s", field->name, axis);
    field_t *out = schema_add_field(schema, name, width > 1 ? FIELD_F32 : (field_type_t)field->type,
                                    get_numeric_default(field, k));
    if (field->type == SHOAL_TYPE_enum)
      add_choices(out, field, desc->choice_separator, a);
    else if ((field->type == SHOAL_TYPE_string || field->type == SHOAL_TYPE_asset) && field->default_string)
      field_set_text(out, a, field->default_string);
    set_properties(out, field, desc->ranges ? &desc->ranges[i] : NULL, axis, a);
    out->flags |= desc->has_paths ? field->flags & FIELD_IS_OF_LIST : 0u;
    bool can_be_nan = out->type == FIELD_F32 || out->type == FIELD_F64;
    bool allows_nan = !desc->rejects_nan || (desc->ranges && desc->ranges[i].allows_nan);
    out->flags |= can_be_nan && !allows_nan ? FIELD_REJECTS_NAN : 0u;
  }
}

// --- schemas

static uint32_t count_columns(const shoal_component *component) {
  uint32_t columns = 0;
  for (uint32_t i = 0; i < component->field_count; ++i)
    columns += schema_column_count(component->fields[i].type);
  return columns;
}

static bool check_component(const schema_desc_t *desc, error_info_t *error) {
  const shoal_component *component = desc->component;
  if (!check_component_name(component, desc->any_name, error))
    return false;
  if ((uint32_t)component->kind > SHOAL_KIND_EVENT)
    return error_set(error, "%s has an unknown kind (%d)", component->name, (int)component->kind);
  if (component->field_count > 0 && !component->fields)
    return error_set(error, "%s: .fields must not be NULL (%u fields)", component->name, component->field_count);
  if (component->field_count > SCHEMA_MAX_FIELDS)
    return error_set(error, "too many fields in %s: %u (at most %d): split the component", component->name,
                     component->field_count, SCHEMA_MAX_FIELDS);
  uint32_t columns = count_columns(component);
  return columns <= SCHEMA_MAX_FIELDS ||
         error_set(error, "too many columns in %s: %u (at most %d): split the component (a vec4 has four columns)",
                   component->name, columns, SCHEMA_MAX_FIELDS);
}

static uint32_t count_required(const schema_desc_t *desc) {
  uint32_t count = 0;
  while (desc->required && count < SHOAL_MAX_NAMES && desc->required[count])
    ++count;
  return count;
}

static bool check_required(const schema_desc_t *desc, error_info_t *error) {
  const shoal_component *component = desc->component;
  uint32_t count = count_required(desc);
  if (count > 0 && (component->kind == SHOAL_KIND_SINGLE || component->kind == SHOAL_KIND_EVENT))
    return error_set(error, "%s is %s and cannot require components: only components of entities can", component->name,
                     component->kind == SHOAL_KIND_EVENT ? "an event" : "a singleton");
  for (uint32_t i = 0; i < count; ++i) {
    if (strnlen(desc->required[i], COMPONENT_NAME_MAX) == COMPONENT_NAME_MAX)
      return error_set(error, "%s requires the unknown component %.80s…", component->name, desc->required[i]);
    if (strcmp(desc->required[i], component->name) == 0)
      return error_set(error, "%s requires itself: remove the name from the list", component->name);
    for (uint32_t k = 0; k < i; ++k)
      if (strcmp(desc->required[i], desc->required[k]) == 0)
        return error_set(error, "%s requires %s twice: remove one of the names", component->name, desc->required[i]);
  }
  return true;
}

bool schema_build(schema_t *schema, const schema_desc_t *desc, allocator_t *a, uint32_t *invalid_field,
                  error_info_t *error) {
  schema_desc_t full_desc = *desc;
  const shoal_component *component = full_desc.component;
  shoal_assert(component && full_desc.origin && a, "component, origin and a must not be NULL");
  shoal_assert(full_desc.derived_count <= component->field_count, "%u derived fields exceed the field count %u",
               full_desc.derived_count, component->field_count);
  full_desc.choice_separator = full_desc.choice_separator ? full_desc.choice_separator : ' ';
  uint32_t ignored_field;
  invalid_field = invalid_field ? invalid_field : &ignored_field;
  *invalid_field = SCHEMA_NO_FIELD;
  memset(schema, 0, sizeof *schema);
  if (!check_component(&full_desc, error) || !check_required(&full_desc, error))
    return false;
  for (uint32_t i = 0; i < component->field_count; ++i)
    if (!check_field(&full_desc, i, error))
      return *invalid_field = i, false;
  schema_init_sized(schema, a, component->name, (schema_kind_t)component->kind, full_desc.origin,
                    count_columns(component));
  schema->line = full_desc.line;
  schema->migrates = full_desc.migrates;
  schema_set_doc(schema, a, full_desc.doc);
  for (uint32_t i = 0; i < count_required(&full_desc); ++i)
    schema_add_required(schema, a, full_desc.required[i]);
  for (uint32_t i = 0; i < component->field_count; ++i)
    add_field(schema, &full_desc, i, a);
  return true;
}
