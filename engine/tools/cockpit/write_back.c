// Writes a tuned value back to its literal in the source. The page first shows the line before and after the change.
// The change is written only if the file has not changed since this preview. Only the literal is changed.
#include "cockpit/write_back.h"

#include "base/assert.h"
#include "base/utf8.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/edit_target.h"
#include "cockpit/edit_text.h"
#include "cockpit/proposals.h"
#include "cockpit/template.h"
#include "luajit/literal.h"
#include "luajit/lua_edit.h"
#include "content/row_json.h"
#include "schema/bit_names.h"
#include "tilemap/tilemap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE 400u    // maximum number of bytes of a line that are shown
#define MAX_LEADING 300u // maximum number of bytes before the change for which a line is shown from its start
#define LEADING 200u     // number of bytes shown before the change if there are more than MAX_LEADING

typedef struct write_back_t {
  target_t target;
  literal_search_t search;
  literal_span_t literal;
  bool is_insertion; // true if the literal is inserted: the assemblage has the component's table but not the field
  char field[FIELD_NAME_MAX]; // name of the field or list
  char declaration[160];      // declaration that contains the literal: "assemblage ship"
  json_writer_t value;        // new value as Lua
  json_writer_t text;         // new text of the file
  uint32_t begin, end;        // byte range that is replaced in the old text
  file_changes_t files;
  bool is_outdated; // true if the last reload was refused, so that the files may be newer than the running game
} write_back_t;

static const field_t *get_field(const write_back_t *edit) {
  return &edit->target.manager->schema.fields[edit->target.field];
}

// --- values

static bool is_text_field(const field_t *field) {
  return field_is_text(field) || field->type == FIELD_ENUM;
}

static bool check_range(const write_back_t *edit, double number, error_info_t *error) {
  const field_t *field = get_field(edit);
  char range[80];
  if ((field->flags & FIELD_HAS_MIN && number < field->min) || (field->flags & FIELD_HAS_MAX && number > field->max))
    return error_set(error, "%s.%s must be %s, got %g", edit->target.manager->schema.name, field->name,
                     field_format_range(field, range, sizeof range), number);
  return true;
}

// Writes an element of a JSON list as Lua.
static void write_list_value(write_back_t *edit, const json_t *value) {
  if (json_is_string(value))
    edit_write_text_n(&edit->value, json_string_value(value), json_string_length(value));
  else if (json_is_boolean(value))
    json_write_text(&edit->value, json_is_true(value) ? "true" : "false");
  else
    edit_write_number(&edit->value, json_number_value(value));
}

// Reads the requested list, or the row's current list, and writes it as a Lua table: { 1, 2 }.
static bool read_list(write_back_t *edit, const json_t *request, error_info_t *error) {
  json_writer_t text;
  const json_t *value = json_object_get(request, "value");
  json_writer_init(&text, edit->value.allocator);
  row_json_write_field(edit->target.world, &edit->target.manager->columns, edit->target.row,
                       (uint32_t)edit->target.field, &text);
  json_t *list = value ? json_deep_copy(value) : json_loadb(text.text.items, text.text.count, 0, NULL);
  json_writer_fini(&text);
  bool ok = get_field(edit)[1].type == FIELD_ENTITY
                ? error_set(error, "cannot write a list of entities to a file: entity ids differ in each run")
            : json_is_array(list) ? true
                                  : error_set(error, "“value” must be a list");
  json_write_text(&edit->value, json_array_size(list) > 0 ? "{ " : "{");
  for (size_t i = 0; ok && i < json_array_size(list); ++i) {
    json_write_text(&edit->value, i > 0 ? ", " : "");
    write_list_value(edit, json_array_get(list, i));
  }
  json_write_text(&edit->value, json_array_size(list) > 0 ? " }" : "}");
  json_decref(list);
  return ok;
}

