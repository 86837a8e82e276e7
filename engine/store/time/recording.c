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
  RECORD_BEGIN = 'B',             // whether the game was paused; the sample before the chunk
  RECORD_SNAPSHOT = 'S',          // the only record of its chunk: the snapshot in which the next chunk begins
  RECORD_TICK = 'T',              // sample, hash, hashes of components that have changed
  RECORD_IDLE = 'I',              // input sample
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

// A chunk in memory. A child forked from a crashing process writes an excerpt of the bytes up to `whole`, which is
// always the end of a record.
typedef struct chunk_t {
  bytes_t bytes;
  uint32_t whole;
  uint64_t first_tick; // the world's tick when the chunk began
} chunk_t;

struct recorder_o {
  allocator_t *allocator;
  recording_head_t head;
  FILE *file;                                  // NULL: in memory only
  chunk_t recent[RECORDING_RECENT_CHUNKS + 1]; // ring of chunks; the newest one is being written
  uint32_t first, count;
  uint32_t samples;  // number of samples and host actions in the newest chunk
  bytes_t snapshots; // packed snapshots not yet written to the file
  uint64_t ticks;    // number of ticks recorded so far
  input_state_t last;
  uint64_t last_tick; // the world's tick after the last sample; UINT64_MAX if unknown
  ARRAY(uint16_t) components;
  const parked_list_t *parked;       // the game's list of failures; may be NULL
  uint32_t parked_recorded;          // number of entries of `parked` that have been recorded
  bytes_t pending;                   // encoded external results for the next sample or host action
  ARRAY(external_result_t *) starts; // latest results of requests at startup, which an excerpt needs
  bool chunk_is_full;                // the newest chunk has more than LARGE_INPUT_BYTES of external input
  int failure;                       // errno of the first write that failed; 0 if none
};

static file_head_t build_file_head(const recording_head_t *head) {
  file_head_t f;
  memset(&f, 0, sizeof f);
  memcpy(f.magic, MAGIC, sizeof f.magic);
  f.format = RECORDING_FORMAT;
  f.head = *head;
  f.hash = hash_bytes(&f.head, sizeof f.head, 0);
  return f;
}

static chunk_t *get_newest_chunk(recorder_o *r) {
  shoal_assert(r->count > 0, "no chunk is open");
  return &r->recent[(r->first + r->count - 1) % (RECORDING_RECENT_CHUNKS + 1)];
}

// Orders the writes before and after the call for a child forked from a crashing process.
static void publish_writes(void) {
  atomic_thread_fence(memory_order_release);
}

// Grows an array like array_grow, but frees the old items only after the new ones are published.
static void grow_published(recorder_o *r, bytes_t *to, size_t wanted) {
  uint32_t capacity = to->capacity ? to->capacity : 64, before = to->capacity;
  uint8_t *old = to->items;
  while (capacity < wanted)
    capacity *= 2;
  uint8_t *items = alloc_resize(r->allocator, NULL, 0, capacity);
  if (to->count > 0)
    memcpy(items, old, to->count);
  publish_writes();
  to->items = items;
  to->capacity = capacity;
  publish_writes();
  alloc_resize(r->allocator, old, before, 0);
}

static void append_to(recorder_o *r, bytes_t *to, const void *bytes, size_t size) {
  shoal_assert(to->count + size < UINT32_MAX / 2, "%zu bytes are too many for a chunk", to->count + size);
  if (to->count + size > to->capacity)
    grow_published(r, to, to->count + size);
  if (size > 0)
    memcpy(to->items + to->count, bytes, size);
  to->count += (uint32_t)size;
}

static void append_bytes(recorder_o *r, const void *bytes, size_t size) {
  append_to(r, &get_newest_chunk(r)->bytes, bytes, size);
}

// Marks the last record as complete.
static void complete_record(recorder_o *r) {
  chunk_t *c = get_newest_chunk(r);
  shoal_assert(c->whole <= c->bytes.count, "a chunk of %u bytes cannot be complete up to %u", c->bytes.count, c->whole);
  publish_writes();
  c->whole = c->bytes.count;
}

static void append_number_to(recorder_o *r, bytes_t *to, uint64_t n) {
  uint8_t bytes[VARINT_BYTES];
  append_to(r, to, bytes, varint_write(n, bytes));
}

