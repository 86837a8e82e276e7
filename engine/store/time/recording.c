// Writes recordings chunk by chunk, keeps the latest chunks in memory, and reads files that may be truncated or
// damaged.
#include "time/recording.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "base/varint.h"
#include "ecs/world_hash.h"
#include "time/input_log.h"
#include "time/state_reader.h"

#include <stdatomic.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAGIC "SHOALRPL"
#define MAX_COMPONENTS 65536u
#define STATES_CHUNK_BYTES (1u << 20)
#define LARGE_INPUT_BYTES (1u << 20) // a sample with more bytes of external input than this ends the chunk

typedef ARRAY(uint8_t) bytes_t;

// A record consists of a letter and the data listed below, in that order. Numbers are LEB128 varints.
enum {
  RECORD_BEGIN = 'B',             // pause flag of the game; the sample before the chunk
  RECORD_SNAPSHOT = 'S',          // the only record of its chunk: the snapshot in which the next chunk begins
  RECORD_TICK = 'T',              // sample, hash, hashes of components that have changed
  RECORD_PAUSED = 'I',            // input sample
  RECORD_TICK_WITHOUT_HASH = 'U', // sample of a tick that has never run, in hand-made and generated recordings
  RECORD_BACK = 'R',              // number of ticks
  RECORD_FORWARD = 'F',
  RECORD_RELOAD = 'L', // hash of the game
  RECORD_PARK = 'P',   // name of a piece that the watchdog stopped
  RECORD_FAIL = 'E',   // name of a piece that failed
  RECORD_RESULT = 'O', // kind, found, key, bytes
  RECORD_STATES = 'D', // the only record of its chunk: packed snapshots
  RECORD_ACTION = 'H'  // action (recording_action_t)
};

