// Implements schemas as data: field types, strings owned by fields, copying, and comparison of layouts. Declarations
// are checked in schema/schema_build.h.
#include "schema/schema.h"

#include "base/number_text.h"
#include "base/assert.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  uint32_t bytes;
  double low, high; // range of values, for numbers and FIELD_BOOL
} types[FIELD_TYPE_COUNT] = {
    [FIELD_NONE] = {"none", 0},
    [FIELD_F32] = {"f32", 4, -(double)FLT_MAX, (double)FLT_MAX},
    [FIELD_F64] = {"f64", 8, -DBL_MAX, DBL_MAX},
    [FIELD_I8] = {"i8", 1, INT8_MIN, INT8_MAX},
    [FIELD_I16] = {"i16", 2, INT16_MIN, INT16_MAX},
    [FIELD_I32] = {"i32", 4, INT32_MIN, INT32_MAX},
    [FIELD_U8] = {"u8", 1, 0, UINT8_MAX},
    [FIELD_U16] = {"u16", 2, 0, UINT16_MAX},
    [FIELD_U32] = {"u32", 4, 0, UINT32_MAX},
    [FIELD_BOOL] = {"bool", 1, 0, 1},
    [FIELD_ENTITY] = {"entity", 4},
    [FIELD_STRING] = {"string", 4},
    [FIELD_ENUM] = {"enum", 1},
    [FIELD_ASSET] = {"asset", 4},
    [FIELD_MAT4] = {"mat4", 64},
};

uint32_t field_size(field_type_t type) {
  return (uint32_t)type < FIELD_TYPE_COUNT ? types[type].bytes : 0;
}

const char *field_type_name(field_type_t type) {
  return (uint32_t)type < FIELD_TYPE_COUNT ? types[type].name : "none";
}

field_limits_t field_limits(field_type_t type) {
  shoal_assert((uint32_t)type < FIELD_TYPE_COUNT && types[type].high > 0, "type %d is not a number type", (int)type);
  return (field_limits_t){types[type].low, types[type].high};
}

// --- strings owned by fields

static char *copy_bytes(allocator_t *a, const char *bytes, size_t size) {
  return bytes ? memcpy(alloc_resize(a, NULL, 0, size), bytes, size) : NULL;
}

size_t field_choices_bytes(const field_t *field) {
  size_t bytes = 0;
  for (uint32_t i = 0; field->choices && i < field->choice_count; ++i)
    bytes += strlen(field->choices + bytes) + 1;
  return bytes;
}

static void free_choices(field_t *field, allocator_t *a) {
  if (field->choices)
    alloc_resize(a, field->choices, field_choices_bytes(field), 0);
  field->choices = NULL;
  field->choice_count = 0;
}

void field_set_text(field_t *field, allocator_t *a, const char *initial_text) {
  char *copy = alloc_copy_text(a, initial_text);
  alloc_free_text(a, field->initial_text);
  field->initial_text = copy;
}

// Frees the former names, unless they are the constant "".
static void free_former_names(field_t *field, allocator_t *a) {
  if (field->renamed_from[0])
    alloc_resize(a, (void *)(uintptr_t)field->renamed_from, strlen(field->renamed_from) + 1, 0);
  field->renamed_from = "";
}

void field_add_former_name(field_t *field, allocator_t *a, const char *name) {
  size_t length = strlen(field->renamed_from), bytes = length + strlen(name) + 2;
  char *names = alloc_resize(a, NULL, 0, length > 0 ? bytes : bytes - 1);
  snprintf(names, bytes, "%s%s%s", field->renamed_from, length > 0 ? " " : "", name);
  free_former_names(field, a);
  field->renamed_from = names;
}

void field_cut_former_names(field_t *field, allocator_t *a, size_t length) {
  char *names = length > 0 ? alloc_resize(a, NULL, 0, length + 1) : NULL;
  if (names)
    snprintf(names, length + 1, "%s", field->renamed_from);
  free_former_names(field, a);
  if (names)
    field->renamed_from = names;
}

void field_set_docs(field_t *field, allocator_t *a, const char *unit, const char *doc) {
  char *new_unit = alloc_copy_text(a, unit), *new_doc = alloc_copy_text(a, doc);
  alloc_free_text(a, field->unit);
  alloc_free_text(a, field->doc);
  field->unit = new_unit;
  field->doc = new_doc;
}

void schema_set_doc(schema_t *schema, allocator_t *a, const char *doc) {
  char *copy = alloc_copy_text(a, doc);
  alloc_free_text(a, schema->doc);
  schema->doc = copy;
}

