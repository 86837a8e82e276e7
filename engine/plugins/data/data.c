// The data plugin: small values that a game adds to entities at run time. Each entity with the component `data` has
// values, identified by path: numbers, strings, entities, booleans and lists of numbers. The values of an entity are in
// one block (data_block.h). The manager finds the block of an entity by the index of the entity.
#include "plugins/scratch_array.h"
#include "data_block.h"

#include <shoal/plugin.h>

#include <ctype.h>
#include <math.h>
#include <string.h>

#define DATA_FIELDS(F)                                                                                                 \
  F(string, initial, "", .doc = "initial values: inventory.gold = 10; title = Countess; brave = true")                 \
  F(u32, count, 0, .flags = SHOAL_READ_ONLY, .doc = "number of values")

static const shoal_manager BLOCKS;

SHOAL_COMPONENT_WITH_MANAGER(data, DATA_FIELDS, &BLOCKS)

typedef struct data_holder_t {
  shoal_entity entity; // entity of the slot; 0 if the slot is unused
  data_block_t *block; // values of the entity; NULL if the entity has no values
} data_holder_t;

typedef struct data_state_t {
  data_holder_t *holders; // slots, indexed by entity index
  uint32_t holder_count, holder_capacity;
  uint32_t attached;
} data_state_t;

static data_holder_t *find_holder(data_state_t *state, shoal_entity e) {
  uint32_t index = shoal_entity_index(e);
  return e != 0 && index < state->holder_count && state->holders[index].entity == e ? &state->holders[index] : NULL;
}

static data_holder_t *add_holder(data_state_t *state, shoal_entity e) {
  uint32_t index = shoal_entity_index(e);
  if (index >= state->holder_count) {
    GROW(state->holders, state->holder_capacity, index + 1);
    memset(&state->holders[state->holder_count], 0, (index + 1 - state->holder_count) * sizeof *state->holders);
    state->holder_count = index + 1;
  }
  data_holder_t *holder = &state->holders[index];
  data_free(holder->block);
  state->attached += holder->entity == 0;
  *holder = (data_holder_t){.entity = e};
  return holder;
}

static void drop_holder(data_state_t *state, data_holder_t *holder) {
  data_free(holder->block);
  *holder = (data_holder_t){0};
  --state->attached;
}

static void drop_all_holders(data_state_t *state) {
  for (uint32_t i = 0; i < state->holder_count; ++i)
    data_free(state->holders[i].block);
  state->holder_count = state->attached = 0;
}

// --- initial values

static const char *trim_blanks(const char *begin, const char *end, char *out, size_t out_bytes) {
  while (begin < end && isspace((unsigned char)*begin))
    ++begin;
  while (end > begin && isspace((unsigned char)end[-1]))
    --end;
  size_t length = (size_t)(end - begin) < out_bytes - 1 ? (size_t)(end - begin) : out_bytes - 1;
  memcpy(out, begin, length);
  out[length] = '\0';
  return out;
}

static data_value_t parse_value(const char *text) {
  char *end;
  double number = strtod(text, &end);
  if (*text && !*end)
    return (data_value_t){.type = DATA_NUMBER, .number = number};
  bool is_true = strcmp(text, "true") == 0;
  if (is_true || strcmp(text, "false") == 0)
    return (data_value_t){.type = DATA_BOOL, .number = is_true};
  return (data_value_t){.type = DATA_TEXT, .bytes = text, .size = (uint32_t)strlen(text)};
}

// Sets values from a string such as "path = value; path = value". Malformed entries are skipped.
static void set_initial_values(data_holder_t *holder, const char *text) {
  char path[DATA_MAX_PATH + 1], value_text[1024];
  while (*text) {
    const char *end = text + strcspn(text, ";"), *equals = memchr(text, '=', (size_t)(end - text));
    if (equals && *trim_blanks(text, equals, path, sizeof path)) {
      trim_blanks(equals + 1, end, value_text, sizeof value_text);
      data_value_t value = parse_value(value_text);
      data_set(&holder->block, path, &value);
    }
    text = *end ? end + 1 : end;
  }
}

// --- the manager

static void *create(shoal_context *c) {
  data_state_t *state = shoal_realloc(c, NULL, 0, sizeof *state);
  *state = (data_state_t){0};
  return state;
}

static void destroy(shoal_context *c, void *self) {
  data_state_t *state = self;
  drop_all_holders(state);
  free(state->holders);
  shoal_realloc(c, state, sizeof *state, 0);
}

static void attach(shoal_context *c, void *self, const shoal_entity *entities, uint32_t count) {
  shoal_world *w = shoal_get_world(c);
  const data_columns *columns = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &data_component), data);
  for (uint32_t i = 0; i < count; ++i) {
    data_holder_t *holder = add_holder(self, entities[i]);
    uint32_t row = shoal_find_row(w, &data_component, entities[i]);
    if (row == SHOAL_NO_ROW)
      continue;
    set_initial_values(holder, shoal_string(w, columns->initial[row]));
    columns->count[row] = data_count(holder->block);
  }
}

