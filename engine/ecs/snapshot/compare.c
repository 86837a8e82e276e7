// Compares states: looks up each row of one state in the other, stores the differences as small structs, and sorts
// them. Only the requested differences are formatted as text.
#include "snapshot/compare.h"

#include "base/assert.h"
#include "shoal/number.h"
#include "snapshot/state_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW_ABSENT UINT32_MAX

// Classes of differences, in reporting order.
enum { CLASS_ENTITIES, CLASS_SINGLETONS, CLASS_EVENTS, CLASS_WORLD };

typedef struct difference_t {
  uint32_t class, index; // class: a CLASS_ value; index: entity index
  uint32_t table;        // index of the component or event in `pairs`; 0 for the entity itself
  // index of the field + 1; 0: the whole row. If `table` is 0: 1 for the entity's assemblage, 2 for its state. For
  // COMPARE_OTHER: a WORLD_ value.
  uint32_t field;
  uint32_t kind, row_a, row_b;
  shoal_entity entity;
} difference_t;

typedef struct pair_t {
  const state_rows_t *a, *b; // either may be NULL
} pair_t;

typedef struct comparison_t {
  allocator_t *memory;
  world_o *w;
  const state_view_t *a, *b;
  bool has_same_texts;
  ARRAY(pair_t) pairs; // components, then events; index 0 is unused
  ARRAY(difference_t) differences;
  // Linked lists of b's rows: the first row, indexed by entity index, and the next row, indexed by row. All rows are
  // stored plus 1; 0 ends a list.
  ARRAY(uint32_t) heads, nexts;
  ARRAY(uint8_t) matched; // flags, indexed by row of b: 1 if the row was found in a
} comparison_t;

// --- reading

static bool is_same_text(const comparison_t *c, uint32_t a, uint32_t b) {
  if (c->has_same_texts && a == b)
    return true;
  size_t n = 0, m = 0;
  const char *x = state_text(c->a, a, &n), *y = state_text(c->b, b, &m);
  return n == m && memcmp(x, y, n) == 0;
}

static void copy_text(const state_view_t *s, uint32_t id, char *out) {
  size_t length = 0;
  const char *text = state_text(s, id, &length);
  snprintf(out, COMPARE_TEXT_MAX, "%.*s", (int)(length < COMPARE_TEXT_MAX ? length : COMPARE_TEXT_MAX), text);
}

static bool is_entity_alive(const state_view_t *s, uint32_t index) {
  return index > 0 && index < s->info->entities_used && s->alive[index];
}

static shoal_entity get_entity(const state_view_t *s, uint32_t index) {
  return index | (uint32_t)s->generation[index] << SHOAL_ENTITY_INDEX_BITS;
}

static bool is_entity_in_both(const comparison_t *c, shoal_entity e) {
  uint32_t i = shoal_entity_index(e);
  return is_entity_alive(c->a, i) && is_entity_alive(c->b, i) && get_entity(c->a, i) == e && get_entity(c->b, i) == e;
}

static bool is_text_type(uint32_t type) {
  return type == FIELD_STRING || type == FIELD_ASSET;
}

static uint32_t read_u32(const void *column, uint32_t row) {
  uint32_t word;
  memcpy(&word, (const uint8_t *)column + (size_t)row * 4, sizeof word);
  return word;
}

static const char *get_choice_text(const state_rows_t *t, uint32_t field, uint32_t number) {
  const char *choice = t->choices[field], *end = choice + t->fields[field].choices_bytes;
  for (uint32_t i = 0; i < number && choice < end; ++i)
    choice += strlen(choice) + 1;
  return choice < end ? choice : "?";
}

static bool is_hidden(const comparison_t *c, const state_rows_t *t, uint32_t field) {
  const manager_o *m = c->w ? world_find_manager(c->w, t->schema->name) : NULL;
  int32_t i = m ? schema_find_field(&m->schema, t->fields[field].name) : -1;
  return i >= 0 && m->schema.fields[i].flags & FIELD_HIDDEN;
}

static int32_t find_field(const state_rows_t *t, const char *name) {
  for (uint32_t i = 0; i < t->schema->field_count; ++i)
    if (strcmp(t->fields[i].name, name) == 0)
      return (int32_t)i;
  return -1;
}

static const uint8_t *get_cell(const state_rows_t *t, uint32_t field, uint32_t row) {
  shoal_assert(row < t->count, "row %u of %s is out of range (count %u)", row, t->schema->name, t->count);
  return (const uint8_t *)t->columns[field] + (size_t)row * field_size((field_type_t)t->fields[field].type);
}

