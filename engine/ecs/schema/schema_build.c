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
               "the flags of shoal_field differ from those of field_t");
_Static_assert(SHOAL_MAX_COLUMNS == SCHEMA_MAX_FIELDS, "SHOAL_MAX_COLUMNS differs from SCHEMA_MAX_FIELDS");
_Static_assert(SHOAL_MAX_NAMES == SCHEMA_MAX_REQUIRED, "SHOAL_MAX_NAMES differs from SCHEMA_MAX_REQUIRED");

#define MAX_CHOICES 256 // enum values are stored in one byte

// --- names

// Names with another meaning in scripts: a component or field with one of these names would be inaccessible.
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
  size_t bytes = strlen(name), word = 0;
  for (const char *at = words; *at; at += word + (at[word] == ' ')) {
    word = strcspn(at, " ");
    if (word == bytes && memcmp(at, name, bytes) == 0)
      return true;
  }
  return false;
}

bool schema_is_lua_keyword(const char *name) {
  return is_listed_word(LUA_KEYWORDS, name);
}

bool schema_is_valid_name(const char *name, size_t room) {
  if (!name || !(isalpha((unsigned char)name[0]) || name[0] == '_'))
    return false;
  size_t n = 0;
  while (n < room && (isalnum((unsigned char)name[n]) || name[n] == '_'))
    ++n;
  return n < room && name[n] == '\0';
}

// Checks a name. `what` is the object being named, such as "a component" or "field 2 of heat". `any` allows all
// characters.
static bool check_name(const char *what, const char *name, size_t room, bool any, error_info_t *error) {
  if (!name || !name[0])
    return error_set(error, "%s has no name", what);
  if (strnlen(name, room) == room)
    return error_set(error, "the name of %s is too long (%.80s…): use at most %zu bytes", what, name, room - 1);
  return any || schema_is_valid_name(name, room) ||
         error_set(error, "%s cannot be the name of %s: use letters, digits and _, and do not start with a digit", name,
                   what);
}

static bool check_component_name(const shoal_component *c, bool any, error_info_t *error) {
  // Scripts name events in strings, as in world.emit("count"), so keywords are allowed.
  bool event = c->kind == SHOAL_KIND_EVENT;
  if (!check_name(event ? "an event" : "a component", c->name, COMPONENT_NAME_MAX, any, error))
    return false;
  if (event || any)
    return true;
  if (is_listed_word(RESERVED_COMPONENT_NAMES, c->name))
    return error_set(error, "a component cannot be named %s: entities have a method with this name", c->name);
  if (schema_is_lua_keyword(c->name))
    return error_set(error, "a component cannot be named %s: it is a Lua keyword", c->name);
  return true;
}

// Checks the name of a field, or one name of its path.
static bool check_field_name_part(const shoal_component *c, uint32_t i, const char *name, size_t room,
                                  error_info_t *error) {
  char what[COMPONENT_NAME_MAX + 32];
  snprintf(what, sizeof what, "field %u of %.63s", i + 1, c->name);
  if (!check_name(what, name, room, false, error))
    return false;
  if (is_listed_word(RESERVED_FIELD_NAMES, name) || (c->kind == SHOAL_KIND_EVENT && strcmp(name, "count") == 0))
    return error_set(error, "the field %s of %s has the name of a method: choose another name", name, c->name);
  if (schema_is_lua_keyword(name))
    return error_set(error, "the field %s of %s has the name of a Lua keyword: choose another name", name, c->name);
  return true;
}

// Checks each name of a path such as "colors.r".
static bool check_path(const shoal_component *c, uint32_t i, size_t room, error_info_t *error) {
  const char *path = c->fields[i].name;
  char name[FIELD_NAME_MAX];
  if (strnlen(path, room) == room)
    return error_set(
        error,
        "the name of the field %.80s… of %s is too long: use at most %zu bytes, including the names of the records",
        path, c->name, room - 1);
  for (size_t length; *path; path += length + (path[length] == '.')) {
    length = strcspn(path, ".");
    snprintf(name, sizeof name, "%.*s", (int)length, path);
    bool is_of_list = !path[length] && c->fields[i].flags & FIELD_IS_OF_LIST;
    if (!is_of_list && !check_field_name_part(c, i, name, sizeof name, error))
      return false;
  }
  return true;
}

