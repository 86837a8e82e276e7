// Writes a tuned value back to its literal in the source. The page first shows the line before and after the change;
// the change is written only if the file has not changed since this preview. Only the literal is changed.
#include "cockpit/write_back.h"

#include "base/assert.h"
#include "base/utf8.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/edit_target.h"
#include "cockpit/edit_text.h"
#include "cockpit/proposals.h"
#include "cockpit/template.h"
#include "luajit/literal.h"
#include "content/row_json.h"
#include "schema/bit_names.h"
#include "tilemap/tilemap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE 400u    // maximum number of bytes of a line that are shown
#define MAX_LEADING 300u // all bytes before the change are shown if there are at most this many
#define LEADING 200u     // number of bytes shown before the change if there are more than MAX_LEADING

typedef struct write_back_t {
  target_t at;
  literal_search_t search;
  literal_span_t found;
  bool inserted; // true if the literal is inserted: the assemblage has the component's table but not the field
  char field[FIELD_NAME_MAX]; // name of the field or list
  char of[160];               // declaration that contains the literal: "assemblage ship"
  json_writer_t value;        // new value as Lua
  json_writer_t text;         // new text of the file
  uint32_t from, end;         // byte range that is replaced in the old text
  file_changes_t files;       // the change of the file
} write_back_t;

static const field_t *get_field(const write_back_t *x) {
  return &x->at.manager->schema.fields[x->at.field];
}

// --- values

static bool is_text_field(const field_t *f) {
  return field_is_text(f) || f->type == FIELD_ENUM;
}

static bool check_range(const write_back_t *x, double number, error_info_t *error) {
  const field_t *f = get_field(x);
  char range[80];
  if ((f->flags & FIELD_HAS_MIN && number < f->min) || (f->flags & FIELD_HAS_MAX && number > f->max))
    return error_set(error, "%s.%s must be %s, got %g", x->at.manager->schema.name, f->name,
                     field_format_range(f, range, sizeof range), number);
  return true;
}

// Writes a JSON value of a list as Lua.
static void write_list_value(write_back_t *x, const json_t *v) {
  if (json_is_string(v))
    edit_write_text_n(&x->value, json_string_value(v), json_string_length(v));
  else if (json_is_boolean(v))
    json_write_text(&x->value, json_is_true(v) ? "true" : "false");
  else
    edit_write_number(&x->value, json_number_value(v));
}

// Reads the requested list, or the row's current one, and writes it as a Lua table: { 1, 2 }.
static bool read_list(write_back_t *x, const json_t *request, error_info_t *error) {
  json_writer_t text;
  const json_t *v = json_object_get(request, "value");
  json_writer_init(&text, x->value.allocator);
  row_json_write_field(x->at.w, &x->at.manager->columns, x->at.row, (uint32_t)x->at.field, &text);
  json_t *list = v ? json_deep_copy(v) : json_loadb(text.text.items, text.text.count, 0, NULL);
  json_writer_fini(&text);
  bool ok = get_field(x)[1].type == FIELD_ENTITY
                ? error_set(error, "cannot write a list of entities to a file: entity ids differ in each run")
            : json_is_array(list) ? true
                                  : error_set(error, "“value” must be a list");
  json_write_text(&x->value, json_array_size(list) > 0 ? "{ " : "{");
  for (size_t i = 0; ok && i < json_array_size(list); ++i) {
    json_write_text(&x->value, i > 0 ? ", " : "");
    write_list_value(x, json_array_get(list, i));
  }
  json_write_text(&x->value, json_array_size(list) > 0 ? " }" : "}");
  json_decref(list);
  return ok;
}

// Reads the requested value, or the row's current value, and writes it in the shortest form that reads back exactly.
static bool read_value(write_back_t *x, const json_t *request, error_info_t *error) {
  const json_t *v = json_object_get(request, "value");
  const field_t *f = get_field(x);
  char names[BIT_NAMES_MAX * 40];
  uint32_t bits;
  if (f->flags & FIELD_IS_COUNT)
    return read_list(x, request, error);
  double number = v ? json_number_value(v) : columns_get(&x->at.manager->columns, x->at.row, (uint32_t)x->at.field);
  if (f->type == FIELD_ENTITY)
    return error_set(error, "cannot write %s.%s to a file: entity ids differ in each run", x->at.manager->schema.name,
                     f->name);
  if (bit_names_exist(f)) {
    bits = v ? 0 : (uint32_t)number;
    if (v && !edit_read_layers(&x->at, v, &bits, error))
      return false;
    json_write_text(&x->value, bit_names_format_lua(f, bits, names, sizeof names));
    return true;
  }
  if (v && !edit_write_value(&x->at, v, &x->value, error))
    return false;
  if (!v)
    edit_write_current_value(&x->at, (uint32_t)x->at.field, &x->value);
  if (is_text_field(f) || f->type == FIELD_BOOL)
    return true;
  if (!isfinite(number))
    return error_set(error, "cannot write %s.%s to a file: the value must be finite", x->at.manager->schema.name,
                     f->name);
  json_writer_clear(&x->value);
  if (f->type == FIELD_F32)
    json_write_float(&x->value, (float)number);
  else
    json_write_number(&x->value, number);
  return check_range(x, number, error);
}

