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

static void begin_field_row(const char *instance, const field_t *field, const char *component, json_writer_t *out) {
  json_write_begin(out, '[');
  json_write_string(out, component);
  json_write_string(out, instance ? instance : "");
  char name[FIELD_NAME_MAX];
  json_write_string(out, field ? field_label(field, name) : NULL);
}

// `part` is "" for a component of the entity's assemblage or of an entity without an assemblage, "added" for a
// component that the assemblage lacks, or "missing" for a component that only the assemblage has.
static void end_field_row(const char *part, json_writer_t *out) {
  json_write_string(out, part);
  json_write_end(out, ']');
}

static void write_row(world_o *w, const manager_o *manager, shoal_entity entity, uint32_t row, json_writer_t *out) {
  const char *instance = manager->schema.kind == SCHEMA_MANY ? get_string(w, manager->instance[row]) : NULL;
  const double *assemblage_values =
      template_find_values(w, entity, manager, manager->schema.kind == SCHEMA_MANY ? manager->instance[row] : 0);
  const char *part = assemblage_values || !template_find_assemblage(w, entity) ? "" : "added";
  bool is_empty = true;
  for (uint32_t i = 0; i < manager->schema.field_count; ++i) {
    const field_t *field = &manager->schema.fields[i];
    if (field->flags & (FIELD_HIDDEN | FIELD_IS_ELEMENT))
      continue;
    is_empty = false;
    begin_field_row(instance, field, manager->schema.name, out);
    row_json_write_field(w, &manager->columns, row, i, out);
    json_write_bool(out, columns_is_touched(&manager->columns, row, i));
    if (assemblage_values && field->flags & FIELD_IS_COUNT)
      row_json_write_list(w, &manager->schema, i, assemblage_values, out);
    else if (assemblage_values && field->type != FIELD_MAT4)
      row_json_write_number(w, field, assemblage_values[i], out);
    else
      json_write_null(out);
    end_field_row(part, out);
  }
  if (!is_empty)
    return;
  begin_field_row(instance, NULL, manager->schema.name, out); // a component without visible fields, such as a tag
  json_write_null(out);
  json_write_bool(out, false);
  json_write_null(out);
  end_field_row(part, out);
}

static void write_missing_components(world_o *w, shoal_entity entity, json_writer_t *out) {
  const manager_o *manager = NULL;
  uint32_t instance = 0;
  for (uint32_t i = 0; template_find_missing_component(w, entity, &i, &manager, &instance);) {
    begin_field_row(get_string(w, instance), NULL, manager->schema.name, out);
    json_write_null(out);
    json_write_bool(out, false);
    json_write_null(out);
    end_field_row("missing", out);
  }
}

bool describe_entity(cockpit_o *cockpit, shoal_entity entity, json_writer_t *out) {
  game_o *game = host_game(cockpit->host);
  world_o *w = game ? game->world : NULL;
  if (!w || !world_is_alive(w, entity))
    return false;
  json_write_begin(out, '[');
  for (uint32_t id = 1; id <= world_manager_count(w); ++id) {
    const manager_o *manager = world_manager(w, id);
    if (!manager || manager->schema.kind == SCHEMA_SINGLE)
      continue;
    for (uint32_t row = manager_row(manager, entity); row != ROW_NONE;
         row = manager->schema.kind == SCHEMA_MANY ? manager->next[row] : ROW_NONE) {
      shoal_assert(row < manager->count, "row %u of %s is out of range (count %u)", row, manager->schema.name,
                   manager->count);
      write_row(w, manager, entity, row, out);
    }
  }
  write_missing_components(w, entity, out);
  json_write_end(out, ']');
  return true;
}

// --- schemas

static void write_choices(const field_t *field, const char *key, json_writer_t *out) {
  json_write_key(out, key);
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < field->choice_count; ++i)
    json_write_string(out, field_choice(field, i));
  json_write_end(out, ']');
}

static void write_default(const field_t *field, json_writer_t *out) {
  if (field->type == FIELD_MAT4)
    return;
  json_write_key(out, "default");
  if (field_is_text(field))
    json_write_string(out, field->initial_text ? field->initial_text : "");
  else
    row_json_write_number(NULL, field, field->initial, out);
}

