// The thread that commits a room's records. The room's thread encodes records into the open block. The writer's thread
// closes the block when a commit is due, and writes it without holding the lock, which protects all other data.
//
// A pending snapshot closes the open block, so that a block begins after it. The thread compresses the snapshot in
// steps of COMPRESSION_STEP_BYTES, and commits between the steps if a commit is due. Records wait for the snapshot if
// they cannot be read without it: in a new room, after room_writer_hold_records, and if the room begins anew.
#include "served/room_writer.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/now.h"
#include "process/threads.h"
#include "served/room_changes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zstd.h>

#define COMPRESSION_STEP_BYTES (128u << 10)
#define COMPRESSION_LEVEL 1
#define FIRST_RETRY_MS 50

typedef struct buffer_t {
  uint8_t *bytes;
  size_t size, capacity;
} buffer_t;

// Records that wait for their commit.
typedef struct waiting_block_t {
  buffer_t buffer;
  uint64_t first, last;
  bool has_tick;
  uint64_t tick, hash; // tick and hash of the last TICK, if `has_tick`
  int64_t added_ns;    // time at which the first record was added
} waiting_block_t;

typedef struct waiting_snapshot_t {
  room_snapshot_t row; // `head` and `state` are in the buffers
  buffer_t head, raw;  // their memory is kept, because new pages would delay the room's tick
  buffer_t packed;     // used by the thread only; its memory belongs to `packed_memory`
  size_t read;         // number of bytes of `raw` that are compressed
  bool exists, is_packed, begins_anew;
} waiting_snapshot_t;

typedef struct waiting_save_t {
  room_save_t row;
  buffer_t buffer;
  bool exists;
} waiting_save_t;

// A change that waits for its commit, or for the work after it. `row.bytes` is allocated.
typedef struct waiting_change_t {
  room_change_t row;
  int64_t added_ns;
} waiting_change_t;

// A transaction that is being committed. Only the writer's thread accesses it, except for `exists` and `added_ns`.
typedef struct transaction_t {
  room_commit_t commit;
  ARRAY(waiting_block_t) blocks;
  ARRAY(room_block_t) rows; // rows of `commit`
  ARRAY(room_change_t) changes;
  waiting_save_t save;
  bool has_snapshot; // true if the transaction contains the writer's snapshot
  bool has_tick;
  uint64_t tick, hash;
  uint64_t size, change_bytes; // encoded size of the records, and size of the changes
  int64_t added_ns;            // time at which the oldest record or change was added; 0: no record or change
  bool exists;
} transaction_t;

struct room_writer_o {
  world_store_o *store;      // used by the thread only
  room_claim_t claim;        // used by the thread only
  ZSTD_CCtx *zstd;           // used by the thread only
  allocator_t packed_memory; // used by the thread only
  room_answers_t answers;    // answers of the transaction or of a poll; used by the thread only
  int64_t polled_ns;         // time of the last poll; used by the thread only
  room_answers_t given;      // answers that the room's thread takes; used by the room's thread only
  size_t taken;              // size of the taken answers in `given`; used by the room's thread only
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;   // signals that the thread may have work
  pthread_cond_t committed; // signals that a commit has ended or the thread has stopped
  // --- protected by `lock`
  allocator_t memory;
  record_coder_t coder;
  waiting_block_t open;
  buffer_t spare; // memory of a committed block, reused for the next open block
  ARRAY(waiting_block_t) closed;
  ARRAY(waiting_change_t) changes;
  ARRAY(room_change_t) afters; // committed changes whose work after the commit is pending; their bytes are owned
  room_answers_t answered;     // answers for the room's thread
  waiting_snapshot_t snapshot;
  waiting_save_t save;
  transaction_t transaction;
  uint64_t last;       // number of the last added record
  uint64_t tick;       // tick of the last committed TICK or snapshot
  bool needs_snapshot; // true if records must wait for the snapshot
  uint64_t checked_snapshot;
  room_proof_t proof;
  room_state_t state;
  uint32_t players;
  uint64_t code;
  bool is_changed; // true if the state or the number of players has changed since the last commit
  bool is_flushing, is_stopping;
  room_writer_status_t status;
  error_info_t error;
};

// --- memory