// Returns the number that the game has loaded: the assemblage's value (`from`), or the component's default if `from` is
// NULL.
static double get_loaded_number(const write_back_t *x, const double *from) {
  return from ? from[x->at.field] : get_field(x)->initial;
}

static const char *get_loaded_text(const write_back_t *x, const double *from) {
  const field_t *f = get_field(x);
  if (f->type == FIELD_ENUM)
    return field_choice(f, (uint32_t)get_loaded_number(x, from));
  if (!from)
    return f->initial_text ? f->initial_text : "";
  return from[x->at.field] != 0 ? strings_text(world_strings(x->at.w), (uint32_t)from[x->at.field]) : "";
}

// Returns true if the literal is a list of layer names, { "hero", "foe" }. Stores their bits.
static bool read_layer_list(const write_back_t *x, uint32_t *bits) {
  const literal_file_t *file = x->found.file;
  const lua_token_t *tokens = file->lua.tokens.items;
  *bits = 0;
  if (!bit_names_exist(get_field(x)) || file->text[tokens[x->found.first].at] != '{')
    return false;
  for (uint32_t i = x->found.first + 1; i + 1 < x->found.last; ++i) {
    const char *text = file->text + tokens[i].at;
    uint32_t bit = 0;
    if (tokens[i].kind != TOKEN_STRING && *text != ',' && *text != ';')
      return false;
    if (tokens[i].kind == TOKEN_STRING && !bit_names_find(get_field(x), text + 1, tokens[i].bytes - 2, &bit))
      return false;
    *bits |= bit;
  }
  return true;
}

// Returns true if the literal is a table of plain values, { 1, "a" }.
static bool is_list_literal(const write_back_t *x) {
  const literal_file_t *file = x->found.file;
  const lua_token_t *tokens = file->lua.tokens.items;
  bool plain = get_field(x)->flags & FIELD_IS_COUNT && file->text[tokens[x->found.first].at] == '{';
  for (uint32_t i = x->found.first + 1; plain && i + 1 < x->found.last; ++i) {
    const char *text = file->text + tokens[i].at;
    plain = tokens[i].kind == TOKEN_NUMBER || tokens[i].kind == TOKEN_STRING || strchr(",;-", *text) != NULL ||
            strncmp(text, "true", 4) == 0 || strncmp(text, "false", 5) == 0;
  }
  return plain;
}

static bool is_literal(const write_back_t *x) {
  uint32_t bits;
  if (get_field(x)->flags & FIELD_IS_COUNT)
    return is_list_literal(x);
  return literal_is_plain(x->found) || read_layer_list(x, &bits);
}

// Returns true if the literal matches the loaded value. Long strings and strings with escapes are assumed to match.
static bool matches_loaded_value(const write_back_t *x, const double *from) {
  char source[512];
  const field_t *f = get_field(x);
  uint32_t layers;
  if (f->flags & FIELD_IS_COUNT) // like long strings, lists are assumed to match
    return true;
  literal_copy_text(x->found, source, sizeof source);
  if (read_layer_list(x, &layers))
    return layers == (uint32_t)get_loaded_number(x, from);
  if (is_text_field(f)) {
    size_t bytes = strlen(source);
    const char *text = get_loaded_text(x, from);
    return (source[0] == '"' || source[0] == '\'') &&
           (strchr(source, '\\') || bytes > 60 ||
            (bytes == strlen(text) + 2 && memcmp(source + 1, text, bytes - 2) == 0));
  }
  if (bit_names_exist(f) && (source[0] == '"' || source[0] == '\'')) {
    uint32_t bits = 0;
    return bit_names_find(f, source + 1, strlen(source) - 2, &bits) && bits == (uint32_t)get_loaded_number(x, from);
  }
  if (f->type == FIELD_BOOL)
    return strcmp(source, get_loaded_number(x, from) != 0 ? "true" : "false") == 0;
  char *end = source + (source[0] == '-');
  double number = strtod(end + strspn(end, " "), &end) * (source[0] == '-' ? -1 : 1);
  return *end == '\0' && (f->type == FIELD_F32 ? (float)number == (float)get_loaded_number(x, from)
                                               : number == get_loaded_number(x, from));
}

