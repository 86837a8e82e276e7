// Undo of destroyed entities, which are exported as scene text. References to and from other entities, and the scene
// that the entities belong to, are not part of this text and are restored separately. Re-created entities get new ids.
// Because older undo steps may still contain the former ids, ids in the Lua text of edits are marked, and are replaced
// by the current ids when an edit runs.
#include "cockpit/edit_undo.h"

#include "base/assert.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/edit_target.h"
#include "cockpit/edit_text.h"
#include "store/scene.h"
#include "transform/transform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Maximum number of statements per function, to stay below LuaJIT's limit of 65,536 constants per function.
#define MAX_FUNCTION_STATEMENTS 200u

// --- collecting entities

typedef struct removal_t {
  cockpit_o *cockpit;
  world_o *world;
  id_list_t *list;
  scene_ids_t ids;
  uint32_t *list_index; // positions in `list`, starting at 1, indexed by entity index; 0 if not in the list
  uint32_t *id_index;   // positions in `ids`, starting at 1, indexed by entity index; 0 if not in `ids`
  json_writer_t *out;
  uint32_t statement_count; // number of statements in the current function
} removal_t;

static bool is_removed(const removal_t *removal, shoal_entity entity) {
  return world_is_alive(removal->world, entity) && removal->list_index[shoal_entity_index(entity)] != 0;
}

static void add_removed(removal_t *removal, shoal_entity entity) {
  if (is_removed(removal, entity))
    return;
  array_push(&removal->cockpit->memory, removal->list, entity);
  removal->list_index[shoal_entity_index(entity)] = removal->list->count;
}

// Returns true if the row's entity is destroyed together with the entity that the field refers to.
static bool is_destroyed_with(const removal_t *removal, const manager_o *manager, uint32_t row, uint32_t column) {
  const field_t *field = &manager->schema.fields[column];
  if (field->type != FIELD_ENTITY || manager->schema.kind == SCHEMA_SINGLE || manager->schema.kind == SCHEMA_EVENT)
    return false;
  shoal_entity referent = (shoal_entity)columns_get(&manager->columns, row, column);
  if (!is_removed(removal, referent))
    return false;
  bool is_child = strcmp(manager->schema.name, "transform") == 0 && column == SHOAL_COLUMN_INDEX(transform, parent);
  uint32_t parent_row = is_child ? manager_row(manager, referent) : ROW_NONE;
  bool is_owned_child =
      parent_row != ROW_NONE && columns_get(&manager->columns, parent_row, SHOAL_COLUMN_INDEX(transform, orphan)) == 0;
  return is_owned_child || (field->flags & FIELD_CASCADE_DESTROY);
}

static void add_cascaded_owners(removal_t *removal, const manager_o *manager) {
  for (uint32_t column = 0; column < manager->schema.field_count; ++column)
    for (uint32_t row = 0; manager->schema.fields[column].type == FIELD_ENTITY && row < manager->count; ++row)
      if (is_destroyed_with(removal, manager, row, column))
        add_removed(removal, manager->owner[row]);
}

// Adds all entities, at any depth, that are destroyed along with the entities in the list: children, and entities that
// refer to them in a cascading relation.
static void add_cascaded(removal_t *removal) {
  shoal_assert(removal->list->count > 0, "the list of removed entities is empty");
  for (uint32_t old_count = 0; old_count < removal->list->count;) {
    old_count = removal->list->count;
    for (uint32_t id = 1; id <= world_manager_count(removal->world); ++id)
      add_cascaded_owners(removal, world_manager(removal->world, id));
  }
}

// --- statements

static void write_entity(removal_t *removal, shoal_entity entity) {
  if (!is_removed(removal, entity)) {
    edit_write_id(removal->out, entity);
    return;
  }
  const char *id =
      removal->ids.text.items + removal->ids.list.items[removal->id_index[shoal_entity_index(entity)] - 1].text_offset;
  json_write_text(removal->out, "at[");
  edit_write_text(removal->out, id);
  json_write_text(removal->out, "]");
}

static void begin_statement(removal_t *removal) {
  if (removal->statement_count++ >= MAX_FUNCTION_STATEMENTS) {
    json_write_text(removal->out, "end put() end\ndo local function put()\n");
    removal->statement_count = 1;
  }
}

// Returns the number of entities that the field stores: 1 for an entity, the length of a list of entities, or 0 for
// other types.
static uint32_t count_entities(const target_t *target, uint32_t field) {
  const field_t *f = &target->manager->schema.fields[field];
  if (f->flags & FIELD_IS_COUNT)
    return f[1].type == FIELD_ENTITY ? (uint32_t)columns_get(&target->manager->columns, target->row, field) : 0;
  return f->type == FIELD_ENTITY;
}

