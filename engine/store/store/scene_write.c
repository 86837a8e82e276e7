// Writes scenes in three passes over the world: selects the entities and finds the slots of children (collect_nodes),
// finds references and assigns ids (name_entities), and writes the text (write_scene).
#include "store/scene_internal.h"

#include "base/assert.h"
#include "base/json_writer.h"
#include "base/number_text.h"
#include "schema/bit_names.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct node_t {
  uint32_t first_child, next; // entity indices: links of the tree of all living entities that transform.parent defines
  uint32_t slot;              // index + 1 of the child in its parent's assemblage; 0 if none
  uint32_t number;            // number after the '#' of the entity's id; 0 if its name identifies it
  bool member, referred, listed;
} node_t;

// A JSON key as written, with quotes and colon.
typedef struct label_t {
  size_t at, bytes; // offset and size in writer_t.labels
} label_t;

// Columns of one field in the text: one column, or those of a vector or list.
typedef struct field_plan_t {
  uint32_t column, n;
  size_t record_bytes; // length of the record names, each followed by ".", at the start of the column's name
  label_t label;
} field_plan_t;

typedef struct manager_plan_t {
  const manager_o *manager;
  label_t label;
  uint32_t first_field, field_count; // range in writer_t.fields
} manager_plan_t;

// Content of an assemblage in one state.
typedef struct kit_t {
  uint32_t assemblage, state;
  scene_parts_t parts;
  const assemblage_part_t **plain; // indexed like `managers`: the part without instance name, or NULL
  bool *brought;                   // indexed like `managers`: whether the assemblage has any part of that manager
} kit_t;

typedef struct writer_t {
  world_o *world;
  strings_o *strings;
  const entities_t *entities;
  allocator_t *memory;
  const manager_o *names, *transforms;
  uint32_t parent_column;
  ARRAY(manager_plan_t) managers; // managers allowed in a scene, sorted by name
  ARRAY(field_plan_t) fields;
  ARRAY(kit_t) kits;
  uint32_t kit; // index of the previous entity's kit
  json_writer_t labels;
  node_t *nodes;       // indexed by entity index
  json_t *name_counts; // name → number of members with this name
  json_writer_t out;
  scene_ids_t *ids; // NULL: assign ids only to referenced entities
  shoal_entity at;  // current entity, for messages
  error_info_t *error;
  bool failed;
} writer_t;

// --- text

static void write_text(writer_t *x, const char *text) {
  json_write_text(&x->out, text);
}

static void write_line_break(writer_t *x, uint32_t depth) {
  write_text(x, "\n");
  for (; depth > 0; --depth)
    write_text(x, "  ");
}

static void write_quoted(writer_t *x, const char *text, size_t bytes) {
  if (json_write_quoted(&x->out, text, bytes) || x->failed)
    return;
  uint32_t index = shoal_entity_index(x->at);
  x->failed = true;
  error_set(x->error, "entity(%u:%u %s) has a string that is not valid UTF-8: JSON cannot store it", index,
            shoal_entity_generation(x->at), strings_text(x->strings, x->entities->assemblage[index]));
}

static void write_string(writer_t *x, uint32_t id) {
  write_quoted(x, strings_text(x->strings, id), strings_length(x->strings, id));
}

static void write_number(writer_t *x, double v, bool is_float) {
  char digits[NUMBER_TEXT_BYTES];
  size_t length = number_to_text(v, is_float, digits);
  if (isfinite(v))
    json_write_bytes(&x->out, digits, length);
  else
    write_quoted(x, digits, length);
}

static void write_label(writer_t *x, label_t l) {
  json_write_bytes(&x->out, x->labels.text.items + l.at, l.bytes);
}

static void begin_key(writer_t *x, bool *first, uint32_t depth) {
  write_text(x, *first ? "" : ",");
  *first = false;
  write_line_break(x, depth);
}

// Writes a separator, a new line and the key.
static void write_key(writer_t *x, bool *first, uint32_t depth, const char *key) {
  begin_key(x, first, depth);
  write_quoted(x, key, strlen(key));
  write_text(x, ": ");
}

