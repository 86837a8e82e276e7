// The world as virtual tables. A cursor stores positions (row, index), never addresses, and lives for at most one
// statement. While the statement runs, no row moves, because writes are queued until it ends.
#include "base/assert.h"
#include "base/hash.h"
#include "ecs/assemblage_inspect.h"
#include "ecs/queued_entities.h"
#include "content/row_json.h"
#include "ecs/system_rows.h"
#include "sql/sql_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BY_ENTITY = 1, BY_COMPONENT = 2, BY_DATA = 4 };

typedef struct cursor_t {
  sqlite3_vtab_cursor base;
  table_t *table;
  bool at_end;
  bool is_entity_lookup;
  shoal_entity entity;  // entity to look up, if `is_entity_lookup` is true
  uint32_t field;       // index of the field within a part of an assemblage
  uint32_t outer_index; // index of the manager, assemblage, event or phase that is being read
  uint32_t last_outer_index;
  uint32_t row;         // position in the table or, if the table uses `outer_index`, within the object at that index
  bool starts_manager;  // TABLE_ENTITY_COMPONENTS: true if no row of this manager has been read yet
  sqlite3_int64 number; // TABLE_SYSTEMS: consecutive number, starting at 1
  sql_filter_t filter;  // conditions of a scan
} cursor_t;

#define SKIPPED_PER_STEP 32u // number of skipped rows charged as one step

static world_o *get_world(const cursor_t *cursor) {
  return cursor->table->sql->desc.world;
}

static schedule_o *get_schedule(const cursor_t *cursor) {
  return cursor->table->sql->desc.schedule ? *cursor->table->sql->desc.schedule : NULL;
}

// --- values

static void set_result_text(sqlite3_context *out, const world_o *w, uint32_t id) {
  const strings_o *s = world_strings((world_o *)w);
  sqlite3_result_text(out, strings_text(s, id), (int)strings_length(s, id), SQLITE_TRANSIENT);
}

static void set_result_text_or_null(sqlite3_context *out, const world_o *w, uint32_t id) {
  if (id == 0)
    sqlite3_result_null(out);
  else
    set_result_text(out, w, id);
}

static void set_result_entity(sqlite3_context *out, shoal_entity e) {
  sqlite3_result_int64(out, e);
}

static void set_result_field(sqlite3_context *out, sql_o *s, const columns_t *columns, uint32_t row, uint32_t column) {
  const field_t *field = &columns->schema->fields[column];
  world_o *w = s->desc.world;
  if (field->flags & FIELD_IS_COUNT) {
    sql_list_set_result(out, s, columns, row, column);
    return;
  }
  switch (field->type) {
  case FIELD_F32:
  case FIELD_F64: sqlite3_result_double(out, columns_get(columns, row, column)); break;
  case FIELD_STRING:
  case FIELD_ASSET: set_result_text(out, w, (uint32_t)columns_get(columns, row, column)); break;
  case FIELD_ENUM:
    sqlite3_result_text(out, field_choice(field, (uint32_t)columns_get(columns, row, column)), -1, SQLITE_TRANSIENT);
    break;
  case FIELD_MAT4:
    sqlite3_result_blob(out, (const char *)columns->data[column] + (size_t)row * 64, 64, SQLITE_TRANSIENT);
    break;
  default: sqlite3_result_int64(out, (sqlite3_int64)columns_get(columns, row, column)); break;
  }
}

double sql_value_to_entity(sqlite3_value *v) {
  int type = sqlite3_value_numeric_type(v);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
    return -1;
  double id = sqlite3_value_double(v);
  return id >= 0 && id < (double)(1u << 30) && id == floor(id) ? id : -1;
}

const field_t *sql_derived_field(const table_t *t, uint32_t number) {
  const schema_t *s = sql_table_schema(t);
  shoal_assert(number < s->derived_count, "derived field %u of %s is out of range (count %u)", number, s->name,
               s->derived_count);
  return &s->fields[s->field_count + number];
}

const schema_t *sql_table_schema(const table_t *t) {
  world_o *w = t->sql->desc.world;
  return t->kind == TABLE_EVENT ? &world_event(w, t->id)->schema : &world_manager(w, t->id)->schema;
}

// --- row ids

// A component_data_id combines the entity with the string id of the instance. Rows move when other rows are removed,
// but this pair stays the same for the row's lifetime, and is unique within a table.
#define ENTITY_BITS (SHOAL_ENTITY_INDEX_BITS + SHOAL_ENTITY_GENERATION_BITS)

sqlite3_int64 sql_data_id(const manager_o *m, uint32_t row) {
  shoal_assert(row < m->count, "row %u of %s is out of range (count %u; it moved while a statement ran?)", row,
               m->schema.name, m->count);
  sqlite3_int64 instance = m->schema.kind == SCHEMA_MANY ? m->instance[row] : 0;
  return instance << ENTITY_BITS | m->owner[row];
}

// Returns the entity of a component_data_id, or SHOAL_ENTITY_NONE if the value is not valid.
static shoal_entity parse_data_id(sqlite3_value *v) {
  int type = sqlite3_value_numeric_type(v);
  double number = sqlite3_value_double(v);
  bool is_whole =
      (type == SQLITE_INTEGER || type == SQLITE_FLOAT) && number >= 1 && number < 0x1p62 && number == floor(number);
  return is_whole ? (shoal_entity)(sqlite3_value_int64(v) & ((1u << ENTITY_BITS) - 1)) : SHOAL_ENTITY_NONE;
}

// Returns the index of the column component_data_id, or -1 if the table has no such column. In a component's table the
// column is hidden and follows the columns of `SELECT *`.
static int find_data_id_column(const table_t *t) {
  return t->kind == TABLE_COMPONENT           ? (int)(t->key_count + t->field_count)
         : t->kind == TABLE_ENTITY_COMPONENTS ? 3
                                              : -1;
}

// --- components, singletons and events

// Advances to the next row that passes the scan's conditions.
static void skip_filtered_rows(cursor_t *cursor, const columns_t *columns) {
  uint32_t first_row = cursor->row;
  while (cursor->filter.count > 0 && cursor->row < columns->count &&
         !sql_filter_accepts_row(&cursor->filter, columns, cursor->row))
    cursor->row++;
  bool has_next =
      cursor->row == first_row || sql_charge_steps(cursor->table->sql, (cursor->row - first_row) / SKIPPED_PER_STEP);
  // If no row passes, the row is the row count or, in a lookup, ROW_NONE, which is above every row count
  cursor->at_end = !has_next || cursor->row >= columns->count;
}