static void append_number(recorder_o *r, uint64_t n) {
  append_number_to(r, &get_newest_chunk(r)->bytes, n);
}

static void append_letter(recorder_o *r, char letter) {
  append_bytes(r, &letter, 1);
}

static void append_sample(recorder_o *r, const input_state_t *now) {
  uint8_t bytes[SAMPLE_MAX_BYTES];
  append_bytes(r, bytes, sample_encode_difference(&r->last, now, bytes));
  r->last = *now;
}

// Writes the component hashes that have changed: their number, then the index and hash of each one.
static void append_components(recorder_o *r, world_o *w) {
  uint32_t count = world_manager_count(w), changed = 0;
  while (r->components.count < count)
    array_push(r->allocator, &r->components, 0);
  for (uint32_t i = 0; i < count; ++i)
    changed += recording_component_hash(w, i + 1) != r->components.items[i];
  append_number(r, changed);
  for (uint32_t i = 0; i < count && changed > 0; ++i) {
    uint16_t hash = recording_component_hash(w, i + 1);
    if (hash == r->components.items[i])
      continue;
    append_number(r, i);
    append_bytes(r, &hash, sizeof hash);
    r->components.items[i] = hash;
  }
}

static void append_parked(recorder_o *r) {
  uint32_t count = r->parked ? r->parked->items.count : 0;
  for (uint32_t i = r->parked_recorded; i < count; ++i) {
    const parked_t *x = &r->parked->items.items[i];
    size_t length = strlen(x->name);
    if (!parked_is_recorded(x, r->head.undo != 0))
      continue;
    append_letter(r, x->stopped ? RECORD_PARK : RECORD_FAIL);
    append_number(r, length);
    append_bytes(r, x->name, length);
  }
  r->parked_recorded = count;
}

static chunk_head_t build_chunk_head(const void *bytes, uint32_t size) {
  return (chunk_head_t){.hash = hash_bytes(bytes, size, 0), .size = size};
}

static void write_chunk_to_file(recorder_o *r, const bytes_t *b) {
  shoal_assert(r->file && b->count > 0, "no file is open, or the chunk is empty");
  chunk_head_t head = build_chunk_head(b->items, b->count);
  if (r->failure == 0 && (fwrite(&head, sizeof head, 1, r->file) != 1 || fwrite(b->items, b->count, 1, r->file) != 1))
    r->failure = errno;
}

static void end_chunk(recorder_o *r) {
  if (r->count == 0 || r->samples == 0)
    return;
  if (r->file) {
    write_chunk_to_file(r, &get_newest_chunk(r)->bytes);
    if (r->snapshots.count > 0)
      write_chunk_to_file(r, &r->snapshots);
    if (r->failure == 0 && fflush(r->file) != 0)
      r->failure = errno;
  }
  r->snapshots.count = 0;
  r->samples = 0;
  r->chunk_is_full = false;
}

// Appends a packed snapshot. `ticks` is the number of ticks from the start of the file to the snapshot.
static void append_state(recorder_o *r, bytes_t *to, const history_snapshot_t *s, uint64_t ticks) {
  shoal_assert(s->packed && s->packed_size > 0, "the snapshot of tick %llu is empty", (unsigned long long)s->tick);
  uint8_t letter = RECORD_STATES;
  if (to->count == 0)
    append_to(r, to, &letter, 1);
  append_number_to(r, to, ticks);
  append_number_to(r, to, s->tick);
  append_number_to(r, to, s->before + 1); // 0: the snapshot depends on no other snapshot
  append_number_to(r, to, s->form);
  append_number_to(r, to, s->size);
  append_number_to(r, to, s->raw_size);
  append_number_to(r, to, s->packed_size);
  append_to(r, to, s->packed, s->packed_size);
}

void recorder_add_snapshot(recorder_o *r, const history_snapshot_t *s) {
  if (r->file)
    append_state(r, &r->snapshots, s, r->ticks);
}

static void append_result(recorder_o *r, bytes_t *to, const external_result_t *a) {
  shoal_assert(a->kind > EXTERNAL_NONE && a->kind < EXTERNAL_KIND_COUNT, "kind %d is out of range", (int)a->kind);
  uint8_t letter = RECORD_RESULT;
  size_t length = strlen(a->key);
  append_to(r, to, &letter, 1);
  append_number_to(r, to, a->kind);
  append_number_to(r, to, a->found);
  append_number_to(r, to, length);
  append_to(r, to, a->key, length);
  append_number_to(r, to, a->size);
  append_to(r, to, a->bytes, a->size);
}

