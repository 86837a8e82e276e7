// Writes the game, its schema, state, systems, entities and errors as JSON.
#include "cockpit/describe.h"

#include "base/assert.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/protocol.h"
#include "cockpit/template.h"
#include "ecs/assemblage_inspect.h"
#include "content/row_json.h"
#include "ecs/system_rows.h"
#include "schema/bit_names.h"
#include "sql/table_names.h"

#include <stdio.h>
#include <string.h>

#define MAX_APPEARANCE_DEPTH 4u // maximum depth of the descendants that a thumbnail can show

const char *const describe_system_columns[] = {"name",     "phase", "runs",  "median_us", "mean_us", "p99_us",
                                               "on",       "file",  "line",  "when",      "doc",     "rows",
                                               "together", "apart", "parts", NULL};
const char *const describe_entity_columns[] = {"component", "instance", "field", "value",
                                               "touched",   "template", "part",  NULL};

static const char *get_string(world_o *w, uint32_t id) {
  return id ? strings_text(world_strings(w), id) : NULL;
}

// --- entity

static void begin_field_row(const char *instance, const field_t *f, const char *component, json_writer_t *out) {
  json_write_begin(out, '[');
  json_write_string(out, component);
  json_write_string(out, instance ? instance : "");
  char name[FIELD_NAME_MAX];
  json_write_string(out, f ? field_label(f, name) : NULL);
}

// `part` is "" for a component of the entity's assemblage, "added" for one that the assemblage lacks, or "missing" for
// one that only the assemblage has.
static void end_field_row(const char *part, json_writer_t *out) {
  json_write_string(out, part);
  json_write_end(out, ']');
}

static void write_row(world_o *w, const manager_o *m, shoal_entity e, uint32_t row, json_writer_t *out) {
  const char *instance = m->schema.kind == SCHEMA_MANY ? get_string(w, m->instance[row]) : NULL;
  const double *assemblage_values = template_find_values(w, e, m, m->schema.kind == SCHEMA_MANY ? m->instance[row] : 0);
  const char *part = assemblage_values || !template_find_assemblage(w, e) ? "" : "added";
  bool is_empty = true;
  for (uint32_t i = 0; i < m->schema.field_count; ++i) {
    const field_t *f = &m->schema.fields[i];
    if (f->flags & (FIELD_HIDDEN | FIELD_IS_ELEMENT))
      continue;
    is_empty = false;
    begin_field_row(instance, f, m->schema.name, out);
    row_json_write_field(w, &m->columns, row, i, out);
    json_write_bool(out, columns_is_touched(&m->columns, row, i));
    if (assemblage_values && f->flags & FIELD_IS_COUNT)
      row_json_write_list(w, &m->schema, i, assemblage_values, out);
    else if (assemblage_values && f->type != FIELD_MAT4)
      row_json_write_number(w, f, assemblage_values[i], out);
    else
      json_write_null(out);
    end_field_row(part, out);
  }
  if (!is_empty)
    return;
  begin_field_row(instance, NULL, m->schema.name, out); // a component without visible fields, such as a tag
  json_write_null(out);
  json_write_bool(out, false);
  json_write_null(out);
  end_field_row(part, out);
}

static void write_missing_components(world_o *w, shoal_entity e, json_writer_t *out) {
  const manager_o *m = NULL;
  uint32_t instance = 0;
  for (uint32_t i = 0; template_find_missing_component(w, e, &i, &m, &instance);) {
    begin_field_row(get_string(w, instance), NULL, m->schema.name, out);
    json_write_null(out);
    json_write_bool(out, false);
    json_write_null(out);
    end_field_row("missing", out);
  }
}

bool describe_entity(cockpit_o *c, shoal_entity e, json_writer_t *out) {
  game_o *g = host_game(c->host);
  world_o *w = g ? g->world : NULL;
  if (!w || !world_is_alive(w, e))
    return false;
  json_write_begin(out, '[');
  for (uint32_t id = 1; id <= world_manager_count(w); ++id) {
    const manager_o *m = world_manager(w, id);
    if (!m || m->schema.kind == SCHEMA_SINGLE)
      continue;
    for (uint32_t row = manager_row(m, e); row != ROW_NONE;
         row = m->schema.kind == SCHEMA_MANY ? m->next[row] : ROW_NONE) {
      shoal_assert(row < m->count, "row %u of %s is out of range (count %u)", row, m->schema.name, m->count);
      write_row(w, m, e, row, out);
    }
  }
  write_missing_components(w, e, out);
  json_write_end(out, ']');
  return true;
}

// --- schemas

static void write_choices(const field_t *f, const char *key, json_writer_t *out) {
  json_write_key(out, key);
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < f->choice_count; ++i)
    json_write_string(out, field_choice(f, i));
  json_write_end(out, ']');
}

