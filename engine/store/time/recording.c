// Writes recordings block by block, keeps the latest blocks in memory, and reads files that may be truncated or
// damaged.
#include "time/recording.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/file_system.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "base/varint.h"
#include "ecs/world_hash.h"
#include "journal/journal.h"
#include "time/state_reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MAGIC "SHOALRPL"
#define MAX_COMPONENTS 65536u
#define STATES_CHUNK_BYTES (1u << 20)

typedef ARRAY(uint8_t) bytes_t;

// The values are part of the format.
typedef enum chunk_kind_t {
  CHUNK_NONE,
  CHUNK_RECORDS,  // a block of records
  CHUNK_SNAPSHOT, // state before the next chunk; allowed only as the first chunk
  CHUNK_STATES,   // packed snapshots
  CHUNK_KIND_COUNT
} chunk_kind_t;

typedef struct chunk_head_t {
  uint64_t hash; // hash of the chunk's bytes, with the kind as the seed
  uint32_t size, kind;
} chunk_head_t;

typedef struct file_head_t {
  char magic[8];
  uint32_t format, unused;
  recording_head_t head;
  uint64_t hash; // hash of the head
} file_head_t;

uint16_t recording_component_hash(world_o *w, uint32_t manager) {
  return (uint16_t)world_component_hash(w, manager);
}

// --- writing

struct recorder_o {
  allocator_t *allocator;
  recording_head_t head;
  int file;            // file descriptor; -1: records are kept in memory only
  journal_o *journal;  // borrowed
  input_log_o *recent; // latest blocks, for excerpts; the newest block may still be open
  bytes_t snapshots;   // packed snapshots not yet written to the file
  uint64_t tick_count; // number of ticks recorded so far
  uint64_t file_bytes; // number of bytes written to the file
  uint64_t last_tick;  // tick of the world after the last record; BLOCK_UNKNOWN_TICK if unknown
  bool is_rewound; // true if no tick was recorded since the last movement in the history: the next tick begins a block
  bool has_recent_ticks; // true if ticks were recorded since the recent blocks were last cleared
  ARRAY(uint16_t) components;
  ARRAY(external_result_t *) start_results; // latest results of requests at startup, for excerpts
  int write_errno;                          // errno of the first write that failed; 0: no failure
};

static file_head_t build_file_head(const recording_head_t *head) {
  file_head_t file_head;
  memset(&file_head, 0, sizeof file_head);
  memcpy(file_head.magic, MAGIC, sizeof file_head.magic);
  file_head.format = RECORDING_FORMAT;
  file_head.head = *head;
  file_head.hash = hash_bytes(&file_head.head, sizeof file_head.head, 0);
  return file_head;
}

static void append_to(allocator_t *a, bytes_t *buffer, const void *bytes, size_t size) {
  shoal_assert(buffer->count + size < UINT32_MAX / 2, "%zu bytes are too many for a chunk", buffer->count + size);
  array_reserve(a, buffer, buffer->count + (uint32_t)size);
  if (size > 0)
    memcpy(buffer->items + buffer->count, bytes, size);
  buffer->count += (uint32_t)size;
}

static void append_number_to(allocator_t *a, bytes_t *buffer, uint64_t n) {
  uint8_t bytes[VARINT_BYTES];
  append_to(a, buffer, bytes, varint_write(n, bytes));
}

// Adds the component hashes that have changed since the previous tick of the block.
static void add_components(recorder_o *recorder, world_o *w) {
  uint8_t bytes[VARINT_BYTES + sizeof(uint16_t)];
  bytes_t changed = {0};
  uint32_t count = world_manager_count(w);
  while (recorder->components.count < count)
    array_push(recorder->allocator, &recorder->components, 0);
  for (uint32_t i = 0; i < count; ++i) {
    uint16_t hash = recording_component_hash(w, i + 1);
    if (hash == recorder->components.items[i])
      continue;
    size_t size = varint_write(i, bytes);
    memcpy(bytes + size, &hash, sizeof hash);
    append_to(recorder->allocator, &changed, bytes, size + sizeof hash);
    recorder->components.items[i] = hash;
  }
  if (changed.count > 0)
    journal_add_item(recorder->journal, RECORD_ITEM_COMPONENTS, changed.items, changed.count);
  array_free(recorder->allocator, &changed);
}

static bool write_chunk(int file, chunk_kind_t kind, const void *bytes, uint32_t size) {
  chunk_head_t head = {.hash = hash_bytes(bytes, size, kind), .size = size, .kind = kind};
  return file_write_all(file, &head, sizeof head) && file_write_all(file, bytes, size);
}

static void write_chunk_to_file(recorder_o *recorder, chunk_kind_t kind, const void *bytes, uint32_t size) {
  if (size == 0 || recorder->write_errno != 0)
    return;
  if (write_chunk(recorder->file, kind, bytes, size))
    recorder->file_bytes += sizeof(chunk_head_t) + size;
  else
    recorder->write_errno = errno;
}

