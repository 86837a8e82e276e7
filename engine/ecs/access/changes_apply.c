// Reads changes (changes.c) and applies them to a world.
#include "access/changes.h"

#include "access/entities.h"
#include "access/observe.h"
#include "access/last_error.h"

#include <stdlib.h>
#include <string.h>

#define MAX_VALUES 6

typedef struct line_t {
  change_t kind;
  const char *strings[MAX_VALUES]; // values that are strings; NULL for numbers and for "-"
  double numbers[MAX_VALUES];
} line_t;

typedef struct reader_t {
  access_o access;
  query_desc_t query; // the query being read
  char *cursor;       // position in a writable copy of the text
} reader_t;

static int parse_hex_digit(char component) {
  return component >= '0' && component <= '9'   ? component - '0'
         : component >= 'A' && component <= 'F' ? component - 'A' + 10
                                                : -1;
}

static void unescape_text(char *text) {
  char *out = text;
  for (; *text; ++text, ++out)
    if (*text == '%' && parse_hex_digit(text[1]) >= 0 && parse_hex_digit(text[2]) >= 0) {
      *out = (char)(parse_hex_digit(text[1]) * 16 + parse_hex_digit(text[2]));
      text += 2;
    } else {
      *out = *text;
    }
  *out = '\0';
}

static bool read_line(reader_t *reader, line_t *out) {
  char *line = reader->cursor, *end = strchr(line, '\n'), *state = NULL;
  if (!end)
    return access_fail("truncated change in the recording");
  *end = '\0';
  reader->cursor = end + 1;
  *out = (line_t){.kind = CHANGE_COUNT};
  const char *keyword = strtok_r(line, " ", &state);
  for (uint32_t i = 0; keyword && i < CHANGE_COUNT; ++i)
    if (strcmp(keyword, changes_keywords[i]) == 0)
      out->kind = (change_t)i;
  char *value;
  for (uint32_t i = 0; i < MAX_VALUES && (value = strtok_r(NULL, " ", &state)) != NULL; ++i) {
    if (value[0] == '"')
      unescape_text(value);
    out->strings[i] = value[0] == '"' ? value + 1 : NULL;
    out->numbers[i] = value[0] == '"' || strcmp(value, "-") == 0 ? 0 : strtod(value, NULL);
  }
  return out->kind != CHANGE_COUNT ||
         access_fail("unknown keyword \"%.60s\" in a recorded change", keyword ? keyword : "");
}

static const shoal_component *find_component(reader_t *reader, const char *name) {
  return world_access_find_component(&reader->access.own.shared, name);
}

static bool find_column(const shoal_component *component, const char *field, uint32_t *out) {
  for (uint32_t i = 0; field && i < component->column_count; ++i)
    if (strcmp(component->fields[i].name, field) == 0) {
      *out = i;
      return true;
    }
  return access_fail("%s has no field %.60s", component->name, field ? field : "");
}

// Reads the settings that follow the line `head`, and spawns an entity or adds components with them. Returns true on
// success.
static bool apply_settings(reader_t *reader, const line_t *head) {
  uint32_t count = (uint32_t)head->numbers[1];
  shoal_field_value settings[64], *items = count <= 64 ? settings : calloc(count, sizeof *items);
  bool succeeded = items != NULL;
  for (uint32_t i = 0; i < count && succeeded; ++i) {
    line_t setting_line;
    succeeded =
        read_line(reader, &setting_line) && (setting_line.kind == CHANGE_SETTING ||
                                             access_fail("a recorded change must have %u settings, got %u", count, i));
    items[i] = (shoal_field_value){setting_line.strings[0], setting_line.strings[1], setting_line.strings[2],
                                   setting_line.strings[3], setting_line.numbers[4], setting_line.strings[5]};
  }
  const access_spawn_t spawn = {head->strings[0], items, count, NULL, 0};
  if (succeeded)
    succeeded = head->kind == CHANGE_ADD_WITH
                    ? access_add_components(reader->access.world, (shoal_entity)head->numbers[0], items, count)
                    : access_spawn_entity(reader->access.world, &spawn) != SHOAL_ENTITY_NONE;
  if (items != settings)
    free(items);
  return succeeded;
}

static bool apply_set(reader_t *reader, const line_t *line, shoal_entity e) {
  uint32_t column = 0;
  const shoal_component *component = find_component(reader, line->strings[1]);
  return component && find_column(component, line->strings[3], &column) &&
         world_access_set_instance(&reader->access.own.shared, e, component, line->strings[2], column,
                                   line->numbers[4]);
}