static bool list_differs_from_default(const write_back_t *x, const double *from) {
  uint32_t first = (uint32_t)x->at.field;
  bool differs = false;
  for (uint32_t i = first; from && i <= first + schema_list_capacity(&x->at.manager->schema, first); ++i)
    differs |= from[i] != x->at.manager->columns.initial[i];
  return differs;
}

static bool differs_from_default(const write_back_t *x, const double *from) {
  if (get_field(x)->flags & FIELD_IS_COUNT)
    return list_differs_from_default(x, from);
  if (is_text_field(get_field(x)))
    return strcmp(get_loaded_text(x, from), get_loaded_text(x, NULL)) != 0;
  return get_loaded_number(x, from) != get_field(x)->initial;
}

// --- finding

static bool reject_calculated_value(const write_back_t *x, literal_span_t s, error_info_t *error) {
  char source[128];
  literal_copy_text(s, source, sizeof source);
  return error_set(error, "%s:%u: %s.%s is calculated (%s): edit the expression in the file", s.file->name,
                   literal_line(s), x->at.manager->schema.name, get_field(x)->name, source);
}

static bool find_default_literal(write_back_t *x, const literal_query_t *query, const double *from, bool is_forced,
                                 error_info_t *error) {
  const schema_t *s = &x->at.manager->schema;
  if (from && !is_forced && differs_from_default(x, from))
    return x->search.calculated.file
               ? reject_calculated_value(x, x->search.calculated, error)
               : error_set(error, "%s.%s is calculated by code in the assemblage: edit the file of the assemblage",
                           s->name, get_field(x)->name);
  if (s->line == 0 || !strstr(s->origin, ".lua"))
    return error_set(error,
                     "cannot change the default of a component that is built in or declared by a plugin (%s): set "
                     "%s.%s in an assemblage",
                     s->name, s->name, get_field(x)->name);
  x->search.calculated = (literal_span_t){0};
  x->found = literal_find_component_default(&x->search, s->origin, query);
  snprintf(x->of, sizeof x->of, "component %s", s->name);
  if (!x->found.file && x->search.calculated.file)
    return reject_calculated_value(x, x->search.calculated, error);
  return x->found.file || error_set(error, "%s: no literal found for the default of %s.%s: edit the file", s->origin,
                                    s->name, get_field(x)->name);
}

static const char *get_text_or_null(world_o *w, uint32_t id) {
  return id ? strings_text(world_strings(w), id) : NULL;
}

// Rejects edits to the position of a tilemap object: the position comes from the map file, not from the assemblage.
static bool check_map_object(const write_back_t *x, error_info_t *error) {
  const manager_o *objects = world_find_manager(x->at.w, "map_object"), *maps = world_find_manager(x->at.w, "tilemap");
  uint32_t row = objects ? manager_row(objects, x->at.entity) : ROW_NONE;
  if (row == ROW_NONE || !maps || strcmp(x->at.manager->schema.name, "transform") != 0)
    return true;
  double id = columns_get(&objects->columns, row, SHOAL_COLUMN_INDEX(map_object, id));
  shoal_entity map = (shoal_entity)columns_get(&objects->columns, row, SHOAL_COLUMN_INDEX(map_object, map));
  uint32_t map_row = manager_row(maps, map);
  uint32_t file =
      map_row == ROW_NONE ? 0 : (uint32_t)columns_get(&maps->columns, map_row, SHOAL_COLUMN_INDEX(tilemap, map));
  return error_set(error, "transform.%s of this entity comes from object %.0f of assets/%.100s: change it in Tiled",
                   get_field(x)->name, id, strings_text(world_strings(x->at.w), file));
}