static void store_block(void *context, const uint8_t *bytes, uint32_t size) {
  recorder_o *recorder = context;
  if (recorder->file >= 0) {
    write_chunk_to_file(recorder, CHUNK_RECORDS, bytes, size);
    write_chunk_to_file(recorder, CHUNK_STATES, recorder->snapshots.items, recorder->snapshots.count);
  }
  recorder->snapshots.count = 0;
  recorder->components.count = 0; // the next block starts with the hashes of all components
  input_log_keep_newest(recorder->recent, RECORDING_MAX_BLOCKS);
}

// Appends a packed snapshot. `ticks` is the number of ticks from the start of the file to the snapshot.
static void append_packed_snapshot(allocator_t *a, bytes_t *buffer, const history_snapshot_t *s, uint64_t ticks) {
  shoal_assert(s->packed && s->packed_size > 0, "the snapshot of tick %llu is empty", (unsigned long long)s->tick);
  append_number_to(a, buffer, ticks);
  append_number_to(a, buffer, s->tick);
  append_number_to(a, buffer, s->previous_tick + 1); // 0 for the history's first snapshot
  append_number_to(a, buffer, s->form);
  append_number_to(a, buffer, s->difference_size);
  append_number_to(a, buffer, s->raw_size);
  append_number_to(a, buffer, s->packed_size);
  append_to(a, buffer, s->packed, s->packed_size);
}

void recorder_add_snapshot(recorder_o *recorder, const history_snapshot_t *s) {
  if (recorder->file >= 0)
    append_packed_snapshot(recorder->allocator, &recorder->snapshots, s, recorder->tick_count);
}

bool recorder_block_is_due(const recorder_o *recorder) {
  return journal_block_is_due(recorder->journal) || recorder->is_rewound;
}

recorder_o *recorder_create(journal_o *journal, const recording_head_t *head, const char *path, error_info_t *error) {
  shoal_assert(head->tick_rate > 0, "tick_rate must not be 0");
  int file = path ? file_create(path, error) : -1;
  if (path && file < 0)
    return NULL;
  allocator_t *a = journal_allocator(journal);
  recorder_o *recorder = alloc_resize(a, NULL, 0, sizeof *recorder);
  memset(recorder, 0, sizeof *recorder);
  recorder->allocator = a;
  recorder->last_tick = BLOCK_UNKNOWN_TICK;
  recorder->journal = journal;
  recorder->head = *head;
  recorder->file = file;
  file_head_t file_head = build_file_head(head);
  if (path && !file_write_all(file, &file_head, sizeof file_head))
    recorder->write_errno = errno;
  recorder->file_bytes = path ? sizeof file_head : 0;
  recorder->recent = input_log_create(a);
  journal_attach(journal, recorder->recent);
  journal_set_on_block(journal, store_block, recorder);
  return recorder;
}

bool recorder_close(recorder_o *recorder, error_info_t *error) {
  if (recorder->file < 0)
    return true;
  journal_flush_items(recorder->journal); // writes the results of requests made after the last tick
  journal_end_block(recorder->journal);
  if (!file_system_close(recorder->file) && recorder->write_errno == 0)
    recorder->write_errno = errno;
  recorder->file = -1;
  return recorder->write_errno == 0 || error_set(error, "%s", strerror(recorder->write_errno));
}

recorder_stats_t recorder_get_stats(const recorder_o *recorder) {
  return (recorder_stats_t){recorder->file >= 0, recorder->tick_count, recorder->file_bytes};
}

bool recorder_close_after_failure(recorder_o *recorder, error_info_t *error) {
  return recorder->file >= 0 && recorder->write_errno != 0 && !recorder_close(recorder, error);
}

void recorder_destroy(recorder_o *recorder) {
  if (!recorder)
    return;
  recorder_close(recorder, NULL);
  for (uint32_t i = 0; i < recorder->start_results.count; ++i)
    external_result_release(recorder->start_results.items[i]);
  array_free(recorder->allocator, &recorder->start_results);
  journal_set_on_block(recorder->journal, NULL, NULL);
  journal_detach(recorder->journal, recorder->recent);
  input_log_destroy(recorder->recent);
  array_free(recorder->allocator, &recorder->components);
  array_free(recorder->allocator, &recorder->snapshots);
  alloc_resize(recorder->allocator, recorder, sizeof *recorder, 0);
}

// Keeps excerpts from starting before this point, because a replay cannot rewind beyond its initial snapshot.
void recorder_discard_recent(recorder_o *recorder) {
  journal_end_block(recorder->journal);
  input_log_keep_newest(recorder->recent, 0);
  recorder->last_tick = BLOCK_UNKNOWN_TICK;
  recorder->is_rewound = false;
  recorder->has_recent_ticks = false;
}

uint32_t recording_hash(world_o *w) {
  uint32_t hash = (uint32_t)world_hash(w);
  return hash != 0 ? hash : 1;
}

void recorder_add_tick(recorder_o *recorder, const input_state_t *previous, const input_state_t *input, world_o *w) {
  uint64_t tick = world_tick(w);
  if (recorder->is_rewound)
    journal_end_block(recorder->journal);
  recorder->is_rewound = false;
  // `restored` is true if a script restored a snapshot, so that the world's tick does not follow the last recorded
  // tick.
  bool restored = recorder->last_tick != BLOCK_UNKNOWN_TICK && tick != recorder->last_tick + 1;
  if (restored || journal_block_is_due(recorder->journal))
    journal_end_block(recorder->journal);
  add_components(recorder, w);
  journal_add_tick(recorder->journal, tick, previous, input, recording_hash(w));
  recorder->tick_count++;
  recorder->has_recent_ticks = true;
  recorder->last_tick = tick;
  if (restored)
    recorder_discard_recent(recorder);
}