static size_t count_required_bytes(const schema_t *schema) {
  size_t bytes = 0;
  for (uint32_t i = 0; i < schema->required_count; ++i)
    bytes += strlen(schema->required + bytes) + 1;
  return bytes;
}

void schema_add_required(schema_t *schema, allocator_t *a, const char *name) {
  size_t bytes = count_required_bytes(schema), added = strlen(name) + 1;
  shoal_assert(schema->required_count < SCHEMA_MAX_REQUIRED && added <= COMPONENT_NAME_MAX,
               "%s cannot require %s: it has %u required components", schema->name, name, schema->required_count);
  schema->required = alloc_resize(a, schema->required, bytes, bytes + added);
  memcpy(schema->required + bytes, name, added);
  ++schema->required_count;
}

void schema_free_required(schema_t *schema, allocator_t *a) {
  alloc_resize(a, schema->required, count_required_bytes(schema), 0);
  schema->required = NULL;
  schema->required_count = 0;
}

const char *schema_get_required(const schema_t *schema, uint32_t index) {
  shoal_assert(index < schema->required_count, "required component %u of %s is out of range (count %u)", index,
               schema->name, schema->required_count);
  const char *name = schema->required;
  for (uint32_t i = 0; i < index; ++i)
    name += strlen(name) + 1;
  return name;
}

void field_set_choices(field_t *field, allocator_t *a, const char *const *choices, uint32_t count) {
  shoal_assert(count <= 256, "%s: %u choices do not fit into an enum of one byte", field->name, count);
  free_choices(field, a);
  size_t bytes = 0;
  for (uint32_t i = 0; i < count; ++i)
    bytes += strlen(choices[i]) + 1;
  if (bytes == 0)
    return;
  char *cursor = field->choices = alloc_resize(a, NULL, 0, bytes);
  for (uint32_t i = 0; i < count; ++i) {
    size_t size = strlen(choices[i]) + 1;
    memcpy(cursor, choices[i], size);
    cursor += size;
  }
  field->choice_count = count;
}

// --- schemas

// Copies a name, truncated if it is too long. Declarations with such names have already been rejected by schema_build.
static void set_name(char *out, size_t bytes, const char *name) {
  snprintf(out, bytes, "%s", name ? name : "");
}

static void init_schema(schema_t *schema, const char *name, schema_kind_t kind, const char *origin) {
  memset(schema, 0, sizeof *schema);
  set_name(schema->name, sizeof schema->name, name);
  schema->kind = kind;
  set_name(schema->origin, sizeof schema->origin, origin);
}

void schema_init(schema_buffer_t *buffer, const char *name, schema_kind_t kind, const char *origin) {
  init_schema(&buffer->schema, name, kind, origin);
  buffer->schema.fields = buffer->fields;
  buffer->schema.field_capacity = SCHEMA_MAX_FIELDS;
}

void schema_init_sized(schema_t *schema, allocator_t *a, const char *name, schema_kind_t kind, const char *origin,
                       uint32_t capacity) {
  shoal_assert(capacity <= SCHEMA_MAX_FIELDS, "%s has too many fields: %u", name, capacity);
  init_schema(schema, name, kind, origin);
  schema->fields = alloc_resize(a, NULL, 0, capacity * sizeof *schema->fields);
  schema->field_capacity = capacity;
  schema->owns_fields = true;
}

void schema_fini(schema_t *schema, allocator_t *a) {
  for (uint32_t i = 0; i < schema->field_count + schema->derived_count; ++i) {
    field_t *field = &schema->fields[i];
    alloc_free_text(a, field->initial_text);
    alloc_free_text(a, field->unit);
    alloc_free_text(a, field->doc);
    free_former_names(field, a);
    free_choices(field, a);
  }
  if (schema->owns_fields)
    alloc_resize(a, schema->fields, schema->field_capacity * sizeof *schema->fields, 0);
  alloc_free_text(a, schema->doc);
  schema_free_required(schema, a);
  memset(schema, 0, sizeof *schema);
}

bool schema_is_kept(const schema_t *schema) {
  return strncmp(schema->origin, SCHEMA_KEPT_ORIGIN, sizeof SCHEMA_KEPT_ORIGIN - 1) == 0;
}