static void write_schema_field(const field_t *field, const char *column, json_writer_t *out) {
  char name[FIELD_NAME_MAX];
  bool is_list = field->flags & FIELD_IS_COUNT;
  json_write_begin(out, '{');
  json_write_pair(out, "name", field_label(field, name));
  if (column)
    json_write_pair(out, "column", column);
  json_write_pair(out, "type", is_list ? "list" : field_type_name(field->type));
  if (is_list) {
    json_write_integer_pair(out, "capacity", (long long)field->high);
    json_write_key(out, "of");
    write_schema_field(field + 1, NULL, out);
    json_write_end(out, '}');
    return;
  }
  write_default(field, out);
  if (field->flags & FIELD_HAS_MIN) {
    json_write_key(out, "min");
    json_write_number(out, field->min);
  }
  if (field->flags & FIELD_HAS_MAX) {
    json_write_key(out, "max");
    json_write_number(out, field->max);
  }
  if (field->unit)
    json_write_pair(out, "unit", field->unit);
  if (field->doc)
    json_write_pair(out, "doc", field->doc);
  if (field->flags & FIELD_READ_ONLY)
    json_write_bool_pair(out, "read_only", true);
  if (field->type == FIELD_ENUM)
    write_choices(field, "choices", out);
  if (bit_names_exist(field))
    write_choices(field, "layers", out);
  json_write_end(out, '}');
}

static void write_required(const schema_t *schema, json_writer_t *out) {
  json_write_key(out, "requires");
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < schema->required_count; ++i)
    json_write_string(out, schema_get_required(schema, i));
  json_write_end(out, ']');
}

static void write_schema(const schema_t *schema, uint32_t rows, json_writer_t *out) {
  static const char *const kinds[] = {"component", "many", "single", "event"};
  table_name_t columns[TABLE_MAX_COLUMNS];
  shoal_assert((size_t)schema->kind < sizeof kinds / sizeof *kinds, "%s has unknown kind %d", schema->name,
               (int)schema->kind);
  uint32_t key_count = table_names_list_columns(schema, columns);
  json_write_begin(out, '{');
  json_write_pair(out, "name", schema->name);
  json_write_pair(out, "kind", kinds[schema->kind]);
  json_write_pair(out, "origin", schema->origin);
  json_write_integer_pair(out, "line", schema->line);
  json_write_integer_pair(out, "rows", rows);
  if (schema->doc)
    json_write_pair(out, "doc", schema->doc);
  if (schema->required_count > 0)
    write_required(schema, out);
  json_write_key(out, "fields");
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < schema->field_count; ++i)
    if (!(schema->fields[i].flags & (FIELD_HIDDEN | FIELD_IS_ELEMENT)))
      write_schema_field(&schema->fields[i], columns[key_count + i].text, out);
  json_write_end(out, ']');
  json_write_end(out, '}');
}

// Components that draw an assemblage's entities.
static const char *const appearance_components[] = {"sprite", "shape"};
// Fields of these components that a thumbnail shows.
static const char *const appearance_fields[][10] = {
    {"image", "frame", "frames", "width", "height", "flip", "flip_y", NULL},
    {"kind", "radius", "width", "height", "points", "colour.x", "colour.y", "colour.z", "filled", NULL}};