static void write_default(const field_t *f, json_writer_t *out) {
  if (f->type == FIELD_MAT4)
    return;
  json_write_key(out, "default");
  if (field_is_text(f))
    json_write_string(out, f->initial_text ? f->initial_text : "");
  else
    row_json_write_number(NULL, f, f->initial, out);
}

static void write_schema_field(const field_t *f, const char *column, json_writer_t *out) {
  char name[FIELD_NAME_MAX];
  bool is_list = f->flags & FIELD_IS_COUNT;
  json_write_begin(out, '{');
  json_write_pair(out, "name", field_label(f, name));
  if (column)
    json_write_pair(out, "column", column);
  json_write_pair(out, "type", is_list ? "list" : field_type_name(f->type));
  if (is_list) {
    json_write_integer_pair(out, "capacity", (long long)f->high);
    json_write_key(out, "of");
    write_schema_field(f + 1, NULL, out);
    json_write_end(out, '}');
    return;
  }
  write_default(f, out);
  if (f->flags & FIELD_HAS_MIN) {
    json_write_key(out, "min");
    json_write_number(out, f->min);
  }
  if (f->flags & FIELD_HAS_MAX) {
    json_write_key(out, "max");
    json_write_number(out, f->max);
  }
  if (f->unit)
    json_write_pair(out, "unit", f->unit);
  if (f->doc)
    json_write_pair(out, "doc", f->doc);
  if (f->flags & FIELD_READ_ONLY)
    json_write_bool_pair(out, "read_only", true);
  if (f->type == FIELD_ENUM)
    write_choices(f, "choices", out);
  if (bit_names_exist(f))
    write_choices(f, "layers", out);
  json_write_end(out, '}');
}

static void write_required(const schema_t *s, json_writer_t *out) {
  json_write_key(out, "requires");
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < s->required_count; ++i)
    json_write_string(out, s->required[i]);
  json_write_end(out, ']');
}

static void write_schema(const schema_t *s, uint32_t rows, json_writer_t *out) {
  static const char *const kinds[] = {"component", "many", "single", "event"};
  table_name_t columns[TABLE_MAX_COLUMNS];
  shoal_assert((size_t)s->kind < sizeof kinds / sizeof *kinds, "%s has unknown kind %d", s->name, (int)s->kind);
  uint32_t key_count = table_names_list_columns(s, columns);
  json_write_begin(out, '{');
  json_write_pair(out, "name", s->name);
  json_write_pair(out, "kind", kinds[s->kind]);
  json_write_pair(out, "origin", s->origin);
  json_write_integer_pair(out, "line", s->line);
  json_write_integer_pair(out, "rows", rows);
  if (s->doc)
    json_write_pair(out, "doc", s->doc);
  if (s->required_count > 0)
    write_required(s, out);
  json_write_key(out, "fields");
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < s->field_count; ++i)
    if (!(s->fields[i].flags & (FIELD_HIDDEN | FIELD_IS_ELEMENT)))
      write_schema_field(&s->fields[i], columns[key_count + i].text, out);
  json_write_end(out, ']');
  json_write_end(out, '}');
}

// Components that draw an assemblage's entities, and the fields that a thumbnail shows.
static const char *const appearance_components[] = {"sprite", "shape"};
static const char *const appearance_fields[][10] = {
    {"image", "frame", "frames", "width", "height", "flip", "flip_y", NULL},
    {"kind", "radius", "width", "height", "points", "colour.x", "colour.y", "colour.z", "filled", NULL}};

// Returns the assemblage itself if it has a sprite or a shape, otherwise its first descendant that has one; 0 if no
// part is visible.
static uint32_t find_visible_part(world_o *w, uint32_t assemblage, uint32_t depth) {
  uint32_t part = 0, child;
  for (size_t i = 0; i < sizeof appearance_components / sizeof *appearance_components; ++i) {
    const manager_o *m = world_find_manager(w, appearance_components[i]);
    if (m && template_get_values(w, assemblage, 0, m, 0))
      return assemblage;
  }
  for (uint32_t i = 0;
       !part && depth < MAX_APPEARANCE_DEPTH && (child = world_assemblage_child_number(w, assemblage, i)) != 0; ++i)
    part = find_visible_part(w, child, depth + 1);
  return part;
}

// Writes the initial values of `sprite` and `shape` of the assemblage's visible part (find_visible_part).
static void write_appearance(world_o *w, uint32_t assemblage, json_writer_t *out) {
  uint32_t part = find_visible_part(w, assemblage, 0);
  for (size_t i = 0; part && i < sizeof appearance_components / sizeof *appearance_components; ++i) {
    const manager_o *m = world_find_manager(w, appearance_components[i]);
    const double *values = m ? template_get_values(w, part, 0, m, 0) : NULL;
    if (!values)
      continue;
    json_write_key(out, appearance_components[i]);
    json_write_begin(out, '{');
    for (uint32_t k = 0; appearance_fields[i][k]; ++k) {
      int32_t field = schema_find_field(&m->schema, appearance_fields[i][k]);
      shoal_assert(field >= 0, "%s has no field %s", appearance_components[i], appearance_fields[i][k]);
      json_write_key(out, appearance_fields[i][k]);
      row_json_write_number(w, &m->schema.fields[field], values[field], out);
    }
    json_write_end(out, '}');
  }
}