// Reads the requested value, or the row's current value, and writes it in the shortest form that reads back exactly.
static bool read_value(write_back_t *edit, const json_t *request, error_info_t *error) {
  const json_t *value = json_object_get(request, "value");
  const field_t *field = get_field(edit);
  char names[BIT_NAMES_MAX * 40];
  uint32_t bits;
  if (field->flags & FIELD_IS_COUNT)
    return read_list(edit, request, error);
  double number = value ? json_number_value(value)
                        : columns_get(&edit->target.manager->columns, edit->target.row, (uint32_t)edit->target.field);
  if (field->type == FIELD_ENTITY)
    return error_set(error, "cannot write %s.%s to a file: entity ids differ in each run",
                     edit->target.manager->schema.name, field->name);
  if (bit_names_exist(field)) {
    bits = value ? 0 : (uint32_t)number;
    if (value && !edit_read_layers(&edit->target, value, &bits, error))
      return false;
    json_write_text(&edit->value, bit_names_format_lua(field, bits, names, sizeof names));
    return true;
  }
  if (value && !edit_write_value(&edit->target, value, &edit->value, error))
    return false;
  if (!value)
    edit_write_current_value(&edit->target, (uint32_t)edit->target.field, &edit->value);
  if (is_text_field(field) || field->type == FIELD_BOOL)
    return true;
  if (!isfinite(number))
    return error_set(error, "cannot write %s.%s to a file: the value must be finite", edit->target.manager->schema.name,
                     field->name);
  json_writer_clear(&edit->value);
  if (field->type == FIELD_F32)
    json_write_float(&edit->value, (float)number);
  else
    json_write_number(&edit->value, number);
  return check_range(edit, number, error);
}

// Returns the number that the game has loaded: the assemblage's value, or the component's default if
// `assemblage_values` is NULL.
static double get_loaded_number(const write_back_t *edit, const double *assemblage_values) {
  return assemblage_values ? assemblage_values[edit->target.field] : get_field(edit)->initial;
}

static const char *get_loaded_text(const write_back_t *edit, const double *assemblage_values) {
  const field_t *field = get_field(edit);
  if (field->type == FIELD_ENUM)
    return field_choice(field, (uint32_t)get_loaded_number(edit, assemblage_values));
  if (!assemblage_values)
    return field->initial_text ? field->initial_text : "";
  return assemblage_values[edit->target.field] != 0
             ? strings_text(world_strings(edit->target.world), (uint32_t)assemblage_values[edit->target.field])
             : "";
}

// Returns true if the literal is a list of layer names, { "hero", "foe" }. Stores their bits.
static bool read_layer_list(const write_back_t *edit, uint32_t *bits) {
  const literal_file_t *file = edit->literal.file;
  const lua_token_t *tokens = file->lua.tokens.items;
  *bits = 0;
  if (!bit_names_exist(get_field(edit)) || file->text[tokens[edit->literal.first].at] != '{')
    return false;
  for (uint32_t i = edit->literal.first + 1; i + 1 < edit->literal.last; ++i) {
    const char *text = file->text + tokens[i].at;
    uint32_t bit = 0;
    if (tokens[i].kind != TOKEN_STRING && *text != ',' && *text != ';')
      return false;
    if (tokens[i].kind == TOKEN_STRING && !bit_names_find(get_field(edit), text + 1, tokens[i].bytes - 2, &bit))
      return false;
    *bits |= bit;
  }
  return true;
}

// Returns true if the literal is a table of plain values, such as { 1, "a" }.
static bool is_list_literal(const write_back_t *edit) {
  const literal_file_t *file = edit->literal.file;
  const lua_token_t *tokens = file->lua.tokens.items;
  bool is_plain = get_field(edit)->flags & FIELD_IS_COUNT && file->text[tokens[edit->literal.first].at] == '{';
  for (uint32_t i = edit->literal.first + 1; is_plain && i + 1 < edit->literal.last; ++i) {
    const char *text = file->text + tokens[i].at;
    is_plain = tokens[i].kind == TOKEN_NUMBER || tokens[i].kind == TOKEN_STRING || strchr(",;-", *text) != NULL ||
               strncmp(text, "true", 4) == 0 || strncmp(text, "false", 5) == 0;
  }
  return is_plain;
}

static bool is_literal(const write_back_t *edit) {
  uint32_t bits;
  if (get_field(edit)->flags & FIELD_IS_COUNT)
    return is_list_literal(edit);
  return literal_is_plain(edit->literal) || read_layer_list(edit, &bits);
}

