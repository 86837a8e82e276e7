// Translates edits made in the page or the overlay into Lua that a user could type in the console, so that all external
// changes to the world are recorded in the same way. Invalid requests fail here, with an error that suggests valid
// names.
#include "cockpit/edit.h"

#include "base/assert.h"
#include "base/json_value.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/request.h"
#include "cockpit/statement.h"
#include "cockpit/edit_undo.h"
#include "cockpit/edit_target.h"
#include "cockpit/edit_text.h"
#include "cockpit/game_files.h"
#include "cockpit/sql_query.h"
#include "cockpit/template.h"
#include "host/console.h"
#include "ecs/name_hint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Lua that returns the id of the entity `made` as a number.
#define RETURN_SPAWNED_ID "return world.sql('SELECT entity + 0 AS id FROM entities WHERE entity = ?', made)[1].id\n"

#define MAX_MOVED_ENTITIES 512u // maximum number of entities per move request

static void write_where_clause(const target_t *target, json_writer_t *t) {
  if (target->manager->schema.kind == SCHEMA_SINGLE)
    return;
  json_write_text(t, " WHERE entity = ");
  edit_write_id(t, target->entity);
  if (target->manager->schema.kind != SCHEMA_MANY)
    return;
  json_write_text(t, target->instance_name[0] ? " AND instance = ?" : " AND instance IS NULL");
}

// --- edits

// Writes world.sql("UPDATE health SET hp = ? WHERE entity = 7", VALUE) up to the value.
static void begin_update(cockpit_o *cockpit, const target_t *target, json_writer_t *t) {
  json_write_text(t, "world.sql('UPDATE \"");
  edit_write_table(cockpit, target, t);
  json_write_text(t, "\" SET \"");
  edit_write_column(cockpit, target, (uint32_t)target->field, t);
  json_write_text(t, "\" = ?");
  write_where_clause(target, t);
  json_write_text(t, "', ");
}

static void end_update(const target_t *target, json_writer_t *t) {
  if (target->instance_name[0]) {
    json_write_text(t, ", ");
    edit_write_text(t, target->instance_name);
  }
  json_write_text(t, ")\n");
}

// Writes an update with the requested value, or with the current value if `value` is NULL.
static bool write_update(cockpit_o *cockpit, const target_t *target, const json_t *value, json_writer_t *t,
                         error_info_t *error) {
  begin_update(cockpit, target, t);
  if (!value)
    edit_write_current_value(target, (uint32_t)target->field, t);
  else if (!edit_write_value(target, value, t, error))
    return false;
  end_update(target, t);
  return true;
}

static void write_component_statement(cockpit_o *cockpit, const target_t *target, bool inserts, json_writer_t *t) {
  json_write_text(t, inserts ? "world.sql('INSERT INTO entity_components(entity, component, instance) VALUES ("
                             : "world.sql('DELETE FROM entity_components WHERE entity = ");
  edit_write_id(t, target->entity);
  json_write_text(t, inserts ? ", ?, ?)', " : " AND component = ? AND instance IS ?', ");
  edit_write_component(cockpit, target, t);
  json_write_text(t, ", ");
  if (target->instance_name[0])
    edit_write_text(t, target->instance_name);
  else
    json_write_text(t, "nil");
  json_write_text(t, ")\n");
}

// Writes updates that set all writable fields to their current values, to restore the row later.
static void write_row_updates(cockpit_o *cockpit, target_t target, json_writer_t *t) {
  for (uint32_t i = 0; i < target.manager->schema.field_count; ++i) {
    const field_t *field = &target.manager->schema.fields[i];
    target.field = (int32_t)i;
    if (edit_can_set_column(field))
      write_update(cockpit, &target, NULL, t, NULL);
  }
}

static bool edit_set(cockpit_o *cockpit, const json_t *request, edit_t *out, error_info_t *error) {
  target_t target = {0};
  const json_t *value = json_object_get(request, "value");
  if (!edit_resolve_field(cockpit, request, &target, error))
    return false;
  if (!value)
    return error_set(error, "“value” is missing: send the new value");
  return write_update(cockpit, &target, value, &out->chunk, error) &&
         write_update(cockpit, &target, NULL, &out->undo, error);
}