static bool is_same_cell(const comparison_t *c, const pair_t *p, uint32_t field_a, uint32_t field_b, uint32_t row_a,
                         uint32_t row_b) {
  uint32_t type = p->a->fields[field_a].type, size = field_size((field_type_t)type);
  const uint8_t *x = get_cell(p->a, field_a, row_a), *y = get_cell(p->b, field_b, row_b);
  if (type != p->b->fields[field_b].type)
    return false;
  if (is_text_type(type))
    return is_same_text(c, read_u32(p->a->columns[field_a], row_a), read_u32(p->b->columns[field_b], row_b));
  if (type == FIELD_ENUM)
    return strcmp(get_choice_text(p->a, field_a, *x), get_choice_text(p->b, field_b, *y)) == 0;
  return memcmp(x, y, size) == 0;
}

// --- lookup

static void add_difference(comparison_t *c, uint32_t class, uint32_t kind, shoal_entity e, uint32_t table,
                           uint32_t field, uint32_t row_a, uint32_t row_b) {
  difference_t difference = {class, shoal_entity_index(e), table, field, kind, row_a, row_b, e};
  array_push(c->memory, &c->differences, difference);
}

static void find_entity_differences(comparison_t *c) {
  uint32_t used =
      c->a->info->entities_used > c->b->info->entities_used ? c->a->info->entities_used : c->b->info->entities_used;
  for (uint32_t i = 1; i < used; ++i) {
    bool in_a = is_entity_alive(c->a, i), in_b = is_entity_alive(c->b, i);
    shoal_entity x = in_a ? get_entity(c->a, i) : 0, y = in_b ? get_entity(c->b, i) : 0;
    if (in_a && x != y)
      add_difference(c, CLASS_ENTITIES, COMPARE_ENTITY, x, 0, 0, 0, ROW_ABSENT);
    if (in_b && x != y)
      add_difference(c, CLASS_ENTITIES, COMPARE_ENTITY, y, 0, 0, ROW_ABSENT, 0);
    if (!in_a || x != y)
      continue;
    if (!is_same_text(c, c->a->assemblage[i], c->b->assemblage[i]))
      add_difference(c, CLASS_ENTITIES, COMPARE_FIELD, x, 0, 1, i, i);
    if (!is_same_text(c, c->a->state[i], c->b->state[i]))
      add_difference(c, CLASS_ENTITIES, COMPARE_FIELD, x, 0, 2, i, i);
  }
}

static void compare_row(comparison_t *c, uint32_t number, uint32_t class, uint32_t row_a, uint32_t row_b,
                        shoal_entity e) {
  const pair_t *p = &c->pairs.items[number];
  uint32_t kind = class == CLASS_EVENTS ? COMPARE_EVENT : COMPARE_FIELD;
  for (uint32_t field_a = 0; field_a < p->a->schema->field_count; ++field_a) {
    int32_t field_b = find_field(p->b, p->a->fields[field_a].name);
    if (field_b >= 0 && !is_same_cell(c, p, field_a, (uint32_t)field_b, row_a, row_b) && !is_hidden(c, p->a, field_a))
      add_difference(c, class, kind, e, number, field_a + 1, row_a, row_b);
  }
}

static void build_row_chains(comparison_t *c, const state_rows_t *t) {
  array_reserve(c->memory, &c->heads, c->b->info->entities_used + 1);
  array_reserve(c->memory, &c->nexts, t->count + 1);
  memset(c->heads.items, 0, (c->b->info->entities_used + 1) * sizeof *c->heads.items);
  for (uint32_t row = t->count; row-- > 0;) {
    uint32_t i = shoal_entity_index(t->owner[row]);
    if (i >= c->b->info->entities_used)
      continue;
    c->nexts.items[row] = c->heads.items[i];
    c->heads.items[i] = row + 1;
  }
}

static uint32_t find_row(const comparison_t *c, const pair_t *p, uint32_t row) {
  shoal_entity e = p->a->owner[row];
  uint32_t i = shoal_entity_index(e);
  for (uint32_t number = i < c->b->info->entities_used ? c->heads.items[i] : 0; number != 0;
       number = c->nexts.items[number - 1])
    if (p->b->owner[number - 1] == e &&
        (!p->a->instance || !p->b->instance || is_same_text(c, p->a->instance[row], p->b->instance[number - 1])))
      return number - 1;
  return ROW_ABSENT;
}