// Finds the literal, or the position at which to insert it. Sets *from to the assemblage's current values, or to NULL
// for the component's default.
static bool find_literal(write_back_t *x, const json_t *request, const double **from, error_info_t *error) {
  const char *into = json_string_value(json_object_get(request, "into"));
  bool to_default = into && strcmp(into, "component") == 0, to_assemblage = into && strcmp(into, "assemblage") == 0;
  const manager_o *m = x->at.manager;
  bool is_single = m->schema.kind == SCHEMA_SINGLE;
  uint32_t index = shoal_entity_index(x->at.entity);
  field_label(get_field(x), x->field);
  literal_query_t query = {.component = m->schema.name,
                           .instance = x->at.instance_name,
                           .field = x->field,
                           .is_many = m->schema.kind == SCHEMA_MANY};
  if (into && !to_default && !to_assemblage)
    return error_set(error, "“into” must be assemblage or component, got %.32s", into);
  if (!is_single) {
    query.assemblage = get_text_or_null(x->at.w, world_entities(x->at.w)->assemblage[index]);
    query.state = get_text_or_null(x->at.w, world_entities(x->at.w)->state[index]);
    *from = template_find_values(x->at.w, x->at.entity, m, x->at.instance);
  }
  if (to_assemblage && !*from)
    return error_set(error,
                     "%s of entity %u does not come from an assemblage: change the default of the component instead",
                     m->schema.name, x->at.entity);
  if (query.assemblage && *from && !to_default) {
    x->found = literal_find_assemblage_value(&x->search, &query);
    snprintf(x->of, sizeof x->of, "assemblage %s", query.assemblage);
    if (x->found.file)
      return true;
    if (to_assemblage) {
      x->inserted = x->search.table.file != NULL;
      x->found = x->search.table;
      return x->inserted ||
             (x->search.calculated.file
                  ? reject_calculated_value(x, x->search.calculated, error)
                  : error_set(
                        error,
                        "assemblage %s has no table for %s: add one, or change the default of the component instead",
                        query.assemblage, m->schema.name));
    }
  }
  bool ok = find_default_literal(x, &query, *from, to_default, error);
  *from = NULL;
  return ok;
}

// --- writing

// Inserts a missing field before the first one, so that no comma or comment has to move.
static void insert_field(write_back_t *x) {
  const literal_file_t *f = x->found.file;
  const lua_token_t *open = &f->lua.tokens.items[x->found.first], *first = open + 1;
  bool is_empty = x->found.first + 2 == x->found.last;
  x->from = x->end = is_empty ? open->at + 1 : first->at;
  json_write_bytes(&x->text, f->text, x->from);
  json_write_text(&x->text, is_empty ? " " : "");
  const char *name = x->field + x->search.table_bytes;
  uint32_t records = 0; // number of enclosing records that the table lacks
  for (const char *dot; (dot = strchr(name, '.')) != NULL; name = dot + 1, ++records) {
    json_write_bytes(&x->text, name, (size_t)(dot - name));
    json_write_text(&x->text, " = { ");
  }
  json_write_text(&x->text, name);
  json_write_text(&x->text, " = ");
  json_write_bytes(&x->text, x->value.text.items, x->value.text.count);
  while (records-- > 0)
    json_write_text(&x->text, " }");
  json_write_text(&x->text, is_empty ? " " : ",");
  uint32_t line_begin = first->at;
  while (line_begin > 0 && f->text[line_begin - 1] != '\n')
    --line_begin;
  if (!is_empty && first->line > open->line) {
    json_write_text(&x->text, "\n");
    json_write_bytes(&x->text, f->text + line_begin, first->at - line_begin);
  } else if (!is_empty) {
    json_write_text(&x->text, " ");
  }
  json_write_bytes(&x->text, f->text + x->end, f->bytes - x->end);
}

static void replace_literal(write_back_t *x) {
  const literal_file_t *f = x->found.file;
  shoal_assert(f && x->value.text.count > 0, "no literal was found, or the new value is empty");
  const lua_token_t *first = &f->lua.tokens.items[x->found.first], *last = &f->lua.tokens.items[x->found.last - 1];
  bool is_type = literal_is_type(x->found); // t.f32 becomes t.f32(2)
  x->end = last->at + last->bytes;
  x->from = is_type ? x->end : first->at;
  json_write_bytes(&x->text, f->text, x->from);
  json_write_text(&x->text, is_type ? "(" : "");
  json_write_bytes(&x->text, x->value.text.items, x->value.text.count);
  json_write_text(&x->text, is_type ? ")" : "");
  json_write_bytes(&x->text, f->text + x->end, f->bytes - x->end);
}

static bool edit_file_text(write_back_t *x, error_info_t *error) {
  if (!x->inserted) {
    replace_literal(x);
    return true;
  }
  if (get_field(x)->flags & FIELD_IS_AXIS)
    return error_set(
        error, "%s:%u: this table does not set %s, and a single part of a vector cannot be added: add the whole vector",
        x->found.file->name, literal_line(x->found), get_field(x)->name);
  insert_field(x);
  return true;
}