// Returns true if the literal matches the loaded value. Long strings and strings with escapes are assumed to match.
static bool matches_loaded_value(const write_back_t *edit, const double *assemblage_values) {
  char source[512];
  const field_t *field = get_field(edit);
  uint32_t layers;
  if (field->flags & FIELD_IS_COUNT) // lists, like long strings, are assumed to match
    return true;
  literal_copy_text(edit->literal, source, sizeof source);
  if (read_layer_list(edit, &layers))
    return layers == (uint32_t)get_loaded_number(edit, assemblage_values);
  if (is_text_field(field)) {
    size_t bytes = strlen(source);
    const char *text = get_loaded_text(edit, assemblage_values);
    return strchr("[\"'", source[0]) != NULL &&
           (source[0] == '[' || strchr(source, '\\') || bytes > 60 ||
            (bytes == strlen(text) + 2 && memcmp(source + 1, text, bytes - 2) == 0));
  }
  if (bit_names_exist(field) && (source[0] == '"' || source[0] == '\'')) {
    uint32_t bits = 0;
    return bit_names_find(field, source + 1, strlen(source) - 2, &bits) &&
           bits == (uint32_t)get_loaded_number(edit, assemblage_values);
  }
  if (field->type == FIELD_BOOL)
    return strcmp(source, get_loaded_number(edit, assemblage_values) != 0 ? "true" : "false") == 0;
  char *end = source + (source[0] == '-');
  double number = strtod(end + strspn(end, " "), &end) * (source[0] == '-' ? -1 : 1);
  return *end == '\0' && (field->type == FIELD_F32 ? (float)number == (float)get_loaded_number(edit, assemblage_values)
                                                   : number == get_loaded_number(edit, assemblage_values));
}

static bool list_differs_from_default(const write_back_t *edit, const double *assemblage_values) {
  uint32_t first_column = (uint32_t)edit->target.field;
  bool differs = false;
  for (uint32_t i = first_column;
       assemblage_values && i <= first_column + schema_list_capacity(&edit->target.manager->schema, first_column); ++i)
    differs |= assemblage_values[i] != edit->target.manager->columns.initial[i];
  return differs;
}

static bool differs_from_default(const write_back_t *edit, const double *assemblage_values) {
  if (get_field(edit)->flags & FIELD_IS_COUNT)
    return list_differs_from_default(edit, assemblage_values);
  if (is_text_field(get_field(edit)))
    return strcmp(get_loaded_text(edit, assemblage_values), get_loaded_text(edit, NULL)) != 0;
  return get_loaded_number(edit, assemblage_values) != get_field(edit)->initial;
}

// --- finding

static bool reject_calculated_value(const write_back_t *edit, literal_span_t span, error_info_t *error) {
  char source[128];
  if (get_field(edit)->type == FIELD_ENUM && literal_is_enum(span))
    return error_set(error,
                     "%s:%u: the default of %s.%s is the first choice of its enum: reorder the choices in the file",
                     span.file->name, literal_line(span), edit->target.manager->schema.name, get_field(edit)->name);
  literal_copy_text(span, source, sizeof source);
  return error_set(error, "%s:%u: %s.%s is calculated (%s): edit the expression in the file", span.file->name,
                   literal_line(span), edit->target.manager->schema.name, get_field(edit)->name, source);
}

// Sets the error for a value that an assemblage sets, but that no literal in a file contains. Returns false.
static bool reject_missing_value(const write_back_t *edit, const char *assemblage, error_info_t *error) {
  const char *component = edit->target.manager->schema.name, *field = get_field(edit)->name;
  if (edit->search.calculated.file)
    return reject_calculated_value(edit, edit->search.calculated, error);
  if (!edit->search.is_declared)
    return error_set(error, "cannot find the value of %s.%s: no file declares the assemblage %s: restore its file",
                     component, field, assemblage);
  return error_set(error, "%s.%s is calculated by code in the assemblage: edit the file of the assemblage", component,
                   field);
}

static bool find_default_literal(write_back_t *edit, const literal_query_t *query, const double *assemblage_values,
                                 bool is_forced, error_info_t *error) {
  const schema_t *schema = &edit->target.manager->schema;
  if (assemblage_values && !is_forced && differs_from_default(edit, assemblage_values))
    return reject_missing_value(edit, query->assemblage, error);
  if (schema->line == 0 || !strstr(schema->origin, ".lua"))
    return error_set(error,
                     "cannot change the default of a component that is built in or declared by a plugin (%s): set "
                     "%s.%s in an assemblage",
                     schema->name, schema->name, get_field(edit)->name);
  edit->search.calculated = (literal_span_t){0};
  edit->literal = literal_find_component_default(&edit->search, schema->origin, query);
  snprintf(edit->declaration, sizeof edit->declaration, "component %s", schema->name);
  if (!edit->literal.file && edit->search.calculated.file)
    return reject_calculated_value(edit, edit->search.calculated, error);
  return edit->literal.file ||
         error_set(error, "%s: no literal found for the default of %s.%s: %s", schema->origin, schema->name,
                   get_field(edit)->name, edit->is_outdated ? COCKPIT_CORRECT_RELOAD : "edit the file");
}