static void component_next(cursor_t *cursor) {
  const manager_o *m = world_manager(get_world(cursor), cursor->table->id);
  if (cursor->is_entity_lookup)
    cursor->row = m->schema.kind == SCHEMA_MANY ? m->next[cursor->row] : ROW_NONE;
  else
    cursor->row++;
  skip_filtered_rows(cursor, &m->columns);
}

static void component_start(cursor_t *cursor) {
  const manager_o *m = world_manager(get_world(cursor), cursor->table->id);
  cursor->row = cursor->is_entity_lookup ? manager_row(m, cursor->entity) : 0;
  skip_filtered_rows(cursor, &m->columns);
}

static void set_result_derived_value(sqlite3_context *out, const manager_o *m, uint32_t row, uint32_t number) {
  float value[16]; // a matrix or one number
  manager_compute_derived_field(m, m->schema.field_count + number, NULL, row, 1, value);
  if (m->schema.fields[m->schema.field_count + number].type == FIELD_MAT4)
    sqlite3_result_blob(out, value, sizeof value, SQLITE_TRANSIENT);
  else
    sqlite3_result_double(out, (double)value[0]);
}

static void component_column(cursor_t *cursor, sqlite3_context *out, uint32_t i) {
  const table_t *t = cursor->table;
  world_o *w = t->sql->desc.world;
  const manager_o *m = world_manager(w, t->id);
  if ((int)i == find_data_id_column(t))
    sqlite3_result_int64(out, sql_data_id(m, cursor->row));
  else if (t->derived_count > 0 && (int)i > find_data_id_column(t))
    set_result_derived_value(out, m, cursor->row, i - (uint32_t)find_data_id_column(t) - 1);
  else if (i >= t->key_count)
    set_result_field(out, t->sql, &m->columns, cursor->row, t->fields[i - t->key_count]);
  else if (i == 0)
    set_result_entity(out, m->owner[cursor->row]);
  else
    set_result_text(out, w, m->instance[cursor->row]);
}

// Returns the rowid, which an UPDATE uses to find the row: row + 1 for MANY components, otherwise the entity.
static sqlite3_int64 component_rowid(cursor_t *cursor) {
  const manager_o *m = world_manager(get_world(cursor), cursor->table->id);
  return m->schema.kind == SCHEMA_MANY ? (sqlite3_int64)cursor->row + 1 : (sqlite3_int64)m->owner[cursor->row];
}

static void event_start(cursor_t *cursor) {
  cursor->row = 0;
  skip_filtered_rows(cursor, &world_event(get_world(cursor), cursor->table->id)->columns);
}

static void event_next(cursor_t *cursor) {
  cursor->row++;
  skip_filtered_rows(cursor, &world_event(get_world(cursor), cursor->table->id)->columns);
}

static void event_column(cursor_t *cursor, sqlite3_context *out, uint32_t i) {
  world_o *w = get_world(cursor);
  set_result_field(out, cursor->table->sql, &world_event(w, cursor->table->id)->columns, cursor->row,
                   cursor->table->fields[i]);
}

static sqlite3_int64 position_rowid(cursor_t *cursor) {
  return (sqlite3_int64)cursor->row + 1;
}

// --- entities

static shoal_entity get_current_entity(const cursor_t *cursor) {
  return cursor->row | (uint32_t)world_entities(get_world(cursor))->generation[cursor->row] << SHOAL_ENTITY_INDEX_BITS;
}

// Finds the column of entity names. Returns the manager of the column, or NULL if the component `name` is missing or
// has a different layout.
static const manager_o *find_names(world_o *w, uint32_t *column) {
  const manager_o *m = world_find_manager(w, "name");
  int32_t index = m ? manager_find_column(m, "value") : -1;
  *column = (uint32_t)index;
  return index >= 0 && m->schema.fields[index].type == FIELD_STRING ? m : NULL;
}

// Stores the string ids of an entity's name, assemblage and state, or 0 if missing.
static void get_entity_texts(world_o *w, shoal_entity e, const manager_o *names, uint32_t column, uint32_t out[3]) {
  const entities_t *s = world_entities(w);
  uint32_t row = names ? manager_row(names, e) : ROW_NONE, index = shoal_entity_index(e);
  out[0] = row == ROW_NONE ? 0 : (uint32_t)columns_get(&names->columns, row, column);
  out[1] = s->assemblage[index];
  out[2] = s->state[index];
}

char *sql_describe_entity(world_o *w, shoal_entity e) {
  uint32_t column, text_ids[3];
  const manager_o *names = find_names(w, &column);
  sqlite3_str *out = sqlite3_str_new(NULL);
  get_entity_texts(w, e, names, column, text_ids);
  for (int i = 0; i < 3; ++i)
    if (text_ids[i])
      sqlite3_str_appendf(out, sqlite3_str_length(out) ? " %s" : "%s", strings_text(world_strings(w), text_ids[i]));
  return sqlite3_str_finish(out);
}

// Advances to the next living entity that passes the scan's conditions. Skips free indices, of which there may be
// millions, and entities whose spawn is queued.
static void entities_seek(cursor_t *cursor) {
  world_o *w = get_world(cursor);
  const entities_t *s = world_entities(w);
  uint32_t first_row = cursor->row, column = 0, text_ids[3];
  const manager_o *names = cursor->filter.count > 0 ? find_names(w, &column) : NULL;
  for (; cursor->row < s->used; ++cursor->row) {
    if (!s->alive[cursor->row] || s->marks[cursor->row] & MARK_QUEUED)
      continue;
    if (cursor->filter.count == 0)
      break;
    get_entity_texts(w, get_current_entity(cursor), names, column, text_ids);
    if (sql_filter_accepts_entity(&cursor->filter, world_strings(w), text_ids))
      break;
  }
  bool has_next = sql_charge_steps(cursor->table->sql, (cursor->row - first_row) / SKIPPED_PER_STEP);
  cursor->at_end = !has_next || cursor->row >= s->used;
}

static void entities_start(cursor_t *cursor) {
  if (cursor->is_entity_lookup) {
    cursor->row = shoal_entity_index(cursor->entity);
    cursor->at_end =
        !world_is_alive(get_world(cursor), cursor->entity) || world_is_queued(get_world(cursor), cursor->entity);
    return;
  }
  cursor->row = 1;
  entities_seek(cursor);
}

static void entities_next(cursor_t *cursor) {
  cursor->row++;
  if (cursor->is_entity_lookup)
    cursor->at_end = true;
  else
    entities_seek(cursor);
}