// --- selection

static shoal_entity get_entity(const writer_t *x, uint32_t index) {
  return index | (shoal_entity)x->entities->generation[index] << SHOAL_ENTITY_INDEX_BITS;
}

static uint32_t find_assemblage(const writer_t *x, uint32_t index) {
  uint32_t name = x->entities->assemblage[index];
  return name ? world_find_assemblage(x->world, name) : 0;
}

// Returns the index of the living transform parent; 0 if none.
static uint32_t find_parent(const writer_t *x, uint32_t index) {
  uint32_t row = x->transforms ? manager_row(x->transforms, get_entity(x, index)) : ROW_NONE;
  shoal_entity parent = row != ROW_NONE ? ((const shoal_entity *)x->transforms->data[x->parent_column])[row] : 0;
  bool is_other = entities_is_alive(x->entities, parent) && shoal_entity_index(parent) != index;
  return is_other ? shoal_entity_index(parent) : 0;
}

// Returns the index of the child without a slot that was most likely spawned from the assemblage `name` together with
// its parent; 0 if none. Children spawned with their parent usually have the first indices after the parent's;
// children attached later follow them.
static uint32_t find_spawned_child(const writer_t *x, uint32_t index, uint32_t name) {
  uint32_t found = 0;
  for (uint32_t child = x->nodes[index].first_child; child; child = x->nodes[child].next) {
    bool fits = x->nodes[child].slot == 0 && x->entities->assemblage[child] == name;
    if (fits && (found == 0 || (found < index && child > index)))
      found = child;
  }
  return found;
}

static void match_slots(writer_t *x, uint32_t index) {
  uint32_t assemblage = find_assemblage(x, index);
  for (uint32_t i = 0, number; (number = world_assemblage_child_number(x->world, assemblage, i)) != 0; ++i) {
    uint32_t child = find_spawned_child(x, index, world_assemblage_name(x->world, number));
    if (child)
      x->nodes[child].slot = i + 1;
  }
}

static uint32_t find_child_in_slot(const writer_t *x, uint32_t index, uint32_t slot) {
  uint32_t child = x->nodes[index].first_child;
  while (child && x->nodes[child].slot != slot + 1)
    child = x->nodes[child].next;
  return child;
}

// Marks an entity as a member and, recursively, its children that come from its assemblage.
static void add_members(writer_t *x, uint32_t root) {
  x->nodes[root].member = true;
  for (uint32_t child = x->nodes[root].first_child; child; child = x->nodes[child].next)
    if (x->nodes[child].slot != 0 && !x->nodes[child].member)
      add_members(x, child);
}

static void collect_nodes(writer_t *x, const shoal_entity *entities, uint32_t count) {
  uint32_t used = x->entities->used;
  for (uint32_t i = used; i-- > 1;) {
    uint32_t parent = x->entities->alive[i] ? find_parent(x, i) : 0;
    if (parent == 0)
      continue;
    x->nodes[i].next = x->nodes[parent].first_child;
    x->nodes[parent].first_child = i;
  }
  for (uint32_t i = 1; i < used; ++i)
    if (x->entities->alive[i] && x->nodes[i].first_child)
      match_slots(x, i);
  for (uint32_t i = 0; i < count; ++i)
    if (entities_is_alive(x->entities, entities[i]) && !x->nodes[shoal_entity_index(entities[i])].member)
      add_members(x, shoal_entity_index(entities[i]));
  for (uint32_t i = 1; i < used; ++i) {
    uint32_t parent = x->nodes[i].slot ? find_parent(x, i) : 0;
    x->nodes[i].listed = x->nodes[i].member && (parent == 0 || !x->nodes[parent].member);
  }
}

// --- content of assemblages

static uint32_t find_manager_index(const writer_t *x, uint32_t id) {
  uint32_t i = 0;
  while (i < x->managers.count && x->managers.items[i].manager->id != id)
    ++i;
  return i;
}

