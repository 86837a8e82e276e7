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
  const char *texts[MAX_VALUES]; // NULL for numbers and for "-"
  double numbers[MAX_VALUES];
} line_t;

typedef struct reader_t {
  access_o access;
  query_desc_t query; // the query being read
  char *at;           // position in a writable copy of the text
} reader_t;

static int parse_hex_digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void unescape_text(char *text) {
  char *to = text;
  for (; *text; ++text, ++to)
    if (*text == '%' && parse_hex_digit(text[1]) >= 0 && parse_hex_digit(text[2]) >= 0) {
      *to = (char)(parse_hex_digit(text[1]) * 16 + parse_hex_digit(text[2]));
      text += 2;
    } else {
      *to = *text;
    }
  *to = '\0';
}

static bool read_line(reader_t *r, line_t *out) {
  char *line = r->at, *end = strchr(line, '\n'), *save = NULL;
  if (!end)
    return access_fail("truncated change in the recording");
  *end = '\0';
  r->at = end + 1;
  *out = (line_t){.kind = CHANGE_COUNT};
  const char *word = strtok_r(line, " ", &save);
  for (uint32_t i = 0; word && i < CHANGE_COUNT; ++i)
    if (strcmp(word, changes_keywords[i]) == 0)
      out->kind = (change_t)i;
  char *value;
  for (uint32_t i = 0; i < MAX_VALUES && (value = strtok_r(NULL, " ", &save)) != NULL; ++i) {
    if (value[0] == '"')
      unescape_text(value);
    out->texts[i] = value[0] == '"' ? value + 1 : NULL;
    out->numbers[i] = value[0] == '"' || strcmp(value, "-") == 0 ? 0 : strtod(value, NULL);
  }
  return out->kind != CHANGE_COUNT || access_fail("unknown keyword \"%.60s\" in a recorded change", word ? word : "");
}

static const shoal_component *find_component(reader_t *r, const char *name) {
  return world_access_find_component(&r->access.own.shared, name);
}

static bool find_column(const shoal_component *c, const char *field, uint32_t *out) {
  for (uint32_t i = 0; field && i < c->column_count; ++i)
    if (strcmp(c->fields[i].name, field) == 0) {
      *out = i;
      return true;
    }
  return access_fail("%s has no field %.60s", c->name, field ? field : "");
}

// Reads the settings that follow the line `first`, and spawns an entity or adds components with them.
static bool apply_settings(reader_t *r, const line_t *first) {
  uint32_t count = (uint32_t)first->numbers[1];
  shoal_field_value settings[64], *list = count <= 64 ? settings : calloc(count, sizeof *list);
  bool ok = list != NULL;
  for (uint32_t i = 0; i < count && ok; ++i) {
    line_t x;
    ok = read_line(r, &x) &&
         (x.kind == CHANGE_SETTING || access_fail("a recorded change must have %u settings, got %u", count, i));
    list[i] = (shoal_field_value){x.texts[0], x.texts[1], x.texts[2], x.texts[3], x.numbers[4], x.texts[5]};
  }
  const access_spawn_t spawned = {first->texts[0], list, count, NULL, 0};
  if (ok)
    ok = first->kind == CHANGE_ADD_WITH
             ? access_add_components(r->access.world, (shoal_entity)first->numbers[0], list, count)
             : access_spawn_entity(r->access.world, &spawned) != SHOAL_ENTITY_NONE;
  if (list != settings)
    free(list);
  return ok;
}

static bool apply_set(reader_t *r, const line_t *x, shoal_entity e) {
  uint32_t column = 0;
  const shoal_component *c = find_component(r, x->texts[1]);
  return c && find_column(c, x->texts[3], &column) &&
         world_access_set_instance(&r->access.own.shared, e, c, x->texts[2], column, x->numbers[4]);
}

static bool write_cell(reader_t *r, const line_t *x) {
  uint32_t column = 0;
  const shoal_component *c = find_component(r, x->texts[0]);
  if (!c || !find_column(c, x->texts[2], &column))
    return false;
  access_binding_t *b = access_bind_component(&r->access, c);
  uint32_t row = (uint32_t)x->numbers[1];
  if (!b || !b->event || row >= b->emit_row_count)
    return access_fail("row %u of a recorded event is out of range", row);
  columns_t filled = b->event->columns; // the layout of the event's columns with the data of the new rows
  filled.data = b->data;
  filled.count = filled.capacity = b->emit_row_count;
  filled.stored_count = filled.column_count;
  columns_set_unmarked(&filled, row, column, x->numbers[3]);
  return true;
}