static void set_result_entity_name(const cursor_t *cursor, sqlite3_context *out) {
  uint32_t column, row;
  const manager_o *m = find_names(get_world(cursor), &column);
  row = m ? manager_row(m, get_current_entity(cursor)) : ROW_NONE;
  if (row == ROW_NONE)
    sqlite3_result_null(out);
  else
    set_result_text(out, get_world(cursor), (uint32_t)columns_get(&m->columns, row, column));
}

static void entities_column(cursor_t *cursor, sqlite3_context *out, uint32_t i) {
  world_o *w = get_world(cursor);
  const entities_t *s = world_entities(w);
  switch (i) {
  case 0: set_result_entity(out, get_current_entity(cursor)); break;
  case 1: sqlite3_result_int64(out, cursor->row); break;
  case 2: sqlite3_result_int64(out, s->generation[cursor->row]); break;
  case 3: set_result_entity_name(cursor, out); break;
  case 4: set_result_text_or_null(out, w, s->assemblage[cursor->row]); break;
  case SQL_ENTITY_WORDS: {
    char *description = sql_describe_entity(w, get_current_entity(cursor));
    sqlite3_result_text(out, description ? description : "", -1, description ? sqlite3_free : SQLITE_STATIC);
    break;
  }
  default: set_result_text_or_null(out, w, s->state[cursor->row]); break;
  }
}

static sqlite3_int64 entities_rowid(cursor_t *cursor) {
  return get_current_entity(cursor);
}

// --- entity_components

// Advances to the next row, unless the cursor is on a row. `outer_index` iterates over the managers, `row` over the
// rows of the current manager.
static void entity_components_seek(cursor_t *cursor) {
  world_o *w = get_world(cursor);
  for (; cursor->outer_index <= cursor->last_outer_index; ++cursor->outer_index, cursor->starts_manager = true) {
    const manager_o *m = world_manager(w, cursor->outer_index);
    if (m->schema.kind == SCHEMA_SINGLE)
      continue;
    if (cursor->starts_manager)
      cursor->row = cursor->is_entity_lookup ? manager_row(m, cursor->entity) : 0; // ROW_NONE is above every row count
    cursor->starts_manager = false;
    if (cursor->row < m->count)
      return;
  }
  cursor->at_end = true;
}

static void entity_components_start(cursor_t *cursor) {
  if (cursor->outer_index == 0) {
    cursor->outer_index = 1;
    cursor->last_outer_index = world_manager_count(get_world(cursor));
  }
  cursor->starts_manager = true;
  entity_components_seek(cursor);
}

static void entity_components_next(cursor_t *cursor) {
  const manager_o *m = world_manager(get_world(cursor), cursor->outer_index);
  if (!cursor->is_entity_lookup)
    cursor->row++;
  else
    cursor->row = m->schema.kind == SCHEMA_MANY ? m->next[cursor->row] : ROW_NONE;
  if (cursor->row >= m->count) {
    cursor->outer_index++;
    cursor->starts_manager = true;
  }
  entity_components_seek(cursor);
}

static void entity_components_column(cursor_t *cursor, sqlite3_context *out, uint32_t i) {
  world_o *w = get_world(cursor);
  const manager_o *m = world_manager(w, cursor->outer_index);
  switch (i) {
  case 0: set_result_entity(out, m->owner[cursor->row]); break;
  case 1: sqlite3_result_text(out, m->schema.name, -1, SQLITE_TRANSIENT); break;
  case 2: sqlite3_result_int64(out, m->id); break;
  case 3: sqlite3_result_int64(out, sql_data_id(m, cursor->row)); break;
  default:
    if (m->schema.kind == SCHEMA_MANY)
      set_result_text(out, w, m->instance[cursor->row]);
    else
      sqlite3_result_null(out);
  }
}

static sqlite3_int64 entity_components_rowid(cursor_t *cursor) {
  return (sqlite3_int64)cursor->outer_index << 32 | cursor->row;
}

// --- components, assemblages, systems

static void describe_fields(sqlite3_context *out, const schema_t *s) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  for (uint32_t i = 0; i < s->field_count + s->derived_count; ++i) {
    const field_t *field = &s->fields[i];
    const char *comma = sqlite3_str_length(text) ? ", " : "";
    if (field->flags & FIELD_IS_COUNT)
      sqlite3_str_appendf(text, "%s%.*s:list of %s", comma, (int)field_base_bytes(field), field->name,
                          field_type_name(field[1].type));
    else if (!(field->flags & (FIELD_HIDDEN | FIELD_IS_ELEMENT)))
      sqlite3_str_appendf(text, "%s%s:%s", comma, field->name, field_type_name(field->type));
  }
  sqlite3_result_text(out, sqlite3_str_length(text) ? sqlite3_str_value(text) : "a tag", -1, SQLITE_TRANSIENT);
  sqlite3_free(sqlite3_str_finish(text));
}

static const char *find_table_name(const sql_o *s, uint32_t manager) {
  for (uint32_t i = 0; i < s->tables.count; ++i) {
    const table_t *t = s->tables.items[i];
    if (t->id == manager && (t->kind == TABLE_COMPONENT || t->kind == TABLE_SINGLE))
      return t->name.text;
  }
  return "";
}

static void components_start(cursor_t *cursor) {
  cursor->row = 0;
  cursor->at_end = world_manager_count(get_world(cursor)) == 0;
}

static void components_next(cursor_t *cursor) {
  cursor->at_end = ++cursor->row >= world_manager_count(get_world(cursor));
}

static void set_result_origin(sqlite3_context *out, const schema_t *s) {
  char text[sizeof s->origin + 16];
  snprintf(text, sizeof text, s->line > 0 ? "%s:%u" : "%s", s->origin, s->line);
  sqlite3_result_text(out, text, -1, SQLITE_TRANSIENT);
}

static void components_column(cursor_t *cursor, sqlite3_context *out, uint32_t i) {
  static const char *const KIND_NAMES[] = {"component", "many", "single", "event"};
  const manager_o *m = world_manager(get_world(cursor), cursor->row + 1);
  switch (i) {
  case 0: sqlite3_result_int64(out, m->id); break;
  case 1: sqlite3_result_text(out, m->schema.name, -1, SQLITE_TRANSIENT); break;
  case 2:
    if (m->schema.doc)
      sqlite3_result_text(out, m->schema.doc, -1, SQLITE_TRANSIENT);
    else
      describe_fields(out, &m->schema);
    break;
  case 3: sqlite3_result_text(out, find_table_name(cursor->table->sql, m->id), -1, SQLITE_TRANSIENT); break;
  case 4: sqlite3_result_text(out, KIND_NAMES[m->schema.kind], -1, SQLITE_STATIC); break;
  case 5: sqlite3_result_int64(out, m->count); break;
  default: set_result_origin(out, &m->schema); break;
  }
}

