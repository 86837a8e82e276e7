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

// Maximum number of statements per function, to stay below the 65,536 constants that LuaJIT allows in one.
#define MAX_IN_FUNCTION 200u

// --- collecting entities

typedef struct removal_t {
  cockpit_o *c;
  world_o *w;
  id_list_t *list;
  scene_ids_t ids;
  uint32_t *list_index; // indexed by entity index: position in `list`, starting at 1; 0 if not in the list
  uint32_t *id_index;   // indexed by entity index: position in `ids`, starting at 1; 0 if not in `ids`
  json_writer_t *t;
  uint32_t in_function;
} removal_t;

static bool is_removed(const removal_t *x, shoal_entity e) {
  return world_is_alive(x->w, e) && x->list_index[shoal_entity_index(e)] != 0;
}

static void add_removed(removal_t *x, shoal_entity e) {
  if (is_removed(x, e))
    return;
  array_push(&x->c->memory, x->list, e);
  x->list_index[shoal_entity_index(e)] = x->list->count;
}

// Returns true if the row's entity is destroyed together with the entity that the field refers to.
static bool is_destroyed_with(const removal_t *x, const manager_o *m, uint32_t row, uint32_t column) {
  const field_t *f = &m->schema.fields[column];
  if (f->type != FIELD_ENTITY || m->schema.kind == SCHEMA_SINGLE || m->schema.kind == SCHEMA_EVENT)
    return false;
  shoal_entity other = (shoal_entity)columns_get(&m->columns, row, column);
  if (!is_removed(x, other))
    return false;
  bool is_child = strcmp(m->schema.name, "transform") == 0 && column == SHOAL_COLUMN_INDEX(transform, parent);
  uint32_t parent = is_child ? manager_row(m, other) : ROW_NONE;
  bool is_owned_child =
      parent != ROW_NONE && columns_get(&m->columns, parent, SHOAL_COLUMN_INDEX(transform, orphan)) == 0;
  return is_owned_child || (f->flags & FIELD_CASCADE_DESTROY);
}

static void add_cascaded_by(removal_t *x, const manager_o *m) {
  for (uint32_t column = 0; column < m->schema.field_count; ++column)
    for (uint32_t row = 0; m->schema.fields[column].type == FIELD_ENTITY && row < m->count; ++row)
      if (is_destroyed_with(x, m, row, column))
        add_removed(x, m->owner[row]);
}

// Adds all entities, at any depth, that are destroyed along with those in the list: children, and entities that refer
// to them in a cascading relation.
static void add_cascaded(removal_t *x) {
  shoal_assert(x->list->count > 0, "the list of removed entities is empty");
  for (uint32_t before = 0; before < x->list->count;) {
    before = x->list->count;
    for (uint32_t id = 1; id <= world_manager_count(x->w); ++id)
      add_cascaded_by(x, world_manager(x->w, id));
  }
}

// --- statements

static void write_entity(removal_t *x, shoal_entity e) {
  if (!is_removed(x, e)) {
    edit_write_id(x->t, e);
    return;
  }
  const char *id = x->ids.text.items + x->ids.list.items[x->id_index[shoal_entity_index(e)] - 1].text_offset;
  json_write_text(x->t, "at[");
  edit_write_text(x->t, id);
  json_write_text(x->t, "]");
}

static void begin_statement(removal_t *x) {
  if (x->in_function++ >= MAX_IN_FUNCTION) {
    json_write_text(x->t, "end put() end\ndo local function put()\n");
    x->in_function = 1;
  }
}

// Returns the number of entities that the field stores: 1, or the length of a list of entities; 0 for other types.
static uint32_t count_entities(const target_t *row, uint32_t field) {
  const field_t *f = &row->manager->schema.fields[field];
  if (f->flags & FIELD_IS_COUNT)
    return f[1].type == FIELD_ENTITY ? (uint32_t)columns_get(&row->manager->columns, row->row, field) : 0;
  return f->type == FIELD_ENTITY;
}

// Writes the SQL expression for the field's value: "?", or "json_array(?, ?)" for a list of entities.
static void write_placeholders(removal_t *x, const target_t *row, uint32_t field, uint32_t entities) {
  bool is_list = row->manager->schema.fields[field].flags & FIELD_IS_COUNT && entities > 0;
  json_write_text(x->t, is_list ? "json_array(?" : "?");
  for (uint32_t i = 1; i < entities; ++i)
    json_write_text(x->t, ", ?");
  json_write_text(x->t, is_list ? ")" : "");
}

