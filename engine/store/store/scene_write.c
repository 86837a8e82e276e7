// Writes scenes in three passes over the world: selects the entities and finds the slots of children (collect_nodes),
// finds references and assigns ids (name_entities), and writes the text (write_scene).
#include "store/scene_internal.h"

#include "base/assert.h"
#include "base/json_writer.h"
#include "base/number_text.h"
#include "content/merge_rule.h"
#include "schema/bit_names.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct node_t {
  // Entity indices of relatives in the tree that transform.parent defines. The tree contains all living entities.
  uint32_t first_child, next_sibling;
  uint32_t slot;   // index + 1 of the child in its parent's assemblage; 0: no slot
  uint32_t number; // number after the '#' of the entity's id; 0 if the name identifies the entity
  int64_t item;    // scene_write_items: id of the entity
  bool is_included, is_referenced, is_root;
} node_t;

// A JSON key as written, with quotes and colon.
typedef struct label_t {
  size_t offset, bytes; // offset and size in writer_t.labels
} label_t;

// Columns of one field in the text: one column, or all columns of a vector or list.
typedef struct field_plan_t {
  uint32_t column, column_count;
  size_t record_bytes; // length of the record names, each followed by ".", at the start of the column's name
  label_t label;
} field_plan_t;

typedef struct manager_plan_t {
  const manager_o *manager;
  label_t label;
  uint32_t first_field, field_count; // range in writer_t.fields
} manager_plan_t;

// Content of an assemblage in one state.
typedef struct content_t {
  uint32_t assemblage, state;
  scene_parts_t parts;
  // Indexed like `managers`: the part without an instance name, or NULL if the assemblage lacks it.
  const assemblage_part_t **unnamed_parts;
  bool *has_part; // indexed like `managers`: true if the assemblage has any part of that manager
} content_t;

typedef struct writer_t {
  world_o *world;
  strings_o *strings;
  const entities_t *entities;
  allocator_t *memory;
  const manager_o *names, *transforms;
  uint32_t parent_column;
  ARRAY(manager_plan_t) managers; // managers allowed in a scene, sorted by name
  ARRAY(field_plan_t) fields;
  ARRAY(content_t) contents;
  uint32_t last_content; // index in `contents` of the previous entity's content
  json_writer_t labels;
  node_t *nodes;       // nodes, indexed by entity index
  json_t *name_counts; // name → number of members with this name
  json_writer_t out;
  scene_ids_t *ids;            // receives all ids; NULL: only referenced entities get ids
  shoal_entity current_entity; // current entity, for messages
  error_info_t *error;
  bool failed;
  // scene_write_items: writes exactly the given entities, with items as ids, and all their values.
  bool writes_items;
  json_writer_t equal_fields; // names of the fields of the current row that equal the assemblage's
} writer_t;

// --- text

static void write_text(writer_t *writer, const char *text) {
  json_write_text(&writer->out, text);
}

static void write_line_break(writer_t *writer, uint32_t depth) {
  write_text(writer, "\n");
  for (; depth > 0; --depth)
    write_text(writer, "  ");
}

static void write_quoted(writer_t *writer, const char *text, size_t bytes) {
  if (json_write_quoted(&writer->out, text, bytes) || writer->failed || writer->writes_items)
    return;
  uint32_t index = shoal_entity_index(writer->current_entity);
  writer->failed = true;
  error_set(writer->error, "entity(%u:%u %s) has a string that is not valid UTF-8: JSON cannot store it", index,
            shoal_entity_generation(writer->current_entity),
            strings_text(writer->strings, writer->entities->assemblage[index]));
}

static void write_string(writer_t *writer, uint32_t id) {
  write_quoted(writer, strings_text(writer->strings, id), strings_length(writer->strings, id));
}

static void write_number(writer_t *writer, double value, bool is_float) {
  char digits[NUMBER_TEXT_BYTES];
  size_t length = number_to_text(value, is_float, digits);
  if (isfinite(value))
    json_write_bytes(&writer->out, digits, length);
  else
    write_quoted(writer, digits, length);
}

static void write_label(writer_t *writer, label_t label) {
  json_write_bytes(&writer->out, writer->labels.text.items + label.offset, label.bytes);
}

static void begin_key(writer_t *writer, bool *is_first, uint32_t depth) {
  write_text(writer, *is_first ? "" : ",");
  *is_first = false;
  write_line_break(writer, depth);
}

// Writes a separator, a line break and the key.
static void write_key(writer_t *writer, bool *is_first, uint32_t depth, const char *key) {
  begin_key(writer, is_first, depth);
  write_quoted(writer, key, strlen(key));
  write_text(writer, ": ");
}

// --- selection