void recorder_add_rewind(recorder_o *recorder, uint64_t ticks, uint64_t tick) {
  journal_add_rewind(recorder->journal, ticks, tick);
  recorder->last_tick = tick;
  recorder->is_rewound = true;
}

void recorder_add_step_forward(recorder_o *recorder, uint64_t tick) {
  journal_add_action(recorder->journal, RECORD_FORWARD, 0);
  recorder->last_tick = tick;
  recorder->is_rewound = true;
}

void recorder_add_reload(recorder_o *recorder, uint64_t game_hash) {
  recorder->head.game_hash = game_hash; // excerpts start with the new code
  journal_add_action(recorder->journal, RECORD_RELOAD, game_hash);
  recorder_discard_recent(recorder);
}

void recorder_keep_start_result(recorder_o *recorder, external_result_t *result) {
  if (result->kind == EXTERNAL_EXEC || result->kind == EXTERNAL_LOAD || result->kind == EXTERNAL_SAVE)
    return;
  external_result_retain(result);
  for (uint32_t i = 0; i < recorder->start_results.count; ++i) {
    external_result_t *old = recorder->start_results.items[i];
    if (old->kind == result->kind && strcmp(old->key, result->key) == 0) {
      external_result_release(old);
      recorder->start_results.items[i] = result;
      return;
    }
  }
  array_push(recorder->allocator, &recorder->start_results, result);
}

void recorder_copy_start_results(recorder_o *recorder, const recorder_o *source) {
  for (uint32_t i = 0; i < source->start_results.count; ++i) {
    external_result_retain(source->start_results.items[i]);
    array_push(recorder->allocator, &recorder->start_results, source->start_results.items[i]);
  }
}

// --- Excerpts. Written without locks, because a crash handler may write an excerpt.

// The contents of an excerpt, all borrowed.
typedef struct excerpt_contents_t {
  const recording_head_t *head;
  const input_log_o *blocks;
  uint32_t first_block; // index of the first block; equals the number of blocks if the excerpt has no blocks
  external_result_t *const *start_results;
  uint32_t start_result_count;
  history_o *states;
  const snapshot_o *current; // first state of the excerpt; NULL: the state of `start_tick` in `states`
  uint64_t start_tick;
} excerpt_contents_t;

// Returns the tick of the state before a block, or BLOCK_UNKNOWN_TICK, which no history contains.
static uint64_t get_start_tick(const block_t *block) {
  return block->begins_with_input ? block->first_tick - 1 : BLOCK_UNKNOWN_TICK;
}

// Returns the index of the newest block that, together with the later blocks, contains at least RECORDING_RECENT_S
// seconds. Returns 0 if all blocks together contain less.
static uint32_t find_recent_block(const recorder_o *recorder, const input_log_o *blocks) {
  uint64_t needed = (uint64_t)RECORDING_RECENT_S * recorder->head.tick_rate, ticks = 0;
  uint32_t i = input_log_block_count(blocks);
  while (i > 0 && ticks < needed) {
    const block_t *block = input_log_get_block(blocks, --i);
    ticks += block->last_tick >= block->first_tick ? block->last_tick - block->first_tick + 1 : 0;
  }
  return i;
}

// Returns the index of the block with which an excerpt begins, or the number of blocks if no block is suitable. A block
// is suitable if the history contains the state before it, and no rewind in this block or a later block leads to an
// earlier tick. Chooses the newest suitable block that covers the recent seconds, otherwise the oldest suitable block.
static uint32_t find_excerpt_start(const recorder_o *recorder, const input_log_o *blocks, history_o *h) {
  uint32_t count = input_log_block_count(blocks), recent = find_recent_block(recorder, blocks), found = count;
  uint64_t earliest = BLOCK_UNKNOWN_TICK;
  for (uint32_t i = count; i-- > 0 && (found == count || found > recent);) {
    const block_t *block = input_log_get_block(blocks, i);
    uint64_t tick = get_start_tick(block);
    earliest = block->rewound_to < earliest ? block->rewound_to : earliest;
    if (block->size > 0 && tick <= earliest && history_has_snapshot(h, tick))
      found = i;
  }
  return found;
}

// Fills the excerpt except `current`, which the caller must set if the excerpt contains no block. `blocks`: the
// recorder's recent blocks, or a copy. Returns true on success, or false with a message if the history is disabled or
// has no snapshot of the recorded ticks.
static bool collect_excerpt(const recorder_o *recorder, const input_log_o *blocks, history_o *h,
                            excerpt_contents_t *out, error_info_t *error) {
  *out = (excerpt_contents_t){.head = &recorder->head,
                              .blocks = blocks,
                              .start_results = recorder->start_results.items,
                              .start_result_count = recorder->start_results.count,
                              .states = h};
  if (!h)
    return error_set(error, "the history is disabled: set history in game.lua, or pass --history MB");
  uint32_t count = input_log_block_count(blocks);
  out->first_block = find_excerpt_start(recorder, blocks, h);
  if (out->first_block == count && count > 0 && !recorder->is_rewound)
    return error_set(error, "the history has no snapshot of the recorded ticks");
  if (out->first_block < count)
    out->start_tick = get_start_tick(input_log_get_block(blocks, out->first_block));
  return true;
}

