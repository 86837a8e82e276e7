// Converts the rows of one component to a changed declaration: maps old rows to new rows, then converts field by field.
#include "migrate/rows_migrate.h"

#include "base/assert.h"
#include "ecs/index.h"
#include "schema/bit_names.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const KINDS[] = {"a plain component", "a many component", "a singleton", "an event"};

void rows_migrate_report(migrate_context_t *c, const char *format, ...) {
  char line[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (c->desc->log_line)
    c->desc->log_line(c->desc->log_context, line);
}

// The columns of one component or event to convert. `migrates`: the declaration's `migrate` converts values that do not
// fit.
typedef struct fields_t {
  const schema_t *old_schema, *new_schema;
  const columns_t *old_columns;
  columns_t *new_columns;
  uint32_t first; // row of `new_columns` to which old row 0 is converted
  bool migrates, quiet;
  const char *moved; // former component that the fields come from; NULL: the same component
  char stub[600];    // body of a suggested `migrate` for fields whose values do not fit
  char first_problem[300];
} fields_t;

// An old column and the column that it is converted to.
typedef struct pair_t {
  fields_t *fields;
  const field_t *old_field, *new_field;
  uint32_t old_column, new_column;
  // former and current name for messages; for a list's columns, the names of the list
  char old_name[FIELD_NAME_MAX], new_name[FIELD_NAME_MAX];
} pair_t;

// --- errors

__attribute__((format(printf, 2, 3))) static void append(fields_t *f, const char *format, ...) {
  size_t length = strlen(f->stub);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(f->stub + length, sizeof f->stub - length, format, arguments);
  va_end(arguments);
}

static bool is_number_type(field_type_t type) {
  return (type >= FIELD_F32 && type <= FIELD_U32) || type == FIELD_BOOL;
}

static bool is_named_value(const field_t *f) {
  return f->type == FIELD_ENUM || field_is_text(f);
}

static bool get_integer_range(field_type_t type, double *low, double *high) {
  static const double lows[] = {INT8_MIN, INT16_MIN, INT32_MIN, 0, 0, 0};
  static const double highs[] = {INT8_MAX, INT16_MAX, INT32_MAX, UINT8_MAX, UINT16_MAX, UINT32_MAX};
  if (type < FIELD_I8 || type > FIELD_U32)
    return false;
  *low = lows[type - FIELD_I8];
  *high = highs[type - FIELD_I8];
  return true;
}

// Writes a Lua expression that converts a value to the type of `new_field`. Returns true on success, or false if no
// conversion exists. `old_field`: column of the value; `expression`: expression of the value.
static bool format_conversion(const field_t *old_field, const field_t *new_field, const char *expression,
                              char out[160]) {
  double low = 0, high = 0;
  bool is_boolean = old_field->type == FIELD_BOOL, is_number = is_number_type(old_field->type) && !is_boolean;
  if (old_field->type == new_field->type && new_field->type != FIELD_ENUM)
    snprintf(out, 160, "%s", expression);
  else if (is_number && get_integer_range(new_field->type, &low, &high))
    snprintf(out, 160, "math.max(%.0f, math.min(%.0f, math.floor(%s)))", low, high, expression);
  else if (new_field->type == FIELD_BOOL && is_number)
    snprintf(out, 160, "%s ~= 0", expression);
  else if (is_boolean && is_number_type(new_field->type))
    snprintf(out, 160, "%s and 1 or 0", expression);
  else if (is_number_type(new_field->type) && new_field->type != FIELD_BOOL && field_is_text(old_field))
    snprintf(out, 160, "tonumber(%s) or 0", expression);
  else if (field_is_text(new_field))
    snprintf(out, 160, "tostring(%s)", expression);
  else if (new_field->type == FIELD_ENUM)
    snprintf(out, 160, "\"%s\"", field_choice(new_field, 0));
  else if (is_number && is_number_type(new_field->type))
    snprintf(out, 160, "%s", expression);
  else
    return false;
  return true;
}

// Extends the suggested body of `migrate` by a statement that converts this field.
static void append_suggestion(const pair_t *p) {
  fields_t *f = p->fields;
  char expression[FIELD_NAME_MAX + 16], converted[160];
  const field_t *old_field = p->old_field, *new_field = p->new_field;
  bool from_list = old_field->flags & FIELD_IS_OF_LIST, to_list = new_field->flags & FIELD_IS_OF_LIST;
  snprintf(expression, sizeof expression, "old.%s[i]", p->old_name);
  if (from_list && !to_list) {
    snprintf(expression, sizeof expression, "old.%s[i][1]", p->old_name);
    old_field += old_field->flags & FIELD_IS_COUNT ? 1 : 0;
  } else if (to_list) {
    new_field += new_field->flags & FIELD_IS_COUNT ? 1 : 0;
  }
  if ((from_list && to_list) || !format_conversion(old_field, new_field, expression, converted))
    append(f, to_list ? " --[[ new.%s[i] = { … } from old.%s[i] ]]" : " --[[ new.%s[i] from old.%s[i] ]]", p->new_name,
           p->old_name);
  else if (from_list)
    append(f, " if %s ~= nil then new.%s[i] = %s end", expression, p->new_name, converted);
  else
    append(f, to_list ? " new.%s[i] = { %s }" : " new.%s[i] = %s", p->new_name, converted);
}

// Reports a value that cannot be converted without loss. Returns true if the declaration's `migrate` will convert it.
// Otherwise returns false, stores the message if it is the first message, and extends the suggested `migrate`.
__attribute__((format(printf, 2, 3))) static bool report_lossy_value(const pair_t *p, const char *format, ...) {
  fields_t *f = p->fields;
  if (f->migrates)
    return true;
  if (!f->first_problem[0]) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(f->first_problem, sizeof f->first_problem, format, arguments);
    va_end(arguments);
  }
  append_suggestion(p);
  return false;
}