static shoal_entity get_entity(const writer_t *writer, uint32_t index) {
  return index | (shoal_entity)writer->entities->generation[index] << SHOAL_ENTITY_INDEX_BITS;
}

static uint32_t find_assemblage(const writer_t *writer, uint32_t index) {
  uint32_t name = writer->entities->assemblage[index];
  return name ? world_find_assemblage(writer->world, name) : 0;
}

// Returns the index of the entity's living transform parent, or 0 if it has no living parent.
static uint32_t find_parent(const writer_t *writer, uint32_t index) {
  uint32_t row = writer->transforms ? manager_row(writer->transforms, get_entity(writer, index)) : ROW_NONE;
  shoal_entity parent =
      row != ROW_NONE ? ((const shoal_entity *)writer->transforms->data[writer->parent_column])[row] : 0;
  bool is_other = entities_is_alive(writer->entities, parent) && shoal_entity_index(parent) != index;
  return is_other ? shoal_entity_index(parent) : 0;
}

// Finds a child that has no slot yet and was probably spawned together with its parent from assemblage `name`. Returns
// its index, or 0 if no child matches. Prefers the first child with an index above the parent's. Children spawned with
// their parent usually directly follow it, and children attached later come after them.
static uint32_t find_spawned_child(const writer_t *writer, uint32_t index, uint32_t name) {
  uint32_t best_child = 0;
  for (uint32_t child = writer->nodes[index].first_child; child; child = writer->nodes[child].next_sibling) {
    bool matches = writer->nodes[child].slot == 0 && writer->entities->assemblage[child] == name;
    if (matches && (best_child == 0 || (best_child < index && child > index)))
      best_child = child;
  }
  return best_child;
}

static void match_slots(writer_t *writer, uint32_t index) {
  uint32_t assemblage = find_assemblage(writer, index);
  for (uint32_t i = 0, number; (number = world_assemblage_child_number(writer->world, assemblage, i)) != 0; ++i) {
    uint32_t child = find_spawned_child(writer, index, world_assemblage_name(writer->world, number));
    if (child)
      writer->nodes[child].slot = i + 1;
  }
}

static uint32_t find_child_in_slot(const writer_t *writer, uint32_t index, uint32_t slot) {
  uint32_t child = writer->nodes[index].first_child;
  while (child && writer->nodes[child].slot != slot + 1)
    child = writer->nodes[child].next_sibling;
  return writer->nodes[child].is_included ? child : 0; // a child of an item may belong to a different player
}

// Marks an entity as a member and, recursively, its children that come from its assemblage.
static void add_members(writer_t *writer, uint32_t root) {
  writer->nodes[root].is_included = true;
  for (uint32_t child = writer->nodes[root].first_child; child && !writer->writes_items;
       child = writer->nodes[child].next_sibling)
    if (writer->nodes[child].slot != 0 && !writer->nodes[child].is_included)
      add_members(writer, child);
}

static void collect_nodes(writer_t *writer, const shoal_entity *entities, uint32_t count) {
  uint32_t used = writer->entities->used;
  for (uint32_t i = used; i-- > 1;) {
    uint32_t parent = writer->entities->alive[i] ? find_parent(writer, i) : 0;
    if (parent == 0)
      continue;
    writer->nodes[i].next_sibling = writer->nodes[parent].first_child;
    writer->nodes[parent].first_child = i;
  }
  for (uint32_t i = 1; i < used; ++i)
    if (writer->entities->alive[i] && writer->nodes[i].first_child)
      match_slots(writer, i);
  for (uint32_t i = 0; i < count; ++i)
    if (entities_is_alive(writer->entities, entities[i]) && !writer->nodes[shoal_entity_index(entities[i])].is_included)
      add_members(writer, shoal_entity_index(entities[i]));
  for (uint32_t i = 1; i < used; ++i) {
    uint32_t parent = writer->nodes[i].slot ? find_parent(writer, i) : 0;
    writer->nodes[i].is_root = writer->nodes[i].is_included && (parent == 0 || !writer->nodes[parent].is_included);
  }
}

// --- content of assemblages

static uint32_t find_manager_index(const writer_t *writer, uint32_t id) {
  uint32_t i = 0;
  while (i < writer->managers.count && writer->managers.items[i].manager->id != id)
    ++i;
  return i;
}

