// Changes that one part of a parallel loop queues.
#include "access/part_queue.h"

#include "access/scratch.h"
#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

static void *resize_or_abort(void *memory, size_t bytes) {
  void *resized = realloc(memory, bytes);
  if (!resized)
    abort();
  return resized;
}

void part_queue_begin(part_queue_t *queue, world_o *w, const char *system, uint32_t index) {
  shoal_assert(queue->emitted_count == 0, "part %u of %s still contains events of an earlier run", index, system);
  chunk_begin(&queue->list, w, system, index);
}

void *const *part_queue_emit_events(part_queue_t *queue, const access_binding_t *binding, uint32_t count) {
  shoal_assert(binding->event, "%s is not an event", binding->component->name);
  const columns_t *columns = &binding->event->columns;
  uint32_t declared_count = binding->component->column_count;
  size_t bytes = (declared_count + columns->column_count) * sizeof(void *), offset = bytes;
  for (uint32_t i = 0; i < columns->column_count; ++i)
    bytes += ((size_t)columns->element_bytes[i] * count + 15) & ~(size_t)15;
  if (queue->emitted_count == queue->emitted_capacity) {
    queue->emitted_capacity = queue->emitted_capacity ? queue->emitted_capacity * 2 : 16;
    queue->emitted = resize_or_abort(queue->emitted, queue->emitted_capacity * sizeof *queue->emitted);
  }
  void **block = resize_or_abort(NULL, bytes);
  queue->emitted[queue->emitted_count++] = block;
  // In the block, pointers to the columns that the program declares precede the pointers to all columns.
  for (uint32_t i = 0; i < columns->column_count; ++i) {
    block[declared_count + i] = (char *)block + offset;
    scratch_fill_default(columns, i, block[declared_count + i], count);
    offset += ((size_t)columns->element_bytes[i] * count + 15) & ~(size_t)15;
  }
  for (uint32_t i = 0; i < declared_count; ++i)
    block[i] = block[declared_count + binding->columns[i]];
  chunk_push(&queue->list, CHUNK_EMIT, 0, binding->event->id, count, queue->emitted_count - 1, declared_count);
  return (void *const *)block;
}

static void emit_event(const part_queue_t *queue, world_o *w, const chunk_command_t *command) {
  shoal_assert(command->column < queue->emitted_count, "emission %u is out of range (count %u)", command->column,
               queue->emitted_count);
  columns_t *target = event_fill_begin(w, command->a, command->b);
  void **block = queue->emitted[command->column], **source = block + (size_t)command->value;
  for (uint32_t i = 0; i < target->column_count; ++i)
    memcpy(target->data[i], source[i], (size_t)target->element_bytes[i] * command->b);
  event_fill_end(w, command->a, true);
}

void part_queue_apply(const part_queue_t *queue, world_o *w, error_info_t *refusal) {
  const chunk_t *commands = &queue->list;
  for (uint32_t i = 0; (i = chunk_apply_until_emit(commands, w, i, refusal)) < commands->count; ++i)
    emit_event(queue, w, &commands->commands[i]);
}

void part_queue_clear_events(part_queue_t *queue) {
  for (uint32_t i = 0; i < queue->emitted_count; ++i)
    free(queue->emitted[i]);
  queue->emitted_count = 0;
}

void part_queue_free(part_queue_t *queue) {
  part_queue_clear_events(queue);
  chunk_free(&queue->list);
  free(queue->emitted);
  *queue = (part_queue_t){.emitted = NULL};
}