static const char *get_text_or_null(world_o *w, uint32_t id) {
  return id ? strings_text(world_strings(w), id) : NULL;
}

// Rejects edits to the transform of a tilemap object, because it comes from the map file, not from the assemblage.
// Returns true for all other edits.
static bool check_map_object(const write_back_t *edit, error_info_t *error) {
  const manager_o *objects = world_find_manager(edit->target.world, "map_object"),
                  *maps = world_find_manager(edit->target.world, "tilemap");
  uint32_t row = objects ? manager_row(objects, edit->target.entity) : ROW_NONE;
  if (row == ROW_NONE || !maps || strcmp(edit->target.manager->schema.name, "transform") != 0)
    return true;
  double id = columns_get(&objects->columns, row, SHOAL_COLUMN_INDEX(map_object, id));
  shoal_entity map = (shoal_entity)columns_get(&objects->columns, row, SHOAL_COLUMN_INDEX(map_object, map));
  uint32_t map_row = manager_row(maps, map);
  uint32_t file =
      map_row == ROW_NONE ? 0 : (uint32_t)columns_get(&maps->columns, map_row, SHOAL_COLUMN_INDEX(tilemap, map));
  return error_set(error, "transform.%s of this entity comes from object %.0f of assets/%.100s: change it in Tiled",
                   get_field(edit)->name, id, strings_text(world_strings(edit->target.world), file));
}

// Finds the literal, or the position at which to insert it. Sets *assemblage_values to the assemblage's current values,
// or to NULL for the component's default.
static bool find_literal(write_back_t *edit, const json_t *request, const double **assemblage_values,
                         error_info_t *error) {
  const char *destination = json_string_value(json_object_get(request, "into"));
  bool writes_default = destination && strcmp(destination, "component") == 0,
       writes_assemblage = destination && strcmp(destination, "assemblage") == 0;
  const manager_o *manager = edit->target.manager;
  bool is_single = manager->schema.kind == SCHEMA_SINGLE;
  uint32_t index = shoal_entity_index(edit->target.entity);
  field_label(get_field(edit), edit->field);
  literal_query_t query = {.component = manager->schema.name,
                           .instance = edit->target.instance_name,
                           .field = edit->field,
                           .is_many = manager->schema.kind == SCHEMA_MANY};
  if (destination && !writes_default && !writes_assemblage)
    return error_set(error, "“into” must be assemblage or component, got %.32s", destination);
  if (!is_single) {
    query.assemblage = get_text_or_null(edit->target.world, world_entities(edit->target.world)->assemblage[index]);
    query.state = get_text_or_null(edit->target.world, world_entities(edit->target.world)->state[index]);
    *assemblage_values = template_find_values(edit->target.world, edit->target.entity, manager, edit->target.instance);
  }
  if (writes_assemblage && !*assemblage_values)
    return error_set(error,
                     "%s of entity %u does not come from an assemblage: change the default of the component instead",
                     manager->schema.name, edit->target.entity);
  if (query.assemblage && *assemblage_values && !writes_default) {
    edit->literal = literal_find_assemblage_value(&edit->search, &query);
    snprintf(edit->declaration, sizeof edit->declaration, "assemblage %s", query.assemblage);
    if (edit->literal.file)
      return true;
    if (writes_assemblage) {
      edit->is_insertion = edit->search.table.file != NULL;
      edit->literal = edit->search.table;
      return edit->is_insertion ||
             (edit->search.calculated.file
                  ? reject_calculated_value(edit, edit->search.calculated, error)
                  : error_set(
                        error,
                        "assemblage %s has no table for %s: add one, or change the default of the component instead",
                        query.assemblage, manager->schema.name));
    }
  }
  bool ok = find_default_literal(edit, &query, *assemblage_values, writes_default, error);
  *assemblage_values = NULL;
  return ok;
}