static content_t create_content(const writer_t *writer, uint32_t assemblage, uint32_t state) {
  uint32_t count = writer->managers.count;
  content_t content = {.assemblage = assemblage,
                       .state = state,
                       .unnamed_parts = alloc_resize(writer->memory, NULL, 0, count * sizeof *content.unnamed_parts),
                       .has_part = alloc_resize(writer->memory, NULL, 0, count * sizeof *content.has_part)};
  memset(content.unnamed_parts, 0, count * sizeof *content.unnamed_parts);
  memset(content.has_part, 0, count * sizeof *content.has_part);
  scene_list_parts(writer->world, assemblage, state, writer->memory, &content.parts);
  for (uint32_t i = 0; i < content.parts.count; ++i) {
    uint32_t index = find_manager_index(writer, content.parts.items[i].manager);
    if (index == count) // the component `name`, or a component that scenes do not contain
      continue;
    content.has_part[index] = true;
    content.unnamed_parts[index] =
        content.parts.items[i].instance == 0 ? &content.parts.items[i] : content.unnamed_parts[index];
  }
  return content;
}

// Returns the content of the entity's assemblage in the entity's state. Valid until the next call.
static const content_t *find_or_create_content(writer_t *writer, uint32_t index) {
  uint32_t assemblage = find_assemblage(writer, index), i = writer->last_content;
  uint32_t state = scene_resolve_state(writer->world, assemblage, writer->entities->state[index]);
  if (i < writer->contents.count && writer->contents.items[i].assemblage == assemblage &&
      writer->contents.items[i].state == state)
    return &writer->contents.items[i];
  for (i = 0; i < writer->contents.count; ++i)
    if (writer->contents.items[i].assemblage == assemblage && writer->contents.items[i].state == state)
      break;
  if (i == writer->contents.count) {
    content_t content = create_content(writer, assemblage, state);
    array_push(writer->memory, &writer->contents, content);
  }
  writer->last_content = i;
  return &writer->contents.items[i];
}

// --- names

static const char *get_name(const writer_t *writer, uint32_t index) {
  uint32_t row = writer->names ? manager_row(writer->names, get_entity(writer, index)) : ROW_NONE;
  return row != ROW_NONE ? strings_text(writer->strings, ((const uint32_t *)writer->names->data[0])[row]) : "";
}

static bool is_in_slot(const writer_t *writer, uint32_t index) {
  return writer->nodes[index].slot != 0 && !writer->nodes[index].is_root;
}

// Returns true if the text must contain the name (or null, if the entity has no name), because the assemblage or the
// child's slot provides a different name.
static bool needs_name(writer_t *writer, uint32_t index) {
  const content_t *content = find_or_create_content(writer, index);
  uint32_t row = writer->names ? manager_row(writer->names, get_entity(writer, index)) : ROW_NONE, provided = 0;
  const assemblage_part_t *part = writer->names ? scene_find_part(&content->parts, writer->names->id, 0) : NULL;
  if (part)
    provided = (uint32_t)part->values[0];
  else if (is_in_slot(writer, index))
    provided = world_assemblage_child_name(writer->world, find_assemblage(writer, find_parent(writer, index)),
                                           writer->nodes[index].slot - 1);
  bool is_provided = part || is_in_slot(writer, index);
  return row == ROW_NONE ? is_provided : !is_provided || ((const uint32_t *)writer->names->data[0])[row] != provided;
}

static void mark_referenced(writer_t *writer, shoal_entity e) {
  if (entities_is_alive(writer->entities, e))
    writer->nodes[shoal_entity_index(e)].is_referenced = true;
}

static void find_references(writer_t *writer) {
  for (uint32_t i = 0; i < writer->managers.count; ++i) {
    const manager_o *m = writer->managers.items[i].manager;
    for (uint32_t column = 0; column < m->schema.field_count; ++column) {
      const field_t *field = &m->schema.fields[column];
      bool is_parent = m == writer->transforms && column == writer->parent_column;
      for (uint32_t row = 0; field->type == FIELD_ENTITY && field_is_settable(field) && !is_parent && row < m->count;
           ++row)
        if (writer->nodes[shoal_entity_index(m->owner[row])].is_included)
          mark_referenced(writer, ((const shoal_entity *)m->data[column])[row]);
    }
  }
  for (uint32_t i = 1; i < writer->entities->used; ++i)
    if (writer->nodes[i].is_root && find_parent(writer, i))
      mark_referenced(writer, get_entity(writer, find_parent(writer, i)));
}

static const char *get_label(const writer_t *writer, uint32_t index) {
  const char *assemblage = strings_text(writer->strings, writer->entities->assemblage[index]);
  return assemblage[0] ? assemblage : "entity";
}

static void format_id(const writer_t *writer, uint32_t index, uint32_t number, char *out, size_t bytes) {
  if (writer->writes_items)
    snprintf(out, bytes, "%lld", (long long)writer->nodes[index].item);
  else
    snprintf(out, bytes, "%.200s#%u", get_label(writer, index), number);
}