static bool edit_add(cockpit_o *cockpit, const json_t *request, edit_t *out, error_info_t *error) {
  target_t target = {0};
  if (!edit_resolve_target(cockpit, request, &target, error))
    return false;
  if (target.manager->schema.kind == SCHEMA_SINGLE)
    return error_set(error, "cannot add %s: a singleton always exists: set its fields instead",
                     target.manager->schema.name);
  if (target.row != ROW_NONE)
    return error_set(error, "entity %u already has %s: set its fields instead", target.entity,
                     target.manager->schema.name);
  write_component_statement(cockpit, &target, true, &out->chunk);
  write_component_statement(cockpit, &target, false, &out->undo);
  return true;
}

static bool edit_remove(cockpit_o *cockpit, const json_t *request, edit_t *out, error_info_t *error) {
  target_t target = {0};
  if (!edit_resolve_target(cockpit, request, &target, error))
    return false;
  if (target.manager->schema.kind == SCHEMA_SINGLE)
    return error_set(error, "cannot remove %s: a singleton always exists", target.manager->schema.name);
  if (!edit_require_row(&target, error))
    return false;
  write_component_statement(cockpit, &target, false, &out->chunk);
  write_component_statement(cockpit, &target, true, &out->undo);
  write_row_updates(cockpit, target, &out->undo);
  return true;
}

// --- edits to several entities

// Reads the entities that the request names in "entity" or "entities". Returns true on success, or false with an error.
static bool collect_entities(cockpit_o *cockpit, const json_t *request, id_list_t *out, error_info_t *error) {
  const json_t *list = json_object_get(request, "entities");
  game_o *game = host_game(cockpit->host);
  target_t target = {0};
  if (!list && edit_resolve_entity(cockpit, request, &target, error)) {
    array_push(&cockpit->memory, out, target.entity);
    return true;
  }
  if (!list || !game)
    return game ? false : error_set(error, COCKPIT_NO_GAME);
  if (json_array_size(list) == 0 || json_array_size(list) > MAX_ROWS)
    return request_reject_member(request, "entities", error, "a list of 1 to %u entity ids", MAX_ROWS);
  for (size_t i = 0; i < json_array_size(list); ++i) {
    long long id = json_integer_value(json_array_get(list, i));
    if (id <= 0 || id > UINT32_MAX || !world_is_alive(game->world, (shoal_entity)id))
      return error_set(error, "entity %lld is not alive", id);
    array_push(&cockpit->memory, out, (shoal_entity)id);
  }
  return true;
}

static int compare_indices(const void *a, const void *b) {
  uint32_t x = shoal_entity_index(*(const shoal_entity *)a), y = shoal_entity_index(*(const shoal_entity *)b);
  return (x > y) - (x < y);
}

static bool edit_destroy(cockpit_o *cockpit, const json_t *request, edit_t *out, error_info_t *error) {
  id_list_t list = {0};
  bool ok = collect_entities(cockpit, request, &list, error);
  if (ok) {
    qsort(list.items, list.count, sizeof *list.items, compare_indices);
    json_write_text(&out->chunk, "world.sql('DELETE FROM entities WHERE entity IN (");
    for (uint32_t i = 0; i < list.count; ++i) {
      json_write_text(&out->chunk, i > 0 ? ", " : "");
      edit_write_id(&out->chunk, list.items[i]);
    }
    json_write_text(&out->chunk, ")')\n");
    edit_write_restore_chunk(cockpit, host_game(cockpit->host)->world, &list, &out->undo);
  }
  array_free(&cockpit->memory, &list);
  return ok;
}

static bool write_move(cockpit_o *cockpit, const target_t *transform, const json_t *position, edit_t *out,
                       error_info_t *error) {
  target_t target = *transform;
  long long id = json_integer_value(json_array_get(position, 0));
  target.entity = id > 0 && id <= UINT32_MAX ? (shoal_entity)id : 0;
  if (!world_is_alive(target.world, target.entity))
    return error_set(error, "entity %lld is not alive", id);
  target.row = manager_row(target.manager, target.entity);
  if (!edit_require_row(&target, error))
    return false;
  static const char *const fields[] = {"", "x", "y", "angle"};
  for (size_t k = 1; k < json_array_size(position); ++k) {
    target.field = schema_find_field(&target.manager->schema, fields[k]);
    if (!write_update(cockpit, &target, json_array_get(position, k), &out->chunk, error) ||
        !write_update(cockpit, &target, NULL, &out->undo, error))
      return false;
  }
  return true;
}

