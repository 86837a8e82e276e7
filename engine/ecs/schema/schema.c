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

size_t field_choices_bytes(const field_t *f) {
  size_t bytes = 0;
  for (uint32_t i = 0; f->choices && i < f->choice_count; ++i)
    bytes += strlen(f->choices + bytes) + 1;
  return bytes;
}

static void free_choices(field_t *f, allocator_t *a) {
  if (f->choices)
    alloc_resize(a, f->choices, field_choices_bytes(f), 0);
  f->choices = NULL;
  f->choice_count = 0;
}

void field_set_text(field_t *f, allocator_t *a, const char *initial_text) {
  char *copy = alloc_copy_text(a, initial_text);
  alloc_free_text(a, f->initial_text);
  f->initial_text = copy;
}

void field_set_docs(field_t *f, allocator_t *a, const char *unit, const char *doc) {
  char *new_unit = alloc_copy_text(a, unit), *new_doc = alloc_copy_text(a, doc);
  alloc_free_text(a, f->unit);
  alloc_free_text(a, f->doc);
  f->unit = new_unit;
  f->doc = new_doc;
}

void schema_set_doc(schema_t *s, allocator_t *a, const char *doc) {
  char *copy = alloc_copy_text(a, doc);
  alloc_free_text(a, s->doc);
  s->doc = copy;
}

void field_set_choices(field_t *f, allocator_t *a, const char *const *choices, uint32_t count) {
  shoal_assert(count <= 256, "%s: %u choices do not fit into an enum of one byte", f->name, count);
  free_choices(f, a);
  size_t bytes = 0;
  for (uint32_t i = 0; i < count; ++i)
    bytes += strlen(choices[i]) + 1;
  if (bytes == 0)
    return;
  char *at = f->choices = alloc_resize(a, NULL, 0, bytes);
  for (uint32_t i = 0; i < count; ++i) {
    size_t size = strlen(choices[i]) + 1;
    memcpy(at, choices[i], size);
    at += size;
  }
  f->choice_count = count;
}

// --- schemas

// Copies a name, truncated if it is too long. Declarations with such names have already been rejected by schema_build.
static void set_name(char *to, size_t bytes, const char *from) {
  snprintf(to, bytes, "%s", from ? from : "");
}

void schema_init(schema_t *s, const char *name, schema_kind_t kind, const char *origin) {
  memset(s, 0, sizeof *s);
  set_name(s->name, sizeof s->name, name);
  s->kind = kind;
  set_name(s->origin, sizeof s->origin, origin);
}

void schema_fini(schema_t *s, allocator_t *a) {
  for (uint32_t i = 0; i < s->field_count + s->derived_count; ++i) {
    field_t *f = &s->fields[i];
    alloc_free_text(a, f->initial_text);
    alloc_free_text(a, f->unit);
    alloc_free_text(a, f->doc);
    free_choices(f, a);
  }
  alloc_free_text(a, s->doc);
  memset(s, 0, sizeof *s);
}

void schema_copy(schema_t *to, const schema_t *from, allocator_t *a) {
  *to = *from;
  to->doc = alloc_copy_text(a, from->doc);
  for (uint32_t i = 0; i < to->field_count + to->derived_count; ++i) {
    field_t *f = &to->fields[i];
    f->initial_text = alloc_copy_text(a, f->initial_text);
    f->unit = alloc_copy_text(a, f->unit);
    f->doc = alloc_copy_text(a, f->doc);
    if (f->choices)
      f->choices = copy_bytes(a, f->choices, field_choices_bytes(f));
  }
}

static int32_t find_field(const schema_t *s, const char *field, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; ++i)
    if (strcmp(s->fields[i].name, field) == 0)
      return (int32_t)i;
  return -1;
}

size_t field_base_bytes(const field_t *f) {
  const char *suffix = f->flags & (FIELD_IS_AXIS | FIELD_IS_OF_LIST) ? strrchr(f->name, '.') : NULL;
  return suffix ? (size_t)(suffix - f->name) : strlen(f->name);
}

const char *field_label(const field_t *f, char out[FIELD_NAME_MAX]) {
  memcpy(out, f->name, FIELD_NAME_MAX);
  if (f->flags & FIELD_IS_OF_LIST)
    out[field_base_bytes(f)] = '\0';
  return out;
}

uint32_t field_element_number(const field_t *f) {
  return f->flags & FIELD_IS_ELEMENT ? (uint32_t)strtoul(strrchr(f->name, '.') + 1, NULL, 10) : 0;
}

uint32_t schema_list_capacity(const schema_t *s, uint32_t column) {
  uint32_t end = column + 1;
  if (!(s->fields[column].flags & FIELD_IS_COUNT))
    return 0;
  while (end < s->field_count && field_element_number(&s->fields[end]) == end - column)
    ++end;
  return end - column - 1;
}