static bool has_blocks(const excerpt_contents_t *e) {
  return e->first_block < input_log_block_count(e->blocks);
}

static bool write_snapshot(int file, const snapshot_o *s) {
  size_t size = 0;
  const void *bytes = snapshot_bytes(s, &size);
  return write_chunk(file, CHUNK_SNAPSHOT, bytes, (uint32_t)size);
}

static bool write_blocks(int file, const input_log_o *blocks, uint32_t first) {
  bool ok = true;
  for (uint32_t i = first; i < input_log_block_count(blocks) && ok; ++i) {
    const block_t *block = input_log_get_block(blocks, i);
    ok = block->size == 0 || write_chunk(file, CHUNK_RECORDS, block->bytes, block->size);
  }
  return ok;
}

// Writes the results of requests that were made while code was loaded or in a `start` function. A replay of the excerpt
// starts in the middle of the game, but loads the code, which makes the same requests. Returns true on success, or
// false if writing fails.
static bool write_start_results(allocator_t *a, int file, const excerpt_contents_t *e) {
  journal_o *journal = journal_create(a);
  input_log_o *blocks = input_log_create(a);
  journal_attach(journal, blocks);
  for (uint32_t i = 0; i < e->start_result_count; ++i)
    journal_add_result(journal, e->start_results[i]);
  journal_flush_items(journal);
  bool ok = write_blocks(file, blocks, 0);
  journal_destroy(journal);
  input_log_destroy(blocks);
  return ok;
}

// A run of consecutive ticks in an excerpt, as they were last played.
typedef struct played_run_t {
  uint64_t first_tick;
  uint64_t played; // number of ticks played up to and including `first_tick`
} played_run_t;

typedef ARRAY(played_run_t) played_runs_t;

// Lists the runs of ticks that lead to the newest state, in order of their ticks.
static void list_played_runs(allocator_t *a, const excerpt_contents_t *e, played_runs_t *out) {
  block_reader_t reader;
  uint64_t played = 0, next_tick = BLOCK_UNKNOWN_TICK;
  for (uint32_t i = e->first_block; i < input_log_block_count(e->blocks); ++i) {
    const block_t *block = input_log_get_block(e->blocks, i);
    block_reader_begin(&reader, block->bytes, block->size);
    while (block_reader_next(&reader)) {
      if (reader.record.kind != RECORD_TICK)
        continue;
      ++played;
      while (reader.record.tick != next_tick && out->count > 0 &&
             out->items[out->count - 1].first_tick >= reader.record.tick)
        --out->count;
      if (reader.record.tick != next_tick)
        array_push(a, out, ((played_run_t){reader.record.tick, played}));
      next_tick = reader.record.tick + 1;
    }
  }
}

// Returns the number of ticks from the start of the excerpt to the state after `tick`.
static uint64_t count_played(const played_runs_t *runs, uint64_t tick) {
  for (uint32_t i = runs->count; i-- > 0;)
    if (runs->items[i].first_tick <= tick)
      return runs->items[i].played + (tick - runs->items[i].first_tick);
  return 0;
}

// Writes the snapshots of the history, starting with the last whole snapshot at or before `start_tick`. Returns true on
// success, or false if writing fails.
static bool write_packed_snapshots(allocator_t *a, int file, const excerpt_contents_t *e, uint64_t start_tick) {
  bytes_t buffer = {0};
  played_runs_t runs = {0};
  history_snapshot_t s;
  uint32_t start = 0;
  bool ok = true;
  list_played_runs(a, e, &runs);
  for (uint32_t i = 0; history_get_packed(e->states, i, &s) && s.tick <= start_tick; ++i)
    start = s.form == HISTORY_WHOLE ? i : start;
  for (uint32_t i = start; ok && history_get_packed(e->states, i, &s); ++i) {
    append_packed_snapshot(a, &buffer, &s, s.tick > start_tick ? count_played(&runs, s.tick) : 0);
    if (buffer.count < STATES_CHUNK_BYTES)
      continue;
    ok = write_chunk(file, CHUNK_STATES, buffer.items, buffer.count);
    buffer.count = 0;
  }
  if (buffer.count > 0)
    ok = ok && write_chunk(file, CHUNK_STATES, buffer.items, buffer.count);
  array_free(a, &runs);
  array_free(a, &buffer);
  return ok;
}

static const snapshot_o *read_first_state(const excerpt_contents_t *e, error_info_t *error) {
  if (e->current)
    return e->current;
  const snapshot_o *state = state_reader_read(history_get_reader(e->states), history_find(e->states, e->start_tick));
  if (state && snapshot_tick(state) == e->start_tick)
    return state;
  error_set(error, "the history is damaged");
  return NULL;
}