// Returns true if a plugin declares the schema. Declarations in C have no `migrate` for columns.
static bool is_from_plugin(const schema_t *s) {
  return strncmp(s->origin, "plugin ", strlen("plugin ")) == 0;
}

static bool fail_with_suggestion(migrate_context_t *c, const schema_t *s, const char *problem, const char *body) {
  if (is_from_plugin(s))
    return error_set(
        c->error,
        "%.300s: restore the declaration of the field, or declare a field with a new name and convert the values in a "
        "system of the plugin",
        problem);
  return error_set_at(c->error, s->line > 0 ? s->origin : "", s->line,
                      "%.300s: convert the values in %s: migrate = function(old, new, q) for i = 1, q.count do%.500s "
                      "end end",
                      problem, s->name, body);
}

// --- columns

// Returns true if the conversion may round: from f64 to f32 in a plugin's declaration, so that a change from f32 to f64
// can be reverted.
static bool may_round(const pair_t *p, double stored) {
  return p->old_field->type == FIELD_F64 && p->new_field->type == FIELD_F32 && isfinite(stored) &&
         is_from_plugin(p->fields->new_schema);
}

static bool convert_numbers(const pair_t *p) {
  fields_t *f = p->fields;
  for (uint32_t row = 0; row < f->old_columns->count; ++row) {
    double v = columns_get(f->old_columns, row, p->old_column);
    columns_set_unmarked(f->new_columns, f->first + row, p->new_column, v);
    double stored = columns_get(f->new_columns, f->first + row, p->new_column);
    if (stored == v || (stored != stored && v != v) || f->migrates || may_round(p, stored))
      continue;
    char text[40];
    snprintf(text, sizeof text, "%.17g", v);
    return report_lossy_value(p, "%s.%s: cannot convert %s from %s to %s", f->new_schema->name, p->new_name, text,
                              field_type_name(p->old_field->type), field_type_name(p->new_field->type));
  }
  return true;
}

// Converts `number`, an enum choice or a string id of the old field, to a choice or a string id of the new field, and
// stores its text in `name`. Returns the result, or -1 if the new field lacks the choice.
static int32_t find_new_name_number(migrate_context_t *c, const pair_t *p, uint32_t number, const char **name) {
  *name = p->old_field->type == FIELD_ENUM ? field_choice(p->old_field, number) : strings_text(c->v->strings, number);
  size_t length = p->old_field->type == FIELD_ENUM ? strlen(*name) : strings_length(c->v->strings, number);
  return p->new_field->type == FIELD_ENUM ? field_find_choice(p->new_field, *name, length)
                                          : (int32_t)strings_intern_bytes(c->v->strings, *name, length);
}

// Returns true if the row's list is too short to contain the element of the old column.
static bool is_unused(const pair_t *p, uint32_t row) {
  uint32_t number = field_element_number(p->old_field);
  return number > 0 && columns_get(p->fields->old_columns, row, p->old_column - number) < number;
}

// Converts between choices and strings, and between different lists of choices, by name. Returns true on success, or
// false if a value does not fit. Results are cached, because most columns contain few different values.
static bool convert_names(migrate_context_t *c, const pair_t *p) {
  enum { CACHE_SIZE = 512 };
  fields_t *f = p->fields;
  struct {
    uint32_t number;
    int32_t converted;
    bool valid;
  } cache[CACHE_SIZE] = {{0, 0, false}};
  for (uint32_t row = 0; row < f->old_columns->count; ++row) {
    uint32_t number = (uint32_t)columns_get(f->old_columns, row, p->old_column), slot = number % CACHE_SIZE;
    const char *name = "";
    if (is_unused(p, row)) {
      columns_set_unmarked(f->new_columns, f->first + row, p->new_column, 0);
      continue;
    }
    if (!cache[slot].valid || cache[slot].number != number) {
      cache[slot].converted = find_new_name_number(c, p, number, &name);
      cache[slot].number = number;
      cache[slot].valid = true;
    }
    if (cache[slot].converted >= 0)
      columns_set_unmarked(f->new_columns, f->first + row, p->new_column, cache[slot].converted);
    else if (!f->migrates)
      return report_lossy_value(p, "%s.%s: unknown choice %s", f->new_schema->name, p->new_name, name);
  }
  return true;
}

// Converts sets of named bits, such as collision layers. Reports the names whose bits are dropped.
static void convert_bits(migrate_context_t *c, const pair_t *p) {
  fields_t *f = p->fields;
  char names[200];
  uint32_t dropped = bit_names_get_dropped(p->old_field, p->new_field), rows = 0, old_bits = 0,
           new_bits = bit_names_convert(p->old_field, p->new_field, 0);
  for (uint32_t row = 0; row < f->old_columns->count; ++row) {
    uint32_t bits = (uint32_t)columns_get(f->old_columns, row, p->old_column);
    if (bits != old_bits) // consecutive rows often have the same bits
      new_bits = bit_names_convert(p->old_field, p->new_field, bits);
    old_bits = bits;
    columns_set_unmarked(f->new_columns, f->first + row, p->new_column, new_bits);
    rows += bits != UINT32_MAX && (bits & dropped) != 0;
  }
  if (rows > 0 && !f->quiet)
    rows_migrate_report(c, "%s.%s: %s removed from layers: dropped from %u row%s", f->new_schema->name,
                        p->new_field->name, bit_names_format(p->old_field, dropped, names, sizeof names), rows,
                        rows == 1 ? "" : "s");
}

static bool are_fields_equal(const field_t *a, const field_t *b) {
  return a->type == b->type && field_has_same_choices(a, b);
}

static bool are_layer_fields(const field_t *a, const field_t *b) {
  return a->type == FIELD_U32 && b->type == FIELD_U32 && (bit_names_exist(a) || bit_names_exist(b));
}