// --- writing

// Inserts a missing field before the first field, so that no comma or comment has to move.
static void insert_field(write_back_t *edit) {
  const literal_file_t *file = edit->literal.file;
  const lua_token_t *open_brace = &file->lua.tokens.items[edit->literal.first], *first_token = open_brace + 1;
  bool is_empty = edit->literal.first + 2 == edit->literal.last;
  edit->begin = edit->end = is_empty ? open_brace->at + 1 : first_token->at;
  json_write_bytes(&edit->text, file->text, edit->begin);
  json_write_text(&edit->text, is_empty ? " " : "");
  const char *name = edit->field + edit->search.table_bytes;
  uint32_t records = 0; // number of enclosing records that the table lacks
  for (const char *dot; (dot = strchr(name, '.')) != NULL; name = dot + 1, ++records) {
    json_write_bytes(&edit->text, name, (size_t)(dot - name));
    json_write_text(&edit->text, " = { ");
  }
  json_write_text(&edit->text, name);
  json_write_text(&edit->text, " = ");
  json_write_bytes(&edit->text, edit->value.text.items, edit->value.text.count);
  while (records-- > 0)
    json_write_text(&edit->text, " }");
  json_write_text(&edit->text, is_empty ? " " : ",");
  uint32_t line_begin = first_token->at;
  while (line_begin > 0 && file->text[line_begin - 1] != '\n')
    --line_begin;
  if (!is_empty && first_token->line > open_brace->line) {
    json_write_text(&edit->text, lua_edit_detect_layout(file).newline);
    json_write_bytes(&edit->text, file->text + line_begin, first_token->at - line_begin);
  } else if (!is_empty) {
    json_write_text(&edit->text, " ");
  }
  json_write_bytes(&edit->text, file->text + edit->end, file->bytes - edit->end);
}

static void replace_literal(write_back_t *edit) {
  const literal_file_t *file = edit->literal.file;
  shoal_assert(file && edit->value.text.count > 0, "no literal was found, or the new value is empty");
  const lua_token_t *first_token = &file->lua.tokens.items[edit->literal.first],
                    *last_token = &file->lua.tokens.items[edit->literal.last - 1];
  bool is_type = literal_is_type(edit->literal); // true if t.f32 becomes t.f32(2)
  edit->end = last_token->at + last_token->bytes;
  edit->begin = is_type ? edit->end : first_token->at;
  json_write_bytes(&edit->text, file->text, edit->begin);
  json_write_text(&edit->text, is_type ? "(" : "");
  json_write_bytes(&edit->text, edit->value.text.items, edit->value.text.count);
  json_write_text(&edit->text, is_type ? ")" : "");
  json_write_bytes(&edit->text, file->text + edit->end, file->bytes - edit->end);
}

static bool edit_file_text(write_back_t *edit, error_info_t *error) {
  if (!edit->is_insertion) {
    replace_literal(edit);
    return true;
  }
  if (get_field(edit)->flags & FIELD_IS_AXIS)
    return error_set(
        error, "%s:%u: this table does not set %s, and a single part of a vector cannot be added: add the whole vector",
        edit->literal.file->name, literal_line(edit->literal), get_field(edit)->name);
  insert_field(edit);
  return true;
}

static bool prepare_change(write_back_t *edit, const json_t *request, error_info_t *error) {
  const double *assemblage_values = NULL;
  if (!check_map_object(edit, error) || !read_value(edit, request, error) ||
      !find_literal(edit, request, &assemblage_values, error))
    return false;
  const literal_file_t *file = edit->literal.file;
  if (!edit->is_insertion && !is_literal(edit) && !literal_is_type(edit->literal))
    return reject_calculated_value(edit, edit->literal, error);
  if (!edit->is_insertion && is_literal(edit) && !matches_loaded_value(edit, assemblage_values)) {
    char source[128];
    literal_copy_text(edit->literal, source, sizeof source);
    return error_set(error, "%s:%u contains %s, but the game has loaded a different value: %s", file->name,
                     literal_line(edit->literal), source,
                     edit->is_outdated ? COCKPIT_CORRECT_RELOAD
                                       : "reload the file, or find the code that changes the value");
  }
  size_t bytes = 0;
  const char *current_text = file_changes_read(&edit->files, file->name, &bytes, error);
  if (!current_text || !edit_file_text(edit, error))
    return false;
  if (bytes != file->bytes || memcmp(current_text, file->text, bytes) != 0)
    return error_set(error, "%s is being changed: try again", file->name);
  return file_changes_put(&edit->files, file->name, edit->text.text.items, edit->text.text.count, error);
}