static void reserve(room_writer_o *w, buffer_t *buffer, size_t capacity) {
  if (buffer->capacity >= capacity)
    return;
  buffer->bytes = alloc_resize(&w->memory, buffer->bytes, buffer->capacity, capacity);
  buffer->capacity = capacity;
}

static void set_bytes(room_writer_o *w, buffer_t *buffer, const void *bytes, size_t size) {
  reserve(w, buffer, size);
  if (size > 0)
    memcpy(buffer->bytes, bytes, size);
  buffer->size = size;
}

static void free_buffer(room_writer_o *w, buffer_t *buffer) {
  alloc_resize(&w->memory, buffer->bytes, buffer->capacity, 0);
  *buffer = (buffer_t){0};
}

// Frees the compressed snapshot. Call without the lock, so that the room's thread does not wait for it.
static void free_packed(room_writer_o *w) {
  buffer_t *packed = &w->snapshot.packed;
  alloc_resize(&w->packed_memory, packed->bytes, packed->capacity, 0);
  *packed = (buffer_t){0};
}

static void free_change(room_writer_o *w, const room_change_t *change) {
  alloc_resize(&w->memory, (void *)change->bytes, change->size, 0);
}

static void free_transaction(room_writer_o *w, transaction_t *t) {
  for (uint32_t i = 0; i < t->blocks.count; ++i)
    free_buffer(w, &t->blocks.items[i].buffer);
  array_free(&w->memory, &t->blocks);
  array_free(&w->memory, &t->rows);
  for (uint32_t i = 0; i < t->changes.count; ++i)
    free_change(w, &t->changes.items[i]);
  array_free(&w->memory, &t->changes);
  free_buffer(w, &t->save.buffer);
  *t = (transaction_t){0};
}

// --- adding, on the room's thread

static bool has_stopped(const room_writer_o *w) {
  return w->status.state == ROOM_WRITER_LOST || w->status.state == ROOM_WRITER_DAMAGED;
}

// Makes the open block complete.
static void close_block(room_writer_o *w) {
  if (w->open.buffer.size == 0)
    return;
  array_push(&w->memory, &w->closed, w->open);
  w->open = (waiting_block_t){.buffer = w->spare};
  w->spare = (buffer_t){0};
  w->coder = (record_coder_t){0};
}

static void append(room_writer_o *w, const record_t *record) {
  waiting_block_t *block = &w->open;
  if (block->buffer.size == 0) {
    block->first = record->number;
    block->added_ns = now_ns();
  }
  size_t needed = block->buffer.size + RECORD_HEAD_BYTES + record_get_item_bytes(record);
  if (block->buffer.capacity < needed)
    reserve(w, &block->buffer, needed > 2 * block->buffer.capacity ? needed : 2 * block->buffer.capacity);
  size_t size = record_write(&w->coder, record, block->buffer.bytes + block->buffer.size,
                             block->buffer.capacity - block->buffer.size);
  shoal_assert(size > 0, "record %llu cannot be encoded", (unsigned long long)record->number);
  block->buffer.size += size;
  block->last = record->number;
  w->status.waiting_bytes += size;
  if (record->kind == RECORD_TICK) {
    block->has_tick = true;
    block->tick = record->tick;
    block->hash = record->hash;
  }
}

static void add_record(room_writer_o *w, const record_t *record) {
  shoal_assert(record->number == w->last + 1, "record %llu follows record %llu", (unsigned long long)record->number,
               (unsigned long long)w->last);
  w->last = record->number;
  if (has_stopped(w))
    return;
  bool was_small = w->open.buffer.size < ROOM_WRITER_COMMIT_BYTES;
  append(w, record);
  if (was_small && w->open.buffer.size >= ROOM_WRITER_COMMIT_BYTES) // otherwise, the next poll commits the record
    pthread_cond_signal(&w->changed);
}

static void add_change(room_writer_o *w, room_change_kind_t kind, const void *bytes, size_t size) {
  shoal_assert(size <= ROOM_CHANGE_MAX_BYTES, "a change of %zu bytes", size);
  if (has_stopped(w))
    return;
  uint8_t *copy = alloc_resize(&w->memory, NULL, 0, size);
  if (size > 0)
    memcpy(copy, bytes, size);
  waiting_change_t change = {{kind, copy, size}, now_ns()};
  array_push(&w->memory, &w->changes, change);
  w->status.waiting_bytes += size;
  if (w->status.waiting_bytes >= ROOM_WRITER_COMMIT_BYTES)
    pthread_cond_signal(&w->changed);
}