static void assemblages_seek(cursor_t *cursor) {
  while (world_assemblage_is_retired(get_world(cursor), cursor->row + 1))
    cursor->row++;
  cursor->at_end = cursor->row >= world_assemblage_count(get_world(cursor));
}

static void assemblages_start(cursor_t *cursor) {
  cursor->row = 0;
  assemblages_seek(cursor);
}

static void assemblages_next(cursor_t *cursor) {
  cursor->row++;
  assemblages_seek(cursor);
}

static void describe_list(sqlite3_str *text, world_o *w, uint32_t assemblage, const char *label,
                          uint32_t (*name)(const world_o *, uint32_t, uint32_t)) {
  for (uint32_t i = 0, id; (id = name(w, assemblage, i)) != 0; ++i) {
    if (i == 0 && sqlite3_str_length(text))
      sqlite3_str_appendall(text, "; ");
    sqlite3_str_appendf(text, "%s%s", i == 0 ? label : ", ", strings_text(world_strings(w), id));
  }
}

static void assemblages_column(cursor_t *cursor, sqlite3_context *out, uint32_t i) {
  world_o *w = get_world(cursor);
  uint32_t number = cursor->row + 1, name = world_assemblage_name(w, number);
  if (i == 2 && world_assemblage_doc(w, number)) {
    sqlite3_result_text(out, world_assemblage_doc(w, number), -1, SQLITE_TRANSIENT);
  } else if (i == 2) {
    sqlite3_str *text = sqlite3_str_new(NULL);
    describe_list(text, w, number, "states: ", world_assemblage_state_name);
    describe_list(text, w, number, "children: ", world_assemblage_child_name);
    sqlite3_result_text(out, sqlite3_str_length(text) ? sqlite3_str_value(text) : "", -1, SQLITE_TRANSIENT);
    sqlite3_free(sqlite3_str_finish(text));
  } else if (i == 1) {
    set_result_text(out, w, name);
  } else {
    sqlite3_result_int64(out, i == 0 ? number : world_assemblage_alive_count(w, name));
  }
}

// Advances to the next part, unless the cursor is on a part. `outer_index` iterates over the assemblages, `row` over
// the parts of the current assemblage.
static void assemblage_components_seek(cursor_t *cursor) {
  assemblage_part_t part;
  while (cursor->outer_index <= world_assemblage_count(get_world(cursor)) &&
         (world_assemblage_is_retired(get_world(cursor), cursor->outer_index) ||
          !world_assemblage_get_part(get_world(cursor), cursor->outer_index, cursor->row, &part))) {
    cursor->outer_index++;
    cursor->row = 0;
  }
  cursor->at_end = cursor->outer_index > world_assemblage_count(get_world(cursor));
}

static void assemblage_components_start(cursor_t *cursor) {
  cursor->outer_index = 1;
  cursor->row = 0;
  assemblage_components_seek(cursor);
}

static void assemblage_components_next(cursor_t *cursor) {
  cursor->row++;
  assemblage_components_seek(cursor);
}

static void assemblage_components_column(cursor_t *cursor, sqlite3_context *out, uint32_t i) {
  world_o *w = get_world(cursor);
  assemblage_part_t part = {0};
  world_assemblage_get_part(w, cursor->outer_index, cursor->row, &part);
  switch (i) {
  case 0: sqlite3_result_int64(out, cursor->outer_index); break;
  case 1: set_result_text(out, w, world_assemblage_name(w, cursor->outer_index)); break;
  case 2: sqlite3_result_int64(out, part.manager); break;
  case 3: sqlite3_result_text(out, world_manager(w, part.manager)->schema.name, -1, SQLITE_TRANSIENT); break;
  case 4: set_result_text_or_null(out, w, part.instance); break;
  default: set_result_text_or_null(out, w, part.state); break;
  }
}

// --- assemblage_values

// Advances to the next field of a part, unless the cursor is on a field. `outer_index` iterates over the assemblages,
// `row` over the parts of the current assemblage, and `field` over the fields of the current part.
static void assemblage_values_seek(cursor_t *cursor) {
  world_o *w = get_world(cursor);
  assemblage_part_t part;
  for (;; ++cursor->row, cursor->field = 0) {
    assemblage_components_seek(cursor);
    if (cursor->at_end)
      return;
    world_assemblage_get_part(w, cursor->outer_index, cursor->row, &part);
    const schema_t *s = &world_manager(w, part.manager)->schema;
    while (cursor->field < s->field_count && s->fields[cursor->field].flags & (FIELD_HIDDEN | FIELD_IS_ELEMENT))
      cursor->field++;
    if (cursor->field < s->field_count)
      return;
  }
}

static void assemblage_values_start(cursor_t *cursor) {
  cursor->outer_index = 1;
  cursor->row = cursor->field = 0;
  assemblage_values_seek(cursor);
}

static void assemblage_values_next(cursor_t *cursor) {
  cursor->field++;
  assemblage_values_seek(cursor);
}

static void set_result_number(sqlite3_context *out, world_o *w, const field_t *f, double value) {
  switch (f->type) {
  case FIELD_F32:
  case FIELD_F64: sqlite3_result_double(out, value); break;
  case FIELD_STRING:
  case FIELD_ASSET: set_result_text(out, w, (uint32_t)value); break;
  case FIELD_ENUM: sqlite3_result_text(out, field_choice(f, (uint32_t)value), -1, SQLITE_TRANSIENT); break;
  case FIELD_MAT4: sqlite3_result_null(out); break; // assemblages contain no matrices
  default: sqlite3_result_int64(out, (sqlite3_int64)value); break;
  }
}

static void set_result_value(cursor_t *cursor, sqlite3_context *out, const assemblage_part_t *part) {
  world_o *w = get_world(cursor);
  const schema_t *s = &world_manager(w, part->manager)->schema;
  if (s->fields[cursor->field].flags & FIELD_IS_COUNT)
    sql_list_set_values_result(out, cursor->table->sql, s, cursor->field, part->values);
  else
    set_result_number(out, w, &s->fields[cursor->field], part->values[cursor->field]);
}