static bool convert_column(migrate_context_t *c, const pair_t *p) {
  fields_t *f = p->fields;
  size_t size = f->old_columns->element_bytes[p->old_column], bytes = f->old_columns->count * size;
  if (are_fields_equal(p->old_field, p->new_field) || (field_is_text(p->old_field) && field_is_text(p->new_field))) {
    if (bytes > 0)
      memcpy((char *)f->new_columns->data[p->new_column] + f->first * size, f->old_columns->data[p->old_column], bytes);
    return true;
  }
  if (are_layer_fields(p->old_field, p->new_field)) {
    convert_bits(c, p);
    return true;
  }
  if (is_number_type(p->old_field->type) && is_number_type(p->new_field->type))
    return convert_numbers(p);
  if (is_named_value(p->old_field) && is_named_value(p->new_field))
    return convert_names(c, p);
  return f->old_columns->count == 0 ||
         report_lossy_value(p, "%s.%s: cannot convert %s to %s", f->new_schema->name, p->new_name,
                            field_type_name(p->old_field->type), field_type_name(p->new_field->type));
}

static void convert_marks(const pair_t *p) {
  fields_t *f = p->fields;
  const uint8_t *old_marks = columns_get_marks(f->old_columns, p->old_column);
  uint8_t *new_marks = columns_get_marks(f->new_columns, p->new_column);
  if (old_marks && new_marks && f->old_columns->count > 0)
    memcpy(new_marks + f->first, old_marks, f->old_columns->count);
}

// Fills a text field with its default. The default's id belongs to the world's string table, in which the string may
// have a different id than in the snapshot.
static void fill_default(migrate_context_t *c, const fields_t *f, uint32_t k) {
  if (!field_is_text(&f->new_schema->fields[k]) || f->old_columns->count == 0)
    return;
  uint32_t id = (uint32_t)f->new_columns->initial[k];
  const char *text = strings_text(c->w->strings, id);
  columns_fill(f->new_columns, k, f->first, f->old_columns->count,
               strings_intern_bytes(c->v->strings, text, strings_length(c->w->strings, id)));
}

// Truncates lists that exceed their new capacity, and reports the number of affected rows.
static void cut_lists(migrate_context_t *c, const pair_t *p) {
  fields_t *f = p->fields;
  uint32_t capacity = schema_list_capacity(f->new_schema, p->new_column), rows = 0;
  for (uint32_t row = 0; capacity > 0 && row < f->old_columns->count; ++row)
    if (columns_get(f->old_columns, row, p->old_column) > capacity) {
      columns_set_unmarked(f->new_columns, f->first + row, p->new_column, capacity);
      ++rows;
    }
  if (rows > 0 && !f->quiet)
    rows_migrate_report(c, "%s.%s: cut to %u value%s in %u row%s", f->new_schema->name, p->new_name, capacity,
                        capacity == 1 ? "" : "s", rows, rows == 1 ? "" : "s");
}

// Warns if a number became a string, as in a change from speed = 85 to speed = "85". If the field has values, the
// migration fails in this case; without rows, it would succeed silently.
static void warn_about_string(const migrate_context_t *c, const pair_t *p) {
  const field_t *old_field = p->old_field, *new_field = p->new_field;
  if (is_number_type(old_field->type) && field_is_text(new_field) && world_log(c->w))
    log_warn(world_log(c->w),
             "%s:%u: %s.%s was a number (%s) and is now a string (default \"%s\"): write a number without quotes, or "
             "rename the field",
             p->fields->new_schema->origin, p->fields->new_schema->line, p->fields->new_schema->name, p->new_name,
             field_type_name(old_field->type), new_field->initial_text ? new_field->initial_text : "");
}

static void report_field(migrate_context_t *c, const pair_t *p) {
  const fields_t *f = p->fields;
  if (f->quiet)
    return;
  uint32_t number = field_element_number(p->new_field); // messages about a list are logged for its first value
  bool renamed = number == 0 && strcmp(p->old_field->name, p->new_field->name) != 0,
       other_type = p->old_field->type != p->new_field->type;
  bool layers = are_layer_fields(p->old_field, p->new_field);
  bool other_choices = !other_type && !(layers ? bit_names_are_unchanged(p->old_field, p->new_field)
                                               : field_has_same_choices(p->old_field, p->new_field));
  if (number > 1)
    return;
  if (f->moved && number == 0)
    rows_migrate_report(c, "%s.%s: renamed from %s.%s", f->new_schema->name, p->new_name, f->moved, p->old_name);
  else if (renamed)
    rows_migrate_report(c, "%s.%s: renamed from %s", f->new_schema->name, p->new_name, p->old_name);
  if (other_type)
    rows_migrate_report(c, "%s.%s: converted from %s to %s", f->new_schema->name, p->new_name,
                        field_type_name(p->old_field->type), field_type_name(p->new_field->type));
  else if (other_choices)
    rows_migrate_report(c, "%s.%s: %s changed, values matched by name", f->new_schema->name, p->new_name,
                        layers ? "layers" : "choices");
  if (other_type)
    warn_about_string(c, p);
  c->counts.fields_renamed += renamed || (f->moved && number == 0);
  c->counts.fields_converted += other_type || other_choices;
}

// --- fields of a different kind: numbers, vectors, lists and records

// Writes the type of the field to which the column belongs: "f32", "a vec3", "a list of f32". `counterpart`: the
// corresponding column of the other version.
static const char *describe_type(const schema_t *s, uint32_t k, const field_t *counterpart, char out[40]) {
  const field_t *f = &s->fields[k];
  size_t bytes = field_base_bytes(f), counterpart_bytes = field_base_bytes(counterpart);
  uint32_t axes = 0;
  for (uint32_t i = 0; i < s->field_count; ++i)
    axes += (s->fields[i].flags & FIELD_IS_AXIS) && strncmp(s->fields[i].name, f->name, bytes + 1) == 0;
  if (bytes > counterpart_bytes && strncmp(f->name, counterpart->name, counterpart_bytes) == 0 &&
      f->name[counterpart_bytes] == '.')
    snprintf(out, 40, "a record");
  else if (f->flags & FIELD_IS_OF_LIST)
    snprintf(out, 40, "a list of %s", field_type_name(f[f->flags & FIELD_IS_COUNT ? 1 : 0].type));
  else if (f->flags & FIELD_IS_AXIS)
    snprintf(out, 40, "a vec%u", axes);
  else
    snprintf(out, 40, "%s", field_type_name(f->type));
  return out;
}