void room_writer_add(room_writer_o *w, const record_t *record) {
  room_writer_add_with_changes(w, record, NULL, 0);
}

void room_writer_add_with_changes(room_writer_o *w, const record_t *record, const room_change_t *changes,
                                  uint32_t count) {
  pthread_mutex_lock(&w->lock);
  add_record(w, record);
  for (uint32_t i = 0; i < count; ++i)
    add_change(w, changes[i].kind, changes[i].bytes, changes[i].size);
  pthread_mutex_unlock(&w->lock);
}

void room_writer_add_change(room_writer_o *w, room_change_kind_t kind, const void *bytes, size_t size) {
  pthread_mutex_lock(&w->lock);
  add_change(w, kind, bytes, size);
  pthread_mutex_unlock(&w->lock);
}

bool room_writer_take_answer(room_writer_o *w, room_answer_t *out) {
  if (room_answers_read(&w->given, &w->taken, out))
    return true;
  room_answers_clear(&w->given);
  w->taken = 0;
  pthread_mutex_lock(&w->lock);
  room_answers_t answered = w->answered;
  w->answered = w->given;
  w->given = answered;
  pthread_mutex_unlock(&w->lock);
  return room_answers_read(&w->given, &w->taken, out);
}

bool room_writer_add_snapshot(room_writer_o *w, const room_writer_snapshot_t *snapshot) {
  shoal_assert(snapshot->head_size <= ROOM_MAX_HEAD_BYTES, "the head of a snapshot is too large");
  pthread_mutex_lock(&w->lock);
  bool is_free = !w->snapshot.exists && !has_stopped(w);
  if (is_free) {
    waiting_snapshot_t *s = &w->snapshot;
    close_block(w);
    shoal_assert(!snapshot->begins_anew || (w->closed.count == 0 && snapshot->number >= w->last),
                 "a room begins anew after records that are not committed");
    w->last = snapshot->begins_anew ? snapshot->number : w->last;
    w->needs_snapshot |= snapshot->begins_anew;
    s->is_packed = false;
    s->read = 0;
    s->row = (room_snapshot_t){.number = w->last, .tick = snapshot->tick, .hash = snapshot->hash, .code = w->code};
    s->begins_anew = snapshot->begins_anew;
    set_bytes(w, &s->head, snapshot->head, snapshot->head_size);
    set_bytes(w, &s->raw, snapshot->state, snapshot->state_size);
    s->exists = true;
    pthread_cond_signal(&w->changed);
  }
  pthread_mutex_unlock(&w->lock);
  return is_free;
}

void room_writer_add_save(room_writer_o *w, uint64_t tick, const void *bytes, size_t size) {
  pthread_mutex_lock(&w->lock);
  w->save.row = (room_save_t){.number = w->last, .tick = tick, .size = size, .code = w->code};
  set_bytes(w, &w->save.buffer, bytes, size);
  w->save.exists = true;
  pthread_cond_signal(&w->changed);
  pthread_mutex_unlock(&w->lock);
}

void room_writer_add_proof(room_writer_o *w, uint64_t number, room_proof_t proof) {
  pthread_mutex_lock(&w->lock);
  w->checked_snapshot = number;
  w->proof = proof;
  pthread_cond_signal(&w->changed);
  pthread_mutex_unlock(&w->lock);
}

void room_writer_set_code(room_writer_o *w, uint64_t code) {
  pthread_mutex_lock(&w->lock);
  w->code = code;
  pthread_mutex_unlock(&w->lock);
}

void room_writer_hold_records(room_writer_o *w) {
  pthread_mutex_lock(&w->lock);
  shoal_assert(!w->snapshot.exists, "an earlier snapshot is pending");
  close_block(w); // the records from here on need different code, so they begin a block
  w->needs_snapshot = true;
  pthread_mutex_unlock(&w->lock);
}