static kit_t create_kit(const writer_t *x, uint32_t assemblage, uint32_t state) {
  uint32_t count = x->managers.count;
  kit_t kit = {.assemblage = assemblage,
               .state = state,
               .plain = alloc_resize(x->memory, NULL, 0, count * sizeof *kit.plain),
               .brought = alloc_resize(x->memory, NULL, 0, count * sizeof *kit.brought)};
  memset(kit.plain, 0, count * sizeof *kit.plain);
  memset(kit.brought, 0, count * sizeof *kit.brought);
  scene_list_parts(x->world, assemblage, state, x->memory, &kit.parts);
  for (uint32_t i = 0; i < kit.parts.count; ++i) {
    uint32_t at = find_manager_index(x, kit.parts.items[i].manager);
    if (at == count) // the component `name`, or a component that scenes do not contain
      continue;
    kit.brought[at] = true;
    kit.plain[at] = kit.parts.items[i].instance == 0 ? &kit.parts.items[i] : kit.plain[at];
  }
  return kit;
}

// Returns the content of the entity's assemblage in the entity's state. Valid until the next call.
static const kit_t *find_or_create_kit(writer_t *x, uint32_t index) {
  uint32_t assemblage = find_assemblage(x, index), i = x->kit;
  uint32_t state = scene_resolve_state(x->world, assemblage, x->entities->state[index]);
  if (i < x->kits.count && x->kits.items[i].assemblage == assemblage && x->kits.items[i].state == state)
    return &x->kits.items[i];
  for (i = 0; i < x->kits.count; ++i)
    if (x->kits.items[i].assemblage == assemblage && x->kits.items[i].state == state)
      break;
  if (i == x->kits.count) {
    kit_t made = create_kit(x, assemblage, state);
    array_push(x->memory, &x->kits, made);
  }
  x->kit = i;
  return &x->kits.items[i];
}

// --- names

static const char *get_name(const writer_t *x, uint32_t index) {
  uint32_t row = x->names ? manager_row(x->names, get_entity(x, index)) : ROW_NONE;
  return row != ROW_NONE ? strings_text(x->strings, ((const uint32_t *)x->names->data[0])[row]) : "";
}

static bool is_in_slot(const writer_t *x, uint32_t index) {
  return x->nodes[index].slot != 0 && !x->nodes[index].listed;
}

// Returns true if the text must contain the name, or its absence, because the entity's name differs from the one that
// the assemblage or the child's slot provides.
static bool needs_name(writer_t *x, uint32_t index) {
  const kit_t *kit = find_or_create_kit(x, index);
  uint32_t row = x->names ? manager_row(x->names, get_entity(x, index)) : ROW_NONE, brought = 0;
  const assemblage_part_t *part = x->names ? scene_find_part(&kit->parts, x->names->id, 0) : NULL;
  if (part)
    brought = (uint32_t)part->values[0];
  else if (is_in_slot(x, index))
    brought =
        world_assemblage_child_name(x->world, find_assemblage(x, find_parent(x, index)), x->nodes[index].slot - 1);
  bool is_brought = part || is_in_slot(x, index);
  return row == ROW_NONE ? is_brought : !is_brought || ((const uint32_t *)x->names->data[0])[row] != brought;
}

static void mark_referenced(writer_t *x, shoal_entity e) {
  if (entities_is_alive(x->entities, e))
    x->nodes[shoal_entity_index(e)].referred = true;
}

static void find_references(writer_t *x) {
  for (uint32_t i = 0; i < x->managers.count; ++i) {
    const manager_o *m = x->managers.items[i].manager;
    for (uint32_t c = 0; c < m->schema.field_count; ++c) {
      const field_t *f = &m->schema.fields[c];
      bool is_parent = m == x->transforms && c == x->parent_column;
      for (uint32_t row = 0; f->type == FIELD_ENTITY && field_is_settable(f) && !is_parent && row < m->count; ++row)
        if (x->nodes[shoal_entity_index(m->owner[row])].member)
          mark_referenced(x, ((const shoal_entity *)m->data[c])[row]);
    }
  }
  for (uint32_t i = 1; i < x->entities->used; ++i)
    if (x->nodes[i].listed && find_parent(x, i))
      mark_referenced(x, get_entity(x, find_parent(x, i)));
}