// Writes the pending results. Call before append_parked, because a replay expects results first.
static void append_pending(recorder_o *r) {
  if (r->pending.count > 0)
    append_bytes(r, r->pending.items, r->pending.count);
  if (r->pending.count > LARGE_INPUT_BYTES) {
    array_free(r->allocator, &r->pending);
    r->chunk_is_full = true;
  }
  r->pending.count = 0;
}

static void begin_chunk(recorder_o *r, const input_state_t *before, bool paused, uint64_t first_tick) {
  shoal_assert(r->samples == 0, "the previous chunk is still open (%u samples)", r->samples);
  // use the next slot of the ring, which contains the oldest chunk if the ring is full
  chunk_t *c = &r->recent[(r->first + r->count) % (RECORDING_RECENT_CHUNKS + 1)];
  c->whole = 0;
  c->bytes.count = 0;
  publish_writes();
  if (r->count == RECORDING_RECENT_CHUNKS + 1)
    r->first = (r->first + 1) % (RECORDING_RECENT_CHUNKS + 1);
  else
    r->count++;
  c->first_tick = first_tick;
  r->components.count = 0; // a chunk starts with the hashes of all components
  memset(&r->last, 0, sizeof r->last);
  append_letter(r, RECORD_BEGIN);
  append_number(r, paused);
  append_sample(r, before);
  append_pending(r);
}

static void prepare_chunk(recorder_o *r, const input_state_t *before, bool paused, uint64_t first_tick) {
  if (r->samples >= RECORDING_CHUNK_TICKS || r->chunk_is_full)
    end_chunk(r);
  if (r->samples == 0)
    begin_chunk(r, before, paused, first_tick);
  append_pending(r);
  append_parked(r);
  r->samples++;
}

bool recorder_chunk_is_due(const recorder_o *r) {
  return r->samples == 0 || r->samples >= RECORDING_CHUNK_TICKS || r->chunk_is_full;
}

recorder_o *recorder_create(allocator_t *a, const recording_head_t *head, const char *path, error_info_t *error) {
  shoal_assert(head->tick_rate > 0, "tick_rate must not be 0");
  FILE *file = path ? file_open(path, false, error) : NULL;
  if (path && !file)
    return NULL;
  recorder_o *r = alloc_resize(a, NULL, 0, sizeof *r);
  memset(r, 0, sizeof *r);
  r->allocator = a;
  r->last_tick = UINT64_MAX;
  r->head = *head;
  r->file = file;
  file_head_t f = build_file_head(head);
  if (file && fwrite(&f, sizeof f, 1, file) != 1)
    r->failure = errno;
  return r;
}

// Opens a chunk for a record that is not a sample.
static void open_chunk(recorder_o *r) {
  input_state_t last = r->last;
  if (r->samples == 0)
    begin_chunk(r, &last, false, UINT64_MAX);
  append_pending(r);
  r->samples++;
}

bool recorder_close(recorder_o *r, error_info_t *error) {
  if (!r->file)
    return true;
  if (r->pending.count > 0) // results of requests made after the last tick still have to be written
    open_chunk(r);
  end_chunk(r);
  if (fclose(r->file) != 0 && r->failure == 0)
    r->failure = errno;
  r->file = NULL;
  return r->failure == 0 || error_set(error, "%s", strerror(r->failure));
}

bool recorder_close_after_failure(recorder_o *r, error_info_t *error) {
  return r->file && r->failure != 0 && !recorder_close(r, error);
}

void recorder_destroy(recorder_o *r) {
  if (!r)
    return;
  recorder_close(r, NULL);
  for (uint32_t i = 0; i < r->starts.count; ++i)
    external_result_release(r->starts.items[i]);
  array_free(r->allocator, &r->starts);
  array_free(r->allocator, &r->pending);
  for (uint32_t i = 0; i <= RECORDING_RECENT_CHUNKS; ++i)
    array_free(r->allocator, &r->recent[i].bytes);
  array_free(r->allocator, &r->components);
  array_free(r->allocator, &r->snapshots);
  alloc_resize(r->allocator, r, sizeof *r, 0);
}