void room_writer_set_state(room_writer_o *w, room_state_t state, uint32_t players) {
  pthread_mutex_lock(&w->lock);
  w->is_changed |= state != w->state || players != w->players;
  w->state = state;
  w->players = players;
  pthread_mutex_unlock(&w->lock);
}

// --- what is due

// Returns the time at which the oldest record that no transaction contains was added, or 0 if no record waits.
static int64_t oldest_record_ns(const room_writer_o *w) {
  if (w->closed.count > 0)
    return w->closed.items[0].added_ns;
  return w->open.buffer.size > 0 ? w->open.added_ns : 0;
}

// Returns the time at which the oldest record or change that no transaction contains was added, or 0 if nothing waits.
static int64_t oldest_ns(const room_writer_o *w) {
  int64_t record = oldest_record_ns(w), change = w->changes.count > 0 ? w->changes.items[0].added_ns : 0;
  return record == 0 || (change != 0 && change < record) ? change : record;
}

static bool can_commit(const room_writer_o *w) {
  return !w->needs_snapshot || w->snapshot.is_packed;
}

// Returns true if a commit is due. Otherwise, `wait_ns` receives the time until it is due, or -1 if no record or change
// waits, or if they wait for a snapshot that is not compressed yet.
static bool is_commit_due(const room_writer_o *w, int64_t *wait_ns) {
  int64_t oldest = oldest_ns(w);
  *wait_ns = -1;
  if (!can_commit(w))
    return false;
  if (w->snapshot.is_packed || w->save.exists || w->proof != ROOM_PROOF_NONE ||
      w->status.waiting_bytes >= ROOM_WRITER_COMMIT_BYTES)
    return true;
  if (w->is_flushing && (oldest != 0 || w->is_changed))
    return true;
  if (oldest == 0)
    return false;
  *wait_ns = oldest + (int64_t)ROOM_WRITER_COMMIT_MS * NS_PER_MS - now_ns();
  return *wait_ns <= 0;
}

static bool must_compress(const room_writer_o *w) {
  return w->snapshot.exists && !w->snapshot.is_packed;
}

static bool is_idle(const room_writer_o *w) {
  return !w->transaction.exists && oldest_ns(w) == 0 && !w->snapshot.exists && !w->save.exists &&
         w->proof == ROOM_PROOF_NONE && !w->is_changed;
}

// --- compression, without the lock

// Compresses the next part of the snapshot. Returns true after the last part.
static bool compress_step(room_writer_o *w) {
  waiting_snapshot_t *s = &w->snapshot;
  if (s->read == 0) {
    ZSTD_CCtx_reset(w->zstd, ZSTD_reset_session_only);
    ZSTD_CCtx_setPledgedSrcSize(w->zstd, s->raw.size); // stores the size in the frame
    s->packed = (buffer_t){.capacity = ZSTD_compressBound(s->raw.size)};
    s->packed.bytes = alloc_resize(&w->packed_memory, NULL, 0, s->packed.capacity);
  }
  size_t part = s->raw.size - s->read < COMPRESSION_STEP_BYTES ? s->raw.size - s->read : COMPRESSION_STEP_BYTES;
  bool is_last = s->read + part == s->raw.size;
  ZSTD_inBuffer in = {s->raw.bytes + s->read, part, 0};
  ZSTD_outBuffer out = {s->packed.bytes, s->packed.capacity, s->packed.size};
  size_t left;
  do {
    left = ZSTD_compressStream2(w->zstd, &out, &in, is_last ? ZSTD_e_end : ZSTD_e_continue);
    shoal_assert(!ZSTD_isError(left), "a state of %zu bytes cannot be compressed: %s", s->raw.size,
                 ZSTD_getErrorName(left));
  } while (is_last ? left > 0 : in.pos < in.size);
  s->read += part;
  s->packed.size = out.pos;
  return is_last;
}

// --- transactions

static void take_records(room_writer_o *w, transaction_t *t) {
  close_block(w);
  for (uint32_t i = 0; i < w->closed.count; ++i) {
    waiting_block_t *block = &w->closed.items[i];
    array_push(&w->memory, &t->blocks, *block);
    room_block_t row = {block->first, block->last, block->buffer.bytes, block->buffer.size};
    array_push(&w->memory, &t->rows, row);
    t->size += block->buffer.size;
    if (block->has_tick) {
      t->has_tick = true;
      t->tick = block->tick;
      t->hash = block->hash;
    }
  }
  w->closed.count = 0;
}

