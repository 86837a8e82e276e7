// Follows the dependencies of a packed snapshot back to snapshots that are decoded or whole, and decodes forward from
// there.
#include "time/state_reader.h"

#include "base/assert.h"
#include "snapshot/snapshot_codec.h"

#include <string.h>

// The last three of every eight snapshots after a key are anchors, which stay decoded, because the next snapshot
// depends on them.
#define ANCHOR_INTERVAL 8u
#define ANCHOR_BONUS 16u // an anchor at this distance is evicted like a snapshot at distance 0
#define MAX_DEPENDENCIES 3u

// The snapshot that is being decoded. The thread reads and writes these members until `is_running` is cleared.
typedef struct decoding_t {
  history_snapshot_t packed;
  uint32_t index, target; // `index`: snapshot to decode; `target`: requested snapshot, which needs snapshot `index`
  bool forward;
  const snapshot_o *dependencies[MAX_DEPENDENCIES];
  uint32_t dependency_count;
  snapshot_o *out;
  bool ok;
} decoding_t;

struct state_reader_o {
  allocator_t *memory;
  history_o *history;
  packer_t *packer;
  uint32_t revision; // revision of the history when the cache was filled
  state_cache_t cache;
  snapshot_codec_o *codec;
  ZSTD_DCtx *unpacker;
  ARRAY(uint8_t) difference; // buffer for decompressed differences
  decoding_t decoding;
  bool is_running; // true while the thread works on `decoding`
  size_t bytes;    // memory in use while the thread does not run
};

state_reader_o *state_reader_create(const state_reader_desc_t *desc) {
  shoal_assert(desc->history && desc->capacity >= STATE_READER_MIN_STATES, "the capacity %u must be at least %u",
               desc->capacity, STATE_READER_MIN_STATES);
  state_reader_o *r = alloc_resize(desc->memory, NULL, 0, sizeof *r);
  *r = (state_reader_o){.memory = desc->memory,
                        .history = desc->history,
                        .packer = desc->packer,
                        .unpacker = desc->unpacker,
                        .revision = history_stats(desc->history).revision};
  state_cache_init(&r->cache, r->memory, desc->capacity);
  r->codec = snapshot_codec_create(r->memory);
  r->bytes = r->memory->bytes;
  return r;
}

void state_reader_destroy(state_reader_o *r) {
  if (!r)
    return;
  packer_wait_for_task(r->packer);
  state_cache_fini(&r->cache);
  snapshot_codec_destroy(r->codec);
  array_free(r->memory, &r->difference);
  alloc_resize(r->memory, r, sizeof *r, 0);
}

const snapshot_o *state_reader_find(const state_reader_o *r, uint32_t i) {
  return r->revision == history_stats(r->history).revision ? state_cache_find(&r->cache, i) : NULL;
}

size_t state_reader_bytes(const state_reader_o *r) {
  return r ? r->bytes : 0;
}

// --- dependencies

static packed_form_t get_form(const state_reader_o *r, uint32_t i) {
  history_snapshot_t packed;
  return history_get_packed(r->history, i, &packed) ? (packed_form_t)packed.form : PACKED_WHOLE;
}

// Returns the last key or whole snapshot at or before snapshot i.
static uint32_t find_key(const state_reader_o *r, uint32_t i) {
  while (i > 0 && get_form(r, i) == PACKED_DELTA)
    --i;
  return i;
}

// Lists the snapshots from which snapshot i is decoded, the closest first. Returns their number, which is 0 for a whole
// snapshot.
static uint32_t list_dependencies(const state_reader_o *r, uint32_t i, uint32_t out[MAX_DEPENDENCIES]) {
  packed_form_t form = get_form(r, i);
  if (form == PACKED_WHOLE || i == 0)
    return 0;
  out[0] = form == PACKED_KEY ? find_key(r, i - 1) : i - 1;
  if (form == PACKED_KEY)
    return 1;
  uint32_t key = find_key(r, i - 1), count = 1;
  while (count < MAX_DEPENDENCIES && i - 1 - count >= key && i >= 1 + count)
    out[count] = i - 1 - count, ++count;
  return count;
}

// Returns the snapshot to decode next on the way to snapshot i.
static uint32_t find_next_to_decode(const state_reader_o *r, uint32_t i) {
  uint32_t dependencies[MAX_DEPENDENCIES];
  for (;;) {
    uint32_t count = list_dependencies(r, i, dependencies), present = 0;
    while (present < count && state_cache_find(&r->cache, dependencies[present]))
      ++present;
    if (present == count)
      return i;
    i = dependencies[present];
  }
}

// --- decoding