// Prevents excerpts from starting before this point, because a replay cannot rewind beyond its initial snapshot.
static void clear_recent(recorder_o *r) {
  end_chunk(r);
  r->count = 0;
  r->last_tick = UINT64_MAX;
}

void recorder_discard_recent(recorder_o *r) {
  clear_recent(r);
}

void recorder_add_tick(recorder_o *r, const input_state_t *before, const input_state_t *now, world_o *w) {
  uint64_t tick = world_tick(w);
  prepare_chunk(r, before, false, tick > 0 ? tick - 1 : 0);
  uint32_t hash = (uint32_t)world_hash(w);
  append_letter(r, RECORD_TICK);
  append_sample(r, now);
  append_bytes(r, &hash, sizeof hash);
  append_components(r, w);
  complete_record(r);
  r->ticks++;
  bool jumped = r->last_tick != UINT64_MAX && tick != r->last_tick + 1; // true if a script restored a snapshot
  r->last_tick = tick;
  if (jumped)
    clear_recent(r);
}

void recorder_add_paused(recorder_o *r, const input_state_t *before, const input_state_t *now, world_o *w) {
  prepare_chunk(r, before, true, world_tick(w));
  append_letter(r, RECORD_IDLE);
  append_sample(r, now);
  complete_record(r);
}

void recorder_add_rewind(recorder_o *r, uint64_t ticks) {
  open_chunk(r);
  append_letter(r, RECORD_BACK);
  append_number(r, ticks);
  complete_record(r);
  clear_recent(r);
}

void recorder_add_step_forward(recorder_o *r) {
  open_chunk(r);
  append_letter(r, RECORD_FORWARD);
  complete_record(r);
  clear_recent(r);
}

void recorder_set_parked(recorder_o *r, const parked_list_t *parked) {
  r->parked = parked;
  r->parked_recorded = 0;
}

void recorder_add_reload(recorder_o *r, uint64_t game_hash) {
  r->parked_recorded = 0;
  r->head.game_hash = game_hash; // an excerpt starts with the code that runs now
  open_chunk(r);
  append_letter(r, RECORD_RELOAD);
  append_number(r, game_hash);
  complete_record(r);
  clear_recent(r);
}

static void retain_start_result(recorder_o *r, external_result_t *a) {
  external_result_retain(a);
  for (uint32_t i = 0; i < r->starts.count; ++i) {
    external_result_t *before = r->starts.items[i];
    if (before->kind == a->kind && strcmp(before->key, a->key) == 0) {
      external_result_release(before);
      r->starts.items[i] = a;
      return;
    }
  }
  array_push(r->allocator, &r->starts, a);
}

void recorder_add_result(recorder_o *r, external_result_t *a, bool start) {
  append_result(r, &r->pending, a);
  if (start && a->kind != EXTERNAL_EXEC && a->kind != EXTERNAL_LOAD && a->kind != EXTERNAL_SAVE)
    retain_start_result(r, a);
}

void recorder_add_action(recorder_o *r, recording_action_t action) {
  open_chunk(r);
  append_letter(r, RECORD_ACTION);
  append_number(r, action);
  complete_record(r);
}

// --- Excerpts. Written without locks, because a crash handler may write one.

static bool write_chunk(int file, const void *bytes, uint32_t size) {
  chunk_head_t head = build_chunk_head(bytes, size);
  return file_write_all(file, &head, sizeof head) && file_write_all(file, bytes, size);
}

static bool write_snapshot(recorder_o *r, int file, const snapshot_o *s) {
  size_t size = 0;
  const void *bytes = snapshot_bytes(s, &size);
  bytes_t b = {0};
  uint8_t letter = RECORD_SNAPSHOT;
  append_to(r, &b, &letter, 1);
  append_to(r, &b, bytes, size);
  bool good = write_chunk(file, b.items, b.count);
  array_free(r->allocator, &b);
  return good;
}

static const chunk_t *get_recent_chunk(const recorder_o *r, uint32_t i) {
  return &r->recent[(r->first + i) % (RECORDING_RECENT_CHUNKS + 1)];
}