static bool is_position(const json_t *position) {
  size_t count = json_array_size(position);
  bool is_valid = count == 3 || count == 4;
  for (size_t i = 1; i < count; ++i)
    is_valid = is_valid && json_is_number(json_array_get(position, i));
  return is_valid;
}

// Moves entities: "places" is [[entity, x, y, optional angle], …], in the coordinates of `transform`.
static bool edit_move(cockpit_o *cockpit, const json_t *request, edit_t *out, error_info_t *error) {
  const json_t *positions = json_object_get(request, "places");
  game_o *game = host_game(cockpit->host);
  target_t target = {.world = game ? game->world : NULL, .instance_name = ""};
  target.manager = game ? world_find_manager(game->world, "transform") : NULL;
  if (!target.manager)
    return error_set(error, COCKPIT_NO_GAME);
  if (json_array_size(positions) == 0 || json_array_size(positions) > MAX_MOVED_ENTITIES)
    return request_reject_member(request, "places", error,
                                 "a list of 1 to %u elements, [entity, x, y] or [entity, x, y, angle]",
                                 MAX_MOVED_ENTITIES);
  char description[JSON_VALUE_BYTES];
  for (size_t i = 0; i < json_array_size(positions); ++i) {
    const json_t *position = json_array_get(positions, i);
    if (!is_position(position))
      return error_set(error, "each element of “places” must be [entity, x, y] or [entity, x, y, angle], got %s",
                       json_value_describe(position, description));
    if (!write_move(cockpit, &target, position, out, error))
      return false;
  }
  return true;
}

// --- resetting to the assemblage's values

// Returns true if the field, or each value of the list, equals the assemblage's value.
static bool matches_assemblage_value(const target_t *target, uint32_t field, const double *values) {
  bool matches = true;
  for (uint32_t i = field; i <= field + schema_list_capacity(&target->manager->schema, field); ++i)
    matches &= columns_get(&target->manager->columns, target->row, i) == values[i];
  return matches;
}

// Resets a field, or the whole component if the request names no field, to the assemblage's values.
static bool edit_revert(cockpit_o *cockpit, const json_t *request, edit_t *out, error_info_t *error) {
  target_t target = {0};
  bool has_field = json_object_get(request, "field") != NULL;
  if (!edit_resolve_entity(cockpit, request, &target, error) || !edit_resolve_manager(request, &target, error) ||
      !edit_require_row(&target, error) || (has_field && !edit_resolve_settable_field(request, &target, error)))
    return false;
  const double *assemblage_values = template_find_values(target.world, target.entity, target.manager, target.instance);
  if (!assemblage_values)
    return error_set(error, "cannot reset %s of entity %u: its assemblage does not contain the component",
                     target.manager->schema.name, target.entity);
  for (uint32_t i = has_field ? (uint32_t)target.field : 0;
       i < (has_field ? (uint32_t)target.field + 1 : target.manager->schema.field_count); ++i) {
    const field_t *field = &target.manager->schema.fields[i];
    target.field = (int32_t)i;
    if (!edit_can_set_column(field) || matches_assemblage_value(&target, i, assemblage_values))
      continue;
    write_update(cockpit, &target, NULL, &out->undo, NULL);
    begin_update(cockpit, &target, &out->chunk);
    edit_write_stored_value(&target, i, assemblage_values, &out->chunk);
    end_update(&target, &out->chunk);
  }
  return true;
}