static pair_t pair_columns(fields_t *f, uint32_t old_column, uint32_t new_column) {
  pair_t p = {.fields = f, .old_column = old_column, .new_column = new_column};
  p.old_field = &f->old_schema->fields[old_column];
  p.new_field = &f->new_schema->fields[new_column];
  field_label(p.old_field, p.old_name);
  field_label(p.new_field, p.new_name);
  return p;
}

// Stores a single value as the first value of the list in column k, because the list's declaration lists the old field
// in `renamed_from`. Returns true on success, or false if a value cannot be converted.
static bool convert_to_list(migrate_context_t *c, fields_t *f, uint32_t old_column, uint32_t k) {
  pair_t p = pair_columns(f, old_column, k + 1), count = pair_columns(f, old_column, k);
  if (!convert_column(c, &p))
    return false;
  columns_fill(f->new_columns, k, f->first, f->old_columns->count, 1);
  for (uint32_t i = 2; i <= schema_list_capacity(f->new_schema, k); ++i)
    columns_fill(f->new_columns, k + i, f->first, f->old_columns->count, 0);
  convert_marks(&p);
  convert_marks(&count);
  if (!f->quiet)
    rows_migrate_report(c, "%s.%s: %s.%s is its first value", f->new_schema->name, p.new_name,
                        f->moved ? f->moved : f->old_schema->name, p.old_name);
  c->counts.fields_converted += !f->quiet;
  return true;
}

static bool is_first_value(const fields_t *f, int32_t old_column, uint32_t k) {
  return old_column >= 0 && f->new_schema->fields[k].flags & FIELD_IS_COUNT &&
         !(f->old_schema->fields[old_column].flags & (FIELD_IS_OF_LIST | FIELD_IS_AXIS));
}

// Returns the field whose name denotes the whole field in both versions: the old field for "x" → "x.q", otherwise the
// new field.
static const field_t *choose_outer(const pair_t *p) {
  size_t bytes = field_base_bytes(p->old_field);
  bool is_outer = bytes < field_base_bytes(p->new_field) && strncmp(p->old_field->name, p->new_field->name, bytes) == 0;
  return is_outer ? p->old_field : p->new_field;
}

// Finds the old field whose values belong to column k but cannot be converted, because the kind of the field's type has
// changed. Returns its column, or -1 if there is no conflict.
static int32_t find_conflict(const migrate_context_t *c, const fields_t *f, uint32_t manager, uint32_t k,
                             const bool *used) {
  int32_t j = world_find_retyped_field(c->w, f->old_schema, f->new_schema, manager, k, f->moved != NULL);
  if (j < 0 && !f->moved)
    j = schema_find_field_of_any_type(f->old_schema, f->new_schema->fields[k].name);
  if ((j < 0 || used[j]) && !f->moved)
    j = schema_find_enclosing_field(f->old_schema, f->new_schema->fields[k].name);
  return j >= 0 && !used[j] ? j : -1;
}

// Handles a field whose kind of type has changed. Converts a single value that is declared to become the first value of
// a list; otherwise sets *ok to false, unless the declaration's `migrate` will convert the values. Returns true if the
// field was handled, and marks the old column as used; returns false if there is no such change or no row.
static bool convert_kind(migrate_context_t *c, fields_t *f, uint32_t manager, uint32_t k, bool *used, bool *ok) {
  char old_type[40], new_type[40];
  bool is_element = f->new_schema->fields[k].flags & FIELD_IS_ELEMENT;
  int32_t renamed = world_find_retyped_field(c->w, f->old_schema, f->new_schema, manager, k, f->moved != NULL);
  int32_t j = is_element ? -1 : find_conflict(c, f, manager, k, used);
  if (j < 0)
    return false;
  if (j == renamed && is_first_value(f, j, k)) {
    *ok &= convert_to_list(c, f, (uint32_t)j, k);
  } else if (f->old_columns->count > 0) {
    pair_t p = pair_columns(f, (uint32_t)j, k);
    const field_t *outer = choose_outer(&p);
    *ok &= report_lossy_value(&p, "%s.%.*s: cannot convert %s to %s", f->new_schema->name, (int)field_base_bytes(outer),
                              outer->name, describe_type(f->old_schema, (uint32_t)j, p.new_field, old_type),
                              describe_type(f->new_schema, k, p.old_field, new_type));
  } else {
    return false;
  }
  used[j] = true;
  return true;
}

static bool has_values(const columns_t *c, uint32_t k) {
  for (uint32_t row = 0; row < c->count; ++row)
    if (columns_get(c, row, k) != 0)
      return true;
  return false;
}

// Returns a column of the vector that takes over different parts of the vector to which old column j belongs; -1 if
// no column does. `source`: for each new column, its old column, or -1.
static int32_t find_smaller_vector(const fields_t *f, uint32_t j, const int32_t *source) {
  const field_t *part = &f->old_schema->fields[j];
  for (uint32_t k = 0; part->flags & FIELD_IS_AXIS && k < f->new_schema->field_count; ++k)
    if (source[k] >= 0 && f->new_schema->fields[k].flags & FIELD_IS_AXIS &&
        strncmp(f->old_schema->fields[source[k]].name, part->name, field_base_bytes(part) + 1) == 0)
      return (int32_t)k;
  return -1;
}