static const char *get_label(const writer_t *x, uint32_t index) {
  const char *assemblage = strings_text(x->strings, x->entities->assemblage[index]);
  return assemblage[0] ? assemblage : "entity";
}

static void format_id(const writer_t *x, uint32_t index, uint32_t number, char *out, size_t bytes) {
  snprintf(out, bytes, "%.200s#%u", get_label(x, index), number);
}

// Assigns ids to an entity and the children from its assemblage, if these entities need ids. Numbers the ids in text
// order, so that they do not change when a text is read and written again.
static void name_entity(writer_t *x, uint32_t index, json_t *numbers) {
  char id[256];
  node_t *n = &x->nodes[index];
  shoal_assert(n->member, "entity %u gets a name but is not written", index);
  const char *name = get_name(x, index);
  bool alone = name[0] && json_integer_value(json_object_get(x->name_counts, name)) == 1 && needs_name(x, index);
  if ((n->referred || x->ids) && !alone) {
    json_int_t number = json_integer_value(json_object_get(numbers, get_label(x, index)));
    do
      format_id(x, index, (uint32_t)++number, id, sizeof id);
    while (json_object_get(x->name_counts, id));
    json_object_set_new_nocheck(numbers, get_label(x, index), json_integer(number));
    n->number = (uint32_t)number;
  }
  if (x->ids)
    scene_ids_push(x->ids, x->memory, get_entity(x, index), alone ? name : id);
  uint32_t assemblage = find_assemblage(x, index);
  for (uint32_t i = 0; world_assemblage_child_number(x->world, assemblage, i) != 0; ++i) {
    uint32_t child = find_child_in_slot(x, index, i);
    if (child)
      name_entity(x, child, numbers);
  }
}

static void name_entities(writer_t *x) {
  json_t *numbers = json_object();
  x->name_counts = json_object();
  find_references(x);
  for (uint32_t i = 1; i < x->entities->used; ++i) {
    const char *name = x->nodes[i].member ? get_name(x, i) : "";
    if (name[0])
      json_object_set_new_nocheck(x->name_counts, name,
                                  json_integer(json_integer_value(json_object_get(x->name_counts, name)) + 1));
  }
  for (uint32_t i = 1; i < x->entities->used; ++i)
    if (x->nodes[i].listed)
      name_entity(x, i, numbers);
  json_decref(numbers);
}

// Returns true if the entity can be written as a reference. `x->ids`: the text is edited, and contains all entities.
static bool can_refer(const writer_t *x, shoal_entity e) {
  return entities_is_alive(x->entities, e) && (x->nodes[shoal_entity_index(e)].member || !x->ids);
}

// Writes what identifies an entity that the text does not contain.
static void write_outside_reference(writer_t *x, shoal_entity e) {
  char id[40];
  uint32_t index = shoal_entity_index(e);
  const char *name = get_name(x, index), *assemblage = strings_text(x->strings, x->entities->assemblage[index]);
  snprintf(id, sizeof id, "{ \"entity\": %llu", (unsigned long long)e);
  write_text(x, id);
  if (name[0]) {
    write_text(x, ", \"name\": ");
    write_quoted(x, name, strlen(name));
  }
  if (assemblage[0]) {
    write_text(x, ", \"assemblage\": ");
    write_quoted(x, assemblage, strlen(assemblage));
  }
  write_text(x, " }");
}

static void write_reference(writer_t *x, shoal_entity e) {
  char id[256];
  uint32_t index = shoal_entity_index(e);
  if (!can_refer(x, e)) {
    write_text(x, "null");
    return;
  }
  if (!x->nodes[index].member) {
    write_outside_reference(x, e);
    return;
  }
  const char *name = get_name(x, index);
  shoal_assert(x->nodes[index].number || name[0], "entity %u is referenced but has neither id nor name", index);
  if (x->nodes[index].number)
    format_id(x, index, x->nodes[index].number, id, sizeof id);
  write_quoted(x, x->nodes[index].number ? id : name, strlen(x->nodes[index].number ? id : name));
}