static void detach(shoal_context *c, void *self, const shoal_entity *entities, uint32_t count) {
  (void)c;
  for (uint32_t i = 0; i < count; ++i) {
    data_holder_t *holder = find_holder(self, entities[i]);
    if (holder)
      drop_holder(self, holder);
  }
}

static uint32_t count_attached(void *self) {
  return ((data_state_t *)self)->attached;
}

typedef struct saved_block_t {
  shoal_entity entity;
  uint32_t bytes; // size of the block that follows
} saved_block_t;

// Returns the size of the saved values of all entities, in bytes. The values are saved in the order of entity indices,
// because the order of rows depends on their history.
static size_t save_bytes(shoal_context *c, void *self) {
  (void)c;
  data_state_t *state = self;
  size_t total_bytes = 0;
  for (uint32_t i = 0; i < state->holder_count; ++i)
    if (state->holders[i].entity)
      total_bytes += sizeof(saved_block_t) + data_save_bytes(state->holders[i].block);
  return total_bytes;
}

static void save(shoal_context *c, void *self, void *bytes) {
  (void)c;
  data_state_t *state = self;
  uint8_t *cursor = bytes;
  for (uint32_t i = 0; i < state->holder_count; ++i) {
    const data_holder_t *holder = &state->holders[i];
    if (!holder->entity)
      continue;
    saved_block_t header = {holder->entity, data_save_bytes(holder->block)};
    memcpy(cursor, &header, sizeof header);
    data_save(holder->block, cursor + sizeof header);
    cursor += sizeof header + header.bytes;
  }
}

static bool load(shoal_context *c, void *self, const void *bytes, size_t size) {
  (void)c;
  data_state_t *state = self;
  const uint8_t *cursor = bytes;
  drop_all_holders(state);
  while (size > 0) {
    saved_block_t header;
    if (size < sizeof header)
      return false;
    memcpy(&header, cursor, sizeof header);
    if (header.entity == 0 || header.entity >> 30 || header.bytes > size - sizeof header ||
        find_holder(state, header.entity))
      return false;
    if (!data_load(&add_holder(state, header.entity)->block, cursor + sizeof header, header.bytes))
      return false;
    cursor += sizeof header + header.bytes;
    size -= sizeof header + header.bytes;
  }
  return true;
}

static const shoal_manager BLOCKS = {
    .version = 1,
    .create = create,
    .destroy = destroy,
    .attach = attach,
    .detach = detach,
    .count = count_attached,
    .save_bytes = save_bytes,
    .save = save,
    .load = load,
};

// --- functions

static data_state_t *get_state(shoal_context *c) {
  return shoal_manager_data(c, &data_component);
}

// Returns the values of an entity. If the entity is dead or lacks the component `data`, fails the call and returns
// NULL.
static data_holder_t *require_holder(shoal_context *c, shoal_entity e) {
  data_holder_t *holder = find_holder(get_state(c), e);
  if (!holder)
    shoal_fail(c, shoal_is_alive(shoal_get_world(c), e)
                      ? "the entity has no data: add the component with e:add(\"data\")"
                      : "the entity is not alive");
  return holder;
}

static void update_count(shoal_context *c, const data_holder_t *holder) {
  shoal_world *w = shoal_get_world(c);
  uint32_t row = shoal_find_row(w, &data_component, holder->entity);
  if (row != SHOAL_NO_ROW)
    SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &data_component), data)->count[row] = data_count(holder->block);
}

static void return_data_value(shoal_context *c, const data_value_t *value, shoal_value *out) {
  static const shoal_value_type KINDS[DATA_TYPE_COUNT] = {
      [DATA_NUMBER] = SHOAL_VALUE_TYPE_NUMBER,   [DATA_BOOL] = SHOAL_VALUE_TYPE_BOOL,
      [DATA_ENTITY] = SHOAL_VALUE_TYPE_ENTITY,   [DATA_TEXT] = SHOAL_VALUE_TYPE_STRING,
      [DATA_NUMBERS] = SHOAL_VALUE_TYPE_NUMBERS,
  };
  out->type = KINDS[value->type];
  out->number = value->number;
  out->entity = shoal_is_alive(shoal_get_world(c), value->entity) ? value->entity : SHOAL_ENTITY_NONE;
  if (value->type == DATA_TEXT)
    shoal_return_string(c, out, value->bytes);
  if (value->type == DATA_NUMBERS && value->size > 0)
    memcpy(shoal_return_numbers(c, out, value->size / (uint32_t)sizeof(double)), value->bytes, value->size);
}