// Returns true if both components are identical byte for byte. This fast path applies to most components if the states
// are close in time.
static bool is_same_table(const comparison_t *c, const pair_t *p) {
  const state_rows_t *a = p->a, *b = p->b;
  bool same = c->has_same_texts && a->count == b->count && a->schema->field_count == b->schema->field_count &&
              memcmp(a->owner, b->owner, a->count * sizeof *a->owner) == 0 && (!a->instance == !b->instance) &&
              (!a->instance || memcmp(a->instance, b->instance, a->count * sizeof *a->instance) == 0);
  for (uint32_t f = 0; same && f < a->schema->field_count; ++f)
    same = strcmp(a->fields[f].name, b->fields[f].name) == 0 && a->fields[f].type == b->fields[f].type &&
           a->fields[f].choices_bytes == b->fields[f].choices_bytes &&
           memcmp(a->choices[f], b->choices[f], a->fields[f].choices_bytes) == 0 &&
           memcmp(a->columns[f], b->columns[f], (size_t)a->count * field_size((field_type_t)a->fields[f].type)) == 0;
  return same;
}

static void find_component_differences(comparison_t *c, uint32_t number) {
  pair_t p = c->pairs.items[number];
  shoal_assert(p.a || p.b, "pair %u has no rows", number);
  bool is_singleton = (p.a ? p.a : p.b)->schema->kind == SCHEMA_SINGLE, in_order = true;
  uint32_t class = is_singleton ? CLASS_SINGLETONS : CLASS_ENTITIES, common = 0, count_b = p.b ? p.b->count : 0;
  if (p.a && p.b && is_same_table(c, &p))
    return;
  if (p.b)
    build_row_chains(c, p.b);
  array_reserve(c->memory, &c->matched, count_b + 1);
  memset(c->matched.items, 0, count_b + 1);
  for (uint32_t row = 0; p.a && row < p.a->count; ++row) {
    shoal_entity e = p.a->owner[row];
    uint32_t row_b = is_singleton ? (row < count_b ? row : ROW_ABSENT) : p.b ? find_row(c, &p, row) : ROW_ABSENT;
    in_order &= row_b == row;
    // Compares each row of b only once, because an open state may contain duplicate rows.
    if (row_b != ROW_ABSENT && !c->matched.items[row_b]) {
      common++;
      c->matched.items[row_b] = 1;
      compare_row(c, number, class, row, row_b, e);
    } else if (is_singleton || is_entity_in_both(c, e)) {
      add_difference(c, class, COMPARE_COMPONENT, e, number, 0, row, ROW_ABSENT);
    }
  }
  for (uint32_t row = 0; row < count_b; ++row)
    if (!c->matched.items[row] && (is_singleton || is_entity_in_both(c, p.b->owner[row])))
      add_difference(c, class, COMPARE_COMPONENT, p.b->owner[row], number, 0, ROW_ABSENT, row);
  if (p.a && !in_order && p.a->count == count_b && common == count_b)
    add_difference(c, CLASS_WORLD, COMPARE_COMPONENT, 0, number, 0, 0, 0);
}

static void find_event_differences(comparison_t *c, uint32_t number) {
  pair_t p = c->pairs.items[number];
  uint32_t count_a = p.a ? p.a->count : 0, count_b = p.b ? p.b->count : 0;
  for (uint32_t row = 0; row < count_a || row < count_b; ++row) {
    if (row < count_a && row < count_b)
      compare_row(c, number, CLASS_EVENTS, row, row, 0);
    else
      add_difference(c, CLASS_EVENTS, COMPARE_EVENT, 0, number, 0, row < count_a ? row : ROW_ABSENT,
                     row < count_b ? row : ROW_ABSENT);
  }
}

static void pair_rows(comparison_t *c, const state_rows_t *a, uint32_t a_count, const state_rows_t *b,
                      uint32_t b_count) {
  for (uint32_t i = 0; i < a_count; ++i) {
    pair_t p = {&a[i], state_find_rows(b, b_count, a[i].schema->name)};
    array_push(c->memory, &c->pairs, p);
  }
  for (uint32_t k = 0; k < b_count; ++k) {
    pair_t p = {NULL, &b[k]};
    if (!state_find_rows(a, a_count, b[k].schema->name))
      array_push(c->memory, &c->pairs, p);
  }
}

// --- the rest of the world