static void take_changes(room_writer_o *w, transaction_t *t) {
  for (uint32_t i = 0; i < w->changes.count; ++i) {
    array_push(&w->memory, &t->changes, w->changes.items[i].row);
    t->change_bytes += w->changes.items[i].row.size;
  }
  w->changes.count = 0;
}

// Moves everything that can be committed to the writer's transaction.
static void take_transaction(room_writer_o *w) {
  transaction_t *t = &w->transaction;
  *t = (transaction_t){.exists = true, .tick = w->tick, .has_snapshot = w->snapshot.is_packed};
  waiting_snapshot_t *s = &w->snapshot;
  if (t->has_snapshot) {
    s->row.head = s->head.bytes;
    s->row.head_size = s->head.size;
    s->row.state = s->packed.bytes;
    s->row.state_size = s->packed.size;
    t->tick = s->begins_anew || w->needs_snapshot ? s->row.tick : t->tick;
  }
  t->added_ns = oldest_ns(w);
  take_records(w, t);
  take_changes(w, t);
  t->save = w->save;
  w->save = (waiting_save_t){0};
  t->save.row.bytes = t->save.buffer.bytes;
  t->commit = (room_commit_t){.blocks = t->rows.items,
                              .block_count = t->rows.count,
                              .tick = t->tick,
                              .players = w->players,
                              .state = w->state,
                              .snapshot = t->has_snapshot ? &s->row : NULL,
                              .begins_anew = t->has_snapshot && s->begins_anew,
                              .save = t->save.exists ? &t->save.row : NULL,
                              .checked_snapshot = w->checked_snapshot,
                              .proof = w->proof,
                              .changes = t->changes.items,
                              .change_count = t->changes.count,
                              .answers = &w->answers};
  w->proof = ROOM_PROOF_NONE;
  w->is_changed = false;
}

// Passes the answers to the room's thread.
static void give_answers(room_writer_o *w) {
  room_answers_append(&w->answered, &w->answers);
  room_answers_clear(&w->answers);
}

// Keeps the changes of the transaction that need work after their commit.
static void keep_afters(room_writer_o *w, transaction_t *t) {
  for (uint32_t i = 0; i < t->changes.count; ++i)
    if (room_changes_has_after(t->changes.items[i].kind))
      array_push(&w->memory, &w->afters, t->changes.items[i]);
    else
      free_change(w, &t->changes.items[i]);
  t->changes.count = 0;
}

// Records the result of a transaction that has succeeded.
static void acknowledge(room_writer_o *w) {
  transaction_t *t = &w->transaction;
  room_writer_status_t *status = &w->status;
  status->state = ROOM_WRITER_READY;
  w->error = (error_info_t){0};
  w->tick = t->tick;
  status->acked_number = w->claim.last;
  if (t->has_tick) {
    status->acked_tick = t->tick;
    status->acked_hash = t->hash;
  }
  ++status->commits;
  status->bytes += t->size;
  status->waiting_bytes -= t->size + t->change_bytes;
  give_answers(w);
  keep_afters(w, t);
  if (t->has_snapshot) {
    status->snapshot_number = w->snapshot.row.number;
    w->needs_snapshot = false;
    w->snapshot.exists = w->snapshot.is_packed = false;
  }
  if (t->blocks.count > 0 && w->spare.capacity == 0) { // keep the memory of one block
    w->spare = t->blocks.items[0].buffer;
    w->spare.size = 0;
    t->blocks.items[0].buffer = (buffer_t){0};
  }
  free_transaction(w, t);
}

static void note_failure(room_writer_o *w, store_result_t result, const error_info_t *error) {
  w->error = *error;
  ++w->status.failures;
  if (result == STORE_FAILED)
    w->status.state = ROOM_WRITER_RETRYING;
  else
    w->status.state = result == STORE_LOST ? ROOM_WRITER_LOST : ROOM_WRITER_DAMAGED;
}