static bool edit_spawn(cockpit_o *cockpit, const json_t *request, edit_t *out, error_info_t *error) {
  char hint[HINT_BYTES];
  game_o *game = host_game(cockpit->host);
  const char *name = json_string_value(json_object_get(request, "assemblage"));
  const char *scene = json_string_value(json_object_get(request, "scene"));
  if (!game || !name)
    return game ? request_reject_member(request, "assemblage", error, "an assemblage name")
                : error_set(error, COCKPIT_NO_GAME);
  if (!world_find_assemblage(game->world, strings_find(world_strings(game->world), name)))
    return error_set(error, "unknown assemblage %.64s%s", name, hint_assemblage(game->world, name, hint));
  if (scene && !game_files_is_scene_name(scene))
    return request_reject_member(request, "scene", error, "a scene name (letters, digits, _ and -)");
  json_write_text(&out->chunk, "local made = world.spawn(");
  edit_write_text(&out->chunk, name);
  json_write_text(&out->chunk, ")\n");
  const json_t *x = json_object_get(request, "x"), *y = json_object_get(request, "y");
  if (json_is_number(x) && json_is_number(y)) {
    json_write_text(&out->chunk, "if made:has('transform') then made.transform.x, made.transform.y = ");
    edit_write_number(&out->chunk, json_number_value(x));
    json_write_text(&out->chunk, ", ");
    edit_write_number(&out->chunk, json_number_value(y));
    json_write_text(&out->chunk, " end\n");
  }
  if (scene) {
    json_write_text(&out->chunk, "made:add('in_scene', { name = ");
    edit_write_text(&out->chunk, scene);
    json_write_text(&out->chunk, " })\n");
  }
  json_write_text(&out->chunk, RETURN_SPAWNED_ID);
  return true;
}

static void write_copied_row(cockpit_o *cockpit, target_t target, json_writer_t *t) {
  json_write_text(t, "world.sql('INSERT OR IGNORE INTO entity_components(entity, component) VALUES (?, ?)', made, ");
  edit_write_component(cockpit, &target, t);
  json_write_text(t, ")\n");
  for (uint32_t i = 0; i < target.manager->schema.field_count; ++i) {
    const field_t *field = &target.manager->schema.fields[i];
    if (!edit_can_set_column(field))
      continue;
    json_write_text(t, "world.sql('UPDATE \"");
    edit_write_table(cockpit, &target, t);
    json_write_text(t, "\" SET \"");
    edit_write_column(cockpit, &target, i, t);
    json_write_text(t, "\" = ? WHERE entity = ?', ");
    edit_write_current_value(&target, i, t);
    json_write_text(t, ", made)\n");
  }
}

// Spawns an entity of the same assemblage with the current values of the original, except its name and the values of
// `many` components.
static bool edit_duplicate(cockpit_o *cockpit, const json_t *request, edit_t *out, error_info_t *error) {
  target_t target = {0};
  json_writer_t *t = &out->chunk;
  shoal_assert(t->text.count == 0, "the edit's chunk is not empty");
  if (!edit_resolve_entity(cockpit, request, &target, error))
    return false;
  const entities_t *entities = world_entities(target.world);
  uint32_t name = entities->assemblage[shoal_entity_index(target.entity)];
  bool is_declared = name && world_find_assemblage(target.world, name);
  json_write_text(t, "local made = world.spawn(");
  if (is_declared)
    edit_write_text(t, strings_text(world_strings(target.world), name));
  json_write_text(t, ")\n");
  for (uint32_t id = 1; id <= world_manager_count(target.world); ++id) {
    target.manager = world_manager(target.world, id);
    target.row =
        target.manager->schema.kind == SCHEMA_COMPONENT ? manager_row(target.manager, target.entity) : ROW_NONE;
    target.instance_name = "";
    if (target.row != ROW_NONE && strcmp(target.manager->schema.name, "name") != 0)
      write_copied_row(cockpit, target, t);
  }
  json_write_text(t, RETURN_SPAWNED_ID);
  return true;
}

static bool edit_switch_system(cockpit_o *cockpit, const json_t *request, edit_t *out, error_info_t *error) {
  const char *name = json_string_value(json_object_get(request, "system"));
  bool on = json_is_true(json_object_get(request, "on"));
  (void)cockpit;
  if (!name)
    return request_reject_member(request, "system", error, "a system name");
  for (int i = 0; i < 2; ++i) {
    json_writer_t *t = i == 0 ? &out->chunk : &out->undo;
    json_write_text(t, "world.system(");
    edit_write_text(t, name);
    json_write_text(t, (i == 0) == on ? ", true)\n" : ", false)\n");
  }
  return true;
}

