// Follows the dependencies of a packed snapshot back to snapshots that are decoded or whole, and decodes forward from
// there.
#include "time/state_reader.h"

#include "base/assert.h"
#include "snapshot/snapshot_codec.h"
#include "time/snapshot_packer.h"

#include <string.h>

#define ANCHOR_INTERVAL 8u // of every eighth snapshot after a key, three stay decoded: the next one depends on them
#define ANCHOR_BONUS 16u   // distance at which an anchor is evicted like a snapshot at distance 0
#define MAX_DEPENDENCIES 3u

struct state_reader_o {
  allocator_t *allocator;
  history_o *history;
  uint32_t revision; // of the history when the cache was filled
  state_cache_t cache;
  snapshot_codec_o *codec;
  ZSTD_DCtx *unpacker;
  ARRAY(uint8_t) difference; // buffer for decompressed differences
};

state_reader_o *state_reader_create(allocator_t *a, history_o *h, uint32_t capacity) {
  shoal_assert(h && capacity >= STATE_READER_MIN_STATES, "the capacity %u must be at least %u", capacity,
               STATE_READER_MIN_STATES);
  state_reader_o *r = alloc_resize(a, NULL, 0, sizeof *r);
  *r = (state_reader_o){.allocator = a, .history = h, .revision = history_stats(h).revision};
  state_cache_init(&r->cache, a, capacity);
  r->codec = snapshot_codec_create(a);
  r->unpacker = ZSTD_createDCtx();
  return r;
}

void state_reader_destroy(state_reader_o *r) {
  if (!r)
    return;
  state_cache_fini(&r->cache);
  snapshot_codec_destroy(r->codec);
  ZSTD_freeDCtx(r->unpacker);
  array_free(r->allocator, &r->difference);
  alloc_resize(r->allocator, r, sizeof *r, 0);
}

const snapshot_o *state_reader_find(const state_reader_o *r, uint32_t i) {
  return r->revision == history_stats(r->history).revision ? state_cache_find(&r->cache, i) : NULL;
}

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

// Lists the snapshots that snapshot i is decoded from, the closest first. Returns their number: 0 for a whole snapshot.
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

static bool decode_difference(state_reader_o *r, const history_snapshot_t *packed, uint32_t i, snapshot_o *out) {
  uint32_t dependencies[MAX_DEPENDENCIES], count = list_dependencies(r, i, dependencies);
  snapshot_table_t references[3] = {{.table = NULL}, {.table = NULL}, {.table = NULL}};
  for (uint32_t k = 0; k < count; ++k) {
    references[k] = snapshot_table(state_cache_find(&r->cache, dependencies[k]));
    if (k > 0 && !snapshot_has_same_sections(&references[k], &references[0])) {
      references[k].table = NULL;
      break;
    }
  }
  array_reserve(r->allocator, &r->difference, packed->raw_size);
  size_t size =
      ZSTD_decompressDCtx(r->unpacker, r->difference.items, packed->raw_size, packed->packed, packed->packed_size);
  return count > 0 && size == packed->raw_size &&
         snapshot_codec_decode(r->codec, references, r->difference.items, packed->raw_size, packed->difference_size,
                               out);
}

static bool decode(state_reader_o *r, uint32_t i, snapshot_o *out) {
  history_snapshot_t packed;
  if (!history_get_packed(r->history, i, &packed))
    return false;
  if (packed.form != PACKED_WHOLE)
    return decode_difference(r, &packed, i, out);
  return ZSTD_decompressDCtx(r->unpacker, snapshot_reserve(out, packed.raw_size), packed.raw_size, packed.packed,
                             packed.packed_size) == packed.raw_size;
}

state_reader_result_t state_reader_advance(state_reader_o *r, uint32_t i, bool forward) {
  uint32_t revision = history_stats(r->history).revision;
  if (r->revision != revision)
    state_cache_clear(&r->cache);
  r->revision = revision;
  if (state_cache_find(&r->cache, i))
    return STATE_READER_READY;
  uint32_t next = i < history_count(r->history) ? find_next_to_decode(r, i) : i;
  if (!decode(r, next, state_cache_get_spare(&r->cache)))
    return STATE_READER_FAILED;
  bool is_anchor = (next - find_key(r, next)) % ANCHOR_INTERVAL >= ANCHOR_INTERVAL - MAX_DEPENDENCIES;
  state_cache_need_t need = {.target = i,
                             .forward = forward,
                             .first_kept = next > MAX_DEPENDENCIES ? next - MAX_DEPENDENCIES : 0,
                             .last_kept = next};
  state_cache_add(&r->cache, next, is_anchor ? ANCHOR_BONUS : 0, &need);
  return next == i ? STATE_READER_READY : STATE_READER_WORKED;
}