void schema_copy(schema_t *target, const schema_t *source, allocator_t *a) {
  uint32_t count = source->field_count + source->derived_count;
  *target = *source;
  target->doc = alloc_copy_text(a, source->doc);
  target->required = copy_bytes(a, source->required, count_required_bytes(source));
  target->fields = alloc_resize(a, NULL, 0, count * sizeof *target->fields);
  target->field_capacity = count;
  target->owns_fields = true;
  if (count > 0)
    memcpy(target->fields, source->fields, count * sizeof *target->fields);
  for (uint32_t i = 0; i < count; ++i) {
    field_t *field = &target->fields[i];
    field->initial_text = alloc_copy_text(a, field->initial_text);
    field->unit = alloc_copy_text(a, field->unit);
    field->doc = alloc_copy_text(a, field->doc);
    if (field->renamed_from[0])
      field->renamed_from = alloc_copy_text(a, field->renamed_from);
    if (field->choices)
      field->choices = copy_bytes(a, field->choices, field_choices_bytes(field));
  }
}

static int32_t find_field(const schema_t *schema, const char *name, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; ++i)
    if (strcmp(schema->fields[i].name, name) == 0)
      return (int32_t)i;
  return -1;
}

size_t field_base_bytes(const field_t *field) {
  const char *suffix = field->flags & (FIELD_IS_AXIS | FIELD_IS_OF_LIST) ? strrchr(field->name, '.') : NULL;
  return suffix ? (size_t)(suffix - field->name) : strlen(field->name);
}

const char *field_label(const field_t *field, char out[FIELD_NAME_MAX]) {
  memcpy(out, field->name, FIELD_NAME_MAX);
  if (field->flags & FIELD_IS_OF_LIST)
    out[field_base_bytes(field)] = '\0';
  return out;
}

uint32_t field_element_number(const field_t *field) {
  return field->flags & FIELD_IS_ELEMENT ? (uint32_t)strtoul(strrchr(field->name, '.') + 1, NULL, 10) : 0;
}

uint32_t schema_list_capacity(const schema_t *schema, uint32_t column) {
  uint32_t end = column + 1;
  if (!(schema->fields[column].flags & FIELD_IS_COUNT))
    return 0;
  while (end < schema->field_count && field_element_number(&schema->fields[end]) == end - column)
    ++end;
  return end - column - 1;
}

uint32_t schema_list_columns(const schema_t *schema, uint32_t column, uint32_t *first_column) {
  *first_column = column - field_element_number(&schema->fields[column]);
  return 1 + schema_list_capacity(schema, *first_column);
}

static bool has_suffix(const char *name, const char *base, size_t base_bytes, const char *suffix) {
  return strncmp(name, base, base_bytes) == 0 && name[base_bytes] == '.' && strcmp(name + base_bytes + 1, suffix) == 0;
}

void schema_flag_list_columns(schema_t *schema) {
  for (uint32_t i = 0; i + 1 < schema->field_count; ++i) {
    const char *name = schema->fields[i].name, *dot = strrchr(name, '.');
    size_t bytes = dot ? (size_t)(dot - name) : 0;
    char number[12] = "1";
    if (bytes == 0 || schema->fields[i].type != FIELD_U8 || strcmp(dot, ".count") != 0 ||
        !has_suffix(schema->fields[i + 1].name, name, bytes, number))
      continue;
    schema->fields[i].flags |= FIELD_IS_COUNT;
    for (uint32_t k = 1; i + k < schema->field_count && has_suffix(schema->fields[i + k].name, name, bytes, number);
         ++k) {
      schema->fields[i + k].flags |= FIELD_IS_ELEMENT;
      snprintf(number, sizeof number, "%u", k + 1);
    }
  }
}

const char *field_flat_name(const field_t *field, char out[FIELD_NAME_MAX]) {
  memcpy(out, field->name, FIELD_NAME_MAX);
  char *axis = field->flags & FIELD_IS_AXIS ? strrchr(out, '.') : NULL;
  for (char *dot = out; (dot = strchr(dot, '.')) != NULL; ++dot)
    if (dot != axis)
      *dot = '_';
  return out;
}

bool field_is_same_flat_name(const char *a, const char *b) {
  for (; *a && *b; ++a, ++b)
    if (*a != *b && (*a != '.' || *b != '_') && (*a != '_' || *b != '.'))
      return false;
  return *a == *b;
}

bool field_has_former_name(const field_t *field, const char *name) {
  size_t length = strlen(name);
  const char *cursor = field->renamed_from;
  while (cursor[0] && !(strncmp(cursor, name, length) == 0 && (cursor[length] == ' ' || !cursor[length])))
    cursor += strcspn(cursor, " ") + (cursor[strcspn(cursor, " ")] == ' ');
  return length > 0 && cursor[0];
}