// Reports each vector that lost a part whose value is not 0 in some row. Returns true if there is no such vector, or if
// the declaration's `migrate` will convert the values.
static bool check_vectors(fields_t *f, const int32_t *source, const bool *used) {
  char old_type[40], new_type[40];
  bool ok = true;
  for (uint32_t j = 0; j < f->old_schema->field_count; ++j) {
    int32_t k = used[j] ? -1 : find_smaller_vector(f, j, source);
    if (k < 0 || !has_values(f->old_columns, j))
      continue;
    pair_t p = pair_columns(f, j, (uint32_t)k);
    ok &= report_lossy_value(&p, "%s.%.*s: cannot convert %s to %s without losing %s", f->new_schema->name,
                             (int)field_base_bytes(p.new_field), p.new_field->name,
                             describe_type(f->old_schema, j, p.new_field, old_type),
                             describe_type(f->new_schema, (uint32_t)k, p.old_field, new_type), p.old_field->name);
  }
  return ok;
}

// --- all fields

// Returns true if the field is private to the engine: such data may be dropped without a message.
static bool is_private_to_engine(const fields_t *f, uint32_t j) {
  return strcmp(f->new_schema->origin, "C") == 0 && f->old_schema->fields[j].flags & FIELD_READ_ONLY;
}

// Returns the length of the record prefix in the field's name, including its dot; 0 if the field is not in a record.
static size_t record_bytes(const field_t *f) {
  size_t bytes = field_base_bytes(f);
  while (bytes > 0 && f->name[bytes - 1] != '.')
    --bytes;
  return bytes;
}

static bool may_be_renamed(const field_t *a, const field_t *b) {
  size_t record = record_bytes(a), base = field_base_bytes(a), new_base = field_base_bytes(b);
  return a->type == b->type && a->flags == b->flags && record == record_bytes(b) &&
         memcmp(a->name, b->name, record) == 0 && strcmp(a->name + base, b->name + new_base) == 0;
}

// Writes a hint about the new field that may be the removed field j under a new name, or "" if no new field matches.
// `source`: for each new column, its old column, or -1. Sets the entry of a suggested field to j, so that the field is
// suggested only once.
static void format_rename_hint(const fields_t *f, uint32_t j, int32_t *source, char out[3 * FIELD_NAME_MAX + 80]) {
  const field_t *old_field = &f->old_schema->fields[j], *new_field = NULL;
  for (uint32_t k = 0; !new_field && k < f->new_schema->field_count; ++k)
    if (source[k] < 0 && may_be_renamed(old_field, &f->new_schema->fields[k]))
      new_field = &f->new_schema->fields[k], source[k] = (int32_t)j;
  out[0] = '\0';
  if (!new_field)
    return;
  size_t record = record_bytes(old_field);
  int old_bytes = (int)(field_base_bytes(old_field) - record), new_bytes = (int)(field_base_bytes(new_field) - record);
  const char *new_name = new_field->name + record;
  snprintf(out, 3 * FIELD_NAME_MAX + 80, ": if you renamed it to %.*s, declare renamed_from = { %.*s = \"%.*s\" }",
           new_bytes, new_name, new_bytes, new_name, old_bytes, old_field->name + record);
}

static void report_removed(migrate_context_t *c, const fields_t *f, const bool *used, int32_t *source) {
  char name[FIELD_NAME_MAX], hint[3 * FIELD_NAME_MAX + 80];
  for (uint32_t j = 0; j < f->old_schema->field_count && !f->quiet && !f->moved; ++j)
    if (!used[j] && !is_private_to_engine(f, j) && !(f->old_schema->fields[j].flags & FIELD_IS_ELEMENT) &&
        !world_is_field_moved(c->w, f->old_schema->name, f->old_schema->fields[j].name, 0)) {
      format_rename_hint(f, j, source, hint);
      if (f->old_columns->count > 0)
        rows_migrate_report(c, "%s.%s: removed, values dropped from %u row%s%s", f->new_schema->name,
                            field_label(&f->old_schema->fields[j], name), f->old_columns->count,
                            f->old_columns->count == 1 ? "" : "s", hint);
      else
        rows_migrate_report(c, "%s.%s: removed%s", f->new_schema->name, field_label(&f->old_schema->fields[j], name),
                            hint);
      c->counts.fields_dropped++;
    }
}

static void add_field(migrate_context_t *c, const fields_t *f, uint32_t k) {
  char name[FIELD_NAME_MAX];
  if (f->quiet || f->moved || f->new_schema->fields[k].flags & FIELD_IS_ELEMENT)
    return;
  rows_migrate_report(c, "%s.%s: added, set to its default", f->new_schema->name,
                      field_label(&f->new_schema->fields[k], name));
  c->counts.fields_added++;
}

static bool convert_field(migrate_context_t *c, fields_t *f, uint32_t old_column, uint32_t k) {
  pair_t p = pair_columns(f, old_column, k);
  bool ok = convert_column(c, &p);
  cut_lists(c, &p);
  convert_marks(&p);
  report_field(c, &p);
  return ok;
}

// Converts the values of the old columns and stores them in the new rows, which already exist and contain default
// values. Returns true on success. If a value does not fit, returns false with the first problem and a suggested
// `migrate`.
static bool convert_fields(migrate_context_t *c, fields_t *f, uint32_t manager) {
  bool used[SCHEMA_MAX_FIELDS] = {false}, ok = true;
  int32_t source[SCHEMA_MAX_FIELDS];
  for (uint32_t k = 0; k < f->new_schema->field_count; ++k) {
    source[k] = world_find_old_field(c->w, f->old_schema, f->new_schema, manager, k, f->moved != NULL);
    if (source[k] >= 0)
      used[source[k]] = true;
    else
      fill_default(c, f, k);
  }
  for (uint32_t k = 0; k < f->new_schema->field_count; ++k)
    if (source[k] >= 0)
      ok &= convert_field(c, f, (uint32_t)source[k], k);
    else if (!convert_kind(c, f, manager, k, used, &ok))
      add_field(c, f, k);
  ok &= f->moved || check_vectors(f, source, used);
  report_removed(c, f, used, source);
  return ok;
}

