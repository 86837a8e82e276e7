// Changes that one part of a parallel loop queues: commands, and events with their rows. The queues are applied in the
// order of the parts, so the result does not depend on the number of threads.
#ifndef SHOAL_ACCESS_PART_QUEUE_H
#define SHOAL_ACCESS_PART_QUEUE_H

#include "access/binding.h"
#include "schedule/command_chunk.h"

// Maximum number of rows of a part. Must not be changed: every part has a separate random stream, and the order of
// changes depends on the division into parts.
#define PART_ROWS 16384u

typedef struct part_queue_t {
  // Must be the first member, because access_world_t.chunk points to it. In a CHUNK_EMIT, `column` is the index of a
  // block in `emitted`, and `b` is the number of rows. `value` is the position in the block at which the address of the
  // event's first column is stored.
  chunk_t list;
  void **emitted; // one block per emission: column addresses, then columns; allocated with malloc, like the list
  uint32_t emitted_count, emitted_capacity;
} part_queue_t;

// Empties a queue for part `index` of a run of `system`. Zero-initialize the queue before its first run. Main thread.
void part_queue_begin(part_queue_t *queue, world_o *w, const char *system, uint32_t index);
// Queues `count` rows of an event with their defaults, and returns the columns that the program declares. Any thread.
void *const *part_queue_emit_events(part_queue_t *queue, const access_binding_t *binding, uint32_t count);
// Applies the changes in order. Skips removals of required components, and stores the reason for the first skipped
// removal in `refusal`. Main thread.
void part_queue_apply(const part_queue_t *queue, world_o *w, error_info_t *refusal);
void part_queue_clear_events(part_queue_t *queue); // frees the rows of events
void part_queue_free(part_queue_t *queue);

#endif