static void write_assemblages(world_o *w, json_writer_t *out) {
  json_write_key(out, "assemblages");
  json_write_begin(out, '[');
  for (uint32_t i = 1; i <= world_assemblage_count(w); ++i) {
    uint32_t name = world_assemblage_name(w, i);
    if (world_assemblage_is_retired(w, i) || name == 0)
      continue;
    json_write_begin(out, '{');
    json_write_pair(out, "name", get_string(w, name));
    if (world_assemblage_doc(w, i))
      json_write_pair(out, "doc", world_assemblage_doc(w, i));
    json_write_integer_pair(out, "alive", world_assemblage_alive_count(w, name));
    json_write_key(out, "states");
    json_write_begin(out, '[');
    for (uint32_t k = 0, state; (state = world_assemblage_state_name(w, i, k)) != 0; ++k)
      json_write_string(out, get_string(w, state));
    json_write_end(out, ']');
    write_appearance(w, i, out);
    json_write_end(out, '}');
  }
  json_write_end(out, ']');
}

void describe_schema(cockpit_o *c, json_writer_t *out) {
  game_o *g = host_game(c->host);
  json_write_key(out, "components");
  json_write_begin(out, '[');
  for (uint32_t id = 1; g && id <= world_manager_count(g->world); ++id)
    write_schema(&world_manager(g->world, id)->schema, world_manager(g->world, id)->count, out);
  json_write_end(out, ']');
  json_write_key(out, "events");
  json_write_begin(out, '[');
  for (uint32_t id = 1; g && id <= world_event_count(g->world); ++id)
    write_schema(&world_event(g->world, id)->schema, world_event(g->world, id)->columns.count, out);
  json_write_end(out, ']');
  if (g)
    write_assemblages(g->world, out);
}

// --- systems

// Writes the number of rows that a system currently iterates over: the rows of its queries, plus those of the component
// that a built-in system is named after. Writes null for a system that has neither.
static void write_row_count(const game_o *g, phase_t phase, uint32_t i, json_writer_t *out) {
  static const char builtin_prefix[] = "shoal.";
  const char *name = schedule_system_name(g->schedule, phase, i);
  const uint32_t *ids = NULL;
  uint32_t count = schedule_queries(g->schedule, phase, i, &ids);
  const manager_o *m = strncmp(name, builtin_prefix, sizeof builtin_prefix - 1) == 0
                           ? world_find_manager(g->world, name + sizeof builtin_prefix - 1)
                           : NULL;
  long long rows = m ? m->count : 0;
  for (uint32_t k = 0; k < count; ++k)
    rows += world_query_by_id(g->world, ids[k])->count;
  if (count > 0 || m)
    json_write_integer(out, rows);
  else
    json_write_null(out);
}

static void write_system(const game_o *g, phase_t phase, uint32_t i, json_writer_t *out) {
  const schedule_o *s = g->schedule;
  const char *name = schedule_system_name(s, phase, i);
  uint32_t line = 0, switch_state = system_get_switch(g->world, strings_find(world_strings(g->world), name));
  double total_us = 0;
  uint64_t runs = 0;
  schedule_cost(s, phase, i, &total_us, &runs);
  json_write_begin(out, '[');
  json_write_string(out, name);
  json_write_string(out, phase_name(phase));
  json_write_integer(out, (long long)runs);
  json_write_float(out, (float)schedule_quantile(s, phase, i, 0.5));
  json_write_float(out, runs > 0 ? (float)(total_us / (double)runs) : 0);
  json_write_float(out, (float)schedule_quantile(s, phase, i, 0.99));
  json_write_bool(out, switch_state == SWITCH_NONE ? !schedule_is_disabled(s, phase, i) : switch_state == SWITCH_ON);
  json_write_string(out, schedule_file(s, phase, i, &line));
  json_write_integer(out, line);
  json_write_string(out, schedule_condition(s, phase, i));
  json_write_string(out, schedule_doc(s, phase, i));
  write_row_count(g, phase, i, out);
  json_write_integer(out, schedule_stage(s, phase, i));
  json_write_string(out, schedule_separation_reason(s, phase, i));
  json_write_integer(out, schedule_part_count(s, phase, i));
  json_write_end(out, ']');
}