int32_t schema_find_renamed_field(const schema_t *schema, const char *former_name) {
  for (uint32_t i = 0; i < schema->field_count; ++i)
    if (field_has_former_name(&schema->fields[i], former_name))
      return (int32_t)i;
  return -1;
}

int32_t schema_find_former_field(const schema_t *schema, const field_t *field) {
  char name[FIELD_FORMER_NAMES_MAX];
  int32_t column = -1;
  for (const char *cursor = field->renamed_from; cursor[0] && column < 0; cursor += strspn(cursor, " ")) {
    size_t length = strcspn(cursor, " ");
    snprintf(name, sizeof name, "%.*s", (int)length, cursor);
    column = schema_find_field(schema, name);
    cursor += length;
  }
  return column;
}

int32_t schema_find_field(const schema_t *schema, const char *name) {
  int32_t column = find_field(schema, name, 0, schema->field_count);
  char flat[FIELD_NAME_MAX];
  for (uint32_t i = 0; column < 0 && i < schema->field_count; ++i)
    if (strcmp(field_flat_name(&schema->fields[i], flat), name) == 0)
      column = (int32_t)i;
  return column;
}

// Returns the index of the first column whose name is the first `bytes` bytes of `base_name`, or begins with them and a
// dot. Returns -1 if no column is found.
static int32_t find_column_by_base_name(const schema_t *schema, const char *base_name, size_t bytes) {
  for (uint32_t i = 0; i < schema->field_count; ++i) {
    const char *name = schema->fields[i].name;
    if (strncmp(name, base_name, bytes) == 0 && (name[bytes] == '\0' || name[bytes] == '.'))
      return (int32_t)i;
  }
  return -1;
}

int32_t schema_find_field_of_any_type(const schema_t *schema, const char *name) {
  const char *suffix = strrchr(name, '.');
  bool is_axis = suffix && suffix[1] && !suffix[2] && strchr("xyzw", suffix[1]);
  bool is_part = is_axis || (suffix && (strcmp(suffix, ".count") == 0 || (suffix[1] >= '1' && suffix[1] <= '9')));
  int32_t column = schema_find_field(schema, name);
  if (column < 0)
    column = find_column_by_base_name(schema, name, strlen(name));
  return column < 0 && is_part ? find_column_by_base_name(schema, name, (size_t)(suffix - name)) : column;
}

int32_t schema_find_enclosing_field(const schema_t *schema, const char *name) {
  for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.'))
    for (uint32_t i = 0; i < schema->field_count; ++i)
      if (field_base_bytes(&schema->fields[i]) == (size_t)(dot - name) &&
          strncmp(schema->fields[i].name, name, (size_t)(dot - name)) == 0)
        return (int32_t)i;
  return -1;
}

int32_t schema_find_derived_field(const schema_t *schema, const char *name) {
  return find_field(schema, name, schema->field_count, schema->field_count + schema->derived_count);
}

static field_t *append_field(schema_t *schema, const char *name, field_type_t type) {
  uint32_t count = schema->field_count + schema->derived_count;
  shoal_assert(name && name[0] && strlen(name) < FIELD_NAME_MAX, "%s: “%s” is not a valid field name", schema->name,
               name);
  shoal_assert(find_field(schema, name, 0, count) < 0, "%s has two fields named %s", schema->name, name);
  shoal_assert(count < schema->field_capacity, "%s has too many fields for %s", schema->name, name);
  shoal_assert(field_size(type) > 0, "%s.%s has an invalid type", schema->name, name);
  field_t *field = &schema->fields[count];
  memset(field, 0, sizeof *field);
  set_name(field->name, sizeof field->name, name);
  field->renamed_from = "";
  field->type = type;
  return field;
}

field_t *schema_add_field(schema_t *schema, const char *name, field_type_t type, double initial) {
  shoal_assert(schema->derived_count == 0, "stored field %s.%s must precede the derived fields", schema->name, name);
  field_t *field = append_field(schema, name, type);
  field->initial = initial;
  field->low = -INFINITY;
  field->high = INFINITY;
  schema->field_count++;
  return field;
}

field_t *schema_add_derived_field(schema_t *schema, const char *name, field_type_t type) {
  shoal_assert(type == FIELD_MAT4 || type == FIELD_F32, "derived field %s.%s must be a matrix or an f32", schema->name,
               name);
  field_t *field = append_field(schema, name, type);
  field->flags = FIELD_DERIVED | FIELD_READ_ONLY;
  schema->derived_count++;
  return field;
}