// Finds the oldest recent chunk whose first snapshot the history still contains. Returns that snapshot, or NULL if no
// chunk qualifies.
static const snapshot_o *find_excerpt_start(recorder_o *r, history_o *h, uint32_t *chunk, error_info_t *error) {
  uint64_t tick = 0;
  for (uint32_t i = 0; i < r->count; ++i) {
    const chunk_t *c = get_recent_chunk(r, i);
    if (c->whole == 0)
      continue;
    const snapshot_o *s = history_find_snapshot(h, c->first_tick, &tick, error);
    *chunk = i;
    if (s && tick == c->first_tick)
      return s;
  }
  if (r->count > 0)
    error_set(error, "the history has no snapshot of the recorded ticks");
  return NULL;
}

// Writes the results of requests that the code makes while it is loaded, for a replay that starts in the middle of the
// game.
static bool write_starts(recorder_o *r, int file, uint32_t chunk) {
  input_state_t nothing;
  uint8_t head[3 + SAMPLE_MAX_BYTES] = {RECORD_BEGIN};
  bytes_t b = {0};
  memset(&nothing, 0, sizeof nothing);
  if (r->starts.count == 0)
    return true;
  if (chunk < r->count) // copy the pause flag of the first chunk
    head[1] = get_recent_chunk(r, chunk)->bytes.items[1];
  append_to(r, &b, head, 2 + sample_encode_difference(&nothing, &nothing, head + 2));
  for (uint32_t i = 0; i < r->starts.count; ++i)
    append_result(r, &b, r->starts.items[i]);
  bool good = write_chunk(file, b.items, b.count);
  array_free(r->allocator, &b);
  return good;
}

static bool write_records(const recorder_o *r, int file, uint32_t from) {
  bool good = true;
  for (uint32_t i = from; i < r->count && good; ++i) {
    const chunk_t *c = get_recent_chunk(r, i);
    good = c->whole == 0 || write_chunk(file, c->bytes.items, c->whole);
  }
  return good;
}

// Writes the snapshots of the history, starting with the last whole snapshot up to `first`.
static bool write_states(recorder_o *r, int file, history_o *h, uint64_t first) {
  bytes_t b = {0};
  history_snapshot_t s;
  uint32_t from = 0;
  bool good = true;
  for (uint32_t i = 0; history_get_packed(h, i, &s) && s.tick <= first; ++i)
    from = s.form == HISTORY_WHOLE ? i : from;
  for (uint32_t i = from; good && history_get_packed(h, i, &s); ++i) {
    append_state(r, &b, &s, s.tick > first ? s.tick - first : 0);
    if (b.count < STATES_CHUNK_BYTES)
      continue;
    good = write_chunk(file, b.items, b.count);
    b.count = 0;
  }
  if (b.count > 0)
    good = good && write_chunk(file, b.items, b.count);
  array_free(r->allocator, &b);
  return good;
}

bool recorder_write_excerpt(recorder_o *r, history_o *h, const snapshot_o *now, const char *path, error_info_t *error) {
  uint32_t chunk = 0;
  const snapshot_o *s = h ? find_excerpt_start(r, h, &chunk, error) : NULL;
  if (h && !s && r->count == 0)
    s = now;
  if (!s && r->count == 0)
    error_set(error, "no ticks were recorded after the last step back, reload or start");
  if (!s)
    return h ? false : error_set(error, "the history is disabled: set history in game.lua, or pass --history MB");
  int file = file_create(path, error);
  if (file < 0)
    return false;
  file_head_t f = build_file_head(&r->head);
  uint64_t first = snapshot_tick(s);
  bool good = file_write_all(file, &f, sizeof f) && write_snapshot(r, file, s) && write_starts(r, file, chunk) &&
              write_records(r, file, chunk) && write_states(r, file, h, first);
  good = close(file) == 0 && good;
  return good || error_set(error, "cannot write %s: the disk may be full", path);
}

// --- reading

struct recording_o {
  allocator_t *allocator;
  file_head_t head;
  uint8_t *bytes;
  size_t size, at;         // at: end of the current chunk
  const uint8_t *in, *end; // position in the current chunk, and the chunk's end
  snapshot_o *snapshot;
  bool has_snapshot, began_paused, has_hashes;
  input_state_t last;
  uint16_t *components; // component hashes; capacity MAX_COMPONENTS
  uint32_t component_count;
};