enum {
  WORLD_RANDOM = 1,
  WORLD_TICK,
  WORLD_RATE,
  WORLD_FREE,
  WORLD_QUERIES,
  WORLD_WATCHERS,
  WORLD_READERS,
  WORLD_COMMANDS,
  WORLD_STORAGE // a component's own storage
};

static const char *const world_texts[] = {
    [WORLD_RANDOM] = "the random number generator",
    [WORLD_TICK] = "tick",
    [WORLD_RATE] = "tick rate",
    [WORLD_FREE] = "the list of free entity ids",
    [WORLD_QUERIES] = "the row order of a query",
    [WORLD_WATCHERS] = "the list of pending calls to enter and leave",
    [WORLD_READERS] = "the position of an event reader",
    [WORLD_COMMANDS] = "the command queue",
    [WORLD_STORAGE] = "data besides its fields", // particles, edited tiles, data of a plugin's manager
};

static uint32_t get_section_group(uint32_t kind, uint32_t a) {
  switch (kind) {
  case SNAPSHOT_ENTITIES: return a == SNAPSHOT_FREE_RING ? WORLD_FREE : 0;
  case SNAPSHOT_QUERY:
  case SNAPSHOT_QUERY_ROWS: return WORLD_QUERIES;
  case SNAPSHOT_WATCHER:
  case SNAPSHOT_WATCHED: return WORLD_WATCHERS;
  case SNAPSHOT_READERS: return WORLD_READERS;
  case SNAPSHOT_STAGED_COLUMN:
  case SNAPSHOT_COMMANDS:
  case SNAPSHOT_LISTS:
  case SNAPSHOT_LIST_VALUES:
  case SNAPSHOT_BLOCK:
  case SNAPSHOT_BLOCK_ENTITIES:
  case SNAPSHOT_BLOCK_CHILDREN:
  case SNAPSHOT_BLOCK_PARTS:
  case SNAPSHOT_BLOCK_COLUMN: return WORLD_COMMANDS;
  default: return 0;
  }
}

// Returns true if both states have the same sections of a group, in the same order and with the same bytes.
static bool is_same_group(const comparison_t *c, uint32_t group) {
  const state_view_t *a = c->a, *b = c->b;
  for (uint32_t i = 0, k = 0;; ++i, ++k) {
    while (i < a->table.count && get_section_group(a->table.table[i].kind, a->table.table[i].a) != group)
      i++;
    while (k < b->table.count && get_section_group(b->table.table[k].kind, b->table.table[k].a) != group)
      k++;
    if (i >= a->table.count || k >= b->table.count)
      return i >= a->table.count && k >= b->table.count;
    const snapshot_section_t *x = &a->table.table[i], *y = &b->table.table[k];
    if (x->bytes != y->bytes || memcmp(a->table.bytes + x->offset, b->table.bytes + y->offset, x->bytes) != 0)
      return false;
  }
}

static void compare_world_state(comparison_t *c) {
  const snapshot_info_t *x = c->a->info, *y = c->b->info;
  bool differs[WORLD_STORAGE] = {
      [WORLD_RANDOM] = memcmp(x->random, y->random, sizeof x->random) != 0,
      [WORLD_TICK] = x->tick != y->tick,
      [WORLD_RATE] = x->tick_rate != y->tick_rate,
      [WORLD_FREE] = x->free_first != y->free_first || x->free_count != y->free_count || !is_same_group(c, WORLD_FREE),
  };
  for (uint32_t group = WORLD_QUERIES; group < WORLD_STORAGE; ++group)
    differs[group] = !is_same_group(c, group);
  for (uint32_t i = WORLD_RANDOM; i < WORLD_STORAGE; ++i)
    if (differs[i])
      add_difference(c, CLASS_WORLD, COMPARE_OTHER, 0, 0, i, 0, 0);
  for (uint32_t i = 1; i < c->pairs.count; ++i) {
    const state_rows_t *a = c->pairs.items[i].a, *b = c->pairs.items[i].b;
    uint64_t n = a ? a->storage_bytes : 0, m = b ? b->storage_bytes : 0;
    if (n != m || (n > 0 && memcmp(a->storage, b->storage, n) != 0))
      add_difference(c, CLASS_WORLD, COMPARE_OTHER, 0, i, WORLD_STORAGE, 0, 0);
  }
}

// --- formatting