static void assemblage_values_column(cursor_t *cursor, sqlite3_context *out, uint32_t i) {
  world_o *w = get_world(cursor);
  assemblage_part_t part = {0};
  world_assemblage_get_part(w, cursor->outer_index, cursor->row, &part);
  const schema_t *s = &world_manager(w, part.manager)->schema;
  const field_t *field = &s->fields[cursor->field];
  switch (i) {
  case 0: set_result_text(out, w, world_assemblage_name(w, cursor->outer_index)); break;
  case 1: set_result_text_or_null(out, w, part.state); break;
  case 2: sqlite3_result_text(out, s->name, -1, SQLITE_TRANSIENT); break;
  case 3: set_result_text_or_null(out, w, part.instance); break;
  case 4:
    sqlite3_result_text(out, field->name, field->flags & FIELD_IS_COUNT ? (int)field_base_bytes(field) : -1,
                        SQLITE_TRANSIENT);
    break;
  default: set_result_value(cursor, out, &part); break;
  }
}

static sqlite3_int64 assemblage_values_rowid(cursor_t *cursor) {
  return ((sqlite3_int64)cursor->outer_index << 32 | cursor->row) << 8 | cursor->field;
}

// Advances to the next system, unless the cursor is on a system. `outer_index` iterates over the phases, `row` over the
// systems of the current phase.
static void systems_seek(cursor_t *cursor) {
  const schedule_o *s = get_schedule(cursor);
  while (s && cursor->outer_index < PHASE_COUNT &&
         cursor->row >= schedule_system_count(s, (phase_t)cursor->outer_index)) {
    cursor->outer_index++;
    cursor->row = 0;
  }
  cursor->at_end = !s || cursor->outer_index >= PHASE_COUNT;
}

static void systems_start(cursor_t *cursor) {
  cursor->outer_index = PHASE_INPUT;
  cursor->row = 0;
  cursor->number = 1;
  systems_seek(cursor);
}

static void systems_next(cursor_t *cursor) {
  cursor->row++;
  cursor->number++;
  systems_seek(cursor);
}

static bool is_enabled(world_o *w, const schedule_o *s, phase_t phase, uint32_t i) {
  uint32_t setting = system_get_switch(w, strings_find(world_strings(w), schedule_system_name(s, phase, i)));
  return setting == SWITCH_NONE ? !schedule_is_disabled(s, phase, i) : setting == SWITCH_ON;
}

static void systems_column(cursor_t *cursor, sqlite3_context *out, uint32_t i) {
  const schedule_o *s = get_schedule(cursor);
  phase_t phase = (phase_t)cursor->outer_index;
  double total_us = 0;
  uint64_t runs = 0;
  schedule_cost(s, phase, cursor->row, &total_us, &runs);
  switch (i) {
  case 0: sqlite3_result_int64(out, cursor->number); break;
  case 1: sqlite3_result_text(out, schedule_system_name(s, phase, cursor->row), -1, SQLITE_TRANSIENT); break;
  case 2: sqlite3_result_text(out, phase_name(phase), -1, SQLITE_STATIC); break;
  case 3: sqlite3_result_int64(out, (sqlite3_int64)runs); break;
  case 4: sqlite3_result_double(out, runs ? total_us / (double)runs : 0); break;
  case 5: sqlite3_result_double(out, runs ? schedule_quantile(s, phase, cursor->row, 0.5) : 0); break;
  case 6: sqlite3_result_text(out, schedule_doc(s, phase, cursor->row), -1, SQLITE_TRANSIENT); break;
  case 7: {
    const char *condition = schedule_condition(s, phase, cursor->row);
    sqlite3_result_text(out, condition[0] ? condition : NULL, -1, SQLITE_TRANSIENT);
    break;
  }
  case 8: sqlite3_result_int(out, is_enabled(get_world(cursor), s, phase, cursor->row)); break;
  case 9:
    if (schedule_stage(s, phase, cursor->row) > 0)
      sqlite3_result_int64(out, schedule_stage(s, phase, cursor->row));
    break;
  case 10: {
    const char *reason = schedule_separation_reason(s, phase, cursor->row);
    sqlite3_result_text(out, reason[0] ? reason : NULL, -1, SQLITE_TRANSIENT);
    break;
  }
  default:
    if (schedule_part_count(s, phase, cursor->row) > 0)
      sqlite3_result_int64(out, schedule_part_count(s, phase, cursor->row));
    break;
  }
}

static sqlite3_int64 pack_pair_rowid(cursor_t *cursor) {
  return (sqlite3_int64)cursor->outer_index << 32 | cursor->row;
}

// --- events

static void events_seek(cursor_t *cursor) {
  world_o *w = get_world(cursor);
  while (cursor->outer_index <= world_event_count(w) &&
         cursor->row >= world_event(w, cursor->outer_index)->columns.count) {
    cursor->outer_index++;
    cursor->row = 0;
  }
  cursor->at_end = cursor->outer_index > world_event_count(w);
}

static void events_start(cursor_t *cursor) {
  cursor->outer_index = 1;
  cursor->row = 0;
  events_seek(cursor);
}

static void events_next(cursor_t *cursor) {
  cursor->row++;
  events_seek(cursor);
}

static void set_result_event_json(sqlite3_context *out, sql_o *s, const event_o *event, uint32_t row) {
  json_writer_t text;
  json_writer_init(&text, &s->memory);
  row_json_write(s->desc.world, &event->columns, row, &text);
  sqlite3_result_text(out, text.text.items, (int)text.text.count, SQLITE_TRANSIENT);
  json_writer_fini(&text);
}

static void events_column(cursor_t *cursor, sqlite3_context *out, uint32_t i) {
  world_o *w = get_world(cursor);
  const event_o *event = world_event(w, cursor->outer_index);
  uint64_t number = event->first + cursor->row;
  switch (i) {
  case 0: sqlite3_result_text(out, event->schema.name, -1, SQLITE_TRANSIENT); break;
  case 1: sqlite3_result_int64(out, (sqlite3_int64)number); break;
  case 2: sqlite3_result_int64(out, number < event->tick_start); break;
  default: set_result_event_json(out, cursor->table->sql, event, cursor->row); break;
  }
}

// --- kinds of tables