static bool read_bytes(recording_o *r, void *out, size_t size) {
  if ((size_t)(r->end - r->in) < size)
    return false;
  memcpy(out, r->in, size);
  r->in += size;
  return true;
}

static bool read_number(recording_o *r, uint64_t *out) {
  size_t used = varint_read(r->in, (size_t)(r->end - r->in), out);
  r->in += used;
  return used > 0;
}

static bool read_sample(recording_o *r) {
  size_t used = sample_apply_difference(&r->last, r->in, (size_t)(r->end - r->in));
  r->in += used;
  return used > 0;
}

static bool read_components(recording_o *r) {
  uint64_t changed = 0, at = 0;
  if (!read_number(r, &changed) || changed > MAX_COMPONENTS)
    return false;
  for (uint64_t i = 0; i < changed; ++i) {
    if (!read_number(r, &at) || at >= MAX_COMPONENTS || !read_bytes(r, &r->components[at], sizeof *r->components))
      return false;
    if (at >= r->component_count)
      r->component_count = (uint32_t)at + 1;
  }
  return true;
}

// Opens the next chunk. Returns 1 if successful, 0 at the end of the file, and -1 with a message if the chunk is
// truncated or damaged.
static int open_next_chunk(recording_o *r, error_info_t *error) {
  chunk_head_t head;
  if (r->at == r->size)
    return 0;
  if (r->size - r->at < sizeof head) {
    error_set(error, "the recording is truncated");
    return -1;
  }
  memcpy(&head, r->bytes + r->at, sizeof head);
  if (head.size == 0 || head.size > r->size - r->at - sizeof head) {
    error_set(error, "the recording is truncated or damaged");
    return -1;
  }
  r->in = r->bytes + r->at + sizeof head;
  r->end = r->in + head.size;
  if (hash_bytes(r->in, head.size, 0) != head.hash) {
    r->in = r->end;
    error_set(error, "the recording is damaged");
    return -1;
  }
  r->at += sizeof head + head.size;
  return 1;
}

// Opens the next chunk with records, skipping chunks of snapshots. Returns the same values as open_next_chunk.
static int open_next_records(recording_o *r, error_info_t *error) {
  int found = 1;
  do
    found = open_next_chunk(r, error);
  while (found > 0 && *r->in == RECORD_STATES);
  if (found <= 0)
    r->in = r->end; // skips the last chunk if it contains snapshots
  return found;
}

static bool read_begin(recording_o *r) {
  uint64_t paused = 0;
  memset(&r->last, 0, sizeof r->last);
  memset(r->components, 0, r->component_count * sizeof *r->components);
  bool good = read_number(r, &paused) && paused <= 1 && read_sample(r);
  r->began_paused = paused;
  return good;
}

static bool read_piece(recording_o *r, recording_item_t *out) {
  uint64_t length = 0;
  return read_number(r, &length) && length < sizeof out->piece && read_bytes(r, out->piece, length);
}

static bool read_result(recording_o *r, external_result_t **out) {
  char key[EXTERNAL_KEY_BYTES] = "";
  uint64_t kind = 0, found = 0, length = 0, size = 0;
  if (!read_number(r, &kind) || kind == EXTERNAL_NONE || kind >= EXTERNAL_KIND_COUNT || !read_number(r, &found) ||
      found > 1 || !read_number(r, &length) || length >= sizeof key || !read_bytes(r, key, length) ||
      memchr(key, 0, length) || !read_number(r, &size) || size > EXTERNAL_RESULT_MAX_BYTES ||
      size > (size_t)(r->end - r->in))
    return false;
  *out = external_result_create((external_kind_t)kind, key, found, r->in, size);
  r->in += size;
  return true;
}