// Assigns ids to an entity and the children from its assemblage, if these entities need ids. Numbers the ids in text
// order, so that they do not change when a scene is read and rewritten.
static void name_entity(writer_t *writer, uint32_t index, json_t *numbers) {
  char id[256];
  node_t *node = &writer->nodes[index];
  shoal_assert(node->is_included, "entity %u gets a name but is not written", index);
  const char *name = get_name(writer, index);
  bool is_unique =
      name[0] && json_integer_value(json_object_get(writer->name_counts, name)) == 1 && needs_name(writer, index);
  if ((node->is_referenced || writer->ids) && !is_unique) {
    json_int_t number = json_integer_value(json_object_get(numbers, get_label(writer, index)));
    do
      format_id(writer, index, (uint32_t)++number, id, sizeof id);
    while (json_object_get(writer->name_counts, id));
    json_object_set_new_nocheck(numbers, get_label(writer, index), json_integer(number));
    node->number = (uint32_t)number;
  }
  if (writer->ids)
    scene_ids_push(writer->ids, writer->memory, get_entity(writer, index), is_unique ? name : id);
  uint32_t assemblage = find_assemblage(writer, index);
  for (uint32_t i = 0; world_assemblage_child_number(writer->world, assemblage, i) != 0; ++i) {
    uint32_t child = find_child_in_slot(writer, index, i);
    if (child)
      name_entity(writer, child, numbers);
  }
}

static void name_entities(writer_t *writer) {
  json_t *numbers = json_object();
  writer->name_counts = json_object();
  for (uint32_t i = 1; i < writer->entities->used; ++i)
    writer->nodes[i].number = writer->writes_items && writer->nodes[i].is_included;
  if (writer->writes_items) {
    json_decref(numbers);
    return;
  }
  find_references(writer);
  for (uint32_t i = 1; i < writer->entities->used; ++i) {
    const char *name = writer->nodes[i].is_included ? get_name(writer, i) : "";
    if (name[0])
      json_object_set_new_nocheck(writer->name_counts, name,
                                  json_integer(json_integer_value(json_object_get(writer->name_counts, name)) + 1));
  }
  for (uint32_t i = 1; i < writer->entities->used; ++i)
    if (writer->nodes[i].is_root)
      name_entity(writer, i, numbers);
  json_decref(numbers);
}

// Returns true if the entity can be written as a reference. If `writer->ids` is set, the text is edited and must
// contain the entity. Items refer only to items.
static bool can_refer(const writer_t *writer, shoal_entity e) {
  return entities_is_alive(writer->entities, e) &&
         (writer->nodes[shoal_entity_index(e)].is_included || (!writer->ids && !writer->writes_items));
}

// Writes the reference to an entity that the text does not contain: its number, name and assemblage.
static void write_outside_reference(writer_t *writer, shoal_entity e) {
  char id[40];
  uint32_t index = shoal_entity_index(e);
  const char *name = get_name(writer, index),
             *assemblage = strings_text(writer->strings, writer->entities->assemblage[index]);
  snprintf(id, sizeof id, "{ \"entity\": %llu", (unsigned long long)e);
  write_text(writer, id);
  if (name[0]) {
    write_text(writer, ", \"name\": ");
    write_quoted(writer, name, strlen(name));
  }
  if (assemblage[0]) {
    write_text(writer, ", \"assemblage\": ");
    write_quoted(writer, assemblage, strlen(assemblage));
  }
  write_text(writer, " }");
}

static void write_reference(writer_t *writer, shoal_entity e) {
  char id[256];
  uint32_t index = shoal_entity_index(e);
  if (!can_refer(writer, e)) {
    write_text(writer, "null");
    return;
  }
  if (!writer->nodes[index].is_included) {
    write_outside_reference(writer, e);
    return;
  }
  const char *name = get_name(writer, index);
  shoal_assert(writer->nodes[index].number || name[0], "entity %u is referenced but has neither id nor name", index);
  if (writer->nodes[index].number)
    format_id(writer, index, writer->nodes[index].number, id, sizeof id);
  write_quoted(writer, writer->nodes[index].number ? id : name, strlen(writer->nodes[index].number ? id : name));
}

// --- components

// Writes names of layers, or the number if a bit has no name.
static void write_bits(writer_t *writer, const field_t *field, uint32_t bits) {
  const char *names[BIT_NAMES_MAX];
  uint32_t count = bit_names_list(field, bits, names);
  if (count == 0)
    write_number(writer, bits, false);
  write_text(writer, count > 1 ? "[" : "");
  for (uint32_t i = 0; i < count; ++i) {
    write_text(writer, i ? ", " : "");
    write_quoted(writer, names[i], strlen(names[i]));
  }
  write_text(writer, count > 1 ? "]" : "");
}