// --- components

// Writes names of layers, or the number if a bit has no name.
static void write_bits(writer_t *x, const field_t *f, uint32_t bits) {
  const char *names[BIT_NAMES_MAX];
  uint32_t count = bit_names_list(f, bits, names);
  if (count == 0)
    write_number(x, bits, false);
  write_text(x, count > 1 ? "[" : "");
  for (uint32_t i = 0; i < count; ++i) {
    write_text(x, i ? ", " : "");
    write_quoted(x, names[i], strlen(names[i]));
  }
  write_text(x, count > 1 ? "]" : "");
}

static void write_value(writer_t *x, const field_t *f, double v) {
  switch (f->type) {
  case FIELD_BOOL: write_text(x, v != 0 ? "true" : "false"); break;
  case FIELD_ENUM: write_quoted(x, field_choice(f, (uint32_t)v), strlen(field_choice(f, (uint32_t)v))); break;
  case FIELD_STRING:
  case FIELD_ASSET: write_string(x, (uint32_t)v); break;
  case FIELD_ENTITY: write_reference(x, (shoal_entity)v); break;
  case FIELD_U32: write_bits(x, f, (uint32_t)v); break;
  default: write_number(x, v, f->type == FIELD_F32); break;
  }
}

static bool is_same_value(const field_t *f, double a, double b) {
  if (f->type == FIELD_F32)
    b = (double)(float)b;
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): 0 and -0 differ; all NaN are equal
  return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

// Returns the value to write; 0 for a reference that cannot be written.
static double read_value(const writer_t *x, const manager_o *m, uint32_t row, uint32_t column) {
  double v = columns_get(&m->columns, row, column);
  if (m->schema.fields[column].type != FIELD_ENTITY)
    return v;
  return can_refer(x, (shoal_entity)v) ? v : 0;
}

// Returns true if the field, or any part of the vector, differs from `base`.
static bool has_field_changed(const writer_t *x, const manager_o *m, uint32_t row, uint32_t column, uint32_t n,
                              const double *base) {
  for (uint32_t i = column; i < column + n; ++i)
    if (!is_same_value(&m->schema.fields[i], read_value(x, m, row, i), base[i]))
      return true;
  return false;
}

// Closes and opens records, so that the next key is written into the records of a path. `open` contains the names of
// the open records, each followed by "."; `first` is true if no key has been written to the innermost one.
static void move_to_record(writer_t *x, char open[FIELD_NAME_MAX], const char *path, size_t bytes, bool *first) {
  size_t length = strlen(open);
  while (length > bytes || memcmp(open, path, length) != 0) {
    write_text(x, " }");
    *first = false;
    do
      --length;
    while (length > 0 && open[length - 1] != '.');
  }
  for (const char *dot; (dot = memchr(path + length, '.', bytes - length)) != NULL;) {
    write_text(x, *first ? " " : ", ");
    json_write_quoted(&x->out, path + length, (size_t)(dot - path) - length);
    write_text(x, ": {");
    *first = true;
    length = (size_t)(dot - path) + 1;
  }
  memcpy(open, path, length);
  open[length] = '\0';
}

// Writes the value of a field, or of `n` columns of a vector or list.
static void write_field(writer_t *x, const manager_o *m, uint32_t row, uint32_t column, uint32_t n) {
  if (m->schema.fields[column].flags & FIELD_IS_COUNT) {
    n = (uint32_t)columns_get(&m->columns, row, column);
    ++column;
  } else if (n == 1) {
    write_value(x, &m->schema.fields[column], read_value(x, m, row, column));
    return;
  }
  write_text(x, "[");
  for (uint32_t i = 0; i < n; ++i) {
    write_text(x, i ? ", " : "");
    write_value(x, &m->schema.fields[column + i], read_value(x, m, row, column + i));
  }
  write_text(x, "]");
}