static bool decode_difference(state_reader_o *r, const decoding_t *d) {
  snapshot_table_t references[3] = {{.table = NULL}, {.table = NULL}, {.table = NULL}};
  for (uint32_t k = 0; k < d->dependency_count; ++k) {
    references[k] = snapshot_table(d->dependencies[k]);
    if (k > 0 && !snapshot_has_same_sections(&references[k], &references[0])) {
      references[k].table = NULL;
      break;
    }
  }
  array_reserve(r->memory, &r->difference, d->packed.raw_size);
  size_t size = ZSTD_decompressDCtx(r->unpacker, r->difference.items, d->packed.raw_size, d->packed.packed,
                                    d->packed.packed_size);
  return d->dependency_count > 0 && size == d->packed.raw_size &&
         snapshot_codec_decode(r->codec, references, r->difference.items, d->packed.raw_size, d->packed.difference_size,
                               d->out);
}

// Decodes the snapshot described by `decoding`, and stores the outcome in its `ok`. Runs on the main thread or on the
// packer's thread.
static void decode(void *context) {
  state_reader_o *r = context;
  decoding_t *d = &r->decoding;
  if (d->packed.form != PACKED_WHOLE)
    d->ok = decode_difference(r, d);
  else
    d->ok = ZSTD_decompressDCtx(r->unpacker, snapshot_reserve(d->out, d->packed.raw_size), d->packed.raw_size,
                                d->packed.packed, d->packed.packed_size) == d->packed.raw_size;
}

static void prepare_decoding(state_reader_o *r, uint32_t target, bool forward) {
  uint32_t dependencies[MAX_DEPENDENCIES], i = find_next_to_decode(r, target);
  decoding_t *d = &r->decoding;
  *d = (decoding_t){.index = i, .target = target, .forward = forward};
  history_get_packed(r->history, i, &d->packed);
  d->dependency_count = list_dependencies(r, i, dependencies);
  for (uint32_t k = 0; k < d->dependency_count; ++k)
    d->dependencies[k] = state_cache_find(&r->cache, dependencies[k]);
  d->out = state_cache_get_spare(&r->cache);
}

// Adds the decoded snapshot, which is in the cache's spare buffer.
static void add_decoded(state_reader_o *r) {
  const decoding_t *d = &r->decoding;
  bool is_anchor = (d->index - find_key(r, d->index)) % ANCHOR_INTERVAL >= ANCHOR_INTERVAL - MAX_DEPENDENCIES;
  state_cache_need_t need = {.target = d->target,
                             .forward = d->forward,
                             .first_kept = d->index > MAX_DEPENDENCIES ? d->index - MAX_DEPENDENCIES : 0,
                             .last_kept = d->index};
  state_cache_add(&r->cache, d->index, is_anchor ? ANCHOR_BONUS : 0, &need);
  r->bytes = r->memory->bytes;
}

// Waits for the snapshot that the thread decodes, if any, and adds it. Returns true on success, or false if decoding
// failed.
static bool finish_running(state_reader_o *r) {
  if (!r->is_running)
    return true;
  packer_wait_for_task(r->packer);
  r->is_running = false;
  if (r->decoding.ok)
    add_decoded(r);
  return r->decoding.ok;
}

static void drop_outdated(state_reader_o *r) {
  uint32_t revision = history_stats(r->history).revision;
  if (r->revision != revision)
    state_cache_clear(&r->cache);
  r->revision = revision;
}

void state_reader_wait(state_reader_o *r) {
  finish_running(r);
}

uint32_t state_reader_capacity(const state_reader_o *r) {
  return r->cache.capacity;
}

void state_reader_add(state_reader_o *r, uint32_t i, snapshot_o *state) {
  finish_running(r);
  drop_outdated(r);
  if (state_cache_find(&r->cache, i))
    return;
  state_cache_share(&r->cache, state);
  r->decoding = (decoding_t){.index = i, .target = i};
  add_decoded(r);
}

state_reader_result_t state_reader_advance(state_reader_o *r, uint32_t i, bool forward) {
  if (!finish_running(r))
    return STATE_READER_FAILED;
  drop_outdated(r);
  if (state_cache_find(&r->cache, i))
    return STATE_READER_READY;
  if (i >= history_count(r->history))
    return STATE_READER_FAILED;
  prepare_decoding(r, i, forward);
  decode(r);
  if (!r->decoding.ok)
    return STATE_READER_FAILED;
  add_decoded(r);
  return r->decoding.index == i ? STATE_READER_READY : STATE_READER_WORKED;
}

const snapshot_o *state_reader_read(state_reader_o *r, uint32_t i) {
  state_reader_result_t result;
  do
    result = state_reader_advance(r, i, false);
  while (result == STATE_READER_WORKED);
  return result == STATE_READER_READY ? state_reader_find(r, i) : NULL;
}

bool state_reader_decode_ahead(state_reader_o *r, uint32_t i, bool forward) {
  if (r->is_running && packer_is_task_running(r->packer))
    return true;
  if (!finish_running(r)) // the next state_reader_advance reports the failure
    return false;
  drop_outdated(r);
  if (state_cache_find(&r->cache, i) || i >= history_count(r->history))
    return true;
  prepare_decoding(r, i, forward);
  r->is_running = packer_start_task(r->packer, decode, r);
  return r->is_running;
}