static void write_value(writer_t *writer, const field_t *field, double value) {
  switch (field->type) {
  case FIELD_BOOL: write_text(writer, value != 0 ? "true" : "false"); break;
  case FIELD_ENUM:
    write_quoted(writer, field_choice(field, (uint32_t)value), strlen(field_choice(field, (uint32_t)value)));
    break;
  case FIELD_STRING:
  case FIELD_ASSET: write_string(writer, (uint32_t)value); break;
  case FIELD_ENTITY: write_reference(writer, (shoal_entity)value); break;
  case FIELD_U32: write_bits(writer, field, (uint32_t)value); break;
  default: write_number(writer, value, field->type == FIELD_F32); break;
  }
}

static bool is_same_value(const field_t *field, double a, double b) {
  return merge_is_same_value(a, field->type == FIELD_F32 ? (double)(float)b : b, MERGE_BITS);
}

// Returns the value to write, which is 0 for a reference that cannot be written.
static double read_value(const writer_t *writer, const manager_o *m, uint32_t row, uint32_t column) {
  double value = columns_get(&m->columns, row, column);
  if (m->schema.fields[column].type != FIELD_ENTITY)
    return value;
  return can_refer(writer, (shoal_entity)value) ? value : 0;
}

// Returns true if the field, or any part of the vector, differs from `base_values`.
static bool has_field_changed(const writer_t *writer, const manager_o *m, uint32_t row, uint32_t column,
                              uint32_t column_count, const double *base_values) {
  for (uint32_t i = column; i < column + column_count; ++i)
    if (!is_same_value(&m->schema.fields[i], read_value(writer, m, row, i), base_values[i]))
      return true;
  return false;
}

// Closes and opens records, so that the next key is written into the records of a path. `open_records` contains the
// names of the open records, each followed by ".". `is_first` is true if no key has been written to the innermost
// record.
static void move_to_record(writer_t *writer, char open_records[FIELD_NAME_MAX], const char *path, size_t bytes,
                           bool *is_first) {
  size_t length = strlen(open_records);
  while (length > bytes || memcmp(open_records, path, length) != 0) {
    write_text(writer, " }");
    *is_first = false;
    do
      --length;
    while (length > 0 && open_records[length - 1] != '.');
  }
  for (const char *dot; (dot = memchr(path + length, '.', bytes - length)) != NULL;) {
    write_text(writer, *is_first ? " " : ", ");
    json_write_quoted(&writer->out, path + length, (size_t)(dot - path) - length);
    write_text(writer, ": {");
    *is_first = true;
    length = (size_t)(dot - path) + 1;
  }
  memcpy(open_records, path, length);
  open_records[length] = '\0';
}

// Writes the value of a field, or of `column_count` columns of a vector or list.
static void write_field(writer_t *writer, const manager_o *m, uint32_t row, uint32_t column, uint32_t column_count) {
  if (m->schema.fields[column].flags & FIELD_IS_COUNT) {
    column_count = (uint32_t)columns_get(&m->columns, row, column);
    ++column;
  } else if (column_count == 1) {
    write_value(writer, &m->schema.fields[column], read_value(writer, m, row, column));
    return;
  }
  write_text(writer, "[");
  for (uint32_t i = 0; i < column_count; ++i) {
    write_text(writer, i ? ", " : "");
    write_value(writer, &m->schema.fields[column + i], read_value(writer, m, row, column + i));
  }
  write_text(writer, "]");
}

static void note_equal_field(writer_t *writer, const manager_o *m, const field_plan_t *field) {
  size_t bytes;
  scene_count_field_columns(&m->schema, field->column, &bytes);
  const char *name = m->schema.fields[field->column].name;
  json_write_text(&writer->equal_fields, writer->equal_fields.text.count ? ", " : "");
  json_write_quoted(&writer->equal_fields, name, field->column_count > 1 ? bytes : strlen(name));
}

// Writes the names of the fields that equal the assemblage's fields, or true if all `count` fields are equal.
static void write_equal_fields(writer_t *writer, uint32_t equal, uint32_t count) {
  if (equal == 0)
    return;
  write_text(writer, ", \"" SCENE_EQUAL_KEY "\": ");
  write_text(writer, equal < count ? "[" : "true");
  if (equal < count) {
    write_text(writer, json_writer_text(&writer->equal_fields));
    write_text(writer, "]");
  }
}