// Writes the parameters for write_placeholders.
static void write_values(removal_t *x, const target_t *row, uint32_t field, uint32_t entities) {
  const columns_t *c = &row->manager->columns;
  uint32_t first = field + (row->manager->schema.fields[field].flags & FIELD_IS_COUNT ? 1 : 0);
  for (uint32_t i = 0; i < entities; ++i) {
    json_write_text(x->t, i ? ", " : "");
    write_entity(x, (shoal_entity)columns_get(c, row->row, first + i));
  }
  if (entities == 0)
    edit_write_current_value(row, field, x->t);
}

// Appends a statement that restores one field: world.sql('UPDATE "TABLE" SET "FIELD" = ? WHERE entity = ?', VALUE,
// ENTITY). For a `many` component, the condition also names the instance; for a singleton, there is no WHERE.
static void write_field_statement(removal_t *x, target_t row, uint32_t field) {
  table_name_t columns[TABLE_MAX_COLUMNS];
  schema_list_columns(&row.manager->schema, field, &field); // the columns of a list are restored together
  uint32_t entities = count_entities(&row, field);
  bool many = row.manager->schema.kind == SCHEMA_MANY, single = row.manager->schema.kind == SCHEMA_SINGLE;
  json_write_text(x->t, "world.sql('UPDATE \"");
  edit_write_table(x->c, &row, x->t);
  json_write_text(x->t, "\" SET \"");
  json_write_text(x->t, edit_column_name(&row, field, columns));
  json_write_text(x->t, "\" = ");
  write_placeholders(x, &row, field, entities);
  json_write_text(x->t, single ? "', " : " WHERE entity = ?");
  if (!single)
    json_write_text(x->t, !many ? "', " : row.instance_name[0] ? " AND instance = ?', " : " AND instance IS NULL', ");
  write_values(x, &row, field, entities);
  if (!single) {
    json_write_text(x->t, ", ");
    write_entity(x, row.entity);
  }
  if (row.instance_name[0]) {
    json_write_text(x->t, ", ");
    edit_write_text(x->t, row.instance_name);
  }
  json_write_text(x->t, ")\n");
}

// Re-creates a row that is removed together with the entity it refers to, if the row's own entity is still alive.
static void write_restored_row(removal_t *x, target_t row) {
  json_write_text(x->t, "if #world.sql('SELECT entity FROM entities WHERE entity = ?', ");
  write_entity(x, row.entity);
  json_write_text(x->t, ") > 0 then\nworld.sql('INSERT OR IGNORE INTO entity_components(entity, component, instance) "
                        "VALUES (?, ?, ?)', ");
  write_entity(x, row.entity);
  json_write_text(x->t, ", ");
  edit_write_text(x->t, row.manager->schema.name);
  json_write_text(x->t, ", ");
  if (row.instance_name[0])
    edit_write_text(x->t, row.instance_name);
  else
    json_write_text(x->t, "nil");
  json_write_text(x->t, ")\n");
  for (uint32_t i = 0; i < row.manager->schema.field_count; ++i)
    if (edit_can_set_column(&row.manager->schema.fields[i]))
      write_field_statement(x, row, i);
  json_write_text(x->t, "end\n");
}

// Restores a child that survived: destroying the parent cleared the child's `parent` and made its transform absolute.
static void write_surviving_child(removal_t *x, target_t row) {
  for (uint32_t i = SHOAL_COLUMN_INDEX(transform, x); i <= SHOAL_COLUMN_INDEX(transform, parent); ++i)
    write_field_statement(x, row, i);
}

static void write_field(removal_t *x, const target_t *row, uint32_t field) {
  const field_t *f = &row->manager->schema.fields[field];
  shoal_entity e = f->type == FIELD_ENTITY ? (shoal_entity)columns_get(&row->manager->columns, row->row, field) : 0;
  bool owner_removed = row->entity && is_removed(x, row->entity), other_removed = is_removed(x, e);
  if (!field_is_settable(f) || !world_is_alive(x->w, e) || owner_removed == other_removed)
    return;
  begin_statement(x);
  if (other_removed && f->flags & FIELD_CASCADE_REMOVE)
    write_restored_row(x, *row);
  else if (other_removed && strcmp(row->manager->schema.name, "transform") == 0 &&
           field == SHOAL_COLUMN_INDEX(transform, parent))
    write_surviving_child(x, *row);
  else
    write_field_statement(x, *row, field);
}