// Writes, on one line, the fields that differ from `base`. Returns their number.
static uint32_t write_row(writer_t *x, const manager_plan_t *plan, uint32_t row, const double *base) {
  const manager_o *m = plan->manager;
  char open[FIELD_NAME_MAX] = "";
  uint32_t written = 0;
  bool first = true;
  write_text(x, "{");
  for (uint32_t k = 0; k < plan->field_count; ++k) {
    const field_plan_t *p = &x->fields.items[plan->first_field + k];
    if (!has_field_changed(x, m, row, p->column, p->n, base))
      continue;
    move_to_record(x, open, m->schema.fields[p->column].name, p->record_bytes, &first);
    write_text(x, first ? " " : ", ");
    first = false;
    ++written;
    write_label(x, p->label);
    write_field(x, m, row, p->column, p->n);
  }
  move_to_record(x, open, "", 0, &first);
  write_text(x, written ? " }" : "}");
  return written;
}

static const double *get_base_values(const manager_o *m, const assemblage_part_t *part) {
  return part ? part->values : m->columns.initial;
}

// Writes one instance, unless it equals `part`, the assemblage's instance (may be NULL).
static void write_instance(writer_t *x, const manager_plan_t *plan, uint32_t instance, const assemblage_part_t *part,
                           bool *first) {
  const manager_o *m = plan->manager;
  uint32_t row = manager_find_instance_row(m, x->at, instance);
  uint32_t before = x->out.text.count;
  write_text(x, *first ? " " : ", ");
  write_string(x, instance);
  write_text(x, ": ");
  if (row == ROW_NONE)
    write_text(x, "null");
  else if (write_row(x, plan, row, get_base_values(m, part)) == 0 && part) {
    x->out.text.count = before;
    return;
  }
  *first = false;
}

// Writes instances of the assemblage first, because reading creates them first.
static void write_instances(writer_t *x, const manager_plan_t *plan, const scene_parts_t *parts, uint32_t first_row) {
  const manager_o *m = plan->manager;
  bool first = true;
  write_text(x, "{");
  for (uint32_t i = 0; i < parts->count; ++i)
    if (parts->items[i].manager == m->id)
      write_instance(x, plan, parts->items[i].instance, &parts->items[i], &first);
  for (uint32_t row = first_row; row != ROW_NONE; row = m->next[row])
    if (!scene_find_part(parts, m->id, m->instance[row]))
      write_instance(x, plan, m->instance[row], NULL, &first);
  write_text(x, first ? "}" : " }");
}

static void write_component(writer_t *x, uint32_t number, const kit_t *kit, bool *first, uint32_t depth) {
  const manager_plan_t *plan = &x->managers.items[number];
  const manager_o *m = plan->manager;
  uint32_t row = manager_row(m, x->at);
  uint32_t before = x->out.text.count;
  bool brought = kit->brought[number], was_first = *first;
  if (row == ROW_NONE && !brought)
    return;
  begin_key(x, first, depth);
  write_label(x, plan->label);
  uint32_t start = x->out.text.count;
  if (row == ROW_NONE)
    write_text(x, "null");
  else if (m->schema.kind == SCHEMA_MANY)
    write_instances(x, plan, &kit->parts, row);
  else
    write_row(x, plan, row, get_base_values(m, kit->plain[number]));
  if (brought && x->out.text.count - start == 2) { // drop an empty object {}: the content equals that of the assemblage
    x->out.text.count = before;
    *first = was_first;
  }
}

static void write_components(writer_t *x, const kit_t *kit, bool *first_key, uint32_t depth) {
  uint32_t before = x->out.text.count;
  bool first = true, was_first = *first_key;
  write_key(x, first_key, depth, "components");
  write_text(x, "{");
  for (uint32_t i = 0; i < x->managers.count; ++i)
    write_component(x, i, kit, &first, depth + 1);
  if (first) {
    x->out.text.count = before;
    *first_key = was_first;
    return;
  }
  write_line_break(x, depth);
  write_text(x, "}");
}