// Sets a data breakpoint: the game pauses as soon as the query returns a row. With "on": false, removes the breakpoint.
static bool edit_watch(cockpit_o *cockpit, const json_t *request, edit_t *out, error_info_t *error) {
  const char *text = json_string_value(json_object_get(request, "text"));
  bool removes = json_is_false(json_object_get(request, "on"));
  (void)cockpit;
  if (!text || statement_is_write(text))
    return request_reject_member(request, "text", error,
                                 "a SELECT statement that returns a row when the game should pause");
  json_write_text(&out->chunk, "world.watch(");
  edit_write_text(&out->chunk, text);
  json_write_text(&out->chunk, removes ? ", false)\n" : ")\n");
  return true;
}

bool edit_translate(cockpit_o *cockpit, const char *name, const json_t *request, edit_t *out, error_info_t *error) {
  static const struct {
    const char *name;
    bool (*translate)(cockpit_o *cockpit, const json_t *request, edit_t *out, error_info_t *error);
  } edits[] = {{"set", edit_set},
               {"add", edit_add},
               {"remove", edit_remove},
               {"destroy", edit_destroy},
               {"spawn", edit_spawn},
               {"switch", edit_switch_system},
               {"duplicate", edit_duplicate},
               {"move", edit_move},
               {"revert", edit_revert},
               {"watch", edit_watch}};
  for (size_t i = 0; i < sizeof edits / sizeof *edits; ++i)
    if (strcmp(edits[i].name, name) == 0)
      return edits[i].translate(cockpit, request, out, error);
  return error_set(error, "unknown edit %.32s", name);
}

// Runs a chunk. Returns its result in a buffer of `bytes` bytes, allocated from the cockpit's memory. Returns NULL with
// an error if the chunk fails. Chunks that re-create many entities need a buffer larger than CONSOLE_BYTES.
static char *run_chunk(cockpit_o *cockpit, const char *chunk, size_t bytes, error_info_t *error) {
  script_report_t report;
  char *result = alloc_resize(&cockpit->memory, NULL, 0, bytes);
  shoal_assert(!cockpit_is_read_only(cockpit), "a read-only cockpit cannot run edits");
  if (console_run(cockpit->host, chunk, result, bytes, &report))
    return result;
  error_set(error, "%s", report.message);
  alloc_resize(&cockpit->memory, result, bytes, 0);
  return NULL;
}

// Runs the chunk unchanged and writes its result to `out` as "result".
bool edit_run(cockpit_o *cockpit, const char *chunk, json_writer_t *out, error_info_t *error) {
  char *result = run_chunk(cockpit, chunk, CONSOLE_BYTES, error);
  if (!result)
    return false;
  json_write_pair(out, "result", result);
  alloc_resize(&cockpit->memory, result, CONSOLE_BYTES, 0);
  return true;
}

bool edit_run_with_current_ids(cockpit_o *cockpit, const char *text, json_writer_t *out, error_info_t *error) {
  json_writer_t chunk;
  json_writer_init(&chunk, &cockpit->memory);
  bool ok = edit_replace_marks(cockpit, text, &chunk, error) && edit_run(cockpit, json_writer_text(&chunk), out, error);
  json_writer_fini(&chunk);
  return ok;
}

// Runs an undo step. If the step re-creates entities, the result is the new id of the destroyed entity or, if the
// request named several entities, of the entity with the highest index.
bool edit_undo(cockpit_o *cockpit, const char *text, json_writer_t *out, error_info_t *error) {
  json_writer_t chunk;
  char id[16] = "";
  json_writer_init(&chunk, &cockpit->memory);
  error_info_t reason;
  bool has_names = edit_replace_marks(cockpit, text, &chunk, &reason);
  size_t bytes = CONSOLE_BYTES + strlen(text); // a pair of ids is shorter than the statement that returns it
  char *result = has_names ? run_chunk(cockpit, json_writer_text(&chunk), bytes, error) : NULL;
  if (!has_names)
    error_set(error, "cannot undo: %s", reason.text);
  if (result && edit_record_id_changes(cockpit, result))
    snprintf(id, sizeof id, "%u", cockpit->id_changes.items[cockpit->id_changes.count - 1].new_id);
  if (result)
    json_write_pair(out, "result", id[0] ? id : result);
  alloc_resize(&cockpit->memory, result, result ? bytes : 0, 0);
  json_writer_fini(&chunk);
  return result != NULL;
}