// Writes the file of an excerpt. `a` allocates buffers. Returns true on success. On failure, removes the file and
// returns false with an error.
static bool write_excerpt(allocator_t *a, const excerpt_contents_t *e, const char *path, error_info_t *error) {
  const snapshot_o *first = read_first_state(e, error);
  int file = first ? file_create(path, error) : -1;
  if (file < 0)
    return false;
  file_head_t file_head = build_file_head(e->head);
  uint64_t start_tick = snapshot_tick(first);
  errno = 0;
  bool ok = file_write_all(file, &file_head, sizeof file_head) && write_snapshot(file, first) &&
            write_start_results(a, file, e) && write_blocks(file, e->blocks, e->first_block) &&
            write_packed_snapshots(a, file, e, start_tick);
  int reason = ok ? 0 : errno;
  ok = file_system_close(file) && ok;
  if (ok)
    return true;
  reason = reason ? reason : errno;
  remove(path);
  return error_set(error, "cannot write %s: %s", path, file_describe_write_error(reason));
}

bool recorder_write_excerpt(recorder_o *recorder, history_o *h, const snapshot_o *current, const char *path,
                            error_info_t *error) {
  excerpt_contents_t e;
  if (!collect_excerpt(recorder, recorder->recent, h, &e, error))
    return false;
  if (!has_blocks(&e))
    e.current = current;
  if (!has_blocks(&e) && !current)
    return error_set(error, input_log_block_count(recorder->recent) == 0
                                ? "no ticks were recorded after the last step back, reload or start"
                                : "the history has no snapshot of the recorded ticks");
  return write_excerpt(recorder->allocator, &e, path, error);
}

// --- excerpts that are written on a different thread

struct recording_excerpt_o {
  allocator_t *allocator; // allocates the copies
  allocator_t memory;     // allocates the buffers of the writing thread
  recording_head_t head;
  excerpt_contents_t contents;
  bool has_ticks;
  input_log_o *blocks;
  ARRAY(external_result_t *) start_results;
  snapshot_o *current; // first state, if the excerpt has no blocks; otherwise NULL
};

static void share_start_results(recording_excerpt_o *e) {
  for (uint32_t i = 0; i < e->contents.start_result_count; ++i)
    array_push(e->allocator, &e->start_results, external_result_retain(e->contents.start_results[i]));
  e->contents.start_results = e->start_results.items;
}

recording_excerpt_o *recorder_copy_excerpt(const recorder_o *recorder, history_o *h, world_o *w, error_info_t *error) {
  excerpt_contents_t contents;
  recording_excerpt_o *e = alloc_resize(recorder->allocator, NULL, 0, sizeof *e);
  *e = (recording_excerpt_o){.allocator = recorder->allocator, .head = recorder->head};
  e->blocks = input_log_copy(recorder->recent);
  if (!collect_excerpt(recorder, e->blocks, h, &contents, error)) {
    recording_excerpt_destroy(e);
    return NULL;
  }
  e->has_ticks = recorder->has_recent_ticks && has_blocks(&contents);
  e->contents = contents;
  e->contents.head = &e->head;
  e->contents.states = NULL;
  if (!has_blocks(&contents))
    e->current = snapshot_create(e->allocator);
  if (e->current && !snapshot_take(e->current, w, error)) {
    recording_excerpt_destroy(e);
    return NULL;
  }
  share_start_results(e);
  e->contents.current = e->current;
  e->contents.states = history_fork_from(h, e->current ? snapshot_tick(e->current) : contents.start_tick);
  return e;
}

void recording_excerpt_destroy(recording_excerpt_o *e) {
  if (!e)
    return;
  history_destroy(e->contents.states);
  for (uint32_t i = 0; i < e->start_results.count; ++i)
    external_result_release(e->start_results.items[i]);
  array_free(e->allocator, &e->start_results);
  input_log_destroy(e->blocks);
  snapshot_release(e->current);
  shoal_assert(e->memory.blocks == 0, "the excerpt leaked %llu blocks", (unsigned long long)e->memory.blocks);
  alloc_resize(e->allocator, e, sizeof *e, 0);
}

bool recording_excerpt_is_complete(recording_excerpt_o *e, bool wait) {
  return history_complete_fork(e->contents.states, wait);
}

bool recording_excerpt_has_ticks(const recording_excerpt_o *e) {
  return e->has_ticks;
}

bool recording_excerpt_write(recording_excerpt_o *e, const char *path, error_info_t *error) {
  bool ok = write_excerpt(&e->memory, &e->contents, path, error);
  // Frees the states on the writing thread, because this takes long in large worlds.
  history_release_reader(e->contents.states);
  return ok;
}

// --- reading

struct recording_o {
  allocator_t *allocator;
  file_head_t head;
  uint8_t *bytes;
  size_t size;
  size_t position; // end of the current chunk
  block_reader_t block;
  bool has_record; // true if `block` contains the next record
  uint32_t item;   // index of the next item of this record
  bool is_broken;
  error_info_t error; // reason why the recording is broken; set if `is_broken` is true
  snapshot_o *snapshot;
  bool has_snapshot, starts_paused, has_hashes;
  uint16_t *components; // component hashes; capacity MAX_COMPONENTS
  uint32_t component_count;
};