static bool read_record(recording_o *r, uint8_t letter, recording_item_t *out) {
  out->before = r->last;
  switch (letter) {
  case RECORD_TICK:
    out->kind = RECORDING_TICK;
    out->has_hash = true;
    return read_sample(r) && read_bytes(r, &out->hash, sizeof out->hash) && read_components(r);
  case RECORD_TICK_WITHOUT_HASH: out->kind = RECORDING_TICK; return read_sample(r);
  case RECORD_IDLE: out->kind = RECORDING_IDLE; return read_sample(r);
  case RECORD_BACK: out->kind = RECORDING_BACK; return read_number(r, &out->ticks);
  case RECORD_FORWARD: out->kind = RECORDING_FORWARD; return true;
  case RECORD_ACTION:
    out->kind = RECORDING_ACTION;
    return read_number(r, &out->ticks) && out->ticks > RECORDING_ACTION_NONE && out->ticks < RECORDING_ACTION_COUNT;
  case RECORD_PARK:
  case RECORD_FAIL:
    out->kind = RECORDING_PARK;
    out->stopped = letter == RECORD_PARK;
    return read_piece(r, out);
  case RECORD_RESULT: out->kind = RECORDING_RESULT; return read_result(r, &out->result);
  case RECORD_RELOAD: out->kind = RECORDING_RELOAD; return read_number(r, &out->game_hash);
  default: return false;
  }
}

void recording_read_item(recording_o *r, recording_item_t *out, error_info_t *error) {
  uint8_t letter = 0;
  *out = (recording_item_t){.kind = RECORDING_NONE};
  for (;;) {
    if (r->in == r->end) {
      int found = open_next_records(r, error);
      if (found <= 0) {
        out->kind = found == 0 ? RECORDING_END : RECORDING_BROKEN;
        r->at = r->size;
        return;
      }
    }
    size_t at = (size_t)(r->in - r->bytes);
    bool good = read_bytes(r, &letter, 1);
    if (good && letter == RECORD_BEGIN) {
      if (read_begin(r))
        continue;
      good = false;
    }
    if (!good || !read_record(r, letter, out)) {
      error_set(error, "the recording contains an invalid record at byte %zu", at);
      out->kind = RECORDING_BROKEN;
      r->in = r->end = NULL;
      r->at = r->size;
      return;
    }
    out->input = r->last;
    out->components = r->components;
    out->component_count = r->component_count;
    return;
  }
}

// Reads ahead with a copy of `r`, which replaces `r` only if the next item is a result. The start of a chunk may
// therefore be read twice, which has no further effect.
external_result_t *recording_read_next_result(recording_o *r) {
  recording_o at = *r;
  external_result_t *a = NULL;
  while (at.in != at.end || open_next_records(&at, NULL) > 0) {
    uint8_t letter = *at.in++;
    if (letter == RECORD_BEGIN && read_begin(&at))
      continue;
    if (letter == RECORD_RESULT && read_result(&at, &a))
      *r = at;
    break;
  }
  return a;
}