uint32_t schema_list_columns(const schema_t *s, uint32_t column, uint32_t *first) {
  *first = column - field_element_number(&s->fields[column]);
  return 1 + schema_list_capacity(s, *first);
}

// Returns true if `name` consists of `base`, a dot and `suffix`.
static bool has_suffix(const char *name, const char *base, size_t base_bytes, const char *suffix) {
  return strncmp(name, base, base_bytes) == 0 && name[base_bytes] == '.' && strcmp(name + base_bytes + 1, suffix) == 0;
}

void schema_flag_list_columns(schema_t *s) {
  for (uint32_t i = 0; i + 1 < s->field_count; ++i) {
    const char *name = s->fields[i].name, *dot = strrchr(name, '.');
    size_t bytes = dot ? (size_t)(dot - name) : 0;
    char number[12] = "1";
    if (bytes == 0 || s->fields[i].type != FIELD_U8 || strcmp(dot, ".count") != 0 ||
        !has_suffix(s->fields[i + 1].name, name, bytes, number))
      continue;
    s->fields[i].flags |= FIELD_IS_COUNT;
    for (uint32_t k = 1; i + k < s->field_count && has_suffix(s->fields[i + k].name, name, bytes, number); ++k) {
      s->fields[i + k].flags |= FIELD_IS_ELEMENT;
      snprintf(number, sizeof number, "%u", k + 1);
    }
  }
}