typedef struct chunk_t {
  chunk_kind_t kind;
  const uint8_t *bytes;
  size_t size;
} chunk_t;

// Stores the next chunk. Returns 1 on success, 0 at the end of the file, or -1 with a message if the chunk is truncated
// or damaged.
static int read_chunk(recording_o *recording, chunk_t *out, error_info_t *error) {
  chunk_head_t head;
  if (recording->position == recording->size)
    return 0;
  if (recording->size - recording->position < sizeof head) {
    error_set(error, "the recording is truncated");
    return -1;
  }
  memcpy(&head, recording->bytes + recording->position, sizeof head);
  if (head.size == 0 || head.size > recording->size - recording->position - sizeof head) {
    error_set(error, "the recording is truncated or damaged");
    return -1;
  }
  const uint8_t *bytes = recording->bytes + recording->position + sizeof head;
  if (head.kind == CHUNK_NONE || head.kind >= CHUNK_KIND_COUNT ||
      hash_bytes(bytes, head.size, head.kind) != head.hash) {
    error_set(error, "the recording is damaged");
    return -1;
  }
  *out = (chunk_t){(chunk_kind_t)head.kind, bytes, head.size};
  recording->position += sizeof head + head.size;
  return 1;
}

// Opens the next block, skipping chunks of states. Returns the same values as read_chunk.
static int open_next_block(recording_o *recording, error_info_t *error) {
  chunk_t chunk;
  int status;
  do
    status = read_chunk(recording, &chunk, error);
  while (status > 0 && chunk.kind == CHUNK_STATES);
  if (status <= 0)
    return status;
  if (chunk.kind != CHUNK_RECORDS) {
    error_set(error, "the recording contains a snapshot between its records");
    return -1;
  }
  block_reader_begin(&recording->block, chunk.bytes, chunk.size);
  memset(recording->components, 0, recording->component_count * sizeof *recording->components);
  return 1;
}

static bool read_components(recording_o *recording, const record_item_t *item) {
  for (size_t at = 0; at < item->size;) {
    uint64_t index;
    size_t read = varint_read_shortest(item->bytes + at, item->size - at, &index);
    if (read == 0 || index >= MAX_COMPONENTS || item->size - at - read < sizeof *recording->components)
      return false;
    memcpy(&recording->components[index], item->bytes + at + read, sizeof *recording->components);
    at += read + sizeof *recording->components;
    if (index >= recording->component_count)
      recording->component_count = (uint32_t)index + 1;
  }
  return true;
}

// Reads the record's component hashes. Returns true if the record is valid in a recording.
static bool accept_record(recording_o *recording) {
  const record_t *record = &recording->block.record;
  bool is_valid = record->kind != RECORD_PAUSE && record->kind != RECORD_RESTART && record->kind != RECORD_END &&
                  record->kind != RECORD_SWITCH && record->inputs.present == 0;
  for (uint32_t i = 0; i < record->item_count && is_valid; ++i)
    if (record->items[i].kind == RECORD_ITEM_COMPONENTS)
      is_valid = record->kind == RECORD_TICK && read_components(recording, &record->items[i]);
  return is_valid;
}

// Reads the next record, unless it has been read already. Returns the same values as read_chunk.
static int read_record(recording_o *recording, error_info_t *error) {
  while (!recording->has_record) {
    bool is_read = block_reader_next(&recording->block);
    if (is_read && accept_record(recording)) {
      recording->has_record = true;
      recording->item = 0;
    } else if (is_read || recording->block.position < recording->block.size) {
      error_set(error, "the recording contains an invalid record at byte %zu",
                (size_t)(recording->block.bytes - recording->bytes) + recording->block.position);
      return -1;
    } else {
      int status = open_next_block(recording, error);
      if (status <= 0)
        return status;
    }
  }
  return 1;
}

// Stores the next result or parked piece, or NULL if the record itself is next. Returns the same values as read_chunk.
static int find_next_item(recording_o *recording, const record_item_t **out, error_info_t *error) {
  const record_t *record = &recording->block.record;
  int status;
  *out = NULL;
  while ((status = recording->is_broken ? -1 : read_record(recording, &recording->error)) > 0) {
    for (; recording->item < record->item_count; ++recording->item) {
      const record_item_t *item = &record->items[recording->item];
      if (item->kind == RECORD_ITEM_RESULT || item->kind == RECORD_ITEM_PARK) {
        *out = item;
        return 1;
      }
    }
    if (record->kind != RECORD_ITEMS)
      return 1;
    recording->has_record = false;
  }
  recording->is_broken = status < 0;
  if (status < 0)
    error_set(error, "%s", recording->error.text);
  return status;
}

static bool read_item(const record_item_t *item, recording_item_t *out) {
  parked_item_t parked;
  out->kind = RECORD_ITEMS;
  if (item->kind == RECORD_ITEM_RESULT)
    return (out->result = external_result_read(item)) != NULL;
  if (!parked_item_read(item, &parked))
    return false;
  snprintf(out->piece, sizeof out->piece, "%s", parked.name);
  snprintf(out->message, sizeof out->message, "%.*s", (int)parked.message_bytes, parked.message);
  out->stopped = parked.stopped;
  return true;
}