// --- entities

static void write_name(writer_t *x, uint32_t index, bool *first, uint32_t depth) {
  uint32_t row = x->names ? manager_row(x->names, x->at) : ROW_NONE;
  if (!needs_name(x, index))
    return;
  write_key(x, first, depth, "name");
  if (row == ROW_NONE)
    write_text(x, "null");
  else
    write_string(x, ((const uint32_t *)x->names->data[0])[row]);
}

static void write_head(writer_t *x, uint32_t index, const kit_t *kit, bool *first, uint32_t depth) {
  char id[256];
  const node_t *n = &x->nodes[index];
  if (n->listed && kit->assemblage) {
    write_key(x, first, depth, "assemblage");
    write_string(x, x->entities->assemblage[index]);
  }
  if (kit->state != scene_resolve_state(x->world, kit->assemblage, 0)) {
    write_key(x, first, depth, "state");
    write_string(x, kit->state);
  }
  if (n->number) {
    format_id(x, index, n->number, id, sizeof id);
    write_key(x, first, depth, "id");
    write_quoted(x, id, strlen(id));
  }
  write_name(x, index, first, depth);
  uint32_t parent = n->listed ? find_parent(x, index) : 0;
  if (parent && can_refer(x, get_entity(x, parent))) {
    write_key(x, first, depth, "parent");
    write_reference(x, get_entity(x, parent));
  }
}

static void write_entity(writer_t *x, uint32_t index, uint32_t depth) {
  bool first = true, first_child = true;
  shoal_assert(x->nodes[index].member, "entity %u is written but was not requested", index);
  x->at = get_entity(x, index);
  const kit_t *kit = find_or_create_kit(x, index);
  uint32_t assemblage = kit->assemblage;
  write_text(x, "{");
  write_head(x, index, kit, &first, depth + 1);
  write_components(x, kit, &first, depth + 1);
  uint32_t before = x->out.text.count;
  bool was_first = first;
  for (uint32_t i = 0, name; (name = world_assemblage_child_name(x->world, assemblage, i)) != 0; ++i) {
    if (first_child) {
      write_key(x, &first, depth + 1, "children");
      write_text(x, "{");
    }
    uint32_t here = x->out.text.count;
    uint32_t child = find_child_in_slot(x, index, i);
    bool was_first_child = first_child;
    write_key(x, &first_child, depth + 2, strings_text(x->strings, name));
    uint32_t start = x->out.text.count;
    if (child)
      write_entity(x, child, depth + 2);
    else
      write_text(x, "null");
    if (x->out.text.count - start == 2) { // drop an empty object {}: the content equals that of the assemblage
      x->out.text.count = was_first_child ? before : here;
      first_child = was_first_child;
      first = was_first_child ? was_first : first;
    }
  }
  if (!first_child) {
    write_line_break(x, depth + 1);
    write_text(x, "}");
  }
  if (!first)
    write_line_break(x, depth);
  write_text(x, "}");
}

// --- the scene

static int compare_names(const void *a, const void *b) {
  const manager_plan_t *first = a, *second = b;
  return strcmp(first->manager->schema.name, second->manager->schema.name);
}

static label_t append_label(writer_t *x, const char *name, size_t bytes) {
  label_t label = {.at = x->labels.text.count};
  json_write_quoted(&x->labels, name, bytes);
  json_write_bytes(&x->labels, ": ", 2);
  label.bytes = x->labels.text.count - label.at;
  return label;
}

static void plan_fields(writer_t *x, manager_plan_t *plan) {
  const manager_o *m = plan->manager;
  plan->first_field = x->fields.count;
  for (uint32_t c = 0, n; c < m->schema.field_count; c += n) {
    size_t name_bytes;
    n = scene_count_field_columns(&m->schema, c, &name_bytes);
    bool is_parent = m == x->transforms && c == x->parent_column;
    if (is_parent || !field_is_settable(&m->schema.fields[c]))
      continue;
    const char *name = m->schema.fields[c].name;
    size_t record_bytes = name_bytes;
    while (record_bytes > 0 && name[record_bytes - 1] != '.')
      --record_bytes;
    field_plan_t field = {c, n, record_bytes, append_label(x, name + record_bytes, name_bytes - record_bytes)};
    array_push(x->memory, &x->fields, field);
  }
  plan->field_count = x->fields.count - plan->first_field;
}