static bool prepare_change(write_back_t *x, const json_t *request, error_info_t *error) {
  const double *from = NULL;
  if (!check_map_object(x, error) || !read_value(x, request, error) || !find_literal(x, request, &from, error))
    return false;
  const literal_file_t *f = x->found.file;
  if (!x->inserted && !is_literal(x) && !literal_is_type(x->found))
    return reject_calculated_value(x, x->found, error);
  if (!x->inserted && is_literal(x) && !matches_loaded_value(x, from)) {
    char source[128];
    literal_copy_text(x->found, source, sizeof source);
    return error_set(error,
                     "%s:%u contains %s, but the game has loaded another value: reload the file, or find the code that "
                     "changes the value",
                     f->name, literal_line(x->found), source);
  }
  size_t bytes = 0;
  const char *now = file_changes_read(&x->files, f->name, &bytes, error);
  if (!now || !edit_file_text(x, error))
    return false;
  if (bytes != f->bytes || memcmp(now, f->text, bytes) != 0)
    return error_set(error, "%s is being changed: try again", f->name);
  return file_changes_put(&x->files, f->name, x->text.text.items, x->text.text.count, error);
}

// Writes the lines that contain the range [from, to) of the text. Parts far from the range are replaced by “…”. The
// start depends only on the text before the range, so both versions of a line start identically.
static void write_lines(json_writer_t *out, const char *key, const char *text, size_t bytes, uint32_t from, size_t to) {
  size_t begin = from, end = to;
  while (begin > 0 && text[begin - 1] != '\n')
    --begin;
  while (end < bytes && text[end] != '\n')
    ++end;
  bool cut_begin = from - begin > MAX_LEADING;
  if (cut_begin)
    begin = utf8_character_start(text, from - LEADING);
  bool cut_end = end - begin > MAX_LINE;
  if (cut_end)
    end = utf8_character_start(text, begin + MAX_LINE);
  char shown[MAX_LINE + 16];
  snprintf(shown, sizeof shown, "%s%.*s%s", cut_begin ? "…" : "", (int)(end - begin), text + begin, cut_end ? "…" : "");
  json_write_pair(out, key, shown);
}

static void describe_change(const write_back_t *x, json_writer_t *out) {
  const literal_file_t *f = x->found.file;
  char source[128];
  json_writer_t stamp;
  size_t tail = f->bytes - x->end;
  uint32_t line = 1;
  for (uint32_t i = 0; i < x->from; ++i)
    line += f->text[i] == '\n';
  literal_copy_text(x->found, source, sizeof source);
  json_write_pair(out, "file", f->name);
  json_write_integer_pair(out, "line", line);
  json_write_pair(out, "of", x->of);
  json_write_pair(out, "value", x->inserted || literal_is_type(x->found) ? "" : source);
  write_lines(out, "before", f->text, f->bytes, x->from, x->end);
  write_lines(out, "after", x->text.text.items, x->text.text.count, x->from, x->text.text.count - tail);
  json_writer_init(&stamp, out->allocator);
  file_changes_write_stamp(&x->files, &stamp);
  json_write_key(out, "stamp");
  json_write_string_n(out, stamp.text.items, stamp.text.count);
  json_writer_fini(&stamp);
}

static bool write_file(cockpit_o *c, write_back_t *x, const json_t *request, error_info_t *error) {
  const char *shown = json_string_value(json_object_get(request, "stamp"));
  char title[160];
  if (!shown)
    return error_set(error, "“stamp” is missing: send the stamp that `literal` returned");
  snprintf(title, sizeof title, "%s.%s = %.*s (line %u)", x->at.manager->schema.name, get_field(x)->name,
           (int)x->value.text.count, x->value.text.items, literal_line(x->found));
  return proposal_write_files(c, &x->files, shown, title, error) != 0;
}

bool write_back(cockpit_o *c, const json_t *request, bool writes, json_writer_t *out, error_info_t *error) {
  write_back_t x = {0};
  host_state_t host_state;
  host_get_state(c->host, &host_state);
  shoal_assert(!writes || !c->read_only, "a read-only cockpit cannot write files");
  if (!edit_resolve_field(c, request, &x.at, error))
    return false;
  json_writer_init(&x.value, &c->memory);
  json_writer_init(&x.text, &c->memory);
  literal_search_begin(&x.search, &c->memory, host_state.folder);
  file_changes_init(&x.files, &c->memory, host_state.folder);
  bool ok = prepare_change(&x, request, error);
  if (ok)
    describe_change(&x, out);
  ok = ok && (!writes || write_file(c, &x, request, error));
  file_changes_fini(&x.files);
  literal_search_end(&x.search);
  json_writer_fini(&x.text);
  json_writer_fini(&x.value);
  return ok;
}