static void read_step(const recording_o *recording, recording_item_t *out) {
  const record_t *record = &recording->block.record;
  out->kind = record->kind;
  out->ticks = record->tick;
  out->game_hash = record->hash;
  if (record->kind != RECORD_TICK && record->kind != RECORD_FRAME)
    return;
  out->previous_input = recording->block.previous_input;
  out->input = recording->block.input;
  out->has_hash = record->hash != 0;
  out->hash = (uint32_t)record->hash;
  out->components = recording->components;
  out->component_count = recording->component_count;
}

void recording_read_item(recording_o *recording, recording_item_t *out, error_info_t *error) {
  const record_item_t *item;
  *out = (recording_item_t){.kind = RECORD_NONE};
  int status = find_next_item(recording, &item, error);
  if (status == 0) {
    out->kind = RECORD_END;
  } else if (status > 0 && !item) {
    read_step(recording, out);
    recording->has_record = false;
  } else if (status > 0 && read_item(item, out)) {
    ++recording->item;
  } else if (status > 0) {
    out->kind = RECORD_NONE;
    recording->is_broken = true;
    error_set(&recording->error, "the recording contains an invalid record at byte %zu",
              (size_t)(item->bytes - recording->bytes));
    error_set(error, "%s", recording->error.text);
  }
}

external_result_t *recording_read_next_result(recording_o *recording) {
  const record_item_t *item;
  bool is_result = find_next_item(recording, &item, NULL) > 0 && item && item->kind == RECORD_ITEM_RESULT;
  external_result_t *result = is_result ? external_result_read(item) : NULL;
  recording->item += result != NULL;
  return result;
}

// Reads the snapshot, if the recording begins with one, and opens the first block. Returns true on success, or false
// with a message.
static bool read_start(recording_o *recording, error_info_t *error) {
  chunk_t chunk;
  size_t start = recording->position;
  int status = read_chunk(recording, &chunk, error);
  if (status > 0 && chunk.kind == CHUNK_SNAPSHOT) {
    snapshot_set_bytes(recording->snapshot, chunk.bytes, chunk.size);
    recording->has_snapshot = true;
  } else {
    recording->position = start;
  }
  return status >= 0 && open_next_block(recording, error) >= 0;
}

static bool check_head(const void *bytes, size_t size, file_head_t *head, error_info_t *error) {
  if (size < sizeof *head || memcmp(bytes, MAGIC, sizeof head->magic) != 0)
    return error_set(error, "the file is not a recording");
  memcpy(head, bytes, sizeof *head);
  if (head->format != RECORDING_FORMAT)
    return error_set(
        error,
        "the recording has format %u, but this version of Shoal reads format %u: replay it with the version that "
        "recorded it, or record the run again",
        head->format, RECORDING_FORMAT);
  if (head->hash != hash_bytes(&head->head, sizeof head->head, 0) ||
      !memchr(head->head.game, 0, sizeof head->head.game) ||
      !memchr(head->head.arithmetic, 0, sizeof head->head.arithmetic))
    return error_set(error, "the recording is damaged");
  return true;
}

// Reads up to the first tick. Determines whether the recording begins with a frame of a paused game, and whether the
// tick has a hash. Assumes a hash if no tick can be read or the search is interrupted. Slow if the first tick is far
// into the file.
static void examine_start(recording_o *recording) {
  recording_o reader = *recording; // the original keeps its position
  recording_item_t item;
  uint32_t item_count = 0;
  bool is_first = true;
  reader.components = alloc_resize(reader.allocator, NULL, 0, MAX_COMPONENTS * sizeof *reader.components);
  memset(reader.components, 0, MAX_COMPONENTS * sizeof *reader.components);
  do {
    recording_read_item(&reader, &item, NULL);
    external_result_release(item.result);
    if (item.kind == RECORD_ITEMS)
      continue;
    recording->starts_paused |= is_first && item.kind == RECORD_FRAME;
    is_first = false;
  } while (item.kind != RECORD_TICK && item.kind != RECORD_END && item.kind != RECORD_NONE &&
           (++item_count % 1024 != 0 || !interrupt_is_pending()));
  alloc_resize(reader.allocator, reader.components, MAX_COMPONENTS * sizeof *reader.components, 0);
  recording->has_hashes = item.kind != RECORD_TICK || item.has_hash;
}

bool recording_has_hashes(const recording_o *recording) {
  return recording->has_hashes;
}

// Opens a recording in memory. Takes ownership of `bytes`, even on failure. They must have been allocated as by
// file_read. Returns the recording, or NULL with a message.
static recording_o *open_owned_bytes(allocator_t *a, char *bytes, size_t size, error_info_t *error) {
  file_head_t head;
  if (!check_head(bytes, size, &head, error)) {
    file_free(a, bytes, size);
    return NULL;
  }
  recording_o *recording = alloc_resize(a, NULL, 0, sizeof *recording);
  *recording =
      (recording_o){.allocator = a, .head = head, .bytes = (uint8_t *)bytes, .size = size, .position = sizeof head};
  recording->components = alloc_resize(a, NULL, 0, MAX_COMPONENTS * sizeof *recording->components);
  memset(recording->components, 0, MAX_COMPONENTS * sizeof *recording->components);
  recording->snapshot = snapshot_create(a);
  if (!read_start(recording, error)) {
    recording_close(recording);
    return NULL;
  }
  examine_start(recording);
  return recording;
}