// Writes the lines that contain the range [begin_offset, end_offset) of the text. Parts far from the range are replaced
// by "…". The start of the shown part depends only on the text before the range, so both versions of a line start
// identically.
static void write_lines(json_writer_t *out, const char *key, const char *text, size_t bytes, uint32_t begin_offset,
                        size_t end_offset) {
  size_t begin = begin_offset, end = end_offset;
  while (begin > 0 && text[begin - 1] != '\n')
    --begin;
  while (end < bytes && text[end] != '\n')
    ++end;
  bool cut_begin = begin_offset - begin > MAX_LEADING;
  if (cut_begin)
    begin = utf8_character_start(text, begin_offset - LEADING);
  bool cut_end = end - begin > MAX_LINE;
  if (cut_end)
    end = utf8_character_start(text, begin + MAX_LINE);
  char excerpt[MAX_LINE + 16];
  snprintf(excerpt, sizeof excerpt, "%s%.*s%s", cut_begin ? "…" : "", (int)(end - begin), text + begin,
           cut_end ? "…" : "");
  json_write_pair(out, key, excerpt);
}

static void describe_change(const write_back_t *edit, json_writer_t *out) {
  const literal_file_t *file = edit->literal.file;
  char source[128];
  json_writer_t stamp;
  size_t tail_bytes = file->bytes - edit->end;
  uint32_t line = 1;
  for (uint32_t i = 0; i < edit->begin; ++i)
    line += file->text[i] == '\n';
  literal_copy_text(edit->literal, source, sizeof source);
  json_write_pair(out, "file", file->name);
  json_write_integer_pair(out, "line", line);
  json_write_pair(out, "of", edit->declaration);
  json_write_pair(out, "value", edit->is_insertion || literal_is_type(edit->literal) ? "" : source);
  write_lines(out, "before", file->text, file->bytes, edit->begin, edit->end);
  write_lines(out, "after", edit->text.text.items, edit->text.text.count, edit->begin,
              edit->text.text.count - tail_bytes);
  json_writer_init(&stamp, out->allocator);
  file_changes_write_stamp(&edit->files, &stamp);
  json_write_key(out, "stamp");
  json_write_string_n(out, stamp.text.items, stamp.text.count);
  json_writer_fini(&stamp);
}

static bool write_file(cockpit_o *cockpit, write_back_t *edit, const json_t *request, error_info_t *error) {
  const char *shown_stamp = json_string_value(json_object_get(request, "stamp"));
  char title[160];
  if (!shown_stamp)
    return error_set(error, "“stamp” is missing: send the stamp that `literal` returned");
  snprintf(title, sizeof title, "%s.%s = %.*s (line %u)", edit->target.manager->schema.name, get_field(edit)->name,
           (int)edit->value.text.count, edit->value.text.items, literal_line(edit->literal));
  return proposal_write_files(cockpit, &edit->files, shown_stamp, title, error) != 0;
}

bool write_back(cockpit_o *cockpit, const json_t *request, bool writes, json_writer_t *out, error_info_t *error) {
  write_back_t edit = {0};
  host_state_t host_state;
  host_get_state(cockpit->host, &host_state);
  shoal_assert(!writes || !cockpit_is_read_only(cockpit), "a read-only cockpit cannot write files");
  if (!edit_resolve_field(cockpit, request, &edit.target, error))
    return false;
  json_writer_init(&edit.value, &cockpit->memory);
  json_writer_init(&edit.text, &cockpit->memory);
  literal_search_begin(&edit.search, &cockpit->memory, host_state.folder);
  file_changes_init(&edit.files, &cockpit->memory, host_state.folder);
  edit.is_outdated = host_state.card->kind == ERROR_CARD_RELOAD;
  bool ok = prepare_change(&edit, request, error);
  if (ok)
    describe_change(&edit, out);
  ok = ok && (!writes || write_file(cockpit, &edit, request, error));
  file_changes_fini(&edit.files);
  literal_search_end(&edit.search);
  json_writer_fini(&edit.text);
  json_writer_fini(&edit.value);
  return ok;
}