// Waits for `condition`, at most `time_ns`; -1: without a limit.
static void wait_ns(room_writer_o *w, pthread_cond_t *condition, int64_t time_ns) {
  if (time_ns < 0) {
    pthread_cond_wait(condition, &w->lock);
    return;
  }
  int64_t end = now_ns() + time_ns;
  struct timespec deadline = {(time_t)(end / 1000000000), (long)(end % 1000000000)};
  pthread_cond_timedwait(condition, &w->lock, &deadline);
}

// Commits the transaction, and repeats it until the database answers or the writer is stopped. The lock must be held,
// and is held on return.
static void commit(room_writer_o *w) {
  int64_t began = now_ns(), pause_ms = FIRST_RETRY_MS;
  while (!has_stopped(w)) {
    error_info_t error = {0};
    pthread_mutex_unlock(&w->lock);
    store_result_t result = world_store_commit(w->store, &w->claim, &w->transaction.commit, &error);
    if (result == STORE_DONE && w->transaction.has_snapshot)
      free_packed(w);
    pthread_mutex_lock(&w->lock);
    w->status.commit_us = (now_ns() - began) / 1000;
    if (w->status.commit_us > w->status.max_commit_us)
      w->status.max_commit_us = w->status.commit_us;
    if (result == STORE_DONE) {
      acknowledge(w);
      break;
    }
    note_failure(w, result, &error);
    int64_t end = now_ns() + pause_ms * NS_PER_MS;
    for (int64_t left; !w->is_stopping && !has_stopped(w) && (left = end - now_ns()) > 0;)
      wait_ns(w, &w->changed, left);
    if (w->is_stopping)
      break;
    pause_ms = pause_ms * 2 < ROOM_WRITER_MAX_RETRY_MS ? pause_ms * 2 : ROOM_WRITER_MAX_RETRY_MS;
  }
  pthread_cond_broadcast(&w->committed);
}

// Does the pending work of the oldest change in `afters`. The lock must be held, and is held on return.
static void run_after(room_writer_o *w) {
  room_change_t change = w->afters.items[0];
  memmove(w->afters.items, w->afters.items + 1, --w->afters.count * sizeof change);
  error_info_t error = {0};
  pthread_mutex_unlock(&w->lock);
  room_changes_run_after(w->store, &w->claim, &change, &w->answers, &error);
  pthread_mutex_lock(&w->lock);
  give_answers(w);
  free_change(w, &change);
}

// Returns the time until the next poll in nanoseconds.
static int64_t get_poll_ns(const room_writer_o *w) {
  int64_t left = w->polled_ns + (int64_t)ROOM_WRITER_COMMIT_MS * NS_PER_MS - now_ns();
  return left > 0 ? left : 0;
}

static void poll(room_writer_o *w) {
  pthread_mutex_unlock(&w->lock);
  room_changes_poll(w->store, &w->claim, &w->answers);
  w->polled_ns = now_ns();
  pthread_mutex_lock(&w->lock);
  give_answers(w);
}

static void compress(room_writer_o *w) {
  pthread_mutex_unlock(&w->lock);
  bool is_packed = compress_step(w);
  pthread_mutex_lock(&w->lock);
  w->snapshot.is_packed = is_packed;
}

static void *run_thread(void *context) {
  room_writer_o *w = context;
  int64_t due_in_ns;
  thread_lower_priority();
  pthread_mutex_lock(&w->lock);
  while (!w->is_stopping && !has_stopped(w)) {
    // Each poll follows a commit if anything waits, so that the thread wakes only once for both.
    if (is_commit_due(w, &due_in_ns) || (due_in_ns >= 0 && get_poll_ns(w) == 0)) {
      take_transaction(w);
      commit(w);
      if (!w->is_stopping && !has_stopped(w))
        poll(w);
    } else if (get_poll_ns(w) == 0) {
      poll(w);
    } else if (w->afters.count > 0) {
      run_after(w);
    } else if (must_compress(w)) {
      compress(w);
    } else {
      int64_t poll_ns = get_poll_ns(w);
      wait_ns(w, &w->changed, due_in_ns >= 0 && due_in_ns < poll_ns ? due_in_ns : poll_ns);
    }
  }
  pthread_cond_broadcast(&w->committed);
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

// --- life cycle

static void init_locks(room_writer_o *w) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&w->lock, NULL);
  pthread_cond_init(&w->changed, &attributes);
  pthread_cond_init(&w->committed, &attributes);
  pthread_condattr_destroy(&attributes);
}