// Returns the assemblage itself if it has a sprite or a shape, otherwise its first descendant with a sprite or a shape,
// or 0 if no part is visible.
static uint32_t find_visible_part(world_o *w, uint32_t assemblage, uint32_t depth) {
  uint32_t part = 0, child;
  for (size_t i = 0; i < sizeof appearance_components / sizeof *appearance_components; ++i) {
    const manager_o *manager = world_find_manager(w, appearance_components[i]);
    if (manager && template_get_values(w, assemblage, 0, manager, 0))
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
    const manager_o *manager = world_find_manager(w, appearance_components[i]);
    const double *values = manager ? template_get_values(w, part, 0, manager, 0) : NULL;
    if (!values)
      continue;
    json_write_key(out, appearance_components[i]);
    json_write_begin(out, '{');
    for (uint32_t k = 0; appearance_fields[i][k]; ++k) {
      int32_t field = schema_find_field(&manager->schema, appearance_fields[i][k]);
      shoal_assert(field >= 0, "%s has no field %s", appearance_components[i], appearance_fields[i][k]);
      json_write_key(out, appearance_fields[i][k]);
      row_json_write_number(w, &manager->schema.fields[field], values[field], out);
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

void describe_schema(cockpit_o *cockpit, json_writer_t *out) {
  game_o *game = host_game(cockpit->host);
  json_write_key(out, "components");
  json_write_begin(out, '[');
  for (uint32_t id = 1; game && id <= world_manager_count(game->world); ++id)
    write_schema(&world_manager(game->world, id)->schema, world_manager(game->world, id)->count, out);
  json_write_end(out, ']');
  json_write_key(out, "events");
  json_write_begin(out, '[');
  for (uint32_t id = 1; game && id <= world_event_count(game->world); ++id)
    write_schema(&world_event(game->world, id)->schema, world_event(game->world, id)->columns.count, out);
  json_write_end(out, ']');
  if (game)
    write_assemblages(game->world, out);
}

// --- systems

// Writes the number of rows that a system currently iterates over: the rows of its queries, plus the rows of the
// component that a built-in system is named after. Writes null for a system without queries and without such a
// component.
static void write_row_count(const game_o *game, phase_t phase, uint32_t i, json_writer_t *out) {
  static const char builtin_prefix[] = "shoal.";
  const char *name = schedule_system_name(game->schedule, phase, i);
  const uint32_t *ids = NULL;
  uint32_t count = schedule_queries(game->schedule, phase, i, &ids);
  const manager_o *manager = strncmp(name, builtin_prefix, sizeof builtin_prefix - 1) == 0
                                 ? world_find_manager(game->world, name + sizeof builtin_prefix - 1)
                                 : NULL;
  long long rows = manager ? manager->count : 0;
  for (uint32_t k = 0; k < count; ++k)
    rows += world_query_by_id(game->world, ids[k])->count;
  if (count > 0 || manager)
    json_write_integer(out, rows);
  else
    json_write_null(out);
}

static void write_system(const game_o *game, phase_t phase, uint32_t i, json_writer_t *out) {
  const schedule_o *s = game->schedule;
  const char *name = schedule_system_name(s, phase, i);
  uint32_t line = 0, switch_state = system_get_switch(game->world, strings_find(world_strings(game->world), name));
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
  write_row_count(game, phase, i, out);
  json_write_integer(out, schedule_stage(s, phase, i));
  json_write_string(out, schedule_separation_reason(s, phase, i));
  json_write_integer(out, schedule_part_count(s, phase, i));
  json_write_end(out, ']');
}

// Writes the plugins' profiler scopes after the systems, so that system indices stay valid. Scopes are not systems and
// cannot be disabled.
static void write_scopes(const game_o *game, json_writer_t *out) {
  const plugin_scope_t *scope;
  double median_us;
  for (uint32_t i = 0; (scope = plugins_get_scope(game->plugins, i, &median_us)) != NULL; ++i) {
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

void describe_systems(cockpit_o *cockpit, json_writer_t *out) {
  const game_o *game = host_game(cockpit->host);
  shoal_assert(!game || game->world, "the game has no world");
  json_write_begin(out, '[');
  for (int phase = PHASE_INPUT; game && game->schedule && phase < PHASE_COUNT; ++phase)
    for (uint32_t i = 0; i < schedule_system_count(game->schedule, (phase_t)phase); ++i)
      write_system(game, (phase_t)phase, i, out);
  if (game)
    write_scopes(game, out);
  json_write_end(out, ']');
}

// --- game and state

void describe_game(cockpit_o *cockpit, json_writer_t *out) {
  const game_o *game = host_game(cockpit->host);
  host_state_t host_state;
  host_get_state(cockpit->host, &host_state);
  json_write_integer_pair(out, "protocol", PROTOCOL_VERSION);
  json_write_pair(out, "shoal", SHOAL_VERSION);
  json_write_pair(out, "title", game ? game->config.title : "");
  json_write_pair(out, "folder", host_state.folder);
  json_write_integer_pair(out, "tick_rate", game ? game->config.tick_rate : GAME_DEFAULTS.tick_rate);
  json_write_integer_pair(out, "width", game ? game->config.width : GAME_DEFAULTS.width);
  json_write_integer_pair(out, "height", game ? game->config.height : GAME_DEFAULTS.height);
  json_write_bool_pair(out, "read_only", cockpit_is_read_only(cockpit));
}

static void write_ids(json_writer_t *out, const char *key, const shoal_entity *ids, uint32_t count) {
  json_write_key(out, key);
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < count; ++i)
    json_write_integer(out, ids[i]);
  json_write_end(out, ']');
}

void describe_state(cockpit_o *cockpit, json_writer_t *out) {
  game_o *game = host_game(cockpit->host);
  host_state_t host_state;
  host_get_state(cockpit->host, &host_state);
  json_write_integer_pair(out, "tick", (long long)host_state.tick);
  json_write_integer_pair(out, "first", (long long)host_state.first_tick);
  json_write_integer_pair(out, "last", (long long)host_state.last_tick);
  json_write_bool_pair(out, "has_past", host_state.has_history);
  json_write_bool_pair(out, "held", host_state.session_paused);
  json_write_bool_pair(out, "paused", host_state.game_paused);
  json_write_bool_pair(out, "replay", host_state.replaying);
  json_write_bool_pair(out, "again", host_state.replaying_input);
  json_write_key(out, "speed");
  json_write_number(out, host_state.speed);
  json_write_integer_pair(out, "entities", game ? world_entities(game->world)->alive_count : 0);
  json_write_bool_pair(out, "runs", game != NULL);
  write_ids(out, "picked", cockpit->selected, cockpit->selected_count);
  write_ids(out, "ghosts", cockpit->ghosts, cockpit->ghost_count);
}

// Adds the fields of the error card that the host displays to the open object. If no card is displayed, `kind` is ""
// and the other fields are omitted.
void describe_errors(cockpit_o *cockpit, json_writer_t *out) {
  static const char *const kinds[] = {"", "start", "reload", "restart", "run", "crash"};
  host_state_t host_state;
  host_get_state(cockpit->host, &host_state);
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