// Writes the SQL expression for the field's value: "?", or "json_array(?, ?)" for a list of entities.
static void write_placeholders(removal_t *removal, const target_t *target, uint32_t field, uint32_t entity_count) {
  bool is_list = target->manager->schema.fields[field].flags & FIELD_IS_COUNT && entity_count > 0;
  json_write_text(removal->out, is_list ? "json_array(?" : "?");
  for (uint32_t i = 1; i < entity_count; ++i)
    json_write_text(removal->out, ", ?");
  json_write_text(removal->out, is_list ? ")" : "");
}

// Writes the parameters for write_placeholders.
static void write_values(removal_t *removal, const target_t *target, uint32_t field, uint32_t entity_count) {
  const columns_t *columns = &target->manager->columns;
  uint32_t first_column = field + (target->manager->schema.fields[field].flags & FIELD_IS_COUNT ? 1 : 0);
  for (uint32_t i = 0; i < entity_count; ++i) {
    json_write_text(removal->out, i ? ", " : "");
    write_entity(removal, (shoal_entity)columns_get(columns, target->row, first_column + i));
  }
  if (entity_count == 0)
    edit_write_current_value(target, field, removal->out);
}

// Appends a statement that restores one field: world.sql('UPDATE "TABLE" SET "FIELD" = ? WHERE entity = ?', VALUE,
// ENTITY). For a `many` component, the condition also names the instance. A statement for a singleton has no WHERE.
static void write_field_statement(removal_t *removal, target_t target, uint32_t field) {
  schema_list_columns(&target.manager->schema, field, &field); // the columns of a list are restored together
  uint32_t entity_count = count_entities(&target, field);
  bool is_many = target.manager->schema.kind == SCHEMA_MANY, is_single = target.manager->schema.kind == SCHEMA_SINGLE;
  json_write_text(removal->out, "world.sql('UPDATE \"");
  edit_write_table(removal->cockpit, &target, removal->out);
  json_write_text(removal->out, "\" SET \"");
  edit_write_column(removal->cockpit, &target, field, removal->out);
  json_write_text(removal->out, "\" = ");
  write_placeholders(removal, &target, field, entity_count);
  json_write_text(removal->out, is_single ? "', " : " WHERE entity = ?");
  if (!is_single)
    json_write_text(removal->out, !is_many                  ? "', "
                                  : target.instance_name[0] ? " AND instance = ?', "
                                                            : " AND instance IS NULL', ");
  write_values(removal, &target, field, entity_count);
  if (!is_single) {
    json_write_text(removal->out, ", ");
    write_entity(removal, target.entity);
  }
  if (target.instance_name[0]) {
    json_write_text(removal->out, ", ");
    edit_write_text(removal->out, target.instance_name);
  }
  json_write_text(removal->out, ")\n");
}

// Re-creates a row that is removed together with the entity it refers to, if the row's own entity is still alive.
static void write_restored_row(removal_t *removal, target_t target) {
  json_write_text(removal->out, "if #world.sql('SELECT entity FROM entities WHERE entity = ?', ");
  write_entity(removal, target.entity);
  json_write_text(removal->out,
                  ") > 0 then\nworld.sql('INSERT OR IGNORE INTO entity_components(entity, component, instance) "
                  "VALUES (?, ?, ?)', ");
  write_entity(removal, target.entity);
  json_write_text(removal->out, ", ");
  edit_write_component(removal->cockpit, &target, removal->out);
  json_write_text(removal->out, ", ");
  if (target.instance_name[0])
    edit_write_text(removal->out, target.instance_name);
  else
    json_write_text(removal->out, "nil");
  json_write_text(removal->out, ")\n");
  for (uint32_t i = 0; i < target.manager->schema.field_count; ++i)
    if (edit_can_set_column(&target.manager->schema.fields[i]))
      write_field_statement(removal, target, i);
  json_write_text(removal->out, "end\n");
}

// Restores a child that survived: destroying the parent cleared the child's `parent` and made its transform absolute.
static void write_surviving_child(removal_t *removal, target_t target) {
  for (uint32_t i = SHOAL_COLUMN_INDEX(transform, x); i <= SHOAL_COLUMN_INDEX(transform, parent); ++i)
    write_field_statement(removal, target, i);
}

static void write_field(removal_t *removal, const target_t *target, uint32_t field) {
  const field_t *f = &target->manager->schema.fields[field];
  shoal_entity referent =
      f->type == FIELD_ENTITY ? (shoal_entity)columns_get(&target->manager->columns, target->row, field) : 0;
  bool is_owner_removed = target->entity && is_removed(removal, target->entity),
       is_referent_removed = is_removed(removal, referent);
  if (!field_is_settable(f) || !world_is_alive(removal->world, referent) || is_owner_removed == is_referent_removed)
    return;
  begin_statement(removal);
  if (is_referent_removed && f->flags & FIELD_CASCADE_REMOVE)
    write_restored_row(removal, *target);
  else if (is_referent_removed && strcmp(target->manager->schema.name, "transform") == 0 &&
           field == SHOAL_COLUMN_INDEX(transform, parent))
    write_surviving_child(removal, *target);
  else
    write_field_statement(removal, *target, field);
}