static data_value_t read_value_argument(const shoal_value *in) {
  data_value_t value = {.number = in->number, .entity = in->entity};
  switch (in->type) {
  case SHOAL_VALUE_TYPE_NUMBER: value.type = DATA_NUMBER; break;
  case SHOAL_VALUE_TYPE_BOOL: value.type = DATA_BOOL; break;
  case SHOAL_VALUE_TYPE_ENTITY: value.type = DATA_ENTITY; break;
  case SHOAL_VALUE_TYPE_STRING:
    value.type = DATA_TEXT;
    value.bytes = in->string;
    value.size = in->count;
    break;
  case SHOAL_VALUE_TYPE_NUMBERS:
    value.type = DATA_NUMBERS;
    value.bytes = in->numbers;
    value.size = in->count < DATA_MAX_BYTES ? in->count * (uint32_t)sizeof(double) : UINT32_MAX;
    break;
  default: break;
  }
  return value;
}

static void script_get(shoal_context *c, const shoal_value *in, shoal_value *out) {
  data_value_t value;
  const data_holder_t *holder = require_holder(c, in[0].entity);
  if (holder && data_get(holder->block, in[1].string, &value))
    return_data_value(c, &value, &out[0]);
}

static void report_rejected_value(shoal_context *c, const char *path) {
  size_t length = strlen(path);
  if (length == 0 || length > DATA_MAX_PATH)
    shoal_fail(c, "a path must have 1 to %u bytes, got %zu", DATA_MAX_PATH, length);
  else
    shoal_fail(c, "cannot store “%.80s”: the values of an entity may have at most %u bytes in total", path,
               DATA_MAX_BYTES);
}

static void script_set(shoal_context *c, const shoal_value *in, shoal_value *out) {
  (void)out;
  data_holder_t *holder = require_holder(c, in[0].entity);
  if (!holder)
    return;
  data_value_t value = read_value_argument(&in[2]);
  if (!data_set(&holder->block, in[1].string, &value))
    report_rejected_value(c, in[1].string);
  update_count(c, holder);
}

static void script_add(shoal_context *c, const shoal_value *in, shoal_value *out) {
  data_holder_t *holder = require_holder(c, in[0].entity);
  data_value_t value = {.type = DATA_NUMBER};
  if (!holder)
    return;
  if (data_get(holder->block, in[1].string, &value) && value.type != DATA_NUMBER) {
    shoal_fail(c, "the value at “%.80s” must be a number: set a number first, or remove the value", in[1].string);
    return;
  }
  value.number += in[2].number;
  if (!data_set(&holder->block, in[1].string, &value))
    report_rejected_value(c, in[1].string);
  out[0].number = value.number;
  update_count(c, holder);
}

static void script_remove(shoal_context *c, const shoal_value *in, shoal_value *out) {
  data_holder_t *holder = require_holder(c, in[0].entity);
  if (!holder)
    return;
  out[0].number = data_remove(&holder->block, in[1].string);
  update_count(c, holder);
}

static void script_path(shoal_context *c, const shoal_value *in, shoal_value *out) {
  const data_holder_t *holder = require_holder(c, in[0].entity);
  data_value_t value;
  bool found = holder && in[1].number >= 1 && in[1].number <= data_count(holder->block);
  shoal_return_string(c, &out[0], found ? data_path(holder->block, (uint32_t)in[1].number - 1, &value) : "");
}

static void script_numbers(shoal_context *c, const shoal_value *in, shoal_value *out) {
  double *numbers = shoal_return_numbers(c, &out[0], in[0].count);
  for (uint32_t i = 0; i < in[0].count; ++i) {
    const data_holder_t *holder = find_holder(get_state(c), in[0].entities[i]);
    data_value_t value;
    bool found = holder && data_get(holder->block, in[1].string, &value) && value.type == DATA_NUMBER;
    numbers[i] = found ? value.number : in[2].number;
  }
}

SHOAL_PLUGIN(.name = "data", .version = 1, .doc = "small values by path", .components = SHOAL_COMPONENTS(data),
             .functions = SHOAL_FUNCTIONS(
                 {.name = "get",
                  .parameters = "e:entity path:string",
                  .results = "value:any",
                  .doc = "Returns the value at a path such as \"inventory.gold\"; nil if it is missing.",
                  .pure = true,
                  .call = script_get},
                 {.name = "set",
                  .parameters = "e:entity path:string value:any",
                  .doc = "Sets a number, string, entity, boolean or list of numbers; nil removes the value.",
                  .call = script_set},
                 {.name = "add",
                  .parameters = "e:entity path:string number:number",
                  .results = "sum:number",
                  .doc = "Adds to a number; a missing value is treated as 0.",
                  .call = script_add},
                 {.name = "remove",
                  .parameters = "e:entity path:string",
                  .results = "count:number",
                  .doc = "Removes a value and all below it: \"inventory\" also removes \"inventory.gold\".",
                  .call = script_remove},
                 {.name = "path",
                  .parameters = "e:entity i:number",
                  .results = "path:string",
                  .doc = "Returns the i-th path, counted from 1; \"\" after the last path.",
                  .pure = true,
                  .call = script_path},
                 {.name = "numbers",
                  .parameters = "entities:entity[] path:string otherwise:number",
                  .results = "values:number[]",
                  .doc = "Returns the number at a path for many entities.",
                  .pure = true,
                  .call = script_numbers}))