static bool write_cell(reader_t *reader, const line_t *line) {
  uint32_t column = 0;
  const shoal_component *component = find_component(reader, line->strings[0]);
  if (!component || !find_column(component, line->strings[2], &column))
    return false;
  access_binding_t *binding = access_bind_component(&reader->access, component);
  uint32_t row = (uint32_t)line->numbers[1];
  if (!binding || !binding->event || row >= binding->emit_row_count)
    return access_fail("row %u of a recorded event is out of range", row);
  columns_t new_rows = binding->event->columns; // the layout of the event's columns with the data of the new rows
  new_rows.data = binding->data;
  new_rows.count = new_rows.capacity = binding->emit_row_count;
  new_rows.stored_count = new_rows.column_count;
  columns_set_unmarked(&new_rows, row, column, line->numbers[3]);
  return true;
}

static bool add_query_term(reader_t *reader, const line_t *line) {
  const manager_o *m = line->strings[1] ? world_find_manager(reader->access.world, line->strings[1]) : NULL;
  if (!m || reader->query.term_count == QUERY_MAX_TERMS ||
      !(line->numbers[0] >= QUERY_WITH && line->numbers[0] <= QUERY_OPTIONAL))
    return access_fail("a recorded query has an invalid component: %.60s", line->strings[1] ? line->strings[1] : "");
  reader->query.terms[reader->query.term_count++] = (query_term_desc_t){m->id, (query_role_t)line->numbers[0]};
  return true;
}

// Creates the query with the terms read so far, and clears the list of terms. Returns the query, or NULL after calling
// access_fail if the terms are invalid.
static query_o *create_query(reader_t *reader) {
  error_info_t error = {0};
  query_o *query = world_find_or_create_query(reader->access.world, &reader->query, &error);
  reader->query.term_count = 0;
  return query || access_fail("%s", error.text) ? query : NULL;
}

static bool apply_observe(reader_t *reader, const line_t *line) {
  shoal_observed lists;
  query_o *query = create_query(reader);
  if (query)
    access_observe(reader->access.world, line->strings[0] ? line->strings[0] : "", query, line->numbers[1] != 0,
                   &lists);
  return query != NULL;
}

static bool apply_change(reader_t *reader, const line_t *line) {
  shoal_world *w = &reader->access.own.shared;
  shoal_entity e = (shoal_entity)line->numbers[0];
  const shoal_component *component;
  switch (line->kind) {
  case CHANGE_BEGIN: world_defer_begin(reader->access.world, 0); return true;
  case CHANGE_END:
    if (world_is_deferring(reader->access.world))
      world_defer_end(reader->access.world, false);
    return true;
  case CHANGE_TEXT: world_access_intern(w, line->strings[0]); return true;
  case CHANGE_TERM: return add_query_term(reader, line);
  case CHANGE_QUERY: return create_query(reader) != NULL;
  case CHANGE_OBSERVE: return apply_observe(reader, line);
  case CHANGE_SPAWN:
    return access_spawn_entities(reader->access.world, line->strings[0], (uint32_t)line->numbers[1], NULL) > 0;
  case CHANGE_SPAWN_WITH:
  case CHANGE_ADD_WITH: return apply_settings(reader, line);
  case CHANGE_KILL: return world_access_destroy_many(w, &e, 1);
  case CHANGE_ADD:
    return (component = find_component(reader, line->strings[1])) &&
           world_access_add_instance(w, e, component, line->strings[2]);
  case CHANGE_REMOVE:
    return (component = find_component(reader, line->strings[1])) &&
           world_access_remove_instance(w, e, component, line->strings[2]);
  case CHANGE_ADD_PAIR:
    return (component = find_component(reader, line->strings[1])) &&
           world_access_add_pair(w, e, component, (shoal_entity)line->numbers[2]);
  case CHANGE_REMOVE_PAIR:
    return (component = find_component(reader, line->strings[1])) &&
           world_access_remove_pair(w, e, component, (shoal_entity)line->numbers[2]);
  case CHANGE_SET: return apply_set(reader, line, e);
  case CHANGE_ENTER: return access_enter_state(reader->access.world, e, line->strings[1]);
  case CHANGE_EMIT:
    return (component = find_component(reader, line->strings[0])) &&
           world_access_emit_begin(w, component, (uint32_t)line->numbers[1]);
  case CHANGE_CELL: return write_cell(reader, line);
  case CHANGE_SEND:
    return (component = find_component(reader, line->strings[0])) && world_access_emit_end(w, component);
  default:
    return access_fail("unexpected recorded change %s: the change that must precede it is missing",
                       changes_keywords[line->kind]);
  }
}

bool changes_apply(world_o *w, const char *text) {
  reader_t reader = {.cursor = NULL};
  access_init(&reader.access, &(access_desc_t){.api = NULL}, w);
  char *copy = alloc_copy_text(world_allocator(w), text);
  bool succeeded = true, was_deferring = world_is_deferring(w);
  line_t line;
  for (reader.cursor = copy; *reader.cursor && succeeded;)
    succeeded = read_line(&reader, &line) && apply_change(&reader, &line);
  if (!was_deferring && world_is_deferring(w)) // the text opens a query without closing it
    world_defer_end(w, false);
  alloc_free_text(world_allocator(w), copy);
  access_fini(&reader.access);
  return succeeded;
}