bool rows_migrate_columns(migrate_context_t *c, const schema_t *old_schema, const columns_t *old_columns,
                          columns_t *new_columns, bool quiet) {
  fields_t f = {.old_schema = old_schema,
                .new_schema = new_columns->schema,
                .old_columns = old_columns,
                .new_columns = new_columns,
                .quiet = quiet};
  shoal_assert(new_columns->count == 0, "the rows of the event have already been migrated");
  columns_append_defaults(new_columns, old_columns->count);
  return convert_fields(c, &f, 0) || fail_with_suggestion(c, f.new_schema, f.first_problem, f.stub);
}

void rows_migrate_last_values(migrate_context_t *c, const schema_t *old_schema, const columns_t *old_columns,
                              columns_t *new_columns, uint32_t moved_to) {
  fields_t f = {.old_schema = old_schema,
                .new_schema = new_columns->schema,
                .old_columns = old_columns,
                .new_columns = new_columns,
                .quiet = true,
                .migrates = true};
  shoal_assert(new_columns->count == 0, "the last values have already been migrated");
  f.moved = moved_to != 0 ? old_schema->name : NULL;
  columns_append_defaults(new_columns, old_columns->count);
  convert_fields(c, &f, moved_to);
}

// --- rows

// Selected old rows, in order, and the new row of each old row.
typedef struct row_map_t {
  // `old_rows`: old rows, indexed by new row; `new_rows`: new rows, indexed by old row. Both are freed with the state.
  uint32_t *old_rows, *new_rows;
  uint32_t count;
} row_map_t;

static row_map_t create_identity_map(migrate_context_t *c, uint32_t count) {
  row_map_t m = {state_alloc(c->v, count * sizeof(uint32_t)), state_alloc(c->v, count * sizeof(uint32_t)), count};
  for (uint32_t i = 0; i < count; ++i)
    m.old_rows[i] = m.new_rows[i] = i;
  return m;
}

// Keeps the first row of each entity, and maps the entity's remaining rows to the first row.
static row_map_t create_first_row_map(migrate_context_t *c, const old_rows_t *r) {
  row_map_t m = create_identity_map(c, r->columns.count);
  uint32_t **pages = NULL, page_count = 0;
  uint8_t *is_chained = state_alloc(c->v, r->columns.count);
  for (uint32_t i = 0; i < r->columns.count; ++i)
    if (r->rows->next[i] != ROW_NONE)
      is_chained[r->rows->next[i]] = 1;
  m.count = 0;
  for (uint32_t i = 0; i < r->columns.count; ++i)
    if (!is_chained[i]) {
      *index_slot(&pages, &page_count, r->rows->owner[i], c->v->allocator) = m.count + 1;
      m.old_rows[m.count++] = i;
    }
  for (uint32_t i = 0; i < r->columns.count; ++i) {
    uint32_t place = index_get(pages, page_count, r->rows->owner[i]);
    m.new_rows[i] = place > 0 ? place - 1 : 0;
  }
  index_free(pages, page_count, c->v->allocator);
  return m;
}

static bool fail_kind_change(migrate_context_t *c, const old_rows_t *own_rows, const manager_o *m, const char *reason) {
  char problem[300];
  snprintf(problem, sizeof problem, "cannot convert %s from %s to %s: %s", own_rows->buffer.schema.name,
           KINDS[own_rows->buffer.schema.kind], KINDS[m->schema.kind], reason);
  fields_t *f = state_alloc(c->v, sizeof *f);
  for (uint32_t k = 0; k < m->schema.field_count; ++k) {
    const char *name = m->schema.fields[k].name;
    if (schema_find_field(&own_rows->buffer.schema, name) >= 0)
      append(f, " new.%s[i] = old.%s[i]", name, name);
  }
  return fail_with_suggestion(c, &m->schema, problem, f->stub);
}

// Returns true if every value of a singleton is zero, empty, or the default of the new declaration.
static bool has_only_defaults(const old_rows_t *r, const manager_o *m) {
  for (uint32_t j = 0; j < r->buffer.schema.field_count && r->columns.count > 0; ++j) {
    int32_t k = schema_find_field(&m->schema, r->buffer.schema.fields[j].name);
    double v = columns_get(&r->columns, 0, j);
    if (v != 0 && (k < 0 || field_is_text(&r->buffer.schema.fields[j]) || v != m->columns.initial[k]))
      return false;
  }
  return true;
}

// Maps the rows of a component to its new kind. Returns true on success, or false with a message if rows would be lost
// and the declaration has no `migrate` that could keep their values.
static bool map_rows(migrate_context_t *c, const old_rows_t *own_rows, const manager_o *m, bool migrates,
                     row_map_t *out) {
  schema_kind_t old_kind = own_rows->buffer.schema.kind, new_kind = m->schema.kind;
  *out = create_identity_map(c, own_rows->columns.count);
  if (old_kind == new_kind || (old_kind == SCHEMA_COMPONENT && new_kind == SCHEMA_MANY))
    return true;
  if (old_kind == SCHEMA_MANY && new_kind == SCHEMA_COMPONENT) {
    *out = create_first_row_map(c, own_rows);
    return out->count == own_rows->columns.count || migrates ||
           fail_kind_change(c, own_rows, m, "some entities have several rows");
  }
  if (new_kind == SCHEMA_SINGLE) {
    memset(out->new_rows, 0, own_rows->columns.count * sizeof *out->new_rows);
    out->count = own_rows->columns.count > 0;
    return own_rows->columns.count <= 1 || migrates ||
           fail_kind_change(c, own_rows, m, "the component has several rows");
  }
  out->count = 0; // a singleton's row cannot be assigned to an entity
  return migrates || has_only_defaults(own_rows, m) ||
         fail_kind_change(c, own_rows, m, "a singleton belongs to no entity");
}