// Writes, on one line, the fields that differ from `base_values` or, for items, all fields. Returns their number.
// `is_part`: true if `base_values` are the values of the assemblage's part.
static uint32_t write_row(writer_t *writer, const manager_plan_t *plan, uint32_t row, const double *base_values,
                          bool is_part) {
  const manager_o *m = plan->manager;
  char open_records[FIELD_NAME_MAX] = "";
  uint32_t written = 0, equal = 0;
  bool is_first = true;
  write_text(writer, "{");
  json_writer_clear(&writer->equal_fields);
  for (uint32_t k = 0; k < plan->field_count; ++k) {
    const field_plan_t *field = &writer->fields.items[plan->first_field + k];
    bool has_changed = has_field_changed(writer, m, row, field->column, field->column_count, base_values);
    if (!has_changed && !writer->writes_items)
      continue;
    if (!has_changed && is_part) {
      note_equal_field(writer, m, field);
      ++equal;
    }
    move_to_record(writer, open_records, m->schema.fields[field->column].name, field->record_bytes, &is_first);
    write_text(writer, is_first ? " " : ", ");
    is_first = false;
    ++written;
    write_label(writer, field->label);
    write_field(writer, m, row, field->column, field->column_count);
  }
  move_to_record(writer, open_records, "", 0, &is_first);
  write_equal_fields(writer, equal, plan->field_count);
  write_text(writer, written ? " }" : "}");
  return written;
}

static const double *get_base_values(const manager_o *m, const assemblage_part_t *part) {
  return part ? part->values : m->columns.initial;
}

// Writes one instance, or null if the entity lacks the instance. Skips an instance that equals `part`, the assemblage's
// instance (may be NULL).
static void write_instance(writer_t *writer, const manager_plan_t *plan, uint32_t instance,
                           const assemblage_part_t *part, bool *is_first) {
  const manager_o *m = plan->manager;
  uint32_t row = manager_find_instance_row(m, writer->current_entity, instance);
  uint32_t start_bytes = writer->out.text.count;
  write_text(writer, *is_first ? " " : ", ");
  write_string(writer, instance);
  write_text(writer, ": ");
  if (row == ROW_NONE)
    write_text(writer, "null");
  else if (write_row(writer, plan, row, get_base_values(m, part), part) == 0 && part && !writer->writes_items) {
    writer->out.text.count = start_bytes;
    return;
  }
  *is_first = false;
}

// Writes all instances of a component, beginning with the assemblage's instances, because reading creates them first.
static void write_instances(writer_t *writer, const manager_plan_t *plan, const scene_parts_t *parts,
                            uint32_t first_row) {
  const manager_o *m = plan->manager;
  bool is_first = true;
  write_text(writer, "{");
  for (uint32_t i = 0; i < parts->count; ++i)
    if (parts->items[i].manager == m->id)
      write_instance(writer, plan, parts->items[i].instance, &parts->items[i], &is_first);
  for (uint32_t row = first_row; row != ROW_NONE; row = m->next[row])
    if (!scene_find_part(parts, m->id, m->instance[row]))
      write_instance(writer, plan, m->instance[row], NULL, &is_first);
  write_text(writer, is_first ? "}" : " }");
}

static void write_component(writer_t *writer, uint32_t number, const content_t *content, bool *is_first,
                            uint32_t depth) {
  const manager_plan_t *plan = &writer->managers.items[number];
  const manager_o *m = plan->manager;
  uint32_t row = manager_row(m, writer->current_entity);
  uint32_t start_bytes = writer->out.text.count;
  bool is_provided = content->has_part[number], was_first = *is_first;
  if (row == ROW_NONE && !is_provided)
    return;
  begin_key(writer, is_first, depth);
  write_label(writer, plan->label);
  uint32_t value_start = writer->out.text.count;
  if (row == ROW_NONE)
    write_text(writer, "null");
  else if (m->schema.kind == SCHEMA_MANY)
    write_instances(writer, plan, &content->parts, row);
  else
    write_row(writer, plan, row, get_base_values(m, content->unnamed_parts[number]), content->unnamed_parts[number]);
  // Removes an empty object {}, because the content equals the content of the assemblage.
  if (is_provided && !writer->writes_items && writer->out.text.count - value_start == 2) {
    writer->out.text.count = start_bytes;
    *is_first = was_first;
  }
}

static void write_components(writer_t *writer, const content_t *content, bool *first_key, uint32_t depth) {
  uint32_t start_bytes = writer->out.text.count;
  bool is_first = true, was_first = *first_key;
  write_key(writer, first_key, depth, "components");
  write_text(writer, "{");
  for (uint32_t i = 0; i < writer->managers.count; ++i)
    write_component(writer, i, content, &is_first, depth + 1);
  if (is_first) {
    writer->out.text.count = start_bytes;
    *first_key = was_first;
    return;
  }
  write_line_break(writer, depth);
  write_text(writer, "}");
}

// --- entities