static void free_writer(room_writer_o *w) {
  for (uint32_t i = 0; i < w->closed.count; ++i)
    free_buffer(w, &w->closed.items[i].buffer);
  array_free(&w->memory, &w->closed);
  for (uint32_t i = 0; i < w->changes.count; ++i)
    free_change(w, &w->changes.items[i].row);
  array_free(&w->memory, &w->changes);
  for (uint32_t i = 0; i < w->afters.count; ++i)
    free_change(w, &w->afters.items[i]);
  array_free(&w->memory, &w->afters);
  room_answers_free(&w->answers);
  room_answers_free(&w->answered);
  room_answers_free(&w->given);
  free_buffer(w, &w->open.buffer);
  free_buffer(w, &w->spare);
  free_buffer(w, &w->save.buffer);
  free_buffer(w, &w->snapshot.head);
  free_buffer(w, &w->snapshot.raw);
  free_packed(w);
  free_transaction(w, &w->transaction);
  ZSTD_freeCCtx(w->zstd);
  pthread_mutex_destroy(&w->lock);
  pthread_cond_destroy(&w->changed);
  pthread_cond_destroy(&w->committed);
  shoal_assert(w->memory.blocks + w->packed_memory.blocks + w->answers.memory.blocks + w->answered.memory.blocks +
                       w->given.memory.blocks ==
                   0,
               "a room's writer leaked %zu bytes", w->memory.bytes + w->packed_memory.bytes);
  free(w);
}

room_writer_o *room_writer_create(world_store_o *store, const room_claim_t *claim, error_info_t *error) {
  room_writer_o *w = alloc_object(sizeof *w);
  w->claim = *claim;
  w->last = claim->last;
  w->tick = claim->tick;
  w->needs_snapshot = !claim->has_snapshot;
  w->state = ROOM_STATE_RUNNING;
  w->status =
      (room_writer_status_t){.state = ROOM_WRITER_READY, .acked_number = claim->last, .acked_tick = claim->tick};
  w->zstd = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, COMPRESSION_LEVEL);
  w->store = store;
  init_locks(w);
  if (thread_start(&w->thread, run_thread, w))
    return w;
  free_writer(w);
  error_set(error, "cannot start the thread that writes the room: end other programs");
  return NULL;
}

void room_writer_destroy(room_writer_o *w) {
  if (!w)
    return;
  pthread_mutex_lock(&w->lock);
  w->is_stopping = true;
  pthread_cond_broadcast(&w->changed);
  pthread_mutex_unlock(&w->lock);
  pthread_join(w->thread, NULL);
  world_store_close(w->store);
  free_writer(w);
}

// --- status

store_result_t room_writer_flush(room_writer_o *w, int timeout_ms) {
  int64_t end = now_ns() + (int64_t)timeout_ms * NS_PER_MS, left = 0;
  pthread_mutex_lock(&w->lock);
  w->is_flushing = true;
  pthread_cond_broadcast(&w->changed);
  while (!is_idle(w) && !has_stopped(w) && (left = end - now_ns()) > 0)
    wait_ns(w, &w->committed, left);
  w->is_flushing = false;
  store_result_t result = is_idle(w) ? STORE_DONE : STORE_FAILED;
  if (has_stopped(w))
    result = w->status.state == ROOM_WRITER_LOST ? STORE_LOST : STORE_DAMAGED;
  pthread_mutex_unlock(&w->lock);
  return result;
}

room_writer_status_t room_writer_get_status(room_writer_o *w) {
  pthread_mutex_lock(&w->lock);
  room_writer_status_t status = w->status;
  int64_t oldest = w->transaction.exists && w->transaction.added_ns ? w->transaction.added_ns : oldest_ns(w);
  status.waiting_us = oldest ? (now_ns() - oldest) / 1000 : 0;
  status.is_snapshot_pending = w->snapshot.exists;
  pthread_mutex_unlock(&w->lock);
  return status;
}

void room_writer_get_error(room_writer_o *w, error_info_t *out) {
  pthread_mutex_lock(&w->lock);
  *out = w->error;
  pthread_mutex_unlock(&w->lock);
}