static void gather_rows(columns_t *target, const columns_t *source, const row_map_t *map) {
  shoal_assert(map->count <= source->count, "the row map has %u rows, but the component has only %u", map->count,
               source->count);
  columns_append_uninitialized(target, map->count);
  for (uint32_t k = 0; k < source->stored_count; ++k) {
    size_t bytes = source->element_bytes[k];
    for (uint32_t i = 0; source->data[k] && i < map->count; ++i)
      memcpy((char *)target->data[k] + i * bytes, (const char *)source->data[k] + map->old_rows[i] * bytes, bytes);
  }
}

// Stores all old rows for the declaration's `migrate`.
static void record_migration(migrate_context_t *c, const old_rows_t *r, const manager_o *m, const row_map_t *map,
                             uint32_t first) {
  double zeros[SCHEMA_MAX_FIELDS] = {0};
  allocator_t *a = &c->desc->report->memory;
  migration_t *migration = alloc_resize(a, NULL, 0, sizeof *migration);
  *migration = (migration_t){.manager = m->id};
  schema_copy(&migration->old_schema, &r->buffer.schema, a);
  columns_init(&migration->old, &migration->old_schema, zeros, a);
  columns_append_uninitialized(&migration->old, r->columns.count);
  migration->row = alloc_resize(a, NULL, 0, r->columns.count * sizeof *migration->row);
  for (uint32_t k = 0; k < migration->old.column_count && r->columns.count > 0; ++k)
    memcpy(migration->old.data[k], r->columns.data[k], (size_t)r->columns.count * migration->old.element_bytes[k]);
  for (uint32_t i = 0; i < r->columns.count; ++i)
    migration->row[i] = first + map->new_rows[i];
  schema_migrate_report_t *report = c->desc->report;
  if (report->migration_count == report->migration_capacity)
    report->migrations = array_grow(a, report->migrations, &report->migration_capacity, report->migration_count + 1,
                                    sizeof(migration_t *));
  report->migrations[report->migration_count++] = migration;
}

static void set_owners(const old_rows_t *r, const row_map_t *map, new_rows_t *out) {
  schema_kind_t kind = out->m->schema.kind;
  bool same_kind = r->buffer.schema.kind == kind;
  for (uint32_t i = 0; i < map->count; ++i, ++out->owners) {
    uint32_t old_row = map->old_rows[i];
    out->owner[out->owners] = kind == SCHEMA_SINGLE ? SHOAL_ENTITY_NONE : r->rows->owner[old_row];
    out->instance[out->owners] = same_kind && kind == SCHEMA_MANY ? r->rows->instance[old_row] : 0;
    out->next[out->owners] = same_kind && kind == SCHEMA_MANY ? r->rows->next[old_row] : ROW_NONE;
  }
}

// Converts and appends the rows of `r` that `map` selects. Returns true if all values fit; otherwise returns false with
// a message.
static bool append_rows(migrate_context_t *c, const old_rows_t *r, const row_map_t *map, const char *moved,
                        new_rows_t *out) {
  manager_o *m = out->m;
  columns_t gathered = {0};
  const columns_t *old = &r->columns;
  double zeros[SCHEMA_MAX_FIELDS] = {0};
  bool is_complete = map->count == r->columns.count, migrates = m->schema.migrates && c->desc->report;
  if (!is_complete) {
    columns_init(&gathered, &r->buffer.schema, zeros, c->v->allocator);
    columns_track_changes(&gathered, r->columns.stored_count > r->columns.column_count);
    gather_rows(&gathered, &r->columns, map);
    old = &gathered;
  }
  fields_t *f = state_alloc(c->v, sizeof *f);
  *f = (fields_t){.old_schema = &r->buffer.schema,
                  .new_schema = &m->schema,
                  .old_columns = old,
                  .new_columns = out->columns,
                  .migrates = migrates};
  f->first = columns_append_defaults(out->columns, map->count);
  f->moved = moved;
  bool ok = convert_fields(c, f, m->id) || fail_with_suggestion(c, f->new_schema, f->first_problem, f->stub);
  if (gathered.allocator)
    columns_fini(&gathered);
  if (ok && migrates && r->columns.count > 0 && (map->count > 0 || m->schema.kind == SCHEMA_SINGLE))
    record_migration(c, r, m, map, f->first);
  set_owners(r, map, out);
  return ok;
}

// Returns the row of the owner's instance; appends it to the owner's chain, without its columns, if it is missing.
// `first`: the owner's first row, plus 1; 0 if the owner has no rows.
static uint32_t find_or_append_row(new_rows_t *out, uint32_t *first, shoal_entity owner, uint32_t instance) {
  uint32_t last = ROW_NONE;
  for (uint32_t row = *first > 0 ? *first - 1 : ROW_NONE; row != ROW_NONE; row = out->next[row]) {
    if (out->instance[row] == instance)
      return row;
    last = row;
  }
  uint32_t row = out->owners++;
  out->owner[row] = owner;
  out->instance[row] = instance;
  out->next[row] = ROW_NONE;
  if (last == ROW_NONE)
    *first = row + 1;
  else
    out->next[last] = row;
  return row;
}

// Maps old rows to the existing rows of their entities and instances, and adds missing rows.
static row_map_t map_rows_to_entities(migrate_context_t *c, const old_rows_t *r, new_rows_t *out) {
  uint32_t **pages = NULL, page_count = 0, first = out->owners;
  row_map_t map = create_identity_map(c, r->columns.count);
  uint8_t *is_chained = state_alloc(c->v, first);
  for (uint32_t i = 0; i < first; ++i)
    if (out->next[i] != ROW_NONE)
      is_chained[out->next[i]] = 1;
  for (uint32_t i = 0; i < first; ++i)
    if (!is_chained[i])
      *index_slot(&pages, &page_count, out->owner[i], c->v->allocator) = i + 1;
  map.count = 0;
  for (uint32_t i = 0; i < r->columns.count; ++i) {
    shoal_entity owner = r->buffer.schema.kind == SCHEMA_SINGLE ? SHOAL_ENTITY_NONE : r->rows->owner[i];
    uint32_t *first_slot = index_slot(&pages, &page_count, owner, c->v->allocator);
    map.new_rows[i] =
        find_or_append_row(out, first_slot, owner, r->buffer.schema.kind == SCHEMA_MANY ? r->rows->instance[i] : 0);
    if (map.new_rows[i] == first + map.count)
      map.old_rows[map.count++] = i;
  }
  index_free(pages, page_count, c->v->allocator);
  return map;
}