// `columns` contains declarations, "name TYPE, …". sql.c converts the values of a result according to the types ENTITY,
// BOOLEAN and MATRIX.
static const struct {
  const char *name; // name of a fixed table
  const char *columns;
  void (*start)(cursor_t *cursor);
  void (*next)(cursor_t *cursor);
  void (*column)(cursor_t *cursor, sqlite3_context *out, uint32_t i);
  sqlite3_int64 (*rowid)(cursor_t *cursor);
  int keys; // bit set of BY_ values: supported lookups
} KINDS[TABLE_KIND_COUNT] = {
    [TABLE_COMPONENT] = {NULL, NULL, component_start, component_next, component_column, component_rowid, BY_ENTITY},
    [TABLE_SINGLE] = {NULL, NULL, component_start, component_next, component_column, position_rowid, 0},
    [TABLE_EVENT] = {NULL, NULL, event_start, event_next, event_column, position_rowid, 0},
    [TABLE_ENTITIES] = {"entities",
                        "entity ENTITY, \"index\" INTEGER, generation INTEGER, name TEXT, assemblage TEXT, state TEXT",
                        entities_start, entities_next, entities_column, entities_rowid, BY_ENTITY},
    [TABLE_ENTITY_COMPONENTS] = {"entity_components",
                                 "entity ENTITY, component TEXT, component_id INTEGER, component_data_id INTEGER, "
                                 "instance TEXT",
                                 entity_components_start, entity_components_next, entity_components_column,
                                 entity_components_rowid, BY_ENTITY | BY_COMPONENT},
    [TABLE_COMPONENTS] = {"components",
                          "component_id INTEGER, name TEXT, description TEXT, table_name TEXT, kind TEXT, "
                          "rows INTEGER, origin TEXT",
                          components_start, components_next, components_column, position_rowid, 0},
    [TABLE_ASSEMBLAGES] = {"assemblages", "assemblage_id INTEGER, name TEXT, description TEXT, entities INTEGER",
                           assemblages_start, assemblages_next, assemblages_column, position_rowid, 0},
    [TABLE_ASSEMBLAGE_COMPONENTS] = {"assemblage_components",
                                     "assemblage_id INTEGER, assemblage TEXT, component_id INTEGER, component TEXT, "
                                     "instance TEXT, state TEXT",
                                     assemblage_components_start, assemblage_components_next,
                                     assemblage_components_column, pack_pair_rowid, 0},
    [TABLE_ASSEMBLAGE_VALUES] = {"assemblage_values",
                                 "assemblage TEXT, state TEXT, component TEXT, instance TEXT, field TEXT, value",
                                 assemblage_values_start, assemblage_values_next, assemblage_values_column,
                                 assemblage_values_rowid, 0},
    [TABLE_EVENTS] = {"events", "event TEXT, number INTEGER, age INTEGER, fields TEXT", events_start, events_next,
                      events_column, pack_pair_rowid, 0},
    [TABLE_SYSTEMS] = {"systems",
                       "\"order\" INTEGER, name TEXT, phase TEXT, runs INTEGER, cost_us REAL, median_us REAL, "
                       "description TEXT, condition TEXT, is_on BOOLEAN, together INTEGER, apart TEXT, "
                       "parts INTEGER",
                       systems_start, systems_next, systems_column, pack_pair_rowid, 0},
};

// --- SQLite's interface

static const char *get_sql_type(const field_t *f) {
  if (f->flags & FIELD_IS_COUNT)
    return "TEXT"; // lists are JSON text
  switch (f->type) {
  case FIELD_F32:
  case FIELD_F64: return "REAL";
  case FIELD_BOOL: return "BOOLEAN";
  case FIELD_ENTITY: return "ENTITY";
  case FIELD_STRING:
  case FIELD_ASSET:
  case FIELD_ENUM: return "TEXT";
  case FIELD_MAT4: return "MATRIX";
  default: return "INTEGER";
  }
}

char *sql_table_format_columns(const table_t *t) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  if (KINDS[t->kind].columns) {
    sqlite3_str_appendall(text, KINDS[t->kind].columns);
  } else {
    const schema_t *schema = sql_table_schema(t);
    for (uint32_t i = 0; i < t->key_count; ++i)
      sqlite3_str_appendf(text, "%s\"%w\" %s", i ? ", " : "", t->columns[i].text, i == 0 ? "ENTITY" : "TEXT");
    for (uint32_t i = 0; i < t->field_count; ++i)
      sqlite3_str_appendf(text, "%s\"%w\" %s", i + t->key_count ? ", " : "", t->columns[t->key_count + i].text,
                          get_sql_type(&schema->fields[t->fields[i]]));
    if (t->key_count + t->field_count == 0) // SQL tables need at least one column, so a tag gets a placeholder
      sqlite3_str_appendall(text, "\"_\"");
  }
  return sqlite3_str_finish(text);
}

// Returns the declarations of the hidden columns, which follow the columns of `SELECT *`: component_data_id, derived
// fields, and `words` of entities.
static char *format_hidden_columns(const table_t *t) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  sqlite3_str_appendall(text, t->kind == TABLE_COMPONENT  ? ", component_data_id INTEGER HIDDEN"
                              : t->kind == TABLE_ENTITIES ? ", words TEXT HIDDEN"
                                                          : "");
  for (uint32_t i = 0; i < t->derived_count; ++i) {
    const field_t *field = sql_derived_field(t, i);
    sqlite3_str_appendf(text, ", \"%w\" %s HIDDEN", field->name, field->type == FIELD_MAT4 ? "MATRIX" : "REAL");
  }
  char *out = sqlite3_str_finish(text);
  return out ? out : sqlite3_mprintf("");
}

static int declare_columns(sqlite3 *db, const table_t *t) {
  char *columns = sql_table_format_columns(t), *hidden = format_hidden_columns(t), *sql = NULL;
  if (columns && hidden)
    sql = sqlite3_mprintf("CREATE TABLE x(%s%s)", columns, hidden);
  sqlite3_free(columns);
  sqlite3_free(hidden);
  bool was_declaring = t->sql->declaring;
  t->sql->declaring = true;
  int code = sql ? sqlite3_declare_vtab(db, sql) : SQLITE_NOMEM;
  t->sql->declaring = was_declaring;
  sqlite3_free(sql);
  return code;
}

static int connect_table(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **error) {
  (void)argc, (void)argv, (void)error;
  int code = declare_columns(db, aux);
  if (code != SQLITE_OK)
    return code;
  sqlite3_vtab_config(db, SQLITE_VTAB_CONSTRAINT_SUPPORT, 1);
  vtab_t *vtab = sqlite3_malloc(sizeof *vtab);
  if (!vtab)
    return SQLITE_NOMEM;
  *vtab = (vtab_t){.table = aux};
  *out = &vtab->base;
  return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *vtab) {
  sqlite3_free(vtab);
  return SQLITE_OK;
}