static void write_name(writer_t *writer, uint32_t index, bool *is_first, uint32_t depth) {
  uint32_t row = writer->names ? manager_row(writer->names, writer->current_entity) : ROW_NONE;
  if (writer->writes_items ? row == ROW_NONE : !needs_name(writer, index))
    return;
  write_key(writer, is_first, depth, "name");
  if (row == ROW_NONE)
    write_text(writer, "null");
  else
    write_string(writer, ((const uint32_t *)writer->names->data[0])[row]);
}

static void write_head(writer_t *writer, uint32_t index, const content_t *content, bool *is_first, uint32_t depth) {
  char id[256];
  const node_t *node = &writer->nodes[index];
  if (writer->writes_items ? writer->entities->assemblage[index] != 0 : node->is_root && content->assemblage) {
    write_key(writer, is_first, depth, "assemblage");
    write_string(writer, writer->entities->assemblage[index]);
  }
  if (content->state != scene_resolve_state(writer->world, content->assemblage, 0)) {
    write_key(writer, is_first, depth, "state");
    write_string(writer, content->state);
  }
  if (node->number) {
    format_id(writer, index, node->number, id, sizeof id);
    write_key(writer, is_first, depth, "id");
    write_quoted(writer, id, strlen(id));
  }
  write_name(writer, index, is_first, depth);
  uint32_t parent = node->is_root ? find_parent(writer, index) : 0;
  if (parent && can_refer(writer, get_entity(writer, parent))) {
    write_key(writer, is_first, depth, "parent");
    write_reference(writer, get_entity(writer, parent));
  }
}

static void write_entity(writer_t *writer, uint32_t index, uint32_t depth) {
  bool is_first = true, first_child = true;
  shoal_assert(writer->nodes[index].is_included, "entity %u is written but was not requested", index);
  writer->current_entity = get_entity(writer, index);
  const content_t *content = find_or_create_content(writer, index);
  uint32_t assemblage = content->assemblage;
  write_text(writer, "{");
  write_head(writer, index, content, &is_first, depth + 1);
  write_components(writer, content, &is_first, depth + 1);
  uint32_t children_start = writer->out.text.count;
  bool was_first = is_first;
  for (uint32_t i = 0, name; (name = world_assemblage_child_name(writer->world, assemblage, i)) != 0; ++i) {
    if (first_child) {
      write_key(writer, &is_first, depth + 1, "children");
      write_text(writer, "{");
    }
    uint32_t child_start = writer->out.text.count;
    uint32_t child = find_child_in_slot(writer, index, i);
    bool was_first_child = first_child;
    write_key(writer, &first_child, depth + 2, strings_text(writer->strings, name));
    uint32_t value_start = writer->out.text.count;
    if (child)
      write_entity(writer, child, depth + 2);
    else
      write_text(writer, "null");
    // Removes an empty object {}, because the content equals the content of the assemblage.
    if (writer->out.text.count - value_start == 2) {
      writer->out.text.count = was_first_child ? children_start : child_start;
      first_child = was_first_child;
      is_first = was_first_child ? was_first : is_first;
    }
  }
  if (!first_child) {
    write_line_break(writer, depth + 1);
    write_text(writer, "}");
  }
  if (!is_first)
    write_line_break(writer, depth);
  write_text(writer, "}");
}

// --- the scene

static int compare_names(const void *a, const void *b) {
  const manager_plan_t *plan_a = a, *plan_b = b;
  return strcmp(plan_a->manager->schema.name, plan_b->manager->schema.name);
}

static label_t append_label(writer_t *writer, const char *name, size_t bytes) {
  label_t label = {.offset = writer->labels.text.count};
  json_write_quoted(&writer->labels, name, bytes);
  json_write_bytes(&writer->labels, ": ", 2);
  label.bytes = writer->labels.text.count - label.offset;
  return label;
}

static void plan_fields(writer_t *writer, manager_plan_t *plan) {
  const manager_o *m = plan->manager;
  plan->first_field = writer->fields.count;
  for (uint32_t column = 0, column_count; column < m->schema.field_count; column += column_count) {
    size_t name_bytes;
    column_count = scene_count_field_columns(&m->schema, column, &name_bytes);
    bool is_parent = m == writer->transforms && column == writer->parent_column;
    if (is_parent || !field_is_settable(&m->schema.fields[column]))
      continue;
    const char *name = m->schema.fields[column].name;
    size_t record_bytes = name_bytes;
    while (record_bytes > 0 && name[record_bytes - 1] != '.')
      --record_bytes;
    field_plan_t field = {column, column_count, record_bytes,
                          append_label(writer, name + record_bytes, name_bytes - record_bytes)};
    array_push(writer->memory, &writer->fields, field);
  }
  plan->field_count = writer->fields.count - plan->first_field;
}