static bool check_field_name(const schema_desc_t *d, uint32_t i, error_info_t *error) {
  const shoal_component *c = d->component;
  const char *name = c->fields[i].name;
  size_t room = FIELD_NAME_MAX - (schema_column_count(c->fields[i].type) > 1 ? 2 : 0);
  bool is_path = d->has_paths && name && strchr(name, '.');
  if (!(is_path ? check_path(c, i, room, error) : check_field_name_part(c, i, name, room, error)))
    return false;
  for (uint32_t k = 0; k < i; ++k) {
    if (strcmp(c->fields[k].name, name) == 0)
      return error_set(error, "%s has two fields named %s: rename one of them", c->name, name);
    if (field_is_same_flat_name(c->fields[k].name, name))
      return error_set(error, "%s and %s of %s have the same column name in SQL and C: rename one of them",
                       c->fields[k].name, name, c->name);
  }
  return true;
}

// --- enum choices

// Returns the next choice at or after `at` and stores its length. Returns NULL after the last choice.
static const char *find_next_choice(const char *at, char between, size_t *bytes) {
  const char separator[] = {between, '\0'};
  at += strspn(at, separator);
  *bytes = strcspn(at, separator);
  return *bytes > 0 ? at : NULL;
}

static bool check_choices(const shoal_component *c, const shoal_field *f, char between, error_info_t *error) {
  uint32_t count = 0;
  size_t bytes = 0, other_bytes = 0;
  const char *text = f->default_string ? f->default_string : "";
  for (const char *word = text; (word = find_next_choice(word, between, &bytes)) != NULL; word += bytes) {
    ++count;
    for (const char *other = text; (other = find_next_choice(other, between, &other_bytes)) != word;
         other += other_bytes)
      if (other_bytes == bytes && memcmp(other, word, bytes) == 0)
        return error_set(error, "enum %s.%s has the choice %.*s twice: remove one", c->name, f->name, (int)bytes, word);
  }
  if (count == 0)
    return error_set(error, "enum %s.%s must have at least one choice", c->name, f->name);
  return count <= MAX_CHOICES ||
         error_set(error, "too many choices in the enum %s.%s: %u (at most %d)", c->name, f->name, count, MAX_CHOICES);
}