static void set_number(compare_value_t *v, double number, const char *format) {
  v->kind = COMPARE_NUMBER;
  v->number = shoal_to_f64(number); // Lua reads the number, so NaN must be canonical
  snprintf(v->text, sizeof v->text, format, v->number);
}

static void set_text(compare_value_t *v, const char *text) {
  v->kind = COMPARE_TEXT;
  snprintf(v->text, sizeof v->text, "%s", text);
}

// Formats an entity, labeled with its name or, if it has no name, with its assemblage.
static void format_entity(const state_view_t *s, shoal_entity e, char *out) {
  char name[COMPARE_TEXT_MAX] = "";
  for (uint32_t i = 0; i < s->component_count; ++i) {
    const state_rows_t *t = &s->components[i];
    if (strcmp(t->schema->name, "name") != 0 || t->schema->field_count != 1 || !is_text_type(t->fields[0].type))
      continue;
    for (uint32_t row = 0; row < t->count; ++row)
      if (t->owner[row] == e)
        copy_text(s, read_u32(t->columns[0], row), name);
  }
  uint32_t i = shoal_entity_index(e);
  if (!name[0] && is_entity_alive(s, i) && get_entity(s, i) == e)
    copy_text(s, s->assemblage[i], name);
  if (name[0])
    snprintf(out, COMPARE_TEXT_MAX, "entity(%u:%u \"%.60s\")", i, shoal_entity_generation(e), name);
  else
    snprintf(out, COMPARE_TEXT_MAX, "entity(%u:%u)", i, shoal_entity_generation(e));
}

static void set_entity(const state_view_t *s, compare_value_t *v, shoal_entity e) {
  v->kind = COMPARE_ENTITY_KEY;
  v->number = e;
  if (e == 0)
    snprintf(v->text, sizeof v->text, "none");
  else
    format_entity(s, e, v->text);
}

// Shows the first cell that differs between two matrices, or cell 1 if there is no second matrix.
static void set_matrix(compare_value_t *v, const uint8_t *cells, const uint8_t *other_cells) {
  float value, other_value;
  for (uint32_t i = 0; i < 16; ++i) {
    memcpy(&value, cells + 4 * i, sizeof value);
    if (other_cells)
      memcpy(&other_value, other_cells + 4 * i, sizeof other_value);
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): exact comparison of bits, including NaN and -0
    if (other_cells && memcmp(&value, &other_value, sizeof value) == 0 && i < 15)
      continue;
    v->kind = COMPARE_TEXT;
    snprintf(v->text, sizeof v->text, "matrix with element %u = %.9g", i + 1, (double)value);
    return;
  }
}

static double read_number_of_type(uint32_t type, const uint8_t *cell) {
  union {
    float f32;
    double f64;
    int8_t i8;
    int16_t i16;
    int32_t i32;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
  } value = {.f64 = 0};
  memcpy(&value, cell, field_size((field_type_t)type));
  switch (type) {
  case FIELD_F32: return (double)value.f32;
  case FIELD_F64: return value.f64;
  case FIELD_I8: return value.i8;
  case FIELD_I16: return value.i16;
  case FIELD_I32: return value.i32;
  case FIELD_U16: return value.u16;
  case FIELD_U32: return value.u32;
  default: return value.u8;
  }
}

static void set_value(const state_view_t *s, compare_value_t *v, const state_rows_t *t, uint32_t field, uint32_t row,
                      const uint8_t *other_cell) {
  uint32_t type = t->fields[field].type;
  const uint8_t *cell = get_cell(t, field, row);
  switch (type) {
  case FIELD_STRING:
  case FIELD_ASSET:
    v->kind = COMPARE_TEXT;
    copy_text(s, read_u32(t->columns[field], row), v->text);
    break;
  case FIELD_ENUM: set_text(v, get_choice_text(t, field, *cell)); break;
  case FIELD_ENTITY: set_entity(s, v, read_u32(t->columns[field], row)); break;
  case FIELD_MAT4: set_matrix(v, cell, other_cell); break;
  case FIELD_BOOL:
    set_text(v, *cell ? "true" : "false");
    v->kind = COMPARE_BOOL;
    v->number = *cell;
    break;
  default: set_number(v, read_number_of_type(type, cell), type == FIELD_F64 ? "%.17g" : "%.9g"); break;
  }
}

// Appends the field's type to a value. Used for fields whose type differs between the states, because the values
// themselves may be equal.
static void append_type(compare_value_t *v, uint32_t type) {
  char value[COMPARE_TEXT_MAX];
  memcpy(value, v->text, sizeof value);
  snprintf(v->text, sizeof v->text, "%.80s (%s)", value, field_type_name((field_type_t)type));
}