static bool add_query_term(reader_t *r, const line_t *x) {
  const manager_o *m = x->texts[1] ? world_find_manager(r->access.world, x->texts[1]) : NULL;
  if (!m || r->query.term_count == QUERY_MAX_TERMS || !(x->numbers[0] >= QUERY_WITH && x->numbers[0] <= QUERY_OPTIONAL))
    return access_fail("a recorded query has an invalid component: %.60s", x->texts[1] ? x->texts[1] : "");
  r->query.terms[r->query.term_count++] = (query_term_desc_t){m->id, (query_role_t)x->numbers[0]};
  return true;
}

// Creates the query with the terms read so far, and clears the list of terms. Returns NULL after calling access_fail if
// the terms are invalid.
static query_o *create_query(reader_t *r) {
  error_info_t error = {0};
  query_o *q = world_find_or_create_query(r->access.world, &r->query, &error);
  r->query.term_count = 0;
  return q || access_fail("%s", error.text) ? q : NULL;
}

static bool apply_observe(reader_t *r, const line_t *x) {
  shoal_observed lists;
  query_o *q = create_query(r);
  if (q)
    access_observe(r->access.world, x->texts[0] ? x->texts[0] : "", q, x->numbers[1] != 0, &lists);
  return q != NULL;
}

static bool apply_change(reader_t *r, const line_t *x) {
  shoal_world *w = &r->access.own.shared;
  shoal_entity e = (shoal_entity)x->numbers[0];
  const shoal_component *c;
  switch (x->kind) {
  case CHANGE_BEGIN: world_defer_begin(r->access.world, 0); return true;
  case CHANGE_END:
    if (world_is_deferring(r->access.world))
      world_defer_end(r->access.world, false);
    return true;
  case CHANGE_TEXT: world_access_intern(w, x->texts[0]); return true;
  case CHANGE_TERM: return add_query_term(r, x);
  case CHANGE_QUERY: return create_query(r) != NULL;
  case CHANGE_OBSERVE: return apply_observe(r, x);
  case CHANGE_SPAWN: return access_spawn_entities(r->access.world, x->texts[0], (uint32_t)x->numbers[1], NULL) > 0;
  case CHANGE_SPAWN_WITH:
  case CHANGE_ADD_WITH: return apply_settings(r, x);
  case CHANGE_KILL: return world_access_destroy_many(w, &e, 1);
  case CHANGE_ADD: return (c = find_component(r, x->texts[1])) && world_access_add_instance(w, e, c, x->texts[2]);
  case CHANGE_REMOVE: return (c = find_component(r, x->texts[1])) && world_access_remove_instance(w, e, c, x->texts[2]);
  case CHANGE_SET: return apply_set(r, x, e);
  case CHANGE_ENTER: return access_enter_state(r->access.world, e, x->texts[1]);
  case CHANGE_EMIT:
    return (c = find_component(r, x->texts[0])) && world_access_emit_begin(w, c, (uint32_t)x->numbers[1]);
  case CHANGE_CELL: return write_cell(r, x);
  case CHANGE_SEND: return (c = find_component(r, x->texts[0])) && world_access_emit_end(w, c);
  default:
    return access_fail("unexpected recorded change %s: the change that must precede it is missing",
                       changes_keywords[x->kind]);
  }
}

bool changes_apply(world_o *w, const char *text) {
  reader_t r = {.at = NULL};
  access_init(&r.access, &(access_desc_t){.api = NULL}, w);
  char *copy = alloc_copy_text(world_allocator(w), text);
  bool ok = true, deferring = world_is_deferring(w);
  line_t line;
  for (r.at = copy; *r.at && ok;)
    ok = read_line(&r, &line) && apply_change(&r, &line);
  if (!deferring && world_is_deferring(w)) // the text does not close a query that it opened
    world_defer_end(w, false);
  alloc_free_text(world_allocator(w), copy);
  access_fini(&r.access);
  return ok;
}