// Returns true if a field of `r` becomes column k of `m`, under a new name or with a new type.
static bool is_moved_column(const migrate_context_t *c, const old_rows_t *r, const manager_o *m, uint32_t k) {
  uint32_t first;
  schema_list_columns(&m->schema, k, &first);
  return world_find_old_field(c->w, &r->buffer.schema, &m->schema, m->id, k, true) >= 0 ||
         world_find_retyped_field(c->w, &r->buffer.schema, &m->schema, m->id, first, true) >= 0;
}

// Copies the values of a different component `r`, already converted to `converted`, to the rows that `map` assigns to
// them. Rows from `first` on are new and receive all values.
static void write_moved_values(const migrate_context_t *c, const old_rows_t *r, const columns_t *converted,
                               const row_map_t *map, uint32_t first, const new_rows_t *out) {
  columns_t *columns = out->columns;
  for (uint32_t k = 0; k < columns->stored_count; ++k) {
    size_t bytes = columns->element_bytes[k];
    bool is_moved = is_moved_column(c, r, out->m, k % columns->column_count);
    for (uint32_t i = 0; columns->data[k] && converted->data[k] && i < r->columns.count; ++i)
      if (is_moved || map->new_rows[i] >= first)
        memcpy((char *)columns->data[k] + map->new_rows[i] * bytes, (const char *)converted->data[k] + i * bytes,
               bytes);
  }
}

static bool merge_rows(migrate_context_t *c, const old_rows_t *r, new_rows_t *out) {
  bool marked = out->columns->stored_count > out->columns->column_count;
  columns_t *converted = state_create_columns(c->v, &out->m->schema, out->m->columns.initial, marked);
  fields_t *f = state_alloc(c->v, sizeof *f);
  *f = (fields_t){.old_schema = &r->buffer.schema,
                  .new_schema = &out->m->schema,
                  .old_columns = &r->columns,
                  .new_columns = converted,
                  .moved = r->buffer.schema.name};
  f->migrates = out->m->schema.migrates && c->desc->report;
  columns_append_defaults(converted, r->columns.count);
  if (!convert_fields(c, f, out->m->id) && !fail_with_suggestion(c, f->new_schema, f->first_problem, f->stub))
    return false;
  row_map_t map = map_rows_to_entities(c, r, out);
  uint32_t first = columns_append_defaults(out->columns, map.count);
  write_moved_values(c, r, converted, &map, first, out);
  if (f->migrates && r->columns.count > 0)
    record_migration(c, r, out->m, &map, 0);
  return true;
}

// Converts the rows of a different component, some of whose fields now belong to this component. The values are merged
// into the existing rows of their entities, or become new rows whose remaining fields have their defaults.
static bool append_moved_rows(migrate_context_t *c, const old_rows_t *r, new_rows_t *out) {
  const schema_t *s = &out->m->schema;
  if (r->buffer.schema.kind != s->kind)
    return error_set_at(c->error, s->line > 0 ? s->origin : "", s->line,
                        "cannot move fields of %s (%s) to %s (%s), because the kinds differ: declare both as the same "
                        "kind, and change the kind in a later edit",
                        r->buffer.schema.name, KINDS[r->buffer.schema.kind], s->name, KINDS[s->kind]);
  if (out->owners > 0)
    return merge_rows(c, r, out);
  row_map_t map = create_identity_map(c, r->columns.count);
  return append_rows(c, r, &map, r->buffer.schema.name, out);
}

static bool has_marks(const old_rows_t *r) {
  return r->columns.stored_count > r->columns.column_count;
}

static void allocate_rows(migrate_context_t *c, const old_rows_t *own_rows, const old_rows_t *const *moved,
                          uint32_t moved_count, new_rows_t *out) {
  size_t max_rows = 1 + (own_rows ? own_rows->columns.count : 0);
  bool marked = own_rows && has_marks(own_rows);
  for (uint32_t i = 0; i < moved_count; ++i) {
    max_rows += moved[i]->columns.count;
    marked |= has_marks(moved[i]);
  }
  out->columns = state_create_columns(c->v, &out->m->schema, out->m->columns.initial, marked);
  out->owner = state_alloc(c->v, max_rows * sizeof *out->owner);
  out->instance = state_alloc(c->v, max_rows * sizeof *out->instance);
  out->next = state_alloc(c->v, max_rows * sizeof *out->next);
}

bool rows_migrate(migrate_context_t *c, const old_rows_t *own_rows, const old_rows_t *const *moved,
                  uint32_t moved_count, new_rows_t *out) {
  const manager_o *m = out->m;
  row_map_t map;
  allocate_rows(c, own_rows, moved, moved_count, out);
  if (own_rows && (!map_rows(c, own_rows, m, m->schema.migrates && c->desc->report, &map) ||
                   !append_rows(c, own_rows, &map, NULL, out)))
    return false;
  for (uint32_t i = 0; i < moved_count; ++i)
    if (!append_moved_rows(c, moved[i], out))
      return false;
  if (m->schema.kind == SCHEMA_SINGLE && out->columns->count == 0) {
    columns_append_defaults(out->columns, 1);
    out->owner[out->owners++] = SHOAL_ENTITY_NONE;
  }
  shoal_assert(out->owners == out->columns->count, "%u owners, but %u rows (%s)", out->owners, out->columns->count,
               m->schema.name);
  return true;
}