static void describe_field(const comparison_t *c, const difference_t *difference, compare_item_t *out) {
  const pair_t *p = &c->pairs.items[difference->table];
  shoal_assert(p->a && p->b && difference->field > 0, "a field can differ only if both states have the component");
  uint32_t field_a = difference->field - 1;
  uint32_t field_b = (uint32_t)find_field(p->b, p->a->fields[field_a].name);
  snprintf(out->field, sizeof out->field, "%.47s", p->a->fields[field_a].name);
  bool matrices = p->a->fields[field_a].type == FIELD_MAT4 && p->b->fields[field_b].type == FIELD_MAT4;
  set_value(c->a, &out->a, p->a, field_a, difference->row_a,
            matrices ? get_cell(p->b, field_b, difference->row_b) : NULL);
  set_value(c->b, &out->b, p->b, field_b, difference->row_b,
            matrices ? get_cell(p->a, field_a, difference->row_a) : NULL);
  if (p->a->fields[field_a].type != p->b->fields[field_b].type) {
    append_type(&out->a, p->a->fields[field_a].type);
    append_type(&out->b, p->b->fields[field_b].type);
  }
}

static void describe_entity_field(const comparison_t *c, const difference_t *difference, compare_item_t *out) {
  const uint32_t *a = difference->field == 1 ? c->a->assemblage : c->a->state,
                 *b = difference->field == 1 ? c->b->assemblage : c->b->state;
  snprintf(out->field, sizeof out->field, "%s", difference->field == 1 ? "assemblage" : "state");
  out->a.kind = out->b.kind = COMPARE_TEXT;
  copy_text(c->a, a[difference->row_a], out->a.text);
  copy_text(c->b, b[difference->row_b], out->b.text);
}

static void describe_world(const comparison_t *c, const difference_t *difference, compare_item_t *out) {
  snprintf(out->field, sizeof out->field, "%s", world_texts[difference->field]);
  if (difference->field == WORLD_TICK) {
    set_number(&out->a, (double)c->a->info->tick, "%.0f");
    set_number(&out->b, (double)c->b->info->tick, "%.0f");
  } else if (difference->field == WORLD_RATE) {
    set_number(&out->a, c->a->info->tick_rate, "%.0f");
    set_number(&out->b, c->b->info->tick_rate, "%.0f");
  } else {
    set_text(&out->a, "differs");
    set_text(&out->b, "differs");
  }
}

static void describe_difference(const comparison_t *c, const difference_t *difference, compare_item_t *out) {
  const pair_t *p = difference->table ? &c->pairs.items[difference->table] : NULL;
  *out = (compare_item_t){.kind = difference->kind, .entity = difference->entity};
  bool only_b = difference->row_a == ROW_ABSENT;
  if (difference->entity)
    format_entity(only_b ? c->b : c->a, difference->entity, out->label);
  if (p)
    memcpy(out->component, (p->a ? p->a : p->b)->schema->name, sizeof out->component);
  const state_rows_t *rows = !p ? NULL : only_b ? p->b : p->a;
  if (rows && rows->instance && difference->class == CLASS_ENTITIES)
    copy_text(only_b ? c->b : c->a, rows->instance[only_b ? difference->row_b : difference->row_a], out->instance);
  if (difference->class == CLASS_EVENTS)
    out->row = only_b ? difference->row_b : difference->row_a;
  if (difference->kind == COMPARE_OTHER) {
    describe_world(c, difference, out);
  } else if (difference->class == CLASS_WORLD) {
    snprintf(out->field, sizeof out->field, "the row order");
    set_text(&out->a, "differs");
    set_text(&out->b, "differs");
  } else if (difference->field == 0) {
    if (difference->row_a != ROW_ABSENT)
      set_text(&out->a, "present");
    if (difference->row_b != ROW_ABSENT)
      set_text(&out->b, "present");
  } else if (!p) {
    describe_entity_field(c, difference, out);
  } else {
    describe_field(c, difference, out);
  }
}

// --- reading the value of an item

static bool is_instance(const state_view_t *s, const state_rows_t *t, uint32_t row, const char *instance) {
  char name[COMPARE_TEXT_MAX] = "";
  if (t->instance)
    copy_text(s, t->instance[row], name);
  return strcmp(name, instance) == 0;
}