const char *schema_format_range(double low, double high, char *out, size_t bytes) {
  if (low == -INFINITY)
    snprintf(out, bytes, "at most %.10g", high);
  else if (high == INFINITY)
    snprintf(out, bytes, "at least %.10g", low);
  else
    snprintf(out, bytes, "from %.10g to %.10g", low, high);
  return out;
}

// Writes the shortest text that represents the number: as an f32 if the number is exactly an f32, because most values
// come from f32 columns.
static void format_number(double value, char out[NUMBER_TEXT_BYTES]) {
  number_to_text(value, (double)(float)value == value, out);
}

const char *range_describe_problem(const char *label, double low, double high, double value, double stored,
                                   uint32_t flags, char *out) {
  char range[80], value_text[NUMBER_TEXT_BYTES], stored_text[NUMBER_TEXT_BYTES];
  format_number(value, value_text);
  format_number(stored, stored_text);
  const char *fix = value != value ? "check for a division by zero"
                    : flags & RANGE_OF_TYPE
                        ? "clamp it before storing it, or choose a wider type (shoal.types.i32, f32, f64)"
                        : "clamp it before storing it, or change the range";
  bool is_stored = (flags & RANGE_STORED) != 0, has_range = low > -INFINITY || high < INFINITY;
  snprintf(out, RANGE_TEXT_BYTES, "%.200s must be %s, got %s%s%s: %s", label,
           has_range ? schema_format_range(low, high, range, sizeof range) : "a number", value_text,
           is_stored ? "; stored " : "", is_stored ? stored_text : "", fix);
  return out;
}

const char *field_format_range(const field_t *field, char *out, size_t bytes) {
  return schema_format_range(field->flags & FIELD_HAS_MIN ? field->min : -INFINITY,
                             field->flags & FIELD_HAS_MAX ? field->max : INFINITY, out, bytes);
}

const char *field_choice(const field_t *field, uint32_t index) {
  const char *choice = field->choices;
  for (uint32_t i = 0; i < index && i < field->choice_count; ++i)
    choice += strlen(choice) + 1;
  return index < field->choice_count ? choice : "";
}

int32_t field_find_choice(const field_t *field, const char *text, size_t length) {
  const char *choice = field->choices;
  for (uint32_t i = 0; i < field->choice_count; ++i, choice += strlen(choice) + 1)
    if (strlen(choice) == length && memcmp(choice, text, length) == 0)
      return (int32_t)i;
  return -1;
}

const char *field_list_choices(const field_t *field, char *out, size_t bytes) {
  out[0] = '\0';
  for (uint32_t i = 0; i < field->choice_count; ++i) {
    size_t length = strlen(out);
    snprintf(out + length, bytes - length, "%s%s", i ? ", " : "", field_choice(field, i));
  }
  return out;
}

bool field_has_same_choices(const field_t *a, const field_t *b) {
  if (a->choice_count != b->choice_count)
    return false;
  size_t bytes = field_choices_bytes(a);
  return bytes == field_choices_bytes(b) && (bytes == 0 || memcmp(a->choices, b->choices, bytes) == 0);
}

bool schema_has_same_layout(const schema_t *a, const schema_t *b, error_info_t *difference) {
  static const char *const kinds[] = {"component", "many", "single", "event"};
  if (a->kind != b->kind)
    return error_set(difference, "the kind of %s differs: %s and %s", a->name, kinds[a->kind], kinds[b->kind]);
  uint32_t shared_count = a->field_count < b->field_count ? a->field_count : b->field_count;
  for (uint32_t i = 0; i < shared_count; ++i) {
    const field_t *field_a = &a->fields[i], *field_b = &b->fields[i];
    if (strcmp(field_a->name, field_b->name) != 0)
      return error_set(difference, "field %u of %s differs: %s and %s", i + 1, a->name, field_a->name, field_b->name);
    if (field_a->type != field_b->type)
      return error_set(difference, "the type of %s.%s differs: %s and %s", a->name, field_a->name,
                       field_type_name(field_a->type), field_type_name(field_b->type));
    if (!field_has_same_choices(field_a, field_b))
      return error_set(difference, "the choices of %s.%s differ", a->name, field_a->name);
  }
  if (a->field_count != b->field_count) {
    const schema_t *longer = a->field_count > b->field_count ? a : b;
    return error_set(difference, "the fields of %s differ: %s is in only one of them", a->name,
                     longer->fields[shared_count].name);
  }
  return true;
}
