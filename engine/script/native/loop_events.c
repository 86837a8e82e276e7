// Events emitted by machine code. Each part appends its events to separate columns; when all parts have finished, the
// main thread queues the events in row order.
#include "base/assert.h"
#include "ecs/world.h"
#include "native/loop_internal.h"

#include <stdlib.h>
#include <string.h>

bool native_loop_add_emission(native_loop_o *loop, uint32_t event) {
  if (loop->is_refused || loop->emission_count == NATIVE_MAX_EMISSIONS || !world_event(loop->query->world, event))
    return false;
  loop->emissions[loop->emission_count++] = (emission_t){event, loop->emitted_column_count, loop->emitted_column_count};
  return true;
}

bool native_loop_add_emitted_column(native_loop_o *loop, uint32_t column) {
  emission_t *emission = &loop->emissions[loop->emission_count - 1];
  const schema_t *schema = &world_event(loop->query->world, emission->event)->schema;
  if (loop->emitted_column_count == NATIVE_MAX_EMITTED_COLUMNS || column >= schema->field_count)
    return false;
  loop->emitted_columns[loop->emitted_column_count++] =
      (emitted_column_t){.column = column, .bytes = field_size(schema->fields[column].type)};
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

void events_publish(native_loop_o *loop, uint32_t parts) {
  for (uint32_t i = 0; i < loop->emission_count && parts > 0; ++i)
    publish_emission(loop, i, parts);
}

void events_fini(native_loop_o *loop) {
  for (uint32_t i = 0; i < loop->emitted_column_count; ++i)
    free(loop->emitted_columns[i].values);
  free(loop->emitted);
}