static uint32_t find_row_of_item(const state_view_t *s, const state_rows_t *t, const compare_item_t *item) {
  if (item->kind == COMPARE_EVENT)
    return item->row < t->count ? item->row : ROW_ABSENT;
  for (uint32_t row = 0; row < t->count; ++row)
    if (t->owner[row] == item->entity && is_instance(s, t, row, item->instance))
      return row;
  return ROW_ABSENT;
}

static void set_presence(compare_value_t *v, bool is_present) {
  *v = (compare_value_t){.kind = COMPARE_ABSENT};
  if (is_present)
    set_text(v, "present");
}

static bool read_row_value(const state_view_t *s, const compare_item_t *item, compare_value_t *out) {
  bool is_event = item->kind == COMPARE_EVENT;
  const state_rows_t *t = is_event ? state_find_rows(s->event_rows, s->event_count, item->component)
                                   : state_find_rows(s->components, s->component_count, item->component);
  uint32_t row = t ? find_row_of_item(s, t, item) : ROW_ABSENT;
  if (item->field[0] == '\0') {
    set_presence(out, row != ROW_ABSENT);
    return true;
  }
  int32_t field = row == ROW_ABSENT ? -1 : find_field(t, item->field);
  if (field >= 0)
    set_value(s, out, t, (uint32_t)field, row, NULL);
  return field >= 0;
}

static bool read_entity_value(const state_view_t *s, const compare_item_t *item, compare_value_t *out) {
  uint32_t i = shoal_entity_index(item->entity);
  bool is_present = is_entity_alive(s, i) && get_entity(s, i) == item->entity;
  bool is_assemblage = strcmp(item->field, "assemblage") == 0;
  if (item->kind == COMPARE_ENTITY) {
    set_presence(out, is_present);
    return item->field[0] == '\0';
  }
  if (!is_present || (!is_assemblage && strcmp(item->field, "state") != 0))
    return false;
  out->kind = COMPARE_TEXT;
  copy_text(s, is_assemblage ? s->assemblage[i] : s->state[i], out->text);
  return true;
}

static bool is_other_part(const char *field) {
  for (uint32_t i = WORLD_RANDOM; i <= WORLD_STORAGE; ++i)
    if (strcmp(field, world_texts[i]) == 0)
      return true;
  return false;
}

bool state_read_value(const state_view_t *s, world_o *w, const compare_item_t *item, compare_value_t *out) {
  bool is_event = item->kind == COMPARE_EVENT, names_rows = item->component[0] != '\0';
  bool is_declared =
      is_event ? world_find_event(w, item->component) != NULL : world_find_manager(w, item->component) != NULL;
  *out = (compare_value_t){.kind = COMPARE_ABSENT};
  if ((names_rows || is_event) && !is_declared)
    return false;
  switch (item->kind) {
  case COMPARE_ENTITY: return !names_rows && read_entity_value(s, item, out);
  case COMPARE_FIELD: return names_rows ? read_row_value(s, item, out) : read_entity_value(s, item, out);
  case COMPARE_EVENT: return read_row_value(s, item, out);
  case COMPARE_COMPONENT:
    if (item->field[0] == '\0')
      return names_rows && read_row_value(s, item, out);
    set_text(out, "differs");
    return names_rows && strcmp(item->field, "the row order") == 0;
  case COMPARE_OTHER: set_text(out, "differs"); return is_other_part(item->field);
  default: return false;
  }
}

static void format_value(const compare_value_t *v, bool quoted, char *out) {
  const char *quote = quoted && v->kind == COMPARE_TEXT ? "\"" : "";
  snprintf(out, COMPARE_TEXT_MAX + 2, "%s%s%s", quote, v->kind == COMPARE_ABSENT ? "absent" : v->text, quote);
}