static void choose_managers(writer_t *x) {
  for (uint32_t id = 1; id <= world_manager_count(x->world); ++id) {
    const manager_o *m = world_manager(x->world, id);
    if (m->schema.kind == SCHEMA_SINGLE || m == x->names || strcmp(m->schema.name, "in_scene") == 0)
      continue;
    manager_plan_t plan = {.manager = m, .label = append_label(x, m->schema.name, strlen(m->schema.name))};
    plan_fields(x, &plan);
    array_push(x->memory, &x->managers, plan);
  }
  if (x->managers.count > 0)
    qsort(x->managers.items, x->managers.count, sizeof(manager_plan_t), compare_names);
}

static void write_scene(writer_t *x) {
  bool first = true;
  write_text(x, "{\n  \"format\": 1,\n  \"entities\": [");
  for (uint32_t i = 1; i < x->entities->used && !x->failed; ++i) {
    if (!x->nodes[i].listed)
      continue;
    write_text(x, first ? "" : ",");
    first = false;
    write_line_break(x, 2);
    write_entity(x, i, 2);
  }
  write_text(x, first ? "]\n}\n" : "\n  ]\n}\n");
}

static void free_plans(writer_t *x) {
  uint32_t count = x->managers.count;
  for (uint32_t i = 0; i < x->kits.count; ++i) {
    kit_t *kit = &x->kits.items[i];
    alloc_resize(x->memory, kit->plain, count * sizeof *kit->plain, 0);
    alloc_resize(x->memory, kit->brought, count * sizeof *kit->brought, 0);
    array_free(x->memory, &kit->parts);
  }
  array_free(x->memory, &x->kits);
  array_free(x->memory, &x->fields);
  array_free(x->memory, &x->managers);
  json_writer_fini(&x->labels);
}

char *scene_write(world_o *w, const shoal_entity *entities, uint32_t count, allocator_t *a, size_t *bytes,
                  error_info_t *error) {
  return scene_write_named(w, entities, count, a, NULL, bytes, error);
}

char *scene_write_named(world_o *w, const shoal_entity *entities, uint32_t count, allocator_t *a, scene_ids_t *ids,
                        size_t *bytes, error_info_t *error) {
  shoal_assert(bytes, "`bytes` must not be NULL");
  shoal_assert(entities || count == 0, "entities must not be NULL (count %u)", count);
  writer_t x = {.world = w, .strings = world_strings(w), .entities = world_entities(w), .memory = a, .ids = ids};
  x.error = error;
  json_writer_init(&x.out, a);
  json_writer_init(&x.labels, a);
  uint32_t nodes = x.entities->used;
  x.names = world_find_manager(w, "name");
  x.transforms = world_find_manager(w, "transform");
  int32_t parent = x.transforms ? manager_find_column(x.transforms, "parent") : -1;
  x.transforms = parent >= 0 ? x.transforms : NULL;
  x.parent_column = parent >= 0 ? (uint32_t)parent : 0;
  x.nodes = alloc_resize(a, NULL, 0, nodes * sizeof *x.nodes);
  memset(x.nodes, 0, nodes * sizeof *x.nodes);
  choose_managers(&x);
  collect_nodes(&x, entities, count);
  name_entities(&x);
  write_scene(&x);
  json_decref(x.name_counts);
  alloc_resize(a, x.nodes, nodes * sizeof *x.nodes, 0);
  free_plans(&x);
  *bytes = x.out.text.count;
  if (x.failed) {
    json_writer_fini(&x.out);
    return NULL;
  }
  return json_writer_detach_text(&x.out);
}