static void plan_managers(writer_t *writer) {
  for (uint32_t id = 1; id <= world_manager_count(writer->world); ++id) {
    const manager_o *m = world_manager(writer->world, id);
    if (m->schema.kind == SCHEMA_SINGLE || m == writer->names || strcmp(m->schema.name, "in_scene") == 0)
      continue;
    manager_plan_t plan = {.manager = m, .label = append_label(writer, m->schema.name, strlen(m->schema.name))};
    plan_fields(writer, &plan);
    array_push(writer->memory, &writer->managers, plan);
  }
  if (writer->managers.count > 0)
    qsort(writer->managers.items, writer->managers.count, sizeof(manager_plan_t), compare_names);
}

static void write_scene(writer_t *writer) {
  bool is_first = true;
  write_text(writer, "{\n  \"format\": 1,\n  \"entities\": [");
  for (uint32_t i = 1; i < writer->entities->used && !writer->failed; ++i) {
    if (!writer->nodes[i].is_root)
      continue;
    write_text(writer, is_first ? "" : ",");
    is_first = false;
    write_line_break(writer, 2);
    write_entity(writer, i, 2);
  }
  write_text(writer, is_first ? "]\n}\n" : "\n  ]\n}\n");
}

static void free_plans(writer_t *writer) {
  uint32_t count = writer->managers.count;
  for (uint32_t i = 0; i < writer->contents.count; ++i) {
    content_t *content = &writer->contents.items[i];
    alloc_resize(writer->memory, content->unnamed_parts, count * sizeof *content->unnamed_parts, 0);
    alloc_resize(writer->memory, content->has_part, count * sizeof *content->has_part, 0);
    array_free(writer->memory, &content->parts);
  }
  array_free(writer->memory, &writer->contents);
  array_free(writer->memory, &writer->fields);
  array_free(writer->memory, &writer->managers);
  json_writer_fini(&writer->labels);
  json_writer_fini(&writer->equal_fields);
}

char *scene_write(world_o *w, const shoal_entity *entities, uint32_t count, allocator_t *a, size_t *bytes,
                  error_info_t *error) {
  return scene_write_named(w, entities, count, a, NULL, bytes, error);
}

static char *write_entities(world_o *w, const shoal_entity *entities, const int64_t *items, uint32_t count,
                            allocator_t *a, scene_ids_t *ids, size_t *bytes, error_info_t *error) {
  shoal_assert(bytes, "`bytes` must not be NULL");
  shoal_assert(entities || count == 0, "entities must not be NULL (count %u)", count);
  writer_t writer = {.world = w, .strings = world_strings(w), .entities = world_entities(w), .memory = a, .ids = ids};
  writer.error = error;
  writer.writes_items = items != NULL;
  json_writer_init(&writer.equal_fields, a);
  json_writer_init(&writer.out, a);
  json_writer_init(&writer.labels, a);
  uint32_t node_count = writer.entities->used;
  writer.names = world_find_manager(w, "name");
  writer.transforms = world_find_manager(w, "transform");
  int32_t parent = writer.transforms ? manager_find_column(writer.transforms, "parent") : -1;
  writer.transforms = parent >= 0 ? writer.transforms : NULL;
  writer.parent_column = parent >= 0 ? (uint32_t)parent : 0;
  writer.nodes = alloc_resize(a, NULL, 0, node_count * sizeof *writer.nodes);
  memset(writer.nodes, 0, node_count * sizeof *writer.nodes);
  plan_managers(&writer);
  collect_nodes(&writer, entities, count);
  for (uint32_t i = 0; items && i < count; ++i)
    writer.nodes[shoal_entity_index(entities[i])].item = items[i];
  name_entities(&writer);
  write_scene(&writer);
  json_decref(writer.name_counts);
  alloc_resize(a, writer.nodes, node_count * sizeof *writer.nodes, 0);
  free_plans(&writer);
  *bytes = writer.out.text.count;
  if (writer.failed) {
    json_writer_fini(&writer.out);
    return NULL;
  }
  return json_writer_detach_text(&writer.out);
}

char *scene_write_named(world_o *w, const shoal_entity *entities, uint32_t count, allocator_t *a, scene_ids_t *ids,
                        size_t *bytes, error_info_t *error) {
  return write_entities(w, entities, NULL, count, a, ids, bytes, error);
}

char *scene_write_items(world_o *w, const shoal_entity *entities, const int64_t *items, uint32_t count, allocator_t *a,
                        size_t *bytes) {
  shoal_assert(items, "items must not be NULL (count %u)", count);
  return write_entities(w, entities, items, count, a, NULL, bytes, NULL);
}