char *compare_format_line(const compare_item_t *item, char *line) {
  shoal_assert(item && line, "item and line must not be NULL");
  char location[COMPARE_LINE_MAX / 2] = "", a[COMPARE_TEXT_MAX + 2], b[COMPARE_TEXT_MAX + 2];
  bool is_field =
      item->component[0] && item->field[0] && item->kind != COMPARE_COMPONENT && item->kind != COMPARE_OTHER;
  format_value(&item->a, is_field, a);
  format_value(&item->b, is_field, b);
  if (item->kind == COMPARE_EVENT)
    snprintf(location, sizeof location, "event %s %u", item->component, item->row + 1);
  else
    snprintf(location, sizeof location, "%s%s%s%s%s", item->label, item->label[0] && item->component[0] ? " " : "",
             item->component, item->instance[0] ? "." : "", item->instance);
  const char *separator = !item->field[0] || !location[0] ? "" : is_field ? "." : item->component[0] ? ": " : " ";
  bool is_storage = item->kind == COMPARE_OTHER && item->component[0];
  if (!is_field && strcmp(a, b) == 0) // both strings are "differs"
    snprintf(line, COMPARE_LINE_MAX, "%s%s%s %s%s", location, separator, item->field, a,
             is_storage ? ": check what changes it" : "");
  else
    snprintf(line, COMPARE_LINE_MAX, "%s%s%s: %s and %s", location, separator, item->field, a, b);
  return line;
}

// --- comparing two states

static int compare_differences(const void *x, const void *y) {
  const difference_t *a = x, *b = y;
#define COMPARE_MEMBER(member)                                                                                         \
  if (a->member != b->member)                                                                                          \
  return a->member < b->member ? -1 : 1
  COMPARE_MEMBER(class);
  COMPARE_MEMBER(index);
  COMPARE_MEMBER(entity);
  COMPARE_MEMBER(table);
  COMPARE_MEMBER(row_a);
  COMPARE_MEMBER(row_b);
  COMPARE_MEMBER(field);
#undef COMPARE_MEMBER
  return 0;
}

static bool has_same_texts(const comparison_t *c) {
  const state_view_t *a = c->a, *b = c->b;
  return a->text_count == b->text_count && a->text_size == b->text_size &&
         (a->text_count == 0 || memcmp(a->texts, b->texts, a->text_count * sizeof *a->texts) == 0) &&
         (a->text_size == 0 || memcmp(a->text_bytes, b->text_bytes, a->text_size) == 0);
}

static void find_differences(comparison_t *c) {
  pair_t empty = {NULL, NULL};
  c->has_same_texts = has_same_texts(c);
  array_push(c->memory, &c->pairs, empty);
  pair_rows(c, c->a->components, c->a->component_count, c->b->components, c->b->component_count);
  uint32_t first_event = c->pairs.count;
  pair_rows(c, c->a->event_rows, c->a->event_count, c->b->event_rows, c->b->event_count);
  find_entity_differences(c);
  for (uint32_t i = 1; i < first_event; ++i)
    find_component_differences(c, i);
  for (uint32_t i = first_event; i < c->pairs.count; ++i)
    find_event_differences(c, i);
  compare_world_state(c);
  if (c->differences.count > 0)
    qsort(c->differences.items, c->differences.count, sizeof *c->differences.items, compare_differences);
}

uint64_t state_compare(const state_view_t *a, const state_view_t *b, world_o *w, compare_item_t *out,
                       uint32_t max_items) {
  comparison_t c = {.memory = a->allocator, .w = w, .a = a, .b = b};
  shoal_assert(!a->resolved_world && !b->resolved_world,
               "cannot compare states that were migrated or installed in a world");
  find_differences(&c);
  for (uint32_t i = 0; i < max_items && i < c.differences.count; ++i)
    describe_difference(&c, &c.differences.items[i], &out[i]);
  uint64_t total = c.differences.count;
  array_free(c.memory, &c.pairs);
  array_free(c.memory, &c.differences);
  array_free(c.memory, &c.heads);
  array_free(c.memory, &c.nexts);
  array_free(c.memory, &c.matched);
  return total;
}

uint64_t snapshot_compare(const snapshot_o *a, const snapshot_o *b, world_o *w, compare_item_t *out, uint32_t max_items,
                          error_info_t *error) {
  allocator_t memory = {0};
  state_view_t *x = state_open(a, &memory, NULL), *y = state_open(b, &memory, NULL);
  uint64_t total = x && y ? state_compare(x, y, w, out, max_items) : UINT64_MAX;
  if (!x || !y)
    error_set(error, "one of the snapshots is empty or damaged");
  state_close(x);
  state_close(y);
  return total;
}

uint64_t snapshot_compare_world(const snapshot_o *previous, world_o *w, compare_item_t *out, uint32_t max_items,
                                error_info_t *error) {
  snapshot_o *current = snapshot_create(world_allocator(w));
  uint64_t total =
      snapshot_take(current, w, error) ? snapshot_compare(previous, current, w, out, max_items, error) : UINT64_MAX;
  snapshot_release(current);
  return total;
}