recording_o *recording_open_bytes(allocator_t *a, const void *bytes, size_t size, error_info_t *error) {
  char *copy = alloc_resize(a, NULL, 0, size + 1);
  if (size > 0)
    memcpy(copy, bytes, size);
  copy[size] = '\0';
  return open_owned_bytes(a, copy, size, error);
}

recording_o *recording_open(allocator_t *a, const char *path, error_info_t *error) {
  size_t size = 0;
  error_info_t reason = {0};
  char *bytes = file_read(a, path, &size, error);
  recording_o *recording = bytes ? open_owned_bytes(a, bytes, size, &reason) : NULL;
  if (bytes && !recording)
    error_set(error, "%.500s: %.500s", path, reason.text);
  return recording;
}

void recording_close(recording_o *recording) {
  if (!recording)
    return;
  snapshot_release(recording->snapshot);
  file_free(recording->allocator, (char *)recording->bytes, recording->size);
  alloc_resize(recording->allocator, recording->components, MAX_COMPONENTS * sizeof *recording->components, 0);
  alloc_resize(recording->allocator, recording, sizeof *recording, 0);
}

// Reads the next snapshot of a chunk. Returns true on success, or false at the end of the chunk, or if the chunk is
// malformed.
static bool read_packed_snapshot(chunk_t *rest, history_snapshot_t *snapshot, uint64_t *ticks) {
  uint64_t numbers[7];
  for (uint32_t i = 0; i < 7; ++i) {
    size_t read = varint_read(rest->bytes, rest->size, &numbers[i]);
    if (read == 0)
      return false;
    rest->bytes += read;
    rest->size -= read;
  }
  if (numbers[3] > HISTORY_WHOLE || numbers[4] > UINT32_MAX || numbers[5] > UINT32_MAX || numbers[6] > rest->size)
    return false;
  *ticks = numbers[0];
  *snapshot = (history_snapshot_t){.tick = numbers[1], .previous_tick = numbers[2] - 1, .form = (uint32_t)numbers[3]};
  snapshot->difference_size = (uint32_t)numbers[4];
  snapshot->raw_size = (uint32_t)numbers[5];
  snapshot->packed_size = (uint32_t)numbers[6];
  snapshot->packed = rest->bytes;
  rest->bytes += numbers[6];
  rest->size -= numbers[6];
  return true;
}

#define LAST_SNAPSHOT UINT64_MAX

// Appends to `history` all snapshots up to the snapshot after `end_ticks` ticks of the recording (LAST_SNAPSHOT: all
// snapshots), and stores the tick of the last appended snapshot. Returns true on success, or false if the recording
// lacks the snapshot after `end_ticks`, or if a snapshot cannot be appended.
static bool read_packed_snapshots(const recording_o *recording, uint64_t end_ticks, uint32_t max_state_bytes,
                                  history_o *history, uint64_t *tick) {
  recording_o reader = *recording; // the copy reads from the start of the file, while the original keeps its position
  history_snapshot_t snapshot;
  chunk_t chunk;
  uint64_t ticks = 0;
  bool found = false;
  reader.position = sizeof(file_head_t);
  while (read_chunk(&reader, &chunk, NULL) > 0) {
    while (chunk.kind == CHUNK_STATES && read_packed_snapshot(&chunk, &snapshot, &ticks)) {
      if (ticks > end_ticks || !history_append_packed(history, &snapshot, max_state_bytes))
        return false;
      *tick = snapshot.tick;
      found = true;
      if (ticks == end_ticks)
        return true;
    }
  }
  return found && end_ticks == LAST_SNAPSHOT;
}

bool recording_copy_snapshot(const recording_o *recording, uint64_t played, uint32_t max_state_bytes, snapshot_o *out,
                             error_info_t *error) {
  history_o *snapshots = history_create(recording->allocator, UINT64_MAX);
  uint64_t tick = 0;
  const snapshot_o *snapshot = read_packed_snapshots(recording, played, max_state_bytes, snapshots, &tick)
                                   ? history_get_snapshot(snapshots, tick)
                                   : NULL;
  if (snapshot)
    snapshot_copy(out, snapshot);
  history_destroy(snapshots);
  return snapshot || error_set(error, "the recording has no snapshot of this tick");
}

bool recording_copy_last_snapshot(const recording_o *recording, uint32_t max_state_bytes, snapshot_o *out,
                                  error_info_t *error) {
  return recording_copy_snapshot(recording, LAST_SNAPSHOT, max_state_bytes, out, error);
}

const recording_head_t *recording_head(const recording_o *recording) {
  return &recording->head.head;
}

const snapshot_o *recording_snapshot(const recording_o *recording) {
  return recording->has_snapshot ? recording->snapshot : NULL;
}

bool recording_begins_paused(const recording_o *recording) {
  return recording->starts_paused;
}