// Writes the plugins' profiler scopes after the systems, so that system indices stay valid. Scopes are not systems and
// cannot be disabled.
static void write_scopes(const game_o *g, json_writer_t *out) {
  const plugin_scope_t *scope;
  double median_us;
  for (uint32_t i = 0; (scope = plugins_get_scope(g->plugins, i, &median_us)) != NULL; ++i) {
    json_write_begin(out, '[');
    json_write_string(out, scope->name);
    json_write_string(out, "scope");
    json_write_integer(out, (long long)scope->runs);
    json_write_float(out, (float)median_us);
    json_write_float(out, scope->runs > 0 ? (float)(scope->total_us / (double)scope->runs) : 0);
    json_write_float(out, 0);
    json_write_bool(out, false);
    json_write_string(out, "");
    json_write_integer(out, 0);
    json_write_string(out, "");
    json_write_string(out, "a profiler scope of a plugin");
    json_write_null(out);
    json_write_integer(out, 0);
    json_write_string(out, "");
    json_write_integer(out, 0);
    json_write_end(out, ']');
  }
}

void describe_systems(cockpit_o *c, json_writer_t *out) {
  const game_o *g = host_game(c->host);
  shoal_assert(!g || g->world, "the game has no world");
  json_write_begin(out, '[');
  for (int phase = PHASE_INPUT; g && g->schedule && phase < PHASE_COUNT; ++phase)
    for (uint32_t i = 0; i < schedule_system_count(g->schedule, (phase_t)phase); ++i)
      write_system(g, (phase_t)phase, i, out);
  if (g)
    write_scopes(g, out);
  json_write_end(out, ']');
}

// --- game and state

void describe_game(cockpit_o *c, json_writer_t *out) {
  const game_o *g = host_game(c->host);
  host_state_t host_state;
  host_get_state(c->host, &host_state);
  json_write_integer_pair(out, "protocol", PROTOCOL_VERSION);
  json_write_pair(out, "shoal", SHOAL_VERSION);
  json_write_pair(out, "title", g ? g->config.title : "");
  json_write_pair(out, "folder", host_state.folder);
  json_write_integer_pair(out, "tick_rate", g ? g->config.tick_rate : GAME_DEFAULTS.tick_rate);
  json_write_bool_pair(out, "read_only", c->read_only);
}

static void write_ids(json_writer_t *out, const char *key, const shoal_entity *ids, uint32_t count) {
  json_write_key(out, key);
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < count; ++i)
    json_write_integer(out, ids[i]);
  json_write_end(out, ']');
}

void describe_state(cockpit_o *c, json_writer_t *out) {
  game_o *g = host_game(c->host);
  host_state_t host_state;
  host_get_state(c->host, &host_state);
  json_write_integer_pair(out, "tick", (long long)host_state.tick);
  json_write_integer_pair(out, "first", (long long)host_state.first);
  json_write_integer_pair(out, "last", (long long)host_state.last);
  json_write_bool_pair(out, "has_past", host_state.has_past);
  json_write_bool_pair(out, "held", host_state.held);
  json_write_bool_pair(out, "paused", host_state.paused);
  json_write_bool_pair(out, "replay", host_state.replays);
  json_write_bool_pair(out, "again", host_state.again);
  json_write_key(out, "speed");
  json_write_number(out, host_state.speed);
  json_write_integer_pair(out, "entities", g ? world_entities(g->world)->alive_count : 0);
  json_write_bool_pair(out, "runs", g != NULL);
  write_ids(out, "picked", c->selected, c->selected_count);
  write_ids(out, "ghosts", c->ghosts, c->ghost_count);
}

// Adds the fields of the error card that the host displays to the open object. If no card is displayed, `kind` is ""
// and the other fields are omitted.
void describe_errors(cockpit_o *c, json_writer_t *out) {
  static const char *const kinds[] = {"", "start", "reload", "restart", "run"};
  host_state_t host_state;
  host_get_state(c->host, &host_state);
  const error_card_t *card = host_state.card;
  json_write_pair(out, "kind", kinds[card->kind]);
  if (card->kind == ERROR_CARD_NONE)
    return;
  json_write_pair(out, "title", card->title);
  json_write_pair(out, "message", card->message);
  json_write_pair(out, "place", card->location);
  json_write_pair(out, "hint", card->hint);
  json_write_pair(out, "about", card->about);
  json_write_integer_pair(out, "total", card->total);
  json_write_key(out, "lines");
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < card->line_count; ++i) {
    json_write_begin(out, '[');
    json_write_integer(out, card->lines[i].number);
    json_write_string(out, card->lines[i].text);
    json_write_bool(out, card->lines[i].failing);
    json_write_end(out, ']');
  }
  json_write_end(out, ']');
  json_write_key(out, "others");
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < card->other_count; ++i)
    json_write_string(out, card->other_reports[i]);
  json_write_end(out, ']');
}