static bool read_snapshot(recording_o *r, error_info_t *error) {
  int found = open_next_records(r, error);
  if (found < 0)
    return false;
  if (found == 0 || *r->in != RECORD_SNAPSHOT)
    return true;
  snapshot_set_bytes(r->snapshot, r->in + 1, (size_t)(r->end - r->in - 1));
  r->has_snapshot = true;
  r->in = r->end;
  if (open_next_records(r, error) < 0)
    return false;
  if (r->end - r->in > 1 && *r->in == RECORD_BEGIN)
    r->began_paused = r->in[1] == 1;
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

// Returns true if the first tick has a hash; true if there is no tick, if the file is damaged before it, or if the
// search is interrupted. Slow, because the first tick may be far into the file.
static bool find_hashes(const recording_o *r) {
  recording_o at = *r; // the copy reads from the start of the file, while the original keeps its position
  recording_item_t item;
  error_info_t error;
  uint32_t items = 0;
  at.at = sizeof(file_head_t);
  at.in = at.end = NULL;
  at.components = alloc_resize(at.allocator, NULL, 0, MAX_COMPONENTS * sizeof *at.components);
  memset(at.components, 0, MAX_COMPONENTS * sizeof *at.components);
  do {
    recording_read_item(&at, &item, &error);
    if (item.kind == RECORDING_RESULT)
      external_result_release(item.result);
  } while (item.kind != RECORDING_TICK && item.kind != RECORDING_END && item.kind != RECORDING_BROKEN &&
           (++items % 1024 != 0 || !interrupt_is_pending()));
  alloc_resize(at.allocator, at.components, MAX_COMPONENTS * sizeof *at.components, 0);
  return item.kind != RECORDING_TICK || item.has_hash;
}

bool recording_has_hashes(const recording_o *r) {
  return r->has_hashes;
}

// Opens a recording in memory. Takes ownership of `bytes`, even on failure; they must have been allocated as by
// file_read. Returns NULL with a message on failure.
static recording_o *open_owned_bytes(allocator_t *a, char *bytes, size_t size, error_info_t *error) {
  file_head_t head;
  if (!check_head(bytes, size, &head, error)) {
    file_free(a, bytes, size);
    return NULL;
  }
  recording_o *r = alloc_resize(a, NULL, 0, sizeof *r);
  *r = (recording_o){.allocator = a, .head = head, .bytes = (uint8_t *)bytes, .size = size, .at = sizeof head};
  r->components = alloc_resize(a, NULL, 0, MAX_COMPONENTS * sizeof *r->components);
  memset(r->components, 0, MAX_COMPONENTS * sizeof *r->components);
  r->snapshot = snapshot_create(a);
  r->has_hashes = find_hashes(r);
  if (read_snapshot(r, error))
    return r;
  recording_close(r);
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
  error_info_t why = {0};
  char *bytes = file_read(a, path, &size, error);
  recording_o *r = bytes ? open_owned_bytes(a, bytes, size, &why) : NULL;
  if (bytes && !r)
    error_set(error, "%.500s: %.500s", path, why.text);
  return r;
}

void recording_close(recording_o *r) {
  if (!r)
    return;
  snapshot_release(r->snapshot);
  file_free(r->allocator, (char *)r->bytes, r->size);
  alloc_resize(r->allocator, r->components, MAX_COMPONENTS * sizeof *r->components, 0);
  alloc_resize(r->allocator, r, sizeof *r, 0);
}

// Reads one snapshot. Returns false at the end of the chunk, or if the chunk is malformed.
static bool read_state(recording_o *r, history_snapshot_t *s, uint64_t *ticks) {
  uint64_t n[6];
  if (r->in == r->end || !read_number(r, ticks))
    return false;
  for (uint32_t i = 0; i < 6; ++i)
    if (!read_number(r, &n[i]))
      return false;
  if (n[2] > HISTORY_WHOLE || n[3] > UINT32_MAX || n[4] > UINT32_MAX || n[5] > (size_t)(r->end - r->in))
    return false;
  *s = (history_snapshot_t){.tick = n[0], .before = n[1] - 1, .form = (uint32_t)n[2]};
  s->size = (uint32_t)n[3];
  s->raw_size = (uint32_t)n[4];
  s->packed_size = (uint32_t)n[5];
  s->packed = r->in;
  r->in += n[5];
  return true;
}

// Appends to `to` all snapshots up to the one after `played` ticks of the recording, and stores that snapshot's tick.
// Returns false if the recording lacks this snapshot, or if a snapshot cannot be appended.
static bool read_states(const recording_o *r, uint64_t played, uint32_t largest, history_o *to, uint64_t *tick) {
  recording_o at = *r; // the copy reads from the start of the file, while the original keeps its position
  history_snapshot_t s;
  uint64_t ticks = 0;
  at.at = sizeof(file_head_t);
  while (open_next_chunk(&at, NULL) > 0) {
    if (*at.in != RECORD_STATES)
      continue;
    at.in++;
    while (read_state(&at, &s, &ticks)) {
      if (ticks > played || !history_append_packed(to, &s, largest))
        return false;
      *tick = s.tick;
      if (ticks == played)
        return true;
    }
  }
  return false;
}

bool recording_copy_snapshot(const recording_o *r, uint64_t played, uint32_t max_state_bytes, snapshot_o *out,
                             error_info_t *error) {
  history_o *snapshots = history_create(r->allocator, UINT64_MAX);
  uint64_t tick = 0;
  const snapshot_o *s =
      read_states(r, played, max_state_bytes, snapshots, &tick) ? history_get_snapshot(snapshots, tick) : NULL;
  if (s)
    snapshot_copy(out, s);
  history_destroy(snapshots);
  return s || error_set(error, "the recording has no snapshot of this tick");
}

const recording_head_t *recording_head(const recording_o *r) {
  return &r->head.head;
}

const snapshot_o *recording_snapshot(const recording_o *r) {
  return r->has_snapshot ? r->snapshot : NULL;
}

bool recording_begins_paused(const recording_o *r) {
  return r->began_paused;
}