// Estimates the number of rows. SQLite chooses the order of a join, and therefore the order of the result, by these
// numbers. For statements that only read, the numbers are constants, so that plans made at different times or in
// different processes give the same order.
static double estimate_row_count(const table_t *t) {
  world_o *w = t->sql->desc.world;
  if (!t->sql->writing)
    return t->kind == TABLE_SINGLE ? 1 : t->kind == TABLE_ENTITY_COMPONENTS ? 4000 : 1000;
  switch (t->kind) {
  case TABLE_COMPONENT:
  case TABLE_SINGLE: return world_manager(w, t->id)->count;
  case TABLE_EVENT: return world_event(w, t->id)->columns.count;
  case TABLE_ENTITIES: return world_entities(w)->alive_count;
  case TABLE_ENTITY_COMPONENTS: return world_entities(w)->alive_count * 4.0;
  default: return 50;
  }
}

// Sets idxStr to "column,op;…", the conditions that the scan tests. Their values are passed to the scan after the
// values of its keys. The conditions do not influence the plan.
static void plan_filter(const table_t *t, sqlite3_index_info *info, int arguments) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  for (int i = 0, remaining = (int)SQL_MAX_FILTER_TESTS; i < info->nConstraint && remaining > 0; ++i) {
    const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
    if (!constraint->usable || info->aConstraintUsage[i].argvIndex > 0 ||
        !sql_filter_supports(t, constraint->iColumn, constraint->op))
      continue;
    info->aConstraintUsage[i].argvIndex = ++arguments;
    sqlite3_str_appendf(text, "%d,%d;", constraint->iColumn, constraint->op);
    --remaining;
  }
  info->idxStr = sqlite3_str_finish(text); // NULL if no conditions were added
  info->needToFreeIdxStr = 1;
}

static int choose_index(sqlite3_vtab *v, sqlite3_index_info *info) {
  const table_t *t = ((vtab_t *)v)->table;
  int constraints[3] = {-1, -1, -1};
  for (int i = 0; i < info->nConstraint; ++i) {
    const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
    if (!constraint->usable || constraint->op != SQLITE_INDEX_CONSTRAINT_EQ)
      continue;
    if (constraint->iColumn == 0 && KINDS[t->kind].keys & BY_ENTITY)
      constraints[0] = i;
    if (constraint->iColumn == 1 && KINDS[t->kind].keys & BY_COMPONENT)
      constraints[1] = i;
    if (constraint->iColumn == find_data_id_column(t))
      constraints[2] = i;
  }
  if (constraints[0] >= 0)
    constraints[2] = -1; // the lookup by entity suffices; SQLite tests component_data_id itself
  int arguments = 0;
  info->idxNum = 0;
  for (int k = 0; k < 3; ++k)
    if (constraints[k] >= 0) {
      info->aConstraintUsage[constraints[k]].argvIndex = ++arguments;
      // SQLite tests component_data_id again, because the lookup returns all rows of the entity
      info->aConstraintUsage[constraints[k]].omit = k < 2;
      info->idxNum |= 1 << k;
    }
  bool is_entity_lookup = info->idxNum & (BY_ENTITY | BY_DATA);
  if (!is_entity_lookup)
    plan_filter(t, info, arguments);
  bool single_row = is_entity_lookup && (t->kind == TABLE_ENTITIES || t->key_count == 1);
  double rows = is_entity_lookup ? (single_row ? 1 : 8) : estimate_row_count(t);
  info->estimatedRows = (sqlite3_int64)rows;
  info->estimatedCost = rows + 1;
  info->idxFlags = single_row ? SQLITE_INDEX_SCAN_UNIQUE : 0;
  return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *v, sqlite3_vtab_cursor **out) {
  cursor_t *cursor = sqlite3_malloc(sizeof *cursor);
  if (!cursor)
    return SQLITE_NOMEM;
  *cursor = (cursor_t){.table = ((vtab_t *)v)->table};
  *out = &cursor->base;
  return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor) {
  sqlite3_free(cursor);
  return SQLITE_OK;
}

static int get_stop_code(const cursor_t *cursor) {
  return cursor->table->sql->stop_reason ? SQLITE_INTERRUPT : SQLITE_OK;
}

static void read_filter(cursor_t *cursor, const char *plan, sqlite3_value **argv, int argc) {
  cursor->filter.count = 0;
  for (int i = 0; i < argc; ++i) {
    char *end;
    int column = (int)strtol(plan, &end, 10), op = (int)strtol(end + 1, &end, 10);
    sql_filter_add_condition(&cursor->filter, cursor->table, column, op, argv[i]);
    plan = end + 1;
  }
}

static int start_scan(sqlite3_vtab_cursor *base, int keys, const char *plan, int argc, sqlite3_value **argv) {
  cursor_t *cursor = (cursor_t *)base;
  int argument = 0, key_count = __builtin_popcount((unsigned)keys);
  shoal_assert(argc == key_count || (argc > key_count && plan), "%d values do not match the key mask %d", argc, keys);
  read_filter(cursor, plan, argv + key_count, argc - key_count);
  cursor->is_entity_lookup = keys & (BY_ENTITY | BY_DATA);
  cursor->outer_index = 0;
  cursor->at_end = false;
  if (keys & BY_ENTITY) {
    double id = sql_value_to_entity(argv[argument++]);
    cursor->entity = id > 0 ? (shoal_entity)id : SHOAL_ENTITY_NONE;
    cursor->at_end = id <= 0;
  }
  if (keys & BY_DATA) {
    cursor->entity = parse_data_id(argv[key_count - 1]);
    cursor->at_end = cursor->entity == SHOAL_ENTITY_NONE;
  }
  if (keys & BY_COMPONENT) {
    const char *name = (const char *)sqlite3_value_text(argv[argument]);
    const manager_o *m = name ? world_find_manager(get_world(cursor), name) : NULL;
    cursor->outer_index = cursor->last_outer_index = m ? m->id : 0;
    cursor->at_end |= !m;
  }
  if (!cursor->at_end)
    KINDS[cursor->table->kind].start(cursor);
  return get_stop_code(cursor);
}

static int advance_cursor(sqlite3_vtab_cursor *base) {
  cursor_t *cursor = (cursor_t *)base;
  shoal_assert(!cursor->at_end, "table %s: next called past the last row", cursor->table->name.text);
  KINDS[cursor->table->kind].next(cursor);
  return get_stop_code(cursor);
}

static int is_at_end(sqlite3_vtab_cursor *cursor) {
  return ((cursor_t *)cursor)->at_end;
}