static void add_choices(field_t *to, const shoal_field *f, char between, allocator_t *a) {
  char *words = alloc_resize(a, NULL, 0, strlen(f->default_string) + 1), *at = words;
  const char *list[MAX_CHOICES];
  uint32_t count = 0;
  size_t bytes = 0;
  for (const char *word = f->default_string; (word = find_next_choice(word, between, &bytes)) != NULL; word += bytes) {
    shoal_assert(count < MAX_CHOICES, "%s has too many choices", f->name);
    list[count++] = memcpy(at, word, bytes);
    at[bytes] = '\0';
    at += bytes + 1;
  }
  field_set_choices(to, a, list, count);
  alloc_resize(a, words, strlen(f->default_string) + 1, 0);
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

// Returns false if the default contains NaN, which would spread from there to every entity with the component.
static bool check_default(const shoal_component *c, const shoal_field *f, error_info_t *error) {
  bool is_number = f->type <= SHOAL_TYPE_bool;
  for (uint32_t k = 0; k < schema_column_count(f->type); ++k)
    if (isnan(schema_column_count(f->type) > 1 ? (double)f->default_vector[k] : is_number ? f->default_number : 0))
      return error_set(error, "the default of %s.%s must be a number, got nan: check for a division by zero", c->name,
                       f->name);
  return true;
}

// Returns the numeric default. It is 0 for entities, strings, enums and matrices, whose defaults are no entity, "", the
// first choice and the identity; the values of a list of enums may have other defaults.
static double get_numeric_default(const shoal_field *f, uint32_t column) {
  if (schema_column_count(f->type) > 1)
    return (double)f->default_vector[column];
  return f->type <= SHOAL_TYPE_bool || f->flags & FIELD_IS_ELEMENT ? f->default_number : 0;
}

// Returns a bound of a range as a value of the field's type. Bounds of integers are rounded inward.
static double compute_range_bound(field_type_t type, double bound, bool is_low) {
  if (type == FIELD_F32)
    return (double)shoal_f32(bound);
  return type == FIELD_F64 ? bound : is_low ? ceil(bound) : floor(bound);
}

// Checks that a range is valid and contains the default.
static bool check_range(const shoal_component *c, const shoal_field *f, const field_range_t *r, error_info_t *error) {
  char range[80];
  double low = r->has_min ? r->min : -INFINITY, high = r->has_max ? r->max : INFINITY;
  bool is_integer = f->type >= SHOAL_TYPE_i8 && f->type <= SHOAL_TYPE_u32;
  if (!(f->type >= SHOAL_TYPE_f32 && f->type <= SHOAL_TYPE_u32) && schema_column_count(f->type) == 1)
    return error_set(error, "%s.%s cannot have min or max: only numbers and vectors have a range", c->name, f->name);
  if (!(is_integer ? ceil(low) <= floor(high) : low <= high))
    return error_set(error, "%s.%s has an empty range: min %g is greater than max %g", c->name, f->name, low, high);
  for (uint32_t k = 0; k < schema_column_count(f->type); ++k) {
    double v = get_numeric_default(f, k);
    if (f->flags & FIELD_IS_ELEMENT && v == 0) // an unused value of a list
      continue;
    // A vector's default is an f32, so it is compared with bounds that are rounded to f32, too.
    field_type_t type = schema_column_count(f->type) > 1 ? FIELD_F32 : FIELD_F64;
    if (!(v >= compute_range_bound(type, low, true) && v <= compute_range_bound(type, high, false)))
      return error_set(error, "the default of %s.%s must be %s, got %g: change the default or the range", c->name,
                       f->name, schema_format_range(low, high, range, sizeof range), v);
  }
  return true;
}

// Returns true for a name, or, if `any`, for names joined with ".".
static bool is_valid_path(const char *path, bool any) {
  char names[FIELD_NAME_MAX];
  snprintf(names, sizeof names, "%.*s", FIELD_NAME_MAX - 1, path);
  for (char *dot = names; any && (dot = strchr(dot, '.')) != NULL;)
    *dot = '_';
  return strlen(path) < FIELD_NAME_MAX - 2 && schema_is_valid_name(names, sizeof names);
}

// Copies the next name of a list that is separated by spaces. Returns the position after it; NULL at the end.
static const char *read_next_former_name(const char *names, char *out, size_t bytes) {
  names += names ? strspn(names, " ") : 0;
  size_t length = names ? strcspn(names, " ") : 0;
  if (length == 0)
    return NULL;
  snprintf(out, bytes, "%.*s", (int)length, names);
  return names + length;
}

static bool check_former_names(const schema_desc_t *d, const shoal_field *f, error_info_t *error) {
  char name[128];
  size_t used = 0, axis = schema_column_count(f->type) > 1 ? 2 : 0;
  if (f->renamed_from && !f->renamed_from[0])
    return error_set(error, "renamed_from of %s.%s must be the old name of a field, got \"\"", d->component->name,
                     f->name);
  for (const char *at = f->renamed_from; (at = read_next_former_name(at, name, sizeof name)) != NULL;) {
    used += strlen(name) + axis + 1;
    if (!is_valid_path(name, d->has_paths))
      return error_set(error, "renamed_from of %s.%s must be the old name of a field, got %.80s", d->component->name,
                       f->name, name);
    if (used > FIELD_FORMER_NAMES_MAX)
      return error_set(error, "renamed_from of %s.%s is too long (at most %d bytes): remove the oldest names",
                       d->component->name, f->name, FIELD_FORMER_NAMES_MAX);
  }
  return true;
}

static bool check_field(const schema_desc_t *d, uint32_t i, error_info_t *error) {
  const shoal_component *c = d->component;
  const shoal_field *f = &c->fields[i];
  if (!check_field_name(d, i, error))
    return false;
  if (f->type <= SHOAL_TYPE_none || f->type >= SHOAL_TYPE_COUNT)
    return error_set(error, "%s.%s has an unknown type (%d)", c->name, f->name, (int)f->type);
  if (!check_former_names(d, f, error))
    return false;
  if (!check_default(c, f, error) || (f->type == SHOAL_TYPE_enum && !check_choices(c, f, d->between, error)))
    return false;
  return !d->ranges || (!d->ranges[i].has_min && !d->ranges[i].has_max) || check_range(c, f, &d->ranges[i], error);
}

static void set_range(field_t *to, const field_range_t *range) {
  to->flags |= (range->has_min ? FIELD_HAS_MIN : 0u) | (range->has_max ? FIELD_HAS_MAX : 0u);
  to->min = range->min;
  to->max = range->max;
  to->low = range->has_min ? compute_range_bound(to->type, range->min, true) : -INFINITY;
  to->high = range->has_max ? compute_range_bound(to->type, range->max, false) : INFINITY;
}

static void set_properties(field_t *to, const shoal_field *f, const field_range_t *range, const char *axis,
                           allocator_t *a) {
  char name[FIELD_NAME_MAX];
  to->flags |= f->flags & (SHOAL_HIDDEN | SHOAL_READ_ONLY);
  to->flags |= axis ? FIELD_IS_AXIS : 0u;
  to->flags |= f->type == SHOAL_TYPE_entity ? f->flags & FIELD_CASCADES : 0;
  for (const char *at = f->renamed_from; (at = read_next_former_name(at, name, sizeof name)) != NULL;) {
    size_t used = strlen(to->renamed_from);
    snprintf(to->renamed_from + used, sizeof to->renamed_from - used, axis ? "%s%s.%s" : "%s%s", used ? " " : "", name,
             axis);
  }
  if (range && (range->has_min || range->has_max))
    set_range(to, range);
  field_set_docs(to, a, f->unit, f->doc);
}

static void add_field(schema_t *s, const schema_desc_t *d, uint32_t i, allocator_t *a) {
  const shoal_field *f = &d->component->fields[i];
  uint32_t width = schema_column_count(f->type);
  if (i >= d->component->field_count - d->derived) {
    set_properties(schema_add_derived_field(s, f->name, (field_type_t)f->type), f, NULL, NULL, a);
    return;
  }
  for (uint32_t k = 0; k < width; ++k) {
    char name[FIELD_NAME_MAX];
    const char *axis = schema_axis_suffix(f->type, k);
    snprintf(name, sizeof name, axis ? "%s.%s" : "%s", f->name, axis);
    field_t *to = schema_add_field(s, name, width > 1 ? FIELD_F32 : (field_type_t)f->type, get_numeric_default(f, k));
    if (f->type == SHOAL_TYPE_enum)
      add_choices(to, f, d->between, a);
    else if ((f->type == SHOAL_TYPE_string || f->type == SHOAL_TYPE_asset) && f->default_string)
      field_set_text(to, a, f->default_string);
    set_properties(to, f, d->ranges ? &d->ranges[i] : NULL, axis, a);
    to->flags |= d->has_paths ? f->flags & FIELD_IS_OF_LIST : 0u;
    to->flags |= d->rejects_nan && (to->type == FIELD_F32 || to->type == FIELD_F64) ? FIELD_REJECTS_NAN : 0u;
  }
}

// --- schemas

static bool check_component(const schema_desc_t *d, error_info_t *error) {
  const shoal_component *c = d->component;
  if (!check_component_name(c, d->any_name, error))
    return false;
  if ((uint32_t)c->kind > SHOAL_KIND_EVENT)
    return error_set(error, "%s has an unknown kind (%d)", c->name, (int)c->kind);
  if (c->field_count > 0 && !c->fields)
    return error_set(error, "%s: .fields must not be NULL (%u fields)", c->name, c->field_count);
  if (c->field_count > SCHEMA_MAX_FIELDS)
    return error_set(error, "too many fields in %s: %u (at most %d): split the component", c->name, c->field_count,
                     SCHEMA_MAX_FIELDS);
  uint32_t columns = 0;
  for (uint32_t i = 0; i < c->field_count; ++i)
    columns += schema_column_count(c->fields[i].type);
  return columns <= SCHEMA_MAX_FIELDS ||
         error_set(error, "too many columns in %s: %u (at most %d): split the component (a vec4 has four columns)",
                   c->name, columns, SCHEMA_MAX_FIELDS);
}

static uint32_t count_required(const schema_desc_t *d) {
  uint32_t count = 0;
  while (d->required && count < SHOAL_MAX_NAMES && d->required[count])
    ++count;
  return count;
}

static bool check_required(const schema_desc_t *d, error_info_t *error) {
  const shoal_component *c = d->component;
  uint32_t count = count_required(d);
  if (count > 0 && (c->kind == SHOAL_KIND_SINGLE || c->kind == SHOAL_KIND_EVENT))
    return error_set(error, "%s is %s and cannot require components: only components of entities can", c->name,
                     c->kind == SHOAL_KIND_EVENT ? "an event" : "a singleton");
  for (uint32_t i = 0; i < count; ++i) {
    if (strnlen(d->required[i], COMPONENT_NAME_MAX) == COMPONENT_NAME_MAX)
      return error_set(error, "%s requires the unknown component %.80s…", c->name, d->required[i]);
    if (strcmp(d->required[i], c->name) == 0)
      return error_set(error, "%s requires itself: remove the name from the list", c->name);
    for (uint32_t k = 0; k < i; ++k)
      if (strcmp(d->required[i], d->required[k]) == 0)
        return error_set(error, "%s requires %s twice: remove one of the names", c->name, d->required[i]);
  }
  return true;
}

bool schema_build(schema_t *s, const schema_desc_t *desc, allocator_t *a, uint32_t *wrong, error_info_t *error) {
  schema_desc_t d = *desc;
  const shoal_component *c = d.component;
  shoal_assert(c && d.origin && a, "component, origin and allocator must not be NULL");
  shoal_assert(d.derived <= c->field_count, "%u derived fields exceed the field count %u", d.derived, c->field_count);
  d.between = d.between ? d.between : ' ';
  uint32_t unasked;
  wrong = wrong ? wrong : &unasked;
  *wrong = SCHEMA_NO_FIELD;
  memset(s, 0, sizeof *s);
  if (!check_component(&d, error) || !check_required(&d, error))
    return false;
  for (uint32_t i = 0; i < c->field_count; ++i)
    if (!check_field(&d, i, error))
      return *wrong = i, false;
  schema_init(s, c->name, (schema_kind_t)c->kind, d.origin);
  s->line = d.line;
  s->migrates = d.migrates;
  schema_set_doc(s, a, d.doc);
  s->required_count = count_required(&d);
  for (uint32_t i = 0; i < s->required_count; ++i)
    snprintf(s->required[i], sizeof s->required[i], "%s", d.required[i]);
  for (uint32_t i = 0; i < c->field_count; ++i)
    add_field(s, &d, i, a);
  return true;
}