// Restores references between destroyed and surviving entities.
static void write_references(removal_t *removal) {
  target_t target = {.world = removal->world};
  for (uint32_t id = 1; id <= world_manager_count(removal->world); ++id) {
    const manager_o *manager = target.manager = world_manager(removal->world, id);
    for (uint32_t i = 0; manager->schema.kind != SCHEMA_EVENT && i < manager->schema.field_count; ++i)
      for (uint32_t row = 0; manager->schema.fields[i].type == FIELD_ENTITY && row < manager->count; ++row) {
        bool is_many = manager->schema.kind == SCHEMA_MANY;
        target.row = row;
        target.entity = manager->schema.kind == SCHEMA_SINGLE ? 0 : manager->owner[row];
        target.instance_name = is_many && manager->instance[row]
                                   ? strings_text(world_strings(removal->world), manager->instance[row])
                                   : "";
        write_field(removal, &target, i);
      }
  }
}

static void write_scenes(removal_t *removal) {
  const manager_o *manager = world_find_manager(removal->world, "in_scene");
  int32_t column = manager ? schema_find_field(&manager->schema, "name") : -1;
  for (uint32_t i = 0; column >= 0 && i < removal->list->count; ++i) {
    uint32_t row = manager_row(manager, removal->list->items[i]);
    if (row == ROW_NONE)
      continue;
    const char *scene =
        strings_text(world_strings(removal->world), (uint32_t)columns_get(&manager->columns, row, (uint32_t)column));
    begin_statement(removal);
    write_entity(removal, removal->list->items[i]);
    json_write_text(removal->out, ":add('in_scene', { name = ");
    edit_write_text(removal->out, scene);
    json_write_text(removal->out, " })\n");
  }
}

// Makes the chunk return pairs of former and current ids: "17=203 18=204".
static void write_return_statement(removal_t *removal, shoal_entity selected) {
  json_write_text(removal->out,
                  "end put() end\nlocal is = {}\nlocal function add(was, e)\n"
                  "  local id = world.sql('SELECT entity + 0 AS id FROM entities WHERE entity = ?', e)[1].id\n"
                  "  is[#is + 1] = was .. '=' .. id\n  return id\nend\ndo local function put()\n");
  removal->statement_count = 0;
  for (uint32_t i = 0; i <= removal->list->count; ++i) { // the last pair belongs to `selected`
    shoal_entity entity = i < removal->list->count ? removal->list->items[i] : selected;
    char text[24];
    begin_statement(removal);
    snprintf(text, sizeof text, "add(%u, ", entity); // writes the former id without a mark
    json_write_text(removal->out, text);
    write_entity(removal, entity);
    json_write_text(removal->out, ")\n");
  }
  json_write_text(removal->out, "end put() end\nreturn table.concat(is, ' ')\n");
}

static void write_chunk(removal_t *removal, shoal_entity selected) {
  size_t bytes = 0;
  allocator_t *allocator = &removal->cockpit->memory;
  char *text = scene_write_named(removal->world, removal->list->items, removal->list->count, allocator, &removal->ids,
                                 &bytes, NULL);
  if (!text)
    return; // a string of these entities is not valid UTF-8
  for (uint32_t i = 0; i < removal->ids.list.count; ++i)
    removal->id_index[shoal_entity_index(removal->ids.list.items[i].entity)] = i + 1;
  json_write_text(removal->out, "local _, at = world.import(");
  edit_write_text_n(removal->out, text, bytes);
  json_write_text(removal->out, ")\ndo local function put()\n");
  write_references(removal);
  write_scenes(removal);
  write_return_statement(removal, selected);
  alloc_resize(allocator, text, bytes + 1, 0);
}

void edit_write_restore_chunk(cockpit_o *cockpit, world_o *w, id_list_t *list, json_writer_t *t) {
  shoal_assert(list->count > 0, "the list of restored entities is empty");
  shoal_entity selected = list->items[list->count - 1];
  uint32_t capacity = world_entities(w)->used;
  removal_t removal = {.cockpit = cockpit, .world = w, .list = list, .out = t};
  removal.list_index = alloc_resize(&cockpit->memory, NULL, 0, capacity * sizeof *removal.list_index);
  removal.id_index = alloc_resize(&cockpit->memory, NULL, 0, capacity * sizeof *removal.id_index);
  memset(removal.list_index, 0, capacity * sizeof *removal.list_index);
  memset(removal.id_index, 0, capacity * sizeof *removal.id_index);
  for (uint32_t i = 0; i < list->count; ++i)
    removal.list_index[shoal_entity_index(list->items[i])] = i + 1;
  add_cascaded(&removal);
  write_chunk(&removal, selected);
  scene_ids_fini(&removal.ids, &cockpit->memory);
  alloc_resize(&cockpit->memory, removal.list_index, capacity * sizeof *removal.list_index, 0);
  alloc_resize(&cockpit->memory, removal.id_index, capacity * sizeof *removal.id_index, 0);
}