// Restores references between destroyed and surviving entities.
static void write_references(removal_t *x) {
  target_t row = {.w = x->w};
  for (uint32_t id = 1; id <= world_manager_count(x->w); ++id) {
    const manager_o *m = row.manager = world_manager(x->w, id);
    for (uint32_t i = 0; m->schema.kind != SCHEMA_EVENT && i < m->schema.field_count; ++i)
      for (uint32_t r = 0; m->schema.fields[i].type == FIELD_ENTITY && r < m->count; ++r) {
        bool many = m->schema.kind == SCHEMA_MANY;
        row.row = r;
        row.entity = m->schema.kind == SCHEMA_SINGLE ? 0 : m->owner[r];
        row.instance_name = many && m->instance[r] ? strings_text(world_strings(x->w), m->instance[r]) : "";
        write_field(x, &row, i);
      }
  }
}

static void write_scenes(removal_t *x) {
  const manager_o *m = world_find_manager(x->w, "in_scene");
  int32_t column = m ? schema_find_field(&m->schema, "name") : -1;
  for (uint32_t i = 0; column >= 0 && i < x->list->count; ++i) {
    uint32_t row = manager_row(m, x->list->items[i]);
    if (row == ROW_NONE)
      continue;
    const char *scene = strings_text(world_strings(x->w), (uint32_t)columns_get(&m->columns, row, (uint32_t)column));
    begin_statement(x);
    write_entity(x, x->list->items[i]);
    json_write_text(x->t, ":add('in_scene', { name = ");
    edit_write_text(x->t, scene);
    json_write_text(x->t, " })\n");
  }
}

// Makes the chunk return pairs of former and current ids: "17=203 18=204".
static void write_return_statement(removal_t *x, shoal_entity last) {
  json_write_text(x->t, "end put() end\nlocal is = {}\nlocal function add(was, e)\n"
                        "  local id = world.sql('SELECT entity + 0 AS id FROM entities WHERE entity = ?', e)[1].id\n"
                        "  is[#is + 1] = was .. '=' .. id\n  return id\nend\ndo local function put()\n");
  x->in_function = 0;
  for (uint32_t i = 0; i <= x->list->count; ++i) { // the last pair belongs to the selected entity
    shoal_entity e = i < x->list->count ? x->list->items[i] : last;
    char was[24];
    begin_statement(x);
    snprintf(was, sizeof was, "add(%u, ", e); // the former id, without a mark
    json_write_text(x->t, was);
    write_entity(x, e);
    json_write_text(x->t, ")\n");
  }
  json_write_text(x->t, "end put() end\nreturn table.concat(is, ' ')\n");
}

static void write_chunk(removal_t *x, shoal_entity last) {
  size_t bytes = 0;
  allocator_t *a = &x->c->memory;
  char *text = scene_write_named(x->w, x->list->items, x->list->count, a, &x->ids, &bytes, NULL);
  if (!text)
    return; // a string of these entities is not valid UTF-8
  for (uint32_t i = 0; i < x->ids.list.count; ++i)
    x->id_index[shoal_entity_index(x->ids.list.items[i].entity)] = i + 1;
  json_write_text(x->t, "local _, at = world.import(");
  edit_write_text_n(x->t, text, bytes);
  json_write_text(x->t, ")\ndo local function put()\n");
  write_references(x);
  write_scenes(x);
  write_return_statement(x, last);
  alloc_resize(a, text, bytes + 1, 0);
}

void edit_write_restore_chunk(cockpit_o *c, world_o *w, id_list_t *list, json_writer_t *t) {
  shoal_assert(list->count > 0, "the list of restored entities is empty");
  shoal_entity last = list->items[list->count - 1];
  uint32_t used = world_entities(w)->used;
  removal_t x = {.c = c, .w = w, .list = list, .t = t};
  x.list_index = alloc_resize(&c->memory, NULL, 0, used * sizeof *x.list_index);
  x.id_index = alloc_resize(&c->memory, NULL, 0, used * sizeof *x.id_index);
  memset(x.list_index, 0, used * sizeof *x.list_index);
  memset(x.id_index, 0, used * sizeof *x.id_index);
  for (uint32_t i = 0; i < list->count; ++i)
    x.list_index[shoal_entity_index(list->items[i])] = i + 1;
  add_cascaded(&x);
  write_chunk(&x, last);
  scene_ids_fini(&x.ids, &c->memory);
  alloc_resize(&c->memory, x.list_index, used * sizeof *x.list_index, 0);
  alloc_resize(&c->memory, x.id_index, used * sizeof *x.id_index, 0);
}