static int set_column_result(sqlite3_vtab_cursor *base, sqlite3_context *out, int i) {
  cursor_t *cursor = (cursor_t *)base;
  const table_t *t = cursor->table;
  shoal_assert(!cursor->at_end, "column %d of %s read past the last row", i, t->name.text);
  if (sqlite3_vtab_nochange(out))
    return SQLITE_OK; // an UPDATE does not set this column; sql_write.c checks sqlite3_value_nochange
  // Hidden columns follow the placeholder column that a component without fields has.
  bool is_hidden = find_data_id_column(t) >= 0 && i >= find_data_id_column(t);
  if (t->kind <= TABLE_EVENT && (uint32_t)i >= t->key_count + t->field_count && !is_hidden)
    sqlite3_result_null(out);
  else
    KINDS[t->kind].column(cursor, out, (uint32_t)i);
  return SQLITE_OK;
}

static int get_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out) {
  cursor_t *cursor = (cursor_t *)base;
  shoal_assert(!cursor->at_end, "%s: row id read past the last row", cursor->table->name.text);
  *out = KINDS[cursor->table->kind].rowid(cursor);
  return SQLITE_OK;
}

// --- registration

static const sqlite3_module module = {
    .iVersion = 2,
    .xConnect = connect_table, // xCreate is missing because the tables are eponymous
    .xBestIndex = choose_index,
    .xDisconnect = disconnect_table,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = start_scan,
    .xNext = advance_cursor,
    .xEof = is_at_end,
    .xColumn = set_column_result,
    .xRowid = get_rowid,
    .xUpdate = sql_write_row,
};

static uint64_t hash_schema_layout(const schema_t *s, uint64_t hash) {
  uint32_t header[] = {s->kind, s->field_count, s->derived_count};
  hash = hash_bytes(s->name, strlen(s->name) + 1, hash);
  hash = hash_bytes(header, sizeof header, hash);
  for (uint32_t i = 0; i < s->field_count; ++i) {
    uint32_t field_layout[] = {s->fields[i].type, s->fields[i].flags};
    hash = hash_bytes(s->fields[i].name, strlen(s->fields[i].name) + 1, hash);
    hash = hash_bytes(field_layout, sizeof field_layout, hash);
  }
  return hash;
}

uint64_t sql_tables_hash_layout(const sql_o *s) {
  world_o *w = s->desc.world;
  uint64_t hash = 1;
  for (uint32_t i = 1; i <= world_manager_count(w); ++i)
    hash = hash_schema_layout(&world_manager(w, i)->schema, hash);
  for (uint32_t i = 1; i <= world_event_count(w); ++i)
    hash = hash_schema_layout(&world_event(w, i)->schema, hash);
  return hash;
}

static table_t *add_table(sql_o *s, table_kind_t kind, uint32_t id, const char *name) {
  shoal_assert(strlen(name) < TABLE_NAME_MAX, "table name %s is too long", name);
  table_t *t = alloc_resize(&s->memory, NULL, 0, sizeof *t);
  memset(t, 0, sizeof *t);
  t->sql = s;
  t->kind = kind;
  t->id = id;
  memcpy(t->name.text, name, strlen(name) + 1);
  array_push(&s->memory, &s->tables, t);
  return t;
}

static void add_schema_table(sql_o *s, table_kind_t kind, uint32_t id, const schema_t *schema, table_name_t *used_names,
                             uint32_t *used_count) {
  table_name_t column_names[TABLE_MAX_COLUMNS];
  table_name_t *name = &used_names[(*used_count)++];
  table_name_choose(name, schema->name, used_names, *used_count - 1);
  table_t *t = add_table(s, kind, id, name->text);
  t->key_count = table_names_list_columns(schema, column_names);
  shoal_assert(t->key_count + schema->field_count <= TABLE_MAX_COLUMNS, "%s has %u fields, more than a table can have",
               schema->name, schema->field_count);
  t->derived_count = kind == TABLE_COMPONENT ? schema->derived_count : 0;
  memcpy(t->columns, column_names, t->key_count * sizeof *column_names);
  for (uint32_t i = 0; i < schema->field_count; ++i) {
    if (schema->fields[i].flags & (FIELD_HIDDEN | FIELD_IS_ELEMENT)) // a list is exposed as the column of its count
      continue;
    t->columns[t->key_count + t->field_count] = column_names[t->key_count + i];
    t->fields[t->field_count++] = (uint8_t)i;
  }
}

void sql_tables_free(sql_o *s) {
  for (uint32_t i = 0; i < s->tables.count; ++i) {
    if (s->db)
      sqlite3_create_module_v2(s->db, s->tables.items[i]->name.text, NULL, NULL, NULL);
    alloc_resize(&s->memory, s->tables.items[i], sizeof(table_t), 0);
  }
  array_free(&s->memory, &s->tables);
}

bool sql_tables_register(sql_o *s, error_info_t *error) {
  world_o *w = s->desc.world;
  sql_tables_free(s);
  shoal_assert(w && s->db, "a world and an open connection must exist before tables are created");
  uint32_t max = 16 + world_manager_count(w) + world_event_count(w);
  table_name_t *used_names = alloc_resize(&s->memory, NULL, 0, max * sizeof *used_names);
  uint32_t count = table_names_list_fixed(used_names);
  for (int kind = TABLE_ENTITIES; kind < TABLE_KIND_COUNT; ++kind)
    add_table(s, (table_kind_t)kind, 0, KINDS[kind].name);
  for (uint32_t i = 1; i <= world_manager_count(w); ++i) {
    const schema_t *schema = &world_manager(w, i)->schema;
    add_schema_table(s, schema->kind == SCHEMA_SINGLE ? TABLE_SINGLE : TABLE_COMPONENT, i, schema, used_names, &count);
  }
  for (uint32_t i = 1; i <= world_event_count(w); ++i)
    add_schema_table(s, TABLE_EVENT, i, &world_event(w, i)->schema, used_names, &count);
  shoal_assert(count <= max, "%u tables exceed the capacity of %u", count, max);
  alloc_resize(&s->memory, used_names, max * sizeof *used_names, 0);
  for (uint32_t i = 0; i < s->tables.count; ++i)
    if (sqlite3_create_module_v2(s->db, s->tables.items[i]->name.text, &module, s->tables.items[i], NULL) != SQLITE_OK)
      return error_set(error, "table %s: %s", s->tables.items[i]->name.text, sqlite3_errmsg(s->db));
  return true;
}
