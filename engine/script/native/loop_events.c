// Events and state changes from machine code. Each part appends its events to separate columns; when all parts have
// finished, the main thread queues the events in row order.
#include "base/assert.h"
#include "ecs/state_changes.h"
#include "ecs/world.h"
#include "native/loop_internal.h"

#include <stdlib.h>
#include <string.h>

bool native_loop_add_emission(native_loop_o *loop, uint32_t event) {
  if (loop->is_refused || loop->emission_count == NATIVE_MAX_EMISSIONS || !world_event(loop->query->world, event))
    return false;
  uint32_t column = loop->emitted_column_count;
  loop->emissions[loop->emission_count++] = (emission_t){.event = event, .first_column = column, .end_column = column};
  return true;
}

bool native_loop_add_entered_state(native_loop_o *loop, uint32_t state_name) {
  if (loop->is_refused || loop->emission_count == NATIVE_MAX_EMISSIONS ||
      !native_loop_declare_exit_state(loop, state_name))
    return false;
  uint32_t column = loop->emitted_column_count;
  loop->emissions[loop->emission_count++] =
      (emission_t){.state = state_name, .first_column = column, .end_column = column};
  return true;
}

bool native_loop_add_emitted_column(native_loop_o *loop, uint32_t column) {
  emission_t *emission = &loop->emissions[loop->emission_count - 1];
  const schema_t *schema = emission->event ? &world_event(loop->query->world, emission->event)->schema : NULL;
  if (loop->emitted_column_count == NATIVE_MAX_EMITTED_COLUMNS || column >= (schema ? schema->field_count : 1))
    return false;
  uint32_t bytes = schema ? field_size(schema->fields[column].type) : sizeof(int32_t);
  loop->emitted_columns[loop->emitted_column_count++] = (emitted_column_t){.column = column, .bytes = bytes};
  emission->end_column = loop->emitted_column_count;
  return true;
}

// Returns the index of a part's first value.
static size_t get_first_value(uint32_t part, uint32_t part_rows) {
  return (size_t)part * (part_rows + NATIVE_MAX_WIDTH);
}

void events_begin(native_loop_o *loop, uint32_t parts, uint32_t part_rows) {
  if (loop->emission_count == 0 || parts == 0)
    return;
  if (parts > loop->emitted_capacity) {
    free(loop->emitted);
    loop->emitted = calloc(parts, sizeof *loop->emitted);
    loop->emitted_capacity = parts;
  }
  shoal_assert(loop->emitted, "out of memory for emitted events");
  for (uint32_t i = 0; i < parts; ++i)
    memset(loop->emitted[i].counts, 0, sizeof loop->emitted[i].counts);
  for (uint32_t k = 0; k < loop->emitted_column_count; ++k) {
    emitted_column_t *column = &loop->emitted_columns[k];
    size_t bytes = get_first_value(parts, part_rows) * column->bytes;
    if (bytes > column->capacity_bytes) {
      free(column->values);
      column->values = malloc(bytes);
      column->capacity_bytes = bytes;
    }
    shoal_assert(column->values, "out of memory for emitted events");
    for (uint32_t i = 0; i < parts; ++i)
      loop->emitted[i].columns[k] = column->values + get_first_value(i, part_rows) * column->bytes;
  }
  loop->call.emitted = loop->emitted;
}

static void publish_emission(native_loop_o *loop, uint32_t number, uint32_t parts) {
  const emission_t *emission = &loop->emissions[number];
  world_o *world = loop->query->world;
  uint32_t total = 0, row = 0;
  for (uint32_t i = 0; i < parts; ++i)
    total += (uint32_t)loop->emitted[i].counts[number];
  if (total == 0)
    return;
  const columns_t *rows = event_fill_begin(world, emission->event, total);
  for (uint32_t i = 0; i < parts; ++i) {
    uint32_t count = (uint32_t)loop->emitted[i].counts[number];
    for (uint32_t k = emission->first_column; k < emission->end_column && count > 0; ++k) {
      const emitted_column_t *column = &loop->emitted_columns[k];
      memcpy((uint8_t *)rows->data[column->column] + (size_t)row * column->bytes, loop->emitted[i].columns[k],
             (size_t)count * column->bytes);
    }
    row += count;
  }
  event_fill_end(world, emission->event, true);
}

// Returns the index of the emission with the lowest next row, and stores this row in `row`. Returns emission_count if
// no rows are left. `next`: for each emission, index of its next row.
static uint32_t find_lowest_row(const native_loop_o *loop, const native_emitted_t *emitted, const int64_t *next,
                                int32_t *row) {
  uint32_t lowest = loop->emission_count;
  for (uint32_t i = 0; i < loop->emission_count; ++i) {
    const int32_t *rows = emitted->columns[loop->emissions[i].first_column];
    if (next[i] < emitted->counts[i] && (lowest == loop->emission_count || rows[next[i]] < *row))
      lowest = i, *row = rows[next[i]];
  }
  return lowest;
}

// Queues the state changes of a part in row order. If a row's entity enters several states, their order is the order of
// the emissions.
static void queue_entered_states(const native_loop_o *loop, const native_emitted_t *emitted) {
  int64_t next[NATIVE_MAX_EMISSIONS] = {0};
  int32_t row = 0;
  for (uint32_t i; (i = find_lowest_row(loop, emitted, next, &row)) < loop->emission_count; ++next[i])
    world_queue_state(loop->query->world, loop->query->entities[row - 1], loop->emissions[i].state);
}

void events_publish(native_loop_o *loop, uint32_t parts) {
  bool enters_states = loop->emission_count > 0 && loop->emissions[0].event == 0;
  for (uint32_t i = 0; i < parts && enters_states; ++i)
    queue_entered_states(loop, &loop->emitted[i]);
  for (uint32_t i = 0; i < loop->emission_count && parts > 0 && !enters_states; ++i)
    publish_emission(loop, i, parts);
}

void events_fini(native_loop_o *loop) {
  for (uint32_t i = 0; i < loop->emitted_column_count; ++i)
    free(loop->emitted_columns[i].values);
  free(loop->emitted);
}