typedef struct chunk_head_t {
  uint64_t hash;
  uint32_t size, unused;
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

// A chunk in memory. A child forked from a crashing process writes an excerpt of the bytes up to `complete_bytes`,
// which is always the end of a record.
typedef struct chunk_t {
  bytes_t bytes;
  uint32_t complete_bytes;
  uint64_t first_tick; // the world's tick when the chunk began
} chunk_t;

struct recorder_o {
  allocator_t *allocator;
  recording_head_t head;
  FILE *file;                                  // NULL: in memory only
  chunk_t recent[RECORDING_RECENT_CHUNKS + 1]; // ring of chunks; the newest chunk is being written
  uint32_t first_chunk, count;
  uint32_t sample_count; // number of samples and host actions in the newest chunk
  bytes_t snapshots;     // packed snapshots not yet written to the file
  uint64_t tick_count;   // number of ticks recorded so far
  input_state_t last_sample;
  uint64_t last_tick;    // the world's tick after the last record; UINT64_MAX if unknown
  bool is_rewound;       // no tick was recorded after the last rewind, so the history still has the ticks after it
  bool has_recent_ticks; // ticks were recorded since the recent chunks were last cleared
  ARRAY(uint16_t) components;
  const parked_list_t *parked;              // the game's list of failures; may be NULL
  uint32_t recorded_parked_count;           // number of entries of `parked` that have been recorded
  bytes_t pending_results;                  // encoded external results for the next sample or host action
  ARRAY(external_result_t *) start_results; // latest results of requests at startup, which an excerpt needs
  bool chunk_is_full;                       // the newest chunk has more than LARGE_INPUT_BYTES of external input
  int write_errno;                          // errno of the first write that failed; 0 if none
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

static chunk_t *get_newest_chunk(recorder_o *recorder) {
  shoal_assert(recorder->count > 0, "no chunk is open");
  return &recorder->recent[(recorder->first_chunk + recorder->count - 1) % (RECORDING_RECENT_CHUNKS + 1)];
}

// Orders the writes before and after the call for a child forked from a crashing process.
static void publish_writes(void) {
  atomic_thread_fence(memory_order_release);
}

// Grows an array like array_grow, but frees the old items only after the copied items are published.
static void grow_published(allocator_t *a, bytes_t *buffer, size_t min_capacity) {
  uint32_t capacity = buffer->capacity ? buffer->capacity : 64, old_capacity = buffer->capacity;
  uint8_t *old_items = buffer->items;
  while (capacity < min_capacity)
    capacity *= 2;
  uint8_t *items = alloc_resize(a, NULL, 0, capacity);
  if (buffer->count > 0)
    memcpy(items, old_items, buffer->count);
  publish_writes();
  buffer->items = items;
  buffer->capacity = capacity;
  publish_writes();
  alloc_resize(a, old_items, old_capacity, 0);
}

static void append_to(allocator_t *a, bytes_t *buffer, const void *bytes, size_t size) {
  shoal_assert(buffer->count + size < UINT32_MAX / 2, "%zu bytes are too many for a chunk", buffer->count + size);
  if (buffer->count + size > buffer->capacity)
    grow_published(a, buffer, buffer->count + size);
  if (size > 0)
    memcpy(buffer->items + buffer->count, bytes, size);
  buffer->count += (uint32_t)size;
}

static void append_bytes(recorder_o *recorder, const void *bytes, size_t size) {
  append_to(recorder->allocator, &get_newest_chunk(recorder)->bytes, bytes, size);
}

// Marks the last record as complete.
static void complete_record(recorder_o *recorder) {
  chunk_t *c = get_newest_chunk(recorder);
  shoal_assert(c->complete_bytes <= c->bytes.count, "a chunk of %u bytes cannot be complete up to %u", c->bytes.count,
               c->complete_bytes);
  publish_writes();
  c->complete_bytes = c->bytes.count;
}

static void append_number_to(allocator_t *a, bytes_t *buffer, uint64_t n) {
  uint8_t bytes[VARINT_BYTES];
  append_to(a, buffer, bytes, varint_write(n, bytes));
}

static void append_number(recorder_o *recorder, uint64_t n) {
  append_number_to(recorder->allocator, &get_newest_chunk(recorder)->bytes, n);
}

static void append_letter(recorder_o *recorder, char letter) {
  append_bytes(recorder, &letter, 1);
}

static void append_sample(recorder_o *recorder, const input_state_t *input) {
  uint8_t bytes[SAMPLE_MAX_BYTES];
  append_bytes(recorder, bytes, sample_encode_difference(&recorder->last_sample, input, bytes));
  recorder->last_sample = *input;
}

// Writes the component hashes that have changed: their number, then the index and hash of each one.
static void append_components(recorder_o *recorder, world_o *w) {
  uint32_t count = world_manager_count(w), changed = 0;
  while (recorder->components.count < count)
    array_push(recorder->allocator, &recorder->components, 0);
  for (uint32_t i = 0; i < count; ++i)
    changed += recording_component_hash(w, i + 1) != recorder->components.items[i];
  append_number(recorder, changed);
  for (uint32_t i = 0; i < count && changed > 0; ++i) {
    uint16_t hash = recording_component_hash(w, i + 1);
    if (hash == recorder->components.items[i])
      continue;
    append_number(recorder, i);
    append_bytes(recorder, &hash, sizeof hash);
    recorder->components.items[i] = hash;
  }
}

static void append_parked(recorder_o *recorder) {
  uint32_t count = recorder->parked ? recorder->parked->items.count : 0;
  for (uint32_t i = recorder->recorded_parked_count; i < count; ++i) {
    const parked_t *failure = &recorder->parked->items.items[i];
    size_t length = strlen(failure->name);
    if (!parked_is_recorded(failure, recorder->head.undo != 0))
      continue;
    append_letter(recorder, failure->stopped ? RECORD_PARK : RECORD_FAIL);
    append_number(recorder, length);
    append_bytes(recorder, failure->name, length);
  }
  recorder->recorded_parked_count = count;
}

static chunk_head_t build_chunk_head(const void *bytes, uint32_t size) {
  return (chunk_head_t){.hash = hash_bytes(bytes, size, 0), .size = size};
}

static void write_chunk_to_file(recorder_o *recorder, const bytes_t *b) {
  shoal_assert(recorder->file && b->count > 0, "no file is open, or the chunk is empty");
  chunk_head_t head = build_chunk_head(b->items, b->count);
  if (recorder->write_errno == 0 &&
      (fwrite(&head, sizeof head, 1, recorder->file) != 1 || fwrite(b->items, b->count, 1, recorder->file) != 1))
    recorder->write_errno = errno;
}

static void end_chunk(recorder_o *recorder) {
  if (recorder->count == 0 || recorder->sample_count == 0)
    return;
  if (recorder->file) {
    write_chunk_to_file(recorder, &get_newest_chunk(recorder)->bytes);
    if (recorder->snapshots.count > 0)
      write_chunk_to_file(recorder, &recorder->snapshots);
    if (recorder->write_errno == 0 && fflush(recorder->file) != 0)
      recorder->write_errno = errno;
  }
  recorder->snapshots.count = 0;
  recorder->sample_count = 0;
  recorder->chunk_is_full = false;
}

// Appends a packed snapshot. `ticks` is the number of ticks from the start of the file to the snapshot.
static void append_packed_snapshot(allocator_t *a, bytes_t *buffer, const history_snapshot_t *s, uint64_t ticks) {
  shoal_assert(s->packed && s->packed_size > 0, "the snapshot of tick %llu is empty", (unsigned long long)s->tick);
  uint8_t letter = RECORD_STATES;
  if (buffer->count == 0)
    append_to(a, buffer, &letter, 1);
  append_number_to(a, buffer, ticks);
  append_number_to(a, buffer, s->tick);
  append_number_to(a, buffer, s->previous_tick + 1); // 0: the snapshot depends on no other snapshot
  append_number_to(a, buffer, s->form);
  append_number_to(a, buffer, s->difference_size);
  append_number_to(a, buffer, s->raw_size);
  append_number_to(a, buffer, s->packed_size);
  append_to(a, buffer, s->packed, s->packed_size);
}

void recorder_add_snapshot(recorder_o *recorder, const history_snapshot_t *s) {
  if (recorder->file)
    append_packed_snapshot(recorder->allocator, &recorder->snapshots, s, recorder->tick_count);
}

static void append_result(allocator_t *a, bytes_t *buffer, const external_result_t *result) {
  shoal_assert(result->kind > EXTERNAL_NONE && result->kind < EXTERNAL_KIND_COUNT, "kind %d is out of range",
               (int)result->kind);
  uint8_t letter = RECORD_RESULT;
  size_t length = strlen(result->key);
  append_to(a, buffer, &letter, 1);
  append_number_to(a, buffer, result->kind);
  append_number_to(a, buffer, result->found);
  append_number_to(a, buffer, length);
  append_to(a, buffer, result->key, length);
  append_number_to(a, buffer, result->size);
  append_to(a, buffer, result->bytes, result->size);
}

// Writes the pending results. Call before append_parked, because a replay expects results first.
static void append_pending(recorder_o *recorder) {
  if (recorder->pending_results.count > 0)
    append_bytes(recorder, recorder->pending_results.items, recorder->pending_results.count);
  if (recorder->pending_results.count > LARGE_INPUT_BYTES) {
    array_free(recorder->allocator, &recorder->pending_results);
    recorder->chunk_is_full = true;
  }
  recorder->pending_results.count = 0;
}

static void begin_chunk(recorder_o *recorder, const input_state_t *previous, bool paused, uint64_t first_tick) {
  shoal_assert(recorder->sample_count == 0, "the previous chunk is still open (%u samples)", recorder->sample_count);
  // use the next slot of the ring, which contains the oldest chunk if the ring is full
  chunk_t *c = &recorder->recent[(recorder->first_chunk + recorder->count) % (RECORDING_RECENT_CHUNKS + 1)];
  c->complete_bytes = 0;
  c->bytes.count = 0;
  publish_writes();
  if (recorder->count == RECORDING_RECENT_CHUNKS + 1)
    recorder->first_chunk = (recorder->first_chunk + 1) % (RECORDING_RECENT_CHUNKS + 1);
  else
    recorder->count++;
  c->first_tick = first_tick;
  recorder->components.count = 0; // a chunk starts with the hashes of all components
  memset(&recorder->last_sample, 0, sizeof recorder->last_sample);
  append_letter(recorder, RECORD_BEGIN);
  append_number(recorder, paused);
  append_sample(recorder, previous);
  append_pending(recorder);
}

static void prepare_chunk(recorder_o *recorder, const input_state_t *previous, bool paused, uint64_t first_tick) {
  if (recorder->sample_count >= RECORDING_CHUNK_TICKS || recorder->chunk_is_full)
    end_chunk(recorder);
  if (recorder->sample_count == 0)
    begin_chunk(recorder, previous, paused, first_tick);
  append_pending(recorder);
  append_parked(recorder);
  recorder->sample_count++;
}

bool recorder_chunk_is_due(const recorder_o *recorder) {
  return recorder->sample_count == 0 || recorder->sample_count >= RECORDING_CHUNK_TICKS || recorder->chunk_is_full ||
         recorder->is_rewound;
}

recorder_o *recorder_create(allocator_t *a, const recording_head_t *head, const char *path, error_info_t *error) {
  shoal_assert(head->tick_rate > 0, "tick_rate must not be 0");
  FILE *file = path ? file_open(path, false, error) : NULL;
  if (path && !file)
    return NULL;
  recorder_o *recorder = alloc_resize(a, NULL, 0, sizeof *recorder);
  memset(recorder, 0, sizeof *recorder);
  recorder->allocator = a;
  recorder->last_tick = UINT64_MAX;
  recorder->head = *head;
  recorder->file = file;
  file_head_t file_head = build_file_head(head);
  if (file && fwrite(&file_head, sizeof file_head, 1, file) != 1)
    recorder->write_errno = errno;
  return recorder;
}

// Opens a chunk for a record that is not a sample.
static void open_chunk(recorder_o *recorder) {
  input_state_t sample = recorder->last_sample;
  if (recorder->sample_count == 0)
    begin_chunk(recorder, &sample, false, UINT64_MAX);
  append_pending(recorder);
  recorder->sample_count++;
}

bool recorder_close(recorder_o *recorder, error_info_t *error) {
  if (!recorder->file)
    return true;
  if (recorder->pending_results.count > 0) // results of requests made after the last tick still have to be written
    open_chunk(recorder);
  end_chunk(recorder);
  if (fclose(recorder->file) != 0 && recorder->write_errno == 0)
    recorder->write_errno = errno;
  recorder->file = NULL;
  return recorder->write_errno == 0 || error_set(error, "%s", strerror(recorder->write_errno));
}

bool recorder_close_after_failure(recorder_o *recorder, error_info_t *error) {
  return recorder->file && recorder->write_errno != 0 && !recorder_close(recorder, error);
}

void recorder_destroy(recorder_o *recorder) {
  if (!recorder)
    return;
  recorder_close(recorder, NULL);
  for (uint32_t i = 0; i < recorder->start_results.count; ++i)
    external_result_release(recorder->start_results.items[i]);
  array_free(recorder->allocator, &recorder->start_results);
  array_free(recorder->allocator, &recorder->pending_results);
  for (uint32_t i = 0; i <= RECORDING_RECENT_CHUNKS; ++i)
    array_free(recorder->allocator, &recorder->recent[i].bytes);
  array_free(recorder->allocator, &recorder->components);
  array_free(recorder->allocator, &recorder->snapshots);
  alloc_resize(recorder->allocator, recorder, sizeof *recorder, 0);
}

// Prevents excerpts from starting before this point, because a replay cannot rewind beyond its initial snapshot.
static void clear_recent(recorder_o *recorder) {
  end_chunk(recorder);
  recorder->count = 0;
  recorder->last_tick = UINT64_MAX;
  recorder->is_rewound = false;
  recorder->has_recent_ticks = false;
}

void recorder_discard_recent(recorder_o *recorder) {
  clear_recent(recorder);
}

void recorder_add_tick(recorder_o *recorder, const input_state_t *previous, const input_state_t *input, world_o *w) {
  uint64_t tick = world_tick(w);
  if (recorder->is_rewound) // the history drops the abandoned ticks, so no replay can repeat them
    clear_recent(recorder);
  prepare_chunk(recorder, previous, false, tick > 0 ? tick - 1 : 0);
  uint32_t hash = (uint32_t)world_hash(w);
  append_letter(recorder, RECORD_TICK);
  append_sample(recorder, input);
  append_bytes(recorder, &hash, sizeof hash);
  append_components(recorder, w);
  complete_record(recorder);
  recorder->tick_count++;
  recorder->has_recent_ticks = true;
  // True if a script restored a snapshot.
  bool restored = recorder->last_tick != UINT64_MAX && tick != recorder->last_tick + 1;
  recorder->last_tick = tick;
  if (restored)
    clear_recent(recorder);
}

void recorder_add_paused(recorder_o *recorder, const input_state_t *previous, const input_state_t *input, world_o *w) {
  prepare_chunk(recorder, previous, true, world_tick(w));
  append_letter(recorder, RECORD_PAUSED);
  append_sample(recorder, input);
  complete_record(recorder);
}

void recorder_add_rewind(recorder_o *recorder, uint64_t ticks) {
  open_chunk(recorder);
  append_letter(recorder, RECORD_BACK);
  append_number(recorder, ticks);
  complete_record(recorder);
  if (recorder->last_tick == UINT64_MAX || recorder->last_tick < ticks) {
    clear_recent(recorder);
  } else {
    recorder->last_tick -= ticks;
    recorder->is_rewound = true;
  }
}

void recorder_add_step_forward(recorder_o *recorder) {
  open_chunk(recorder);
  append_letter(recorder, RECORD_FORWARD);
  complete_record(recorder);
  clear_recent(recorder);
}

void recorder_set_parked(recorder_o *recorder, const parked_list_t *parked) {
  recorder->parked = parked;
  recorder->recorded_parked_count = 0;
}

void recorder_add_reload(recorder_o *recorder, uint64_t game_hash) {
  recorder->recorded_parked_count = 0;
  recorder->head.game_hash = game_hash; // an excerpt starts with the code that runs now
  open_chunk(recorder);
  append_letter(recorder, RECORD_RELOAD);
  append_number(recorder, game_hash);
  complete_record(recorder);
  clear_recent(recorder);
}

static void retain_start_result(recorder_o *recorder, external_result_t *result) {
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

void recorder_add_result(recorder_o *recorder, external_result_t *result, bool at_start) {
  append_result(recorder->allocator, &recorder->pending_results, result);
  if (at_start && result->kind != EXTERNAL_EXEC && result->kind != EXTERNAL_LOAD && result->kind != EXTERNAL_SAVE)
    retain_start_result(recorder, result);
}

void recorder_copy_start_results(recorder_o *recorder, const recorder_o *source) {
  for (uint32_t i = 0; i < source->start_results.count; ++i) {
    external_result_retain(source->start_results.items[i]);
    array_push(recorder->allocator, &recorder->start_results, source->start_results.items[i]);
  }
}

void recorder_add_action(recorder_o *recorder, recording_action_t action) {
  open_chunk(recorder);
  append_letter(recorder, RECORD_ACTION);
  append_number(recorder, action);
  complete_record(recorder);
}

// --- Excerpts. Written without locks, because a crash handler may write one.

typedef struct excerpt_chunk_t {
  const uint8_t *bytes;
  uint32_t size;
} excerpt_chunk_t;

// The contents of an excerpt, all borrowed.
typedef struct excerpt_contents_t {
  const recording_head_t *head;
  excerpt_chunk_t chunks[RECORDING_RECENT_CHUNKS + 1];
  uint32_t chunk_count;
  external_result_t *const *start_results;
  uint32_t start_result_count;
  history_o *states;
  const snapshot_o *current; // state in which the excerpt begins; NULL: the state of `start_tick` in `states`
  uint64_t start_tick;
} excerpt_contents_t;

static const chunk_t *get_recent_chunk(const recorder_o *recorder, uint32_t i) {
  return &recorder->recent[(recorder->first_chunk + i) % (RECORDING_RECENT_CHUNKS + 1)];
}

// Returns the index of the oldest recent chunk whose first snapshot is in the history, or the number of chunks.
static uint32_t find_excerpt_start(const recorder_o *recorder, history_o *h) {
  uint32_t i = 0;
  for (; i < recorder->count; ++i) {
    const chunk_t *c = get_recent_chunk(recorder, i);
    // a replay from a chunk after `last_tick` could not rewind as far
    bool is_before_rewind = !recorder->is_rewound || c->first_tick <= recorder->last_tick;
    if (c->complete_bytes > 0 && is_before_rewind && history_has_snapshot(h, c->first_tick))
      break;
  }
  return i;
}

// Fills the excerpt except `current`, which the caller must set if the excerpt contains no chunk. Returns false with a
// message if nothing can be saved.
static bool collect_excerpt(const recorder_o *recorder, history_o *h, excerpt_contents_t *out, error_info_t *error) {
  *out = (excerpt_contents_t){.head = &recorder->head,
                              .start_results = recorder->start_results.items,
                              .start_result_count = recorder->start_results.count,
                              .states = h};
  if (!h)
    return error_set(error, "the history is disabled: set history in game.lua, or pass --history MB");
  uint32_t first = find_excerpt_start(recorder, h);
  if (first == recorder->count && recorder->count > 0 && !recorder->is_rewound)
    return error_set(error, "the history has no snapshot of the recorded ticks");
  for (uint32_t i = first; i < recorder->count; ++i) {
    const chunk_t *c = get_recent_chunk(recorder, i);
    if (i == first)
      out->start_tick = c->first_tick;
    if (c->complete_bytes > 0)
      out->chunks[out->chunk_count++] = (excerpt_chunk_t){c->bytes.items, c->complete_bytes};
  }
  return true;
}

static bool write_chunk(int file, const void *bytes, uint32_t size) {
  chunk_head_t head = build_chunk_head(bytes, size);
  return file_write_all(file, &head, sizeof head) && file_write_all(file, bytes, size);
}

static bool write_snapshot(allocator_t *a, int file, const snapshot_o *s) {
  size_t size = 0;
  const void *bytes = snapshot_bytes(s, &size);
  bytes_t buffer = {0};
  uint8_t letter = RECORD_SNAPSHOT;
  array_reserve(a, &buffer, (uint32_t)size + 1);
  append_to(a, &buffer, &letter, 1);
  append_to(a, &buffer, bytes, size);
  bool ok = write_chunk(file, buffer.items, buffer.count);
  array_free(a, &buffer);
  return ok;
}

// Writes the results of requests that the code makes while it is loaded, for a replay that starts in the middle of the
// game.
static bool write_start_results(allocator_t *a, int file, const excerpt_contents_t *e) {
  input_state_t zero_sample;
  uint8_t head[3 + SAMPLE_MAX_BYTES] = {RECORD_BEGIN};
  bytes_t buffer = {0};
  memset(&zero_sample, 0, sizeof zero_sample);
  if (e->start_result_count == 0)
    return true;
  if (e->chunk_count > 0) // copy the pause flag of the first chunk
    head[1] = e->chunks[0].bytes[1];
  append_to(a, &buffer, head, 2 + sample_encode_difference(&zero_sample, &zero_sample, head + 2));
  for (uint32_t i = 0; i < e->start_result_count; ++i)
    append_result(a, &buffer, e->start_results[i]);
  bool ok = write_chunk(file, buffer.items, buffer.count);
  array_free(a, &buffer);
  return ok;
}

static bool write_records(int file, const excerpt_contents_t *e) {
  bool ok = true;
  for (uint32_t i = 0; i < e->chunk_count && ok; ++i)
    ok = write_chunk(file, e->chunks[i].bytes, e->chunks[i].size);
  return ok;
}

// Writes the snapshots of the history, starting with the last whole snapshot at or before `start_tick`.
static bool write_packed_snapshots(allocator_t *a, int file, history_o *h, uint64_t start_tick) {
  bytes_t buffer = {0};
  history_snapshot_t s;
  uint32_t start = 0;
  bool ok = true;
  for (uint32_t i = 0; history_get_packed(h, i, &s) && s.tick <= start_tick; ++i)
    start = s.form == HISTORY_WHOLE ? i : start;
  for (uint32_t i = start; ok && history_get_packed(h, i, &s); ++i) {
    append_packed_snapshot(a, &buffer, &s, s.tick > start_tick ? s.tick - start_tick : 0);
    if (buffer.count < STATES_CHUNK_BYTES)
      continue;
    ok = write_chunk(file, buffer.items, buffer.count);
    buffer.count = 0;
  }
  if (buffer.count > 0)
    ok = ok && write_chunk(file, buffer.items, buffer.count);
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

// `a` provides memory for buffers.
static bool write_excerpt(allocator_t *a, const excerpt_contents_t *e, const char *path, error_info_t *error) {
  const snapshot_o *first = read_first_state(e, error);
  int file = first ? file_create(path, error) : -1;
  if (file < 0)
    return false;
  file_head_t file_head = build_file_head(e->head);
  uint64_t start_tick = snapshot_tick(first);
  bool ok = file_write_all(file, &file_head, sizeof file_head) && write_snapshot(a, file, first) &&
            write_start_results(a, file, e) && write_records(file, e) &&
            write_packed_snapshots(a, file, e->states, start_tick);
  ok = close(file) == 0 && ok;
  if (ok)
    return true;
  unlink(path);
  return error_set(error, "cannot write %s: the disk may be full", path);
}

bool recorder_write_excerpt(recorder_o *recorder, history_o *h, const snapshot_o *current, const char *path,
                            error_info_t *error) {
  excerpt_contents_t e;
  if (!collect_excerpt(recorder, h, &e, error))
    return false;
  if (e.chunk_count == 0)
    e.current = current;
  if (e.chunk_count == 0 && !current)
    return error_set(error, recorder->count == 0 ? "no ticks were recorded after the last step back, reload or start"
                                                 : "the history has no snapshot of the recorded ticks");
  return write_excerpt(recorder->allocator, &e, path, error);
}

// --- excerpts that another thread writes

struct recording_excerpt_o {
  allocator_t *allocator; // of the copies
  allocator_t memory;     // of the buffers of the thread that writes
  recording_head_t head;
  excerpt_contents_t contents;
  bool has_ticks;
  uint8_t *chunk_bytes;
  size_t chunk_byte_count;
  ARRAY(external_result_t *) start_results;
  snapshot_o *current; // NULL unless the excerpt begins in it
};

static void copy_chunks(recording_excerpt_o *e) {
  excerpt_contents_t *contents = &e->contents;
  for (uint32_t i = 0; i < contents->chunk_count; ++i)
    e->chunk_byte_count += contents->chunks[i].size;
  uint8_t *end = e->chunk_bytes = alloc_resize(e->allocator, NULL, 0, e->chunk_byte_count);
  for (uint32_t i = 0; i < contents->chunk_count; ++i) {
    excerpt_chunk_t *chunk = &contents->chunks[i];
    memcpy(end, chunk->bytes, chunk->size);
    chunk->bytes = end;
    end += chunk->size;
  }
}

static void share_start_results(recording_excerpt_o *e) {
  for (uint32_t i = 0; i < e->contents.start_result_count; ++i)
    array_push(e->allocator, &e->start_results, external_result_retain(e->contents.start_results[i]));
  e->contents.start_results = e->start_results.items;
}

recording_excerpt_o *recorder_copy_excerpt(const recorder_o *recorder, history_o *h, world_o *w, error_info_t *error) {
  excerpt_contents_t contents;
  if (!collect_excerpt(recorder, h, &contents, error))
    return NULL;
  recording_excerpt_o *e = alloc_resize(recorder->allocator, NULL, 0, sizeof *e);
  *e = (recording_excerpt_o){.allocator = recorder->allocator,
                             .head = recorder->head,
                             .contents = contents,
                             .has_ticks = recorder->has_recent_ticks && contents.chunk_count > 0};
  e->contents.head = &e->head;
  e->contents.states = NULL;
  if (contents.chunk_count == 0)
    e->current = snapshot_create(e->allocator);
  if (e->current && !snapshot_take(e->current, w, error)) {
    recording_excerpt_destroy(e);
    return NULL;
  }
  copy_chunks(e);
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
  alloc_resize(e->allocator, e->chunk_bytes, e->chunk_byte_count, 0);
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
  history_release_reader(e->contents.states); // here, because freeing the states takes long in large worlds
  return ok;
}

// --- reading

struct recording_o {
  allocator_t *allocator;
  file_head_t head;
  uint8_t *bytes;
  size_t size;
  size_t position;                   // end of the current chunk
  const uint8_t *cursor, *chunk_end; // position in the current chunk, and the chunk's end
  snapshot_o *snapshot;
  bool has_snapshot, starts_paused, has_hashes;
  input_state_t last_sample;
  uint16_t *components; // component hashes; capacity MAX_COMPONENTS
  uint32_t component_count;
};

static bool read_bytes(recording_o *recording, void *out, size_t size) {
  if ((size_t)(recording->chunk_end - recording->cursor) < size)
    return false;
  memcpy(out, recording->cursor, size);
  recording->cursor += size;
  return true;
}

static bool read_number(recording_o *recording, uint64_t *out) {
  size_t bytes_read = varint_read(recording->cursor, (size_t)(recording->chunk_end - recording->cursor), out);
  recording->cursor += bytes_read;
  return bytes_read > 0;
}

static bool read_sample(recording_o *recording) {
  size_t bytes_read = sample_apply_difference(&recording->last_sample, recording->cursor,
                                              (size_t)(recording->chunk_end - recording->cursor));
  recording->cursor += bytes_read;
  return bytes_read > 0;
}

static bool read_components(recording_o *recording) {
  uint64_t changed = 0, index = 0;
  if (!read_number(recording, &changed) || changed > MAX_COMPONENTS)
    return false;
  for (uint64_t i = 0; i < changed; ++i) {
    if (!read_number(recording, &index) || index >= MAX_COMPONENTS ||
        !read_bytes(recording, &recording->components[index], sizeof *recording->components))
      return false;
    if (index >= recording->component_count)
      recording->component_count = (uint32_t)index + 1;
  }
  return true;
}

// Opens the next chunk. Returns 1 if successful, 0 at the end of the file, and -1 with a message if the chunk is
// truncated or damaged.
static int open_next_chunk(recording_o *recording, error_info_t *error) {
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
  recording->cursor = recording->bytes + recording->position + sizeof head;
  recording->chunk_end = recording->cursor + head.size;
  if (hash_bytes(recording->cursor, head.size, 0) != head.hash) {
    recording->cursor = recording->chunk_end;
    error_set(error, "the recording is damaged");
    return -1;
  }
  recording->position += sizeof head + head.size;
  return 1;
}

// Opens the next chunk with records, skipping chunks of snapshots. Returns the same values as open_next_chunk.
static int open_next_records(recording_o *recording, error_info_t *error) {
  int status = 1;
  do
    status = open_next_chunk(recording, error);
  while (status > 0 && *recording->cursor == RECORD_STATES);
  if (status <= 0)
    recording->cursor = recording->chunk_end; // skips the last chunk if it contains snapshots
  return status;
}

static bool read_begin(recording_o *recording) {
  uint64_t paused = 0;
  memset(&recording->last_sample, 0, sizeof recording->last_sample);
  memset(recording->components, 0, recording->component_count * sizeof *recording->components);
  bool ok = read_number(recording, &paused) && paused <= 1 && read_sample(recording);
  recording->starts_paused = paused;
  return ok;
}

static bool read_piece(recording_o *recording, recording_item_t *out) {
  uint64_t length = 0;
  return read_number(recording, &length) && length < sizeof out->piece && read_bytes(recording, out->piece, length);
}

static bool read_result(recording_o *recording, external_result_t **out) {
  char key[EXTERNAL_KEY_BYTES] = "";
  uint64_t kind = 0, found = 0, length = 0, size = 0;
  if (!read_number(recording, &kind) || kind == EXTERNAL_NONE || kind >= EXTERNAL_KIND_COUNT ||
      !read_number(recording, &found) || found > 1 || !read_number(recording, &length) || length >= sizeof key ||
      !read_bytes(recording, key, length) || memchr(key, 0, length) || !read_number(recording, &size) ||
      size > EXTERNAL_RESULT_MAX_BYTES || size > (size_t)(recording->chunk_end - recording->cursor))
    return false;
  *out = external_result_create((external_kind_t)kind, key, found, recording->cursor, size);
  recording->cursor += size;
  return true;
}

static bool read_record(recording_o *recording, uint8_t letter, recording_item_t *out) {
  out->previous_input = recording->last_sample;
  switch (letter) {
  case RECORD_TICK:
    out->kind = RECORDING_TICK;
    out->has_hash = true;
    return read_sample(recording) && read_bytes(recording, &out->hash, sizeof out->hash) && read_components(recording);
  case RECORD_TICK_WITHOUT_HASH: out->kind = RECORDING_TICK; return read_sample(recording);
  case RECORD_PAUSED: out->kind = RECORDING_PAUSED; return read_sample(recording);
  case RECORD_BACK: out->kind = RECORDING_BACK; return read_number(recording, &out->ticks);
  case RECORD_FORWARD: out->kind = RECORDING_FORWARD; return true;
  case RECORD_ACTION:
    out->kind = RECORDING_ACTION;
    return read_number(recording, &out->ticks) && out->ticks > RECORDING_ACTION_NONE &&
           out->ticks < RECORDING_ACTION_COUNT;
  case RECORD_PARK:
  case RECORD_FAIL:
    out->kind = RECORDING_PARK;
    out->stopped = letter == RECORD_PARK;
    return read_piece(recording, out);
  case RECORD_RESULT: out->kind = RECORDING_RESULT; return read_result(recording, &out->result);
  case RECORD_RELOAD: out->kind = RECORDING_RELOAD; return read_number(recording, &out->game_hash);
  default: return false;
  }
}

void recording_read_item(recording_o *recording, recording_item_t *out, error_info_t *error) {
  uint8_t letter = 0;
  *out = (recording_item_t){.kind = RECORDING_NONE};
  for (;;) {
    if (recording->cursor == recording->chunk_end) {
      int status = open_next_records(recording, error);
      if (status <= 0) {
        out->kind = status == 0 ? RECORDING_END : RECORDING_BROKEN;
        recording->position = recording->size;
        return;
      }
    }
    size_t position = (size_t)(recording->cursor - recording->bytes);
    bool ok = read_bytes(recording, &letter, 1);
    if (ok && letter == RECORD_BEGIN) {
      if (read_begin(recording))
        continue;
      ok = false;
    }
    if (!ok || !read_record(recording, letter, out)) {
      error_set(error, "the recording contains an invalid record at byte %zu", position);
      out->kind = RECORDING_BROKEN;
      recording->cursor = recording->chunk_end = NULL;
      recording->position = recording->size;
      return;
    }
    out->input = recording->last_sample;
    out->components = recording->components;
    out->component_count = recording->component_count;
    return;
  }
}

// Reads ahead with a copy of `recording`, which replaces `recording` only if the next item is a result. The start of a
// chunk may therefore be read twice, which has no further effect.
external_result_t *recording_read_next_result(recording_o *recording) {
  recording_o reader = *recording;
  external_result_t *result = NULL;
  while (reader.cursor != reader.chunk_end || open_next_records(&reader, NULL) > 0) {
    uint8_t letter = *reader.cursor++;
    if (letter == RECORD_BEGIN && read_begin(&reader))
      continue;
    if (letter == RECORD_RESULT && read_result(&reader, &result))
      *recording = reader;
    break;
  }
  return result;
}

static bool read_snapshot(recording_o *recording, error_info_t *error) {
  int status = open_next_records(recording, error);
  if (status < 0)
    return false;
  if (status == 0 || *recording->cursor != RECORD_SNAPSHOT)
    return true;
  snapshot_set_bytes(recording->snapshot, recording->cursor + 1,
                     (size_t)(recording->chunk_end - recording->cursor - 1));
  recording->has_snapshot = true;
  recording->cursor = recording->chunk_end;
  if (open_next_records(recording, error) < 0)
    return false;
  if (recording->chunk_end - recording->cursor > 1 && *recording->cursor == RECORD_BEGIN)
    recording->starts_paused = recording->cursor[1] == 1;
  return true;
}

static bool check_head(const void *bytes, size_t size, file_head_t *head, error_info_t *error) {
  if (size < sizeof *head || memcmp(bytes, MAGIC, sizeof head->magic) != 0)
    return error_set(error, "the file is not a recording");
  memcpy(head, bytes, sizeof *head);
  if (head->format != RECORDING_FORMAT)
    return error_set(error,
                     "the recording has format %u, but this version of Shoal reads format %u: record the run again",
                     head->format, RECORDING_FORMAT);
  if (head->hash != hash_bytes(&head->head, sizeof head->head, 0) ||
      !memchr(head->head.game, 0, sizeof head->head.game) ||
      !memchr(head->head.arithmetic, 0, sizeof head->head.arithmetic))
    return error_set(error, "the recording is damaged");
  return true;
}

// Returns false if the first tick has no hash; true if no tick can be read or the search is interrupted. Slow, because
// the first tick may be far into the file.
static bool find_hashes(const recording_o *recording) {
  recording_o reader = *recording; // the copy reads from the start of the file, while the original keeps its position
  recording_item_t item;
  error_info_t error;
  uint32_t item_count = 0;
  reader.position = sizeof(file_head_t);
  reader.cursor = reader.chunk_end = NULL;
  reader.components = alloc_resize(reader.allocator, NULL, 0, MAX_COMPONENTS * sizeof *reader.components);
  memset(reader.components, 0, MAX_COMPONENTS * sizeof *reader.components);
  do {
    recording_read_item(&reader, &item, &error);
    if (item.kind == RECORDING_RESULT)
      external_result_release(item.result);
  } while (item.kind != RECORDING_TICK && item.kind != RECORDING_END && item.kind != RECORDING_BROKEN &&
           (++item_count % 1024 != 0 || !interrupt_is_pending()));
  alloc_resize(reader.allocator, reader.components, MAX_COMPONENTS * sizeof *reader.components, 0);
  return item.kind != RECORDING_TICK || item.has_hash;
}

bool recording_has_hashes(const recording_o *recording) {
  return recording->has_hashes;
}

// Opens a recording in memory. Takes ownership of `bytes`, even on failure; they must have been allocated as by
// file_read. Returns NULL with a message on failure.
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
  recording->has_hashes = find_hashes(recording);
  if (read_snapshot(recording, error))
    return recording;
  recording_close(recording);
  return NULL;
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

// Reads one snapshot. Returns false at the end of the chunk, or if the chunk is malformed.
static bool read_packed_snapshot(recording_o *recording, history_snapshot_t *snapshot, uint64_t *ticks) {
  uint64_t numbers[6];
  if (recording->cursor == recording->chunk_end || !read_number(recording, ticks))
    return false;
  for (uint32_t i = 0; i < 6; ++i)
    if (!read_number(recording, &numbers[i]))
      return false;
  if (numbers[2] > HISTORY_WHOLE || numbers[3] > UINT32_MAX || numbers[4] > UINT32_MAX ||
      numbers[5] > (size_t)(recording->chunk_end - recording->cursor))
    return false;
  *snapshot = (history_snapshot_t){.tick = numbers[0], .previous_tick = numbers[1] - 1, .form = (uint32_t)numbers[2]};
  snapshot->difference_size = (uint32_t)numbers[3];
  snapshot->raw_size = (uint32_t)numbers[4];
  snapshot->packed_size = (uint32_t)numbers[5];
  snapshot->packed = recording->cursor;
  recording->cursor += numbers[5];
  return true;
}

#define LAST_SNAPSHOT UINT64_MAX

// Appends to `history` all snapshots up to the snapshot after `end_ticks` ticks of the recording (LAST_SNAPSHOT: all
// snapshots), and stores the tick of the last appended snapshot. Returns false if the recording lacks the snapshot
// after `end_ticks`, or if a snapshot cannot be appended.
static bool read_packed_snapshots(const recording_o *recording, uint64_t end_ticks, uint32_t max_state_bytes,
                                  history_o *history, uint64_t *tick) {
  recording_o reader = *recording; // the copy reads from the start of the file, while the original keeps its position
  history_snapshot_t snapshot;
  uint64_t ticks = 0;
  bool found = false;
  reader.position = sizeof(file_head_t);
  while (open_next_chunk(&reader, NULL) > 0) {
    if (*reader.cursor != RECORD_STATES)
      continue;
    reader.cursor++;
    while (read_packed_snapshot(&reader, &snapshot, &ticks)) {
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