const char *field_flat_name(const field_t *f, char out[FIELD_NAME_MAX]) {
  memcpy(out, f->name, FIELD_NAME_MAX);
  char *axis = f->flags & FIELD_IS_AXIS ? strrchr(out, '.') : NULL;
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

bool field_has_former_name(const field_t *f, const char *name) {
  size_t length = strlen(name);
  const char *at = f->renamed_from;
  while (at[0] && !(strncmp(at, name, length) == 0 && (at[length] == ' ' || !at[length])))
    at += strcspn(at, " ") + (at[strcspn(at, " ")] == ' ');
  return length > 0 && at[0];
}

int32_t schema_find_renamed_field(const schema_t *s, const char *former) {
  for (uint32_t i = 0; i < s->field_count; ++i)
    if (field_has_former_name(&s->fields[i], former))
      return (int32_t)i;
  return -1;
}

int32_t schema_find_former_field(const schema_t *s, const field_t *f) {
  char name[FIELD_FORMER_NAMES_MAX];
  int32_t found = -1;
  for (const char *at = f->renamed_from; at[0] && found < 0; at += strspn(at, " ")) {
    size_t length = strcspn(at, " ");
    snprintf(name, sizeof name, "%.*s", (int)length, at);
    found = schema_find_field(s, name);
    at += length;
  }
  return found;
}

int32_t schema_find_field(const schema_t *s, const char *field) {
  int32_t found = find_field(s, field, 0, s->field_count);
  char flat[FIELD_NAME_MAX];
  for (uint32_t i = 0; found < 0 && i < s->field_count; ++i)
    if (strcmp(field_flat_name(&s->fields[i], flat), field) == 0)
      found = (int32_t)i;
  return found;
}

// Finds the first column whose name is the first `bytes` bytes of `field`, or begins with them and a dot.
static int32_t find_column_of(const schema_t *s, const char *field, size_t bytes) {
  for (uint32_t i = 0; i < s->field_count; ++i) {
    const char *name = s->fields[i].name;
    if (strncmp(name, field, bytes) == 0 && (name[bytes] == '\0' || name[bytes] == '.'))
      return (int32_t)i;
  }
  return -1;
}

int32_t schema_find_field_of_any_type(const schema_t *s, const char *field) {
  const char *suffix = strrchr(field, '.');
  bool is_axis = suffix && suffix[1] && !suffix[2] && strchr("xyzw", suffix[1]);
  bool is_part = is_axis || (suffix && (strcmp(suffix, ".count") == 0 || (suffix[1] >= '1' && suffix[1] <= '9')));
  int32_t found = schema_find_field(s, field);
  if (found < 0)
    found = find_column_of(s, field, strlen(field));
  return found < 0 && is_part ? find_column_of(s, field, (size_t)(suffix - field)) : found;
}

int32_t schema_find_enclosing_field(const schema_t *s, const char *field) {
  for (const char *dot = strchr(field, '.'); dot; dot = strchr(dot + 1, '.'))
    for (uint32_t i = 0; i < s->field_count; ++i)
      if (field_base_bytes(&s->fields[i]) == (size_t)(dot - field) &&
          strncmp(s->fields[i].name, field, (size_t)(dot - field)) == 0)
        return (int32_t)i;
  return -1;
}

int32_t schema_find_derived_field(const schema_t *s, const char *field) {
  return find_field(s, field, s->field_count, s->field_count + s->derived_count);
}

static field_t *append_field(schema_t *s, const char *name, field_type_t type) {
  uint32_t count = s->field_count + s->derived_count;
  shoal_assert(name && name[0] && strlen(name) < FIELD_NAME_MAX, "%s: “%s” is not a valid field name", s->name, name);
  shoal_assert(find_field(s, name, 0, count) < 0, "%s has two fields named %s", s->name, name);
  shoal_assert(count < SCHEMA_MAX_FIELDS, "%s has too many fields for %s", s->name, name);
  shoal_assert(field_size(type) > 0, "%s.%s has an invalid type", s->name, name);
  field_t *f = &s->fields[count];
  memset(f, 0, sizeof *f);
  set_name(f->name, sizeof f->name, name);
  f->type = type;
  return f;
}

field_t *schema_add_field(schema_t *s, const char *name, field_type_t type, double initial) {
  shoal_assert(s->derived_count == 0, "stored field %s.%s must precede the derived fields", s->name, name);
  field_t *f = append_field(s, name, type);
  f->initial = initial;
  f->low = -INFINITY;
  f->high = INFINITY;
  s->field_count++;
  return f;
}

field_t *schema_add_derived_field(schema_t *s, const char *name, field_type_t type) {
  shoal_assert(type == FIELD_MAT4, "derived field %s.%s must be a matrix", s->name, name);
  field_t *f = append_field(s, name, type);
  f->flags = FIELD_DERIVED | FIELD_READ_ONLY;
  s->derived_count++;
  return f;
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
static void format_number(double v, char out[NUMBER_TEXT_BYTES]) {
  number_to_text(v, (double)(float)v == v, out);
}

const char *range_describe_problem(const char *label, double low, double high, double value, double stored,
                                   uint32_t flags, char *out) {
  char range[80], got[NUMBER_TEXT_BYTES], instead[NUMBER_TEXT_BYTES];
  format_number(value, got);
  format_number(stored, instead);
  const char *fix = value != value ? "check for a division by zero"
                    : flags & RANGE_OF_TYPE
                        ? "clamp it before storing it, or choose a wider type (shoal.types.i32, f32, f64)"
                        : "clamp it before storing it, or change the range";
  bool is_stored = (flags & RANGE_STORED) != 0, has_range = low > -INFINITY || high < INFINITY;
  snprintf(out, RANGE_TEXT_BYTES, "%.200s must be %s, got %s%s%s: %s", label,
           has_range ? schema_format_range(low, high, range, sizeof range) : "a number", got,
           is_stored ? "; stored " : "", is_stored ? instead : "", fix);
  return out;
}

const char *field_format_range(const field_t *f, char *out, size_t bytes) {
  return schema_format_range(f->flags & FIELD_HAS_MIN ? f->min : -INFINITY,
                             f->flags & FIELD_HAS_MAX ? f->max : INFINITY, out, bytes);
}

const char *field_choice(const field_t *f, uint32_t number) {
  const char *at = f->choices;
  for (uint32_t i = 0; i < number && i < f->choice_count; ++i)
    at += strlen(at) + 1;
  return number < f->choice_count ? at : "";
}

int32_t field_find_choice(const field_t *f, const char *text, size_t length) {
  const char *at = f->choices;
  for (uint32_t i = 0; i < f->choice_count; ++i, at += strlen(at) + 1)
    if (strlen(at) == length && memcmp(at, text, length) == 0)
      return (int32_t)i;
  return -1;
}

const char *field_list_choices(const field_t *f, char *out, size_t bytes) {
  out[0] = '\0';
  for (uint32_t i = 0; i < f->choice_count; ++i) {
    size_t used = strlen(out);
    snprintf(out + used, bytes - used, "%s%s", i ? ", " : "", field_choice(f, i));
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
  uint32_t shared = a->field_count < b->field_count ? a->field_count : b->field_count;
  for (uint32_t i = 0; i < shared; ++i) {
    const field_t *f = &a->fields[i], *g = &b->fields[i];
    if (strcmp(f->name, g->name) != 0)
      return error_set(difference, "field %u of %s differs: %s and %s", i + 1, a->name, f->name, g->name);
    if (f->type != g->type)
      return error_set(difference, "the type of %s.%s differs: %s and %s", a->name, f->name, field_type_name(f->type),
                       field_type_name(g->type));
    if (!field_has_same_choices(f, g))
      return error_set(difference, "the choices of %s.%s differ", a->name, f->name);
  }
  if (a->field_count != b->field_count) {
    const schema_t *longer = a->field_count > b->field_count ? a : b;
    return error_set(difference, "the fields of %s differ: %s is in only one of them", a->name,
                     longer->fields[shared].name);
  }
  return true;
}
