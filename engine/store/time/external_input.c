// Obtains the result of each request once per frame, from the recording, the input log or the reader.
#include "time/external_input.h"

#include "base/assert.h"
#include "base/array.h"
#include "base/files.h"
#include "base/hash.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_UNUSED_FRAMES 2u // number of ticks and paused frames for which an unused recorded result is kept

typedef struct entry_t {
  external_result_t *result;
  uint64_t tick, frame;
  bool consumed;
  bool is_of_record; // true if read by the host in a tick of a match: the tick's record must contain the result
} entry_t;

typedef struct counter_t {
  uint64_t channel; // hash of the channel's name
  uint32_t calls;
} counter_t;

// Content of a file that the simulation uses.
typedef struct content_t {
  char key[EXTERNAL_KEY_BYTES]; // "=" and the file name: "=wall.dye"
  // `current_hash`: the file's hash in this run; `recorded_hash`: the latest hash in the recording; `reported_hash`:
  // the recorded hash that was last reported as different.
  uint64_t current_hash, recorded_hash, reported_hash;
  bool has_current, has_recorded, has_reported;
} content_t;

// State on which the results of a frame's requests depend.
typedef struct frame_t {
  ARRAY(external_result_t *) assets;
  ARRAY(content_t) contents;
  ARRAY(counter_t) counters;
  const input_log_o *log; // results of an earlier run; may be NULL
  uint64_t tick, number;
  external_source_t source;
  bool has_missed;       // true if a request in a match's tick had no result
  uint32_t results_left; // number and size of results that still fit into the record of a match's tick
  size_t bytes_left;
} frame_t;

struct external_o {
  allocator_t *allocator;
  ARRAY(entry_t) entries; // results of this frame, and earlier results that have not been written to the recording
  // Results read from the recording. `frame` is the `replay_frame` in which a result was read. `consumed` is true once
  // the result was requested.
  ARRAY(entry_t) queue;
  size_t max_match_bytes; // maximum size of the keys and results of a tick in a match, in bytes
  frame_t current_frame;
  frame_t interrupted_frame; // frame of the running game while a different game is started
  pthread_mutex_t lock;      // guards the `assets` and `contents` of `current_frame`, which all workers may use
  recording_o *replay;
  uint64_t replay_frame; // number of ticks with the source EXTERNAL_LIVE
  bool strict, isolated;
  bool starting;              // true between external_begin_start and external_end_start
  error_info_t missing_error; // error of the first request that the recording could not answer; "": no such request
};

static bool matches_request(const external_result_t *result, external_kind_t kind, const char *key) {
  return result->kind == kind && strcmp(result->key, key) == 0;
}

// --- life cycle

external_o *external_create(allocator_t *a) {
  shoal_assert(a, "a must not be NULL");
  external_o *external = alloc_resize(a, NULL, 0, sizeof *external);
  *external = (external_o){.allocator = a, .max_match_bytes = EXTERNAL_MATCH_BYTES};
  pthread_mutex_init(&external->lock, NULL);
  return external;
}

static void free_frame(external_o *external, frame_t *f) {
  for (uint32_t i = 0; i < f->assets.count; ++i)
    external_result_release(f->assets.items[i]);
  array_free(external->allocator, &f->assets);
  array_free(external->allocator, &f->contents);
  array_free(external->allocator, &f->counters);
  *f = (frame_t){0};
}

void external_destroy(external_o *external) {
  if (!external)
    return;
  shoal_assert(!external->starting, "external input is destroyed while a game starts");
  for (uint32_t i = 0; i < external->entries.count; ++i)
    external_result_release(external->entries.items[i].result);
  for (uint32_t i = 0; i < external->queue.count; ++i)
    external_result_release(external->queue.items[i].result);
  free_frame(external, &external->current_frame);
  array_free(external->allocator, &external->entries);
  array_free(external->allocator, &external->queue);
  pthread_mutex_destroy(&external->lock);
  alloc_resize(external->allocator, external, sizeof *external, 0);
}

void external_set_replay(external_o *external, recording_o *replay) {
  external->replay = replay;
}

void external_set_isolated(external_o *external) {
  external->isolated = true;
}

void external_set_strict(external_o *external, bool strict) {
  external->strict = strict;
}

// Releases the entries of frames before `first_frame`. If `only_consumed`, keeps entries that were not consumed.
static void drop_entries(entry_t *items, uint32_t *count, uint64_t first_frame, bool only_consumed) {
  uint32_t kept_count = 0;
  for (uint32_t i = 0; i < *count; ++i)
    if (items[i].frame < first_frame && (items[i].consumed || !only_consumed))
      external_result_release(items[i].result);
    else
      items[kept_count++] = items[i];
  *count = kept_count;
}

void external_begin_exec_frame(external_o *external, uint64_t tick) {
  external->current_frame.number++;
  external->current_frame.tick = tick;
  external->current_frame.log = NULL;
  external->current_frame.source = EXTERNAL_LIVE;
  external->current_frame.counters.count = 0;
  drop_entries(external->entries.items, &external->entries.count, external->current_frame.number, true);
}

void external_limit_match_bytes(external_o *external, size_t bytes) {
  shoal_assert(bytes <= EXTERNAL_MATCH_BYTES, "%zu bytes of results are too many", bytes);
  external->max_match_bytes = bytes;
}

void external_begin_tick(external_o *external, uint64_t tick, external_source_t source, const input_log_o *log) {
  external_begin_exec_frame(external, tick);
  external->current_frame.log = log;
  external->current_frame.source = source;
  external->current_frame.has_missed = false;
  external->current_frame.results_left = EXTERNAL_MATCH_RESULTS;
  external->current_frame.bytes_left = external->max_match_bytes;
  if (source == EXTERNAL_LIVE && ++external->replay_frame > MAX_UNUSED_FRAMES)
    drop_entries(external->queue.items, &external->queue.count, external->replay_frame - MAX_UNUSED_FRAMES, false);
}

void external_end_tick(external_o *external) {
  if (external->current_frame.source != EXTERNAL_LIVE)
    external->current_frame.log = NULL;
}

// The results of the interrupted frame stay in `entries`. Requests of the new frame do not find them, because they find
// only results of `current_frame`.
void external_begin_start(external_o *external) {
  shoal_assert(!external->starting, "external_begin_start was called twice");
  external->starting = true;
  pthread_mutex_lock(&external->lock);
  external->interrupted_frame = external->current_frame;
  external->current_frame = (frame_t){.number = external->current_frame.number + 1};
  for (uint32_t i = 0; i < external->interrupted_frame.contents.count; ++i)
    array_push(external->allocator, &external->current_frame.contents, external->interrupted_frame.contents.items[i]);
  pthread_mutex_unlock(&external->lock);
}

void external_end_start(external_o *external, bool keep) {
  shoal_assert(external->starting, "external_end_start without external_begin_start");
  external->starting = false;
  pthread_mutex_lock(&external->lock);
  frame_t unused_frame = keep ? external->interrupted_frame : external->current_frame;
  if (!keep) {
    while (external->entries.count > 0 &&
           external->entries.items[external->entries.count - 1].frame == external->current_frame.number)
      external_result_release(external->entries.items[--external->entries.count].result);
    external->current_frame = external->interrupted_frame;
  }
  external->interrupted_frame = (frame_t){0};
  free_frame(external, &unused_frame);
  if (keep)
    drop_entries(external->entries.items, &external->entries.count, external->current_frame.number, true);
  pthread_mutex_unlock(&external->lock);
}

void external_restart_frame(external_o *external) {
  external->current_frame.counters.count = 0;
}

static void add_entry(external_o *external, external_result_t *result) {
  shoal_assert(result && result->references > 0, "result must not be NULL or released");
  entry_t entry = {.result = result,
                   .tick = external->current_frame.tick,
                   .frame = external->current_frame.number,
                   .consumed = external->current_frame.source != EXTERNAL_LIVE};
  array_push(external->allocator, &external->entries, entry);
}

// --- ticks of a match

static bool is_of_match(const frame_t *frame) {
  return frame->source == EXTERNAL_HOST || frame->source == EXTERNAL_PEER;
}

const external_result_t *external_get_match_result(const external_o *external, uint32_t i) {
  for (uint32_t k = 0; k < external->entries.count; ++k) {
    const entry_t *entry = &external->entries.items[k];
    if (entry->frame == external->current_frame.number && entry->is_of_record && i-- == 0)
      return entry->result;
  }
  return NULL;
}

bool external_has_missed(const external_o *external) {
  return is_of_match(&external->current_frame) && external->current_frame.has_missed;
}

// --- file contents, stored as EXTERNAL_ASSET results; their key "=NAME" cannot be the name of an asset

static content_t *find_or_add_content(external_o *external, const char *key) {
  for (uint32_t i = 0; i < external->current_frame.contents.count; ++i)
    if (strcmp(external->current_frame.contents.items[i].key, key) == 0)
      return &external->current_frame.contents.items[i];
  content_t content = {.has_current = false};
  snprintf(content.key, sizeof content.key, "%s", key);
  array_push(external->allocator, &external->current_frame.contents, content);
  return &external->current_frame.contents.items[external->current_frame.contents.count - 1];
}

static void store_recorded_content(external_o *external, const external_result_t *result) {
  if (result->kind != EXTERNAL_ASSET || result->key[0] != '=' || result->size != sizeof(uint64_t))
    return;
  content_t *content = find_or_add_content(external, result->key);
  memcpy(&content->recorded_hash, result->bytes, sizeof content->recorded_hash);
  content->has_recorded = true;
}

static bool compare_content(external_o *external, content_t *content, uint64_t hash) {
  if (!content->has_current || content->current_hash != hash)
    add_entry(external, external_result_create(EXTERNAL_ASSET, content->key, true, &hash, sizeof hash));
  content->current_hash = hash;
  content->has_current = true;
  bool equal = !content->has_recorded || content->recorded_hash == hash;
  bool already_reported = content->has_reported && content->reported_hash == content->recorded_hash;
  content->reported_hash = content->recorded_hash;
  content->has_reported = !equal;
  return equal || already_reported;
}

bool external_check_content(external_o *external, const char *name, uint64_t hash) {
  char key[EXTERNAL_KEY_BYTES];
  if (snprintf(key, sizeof key, "=%s", name) >= (int)sizeof key || external->isolated)
    return true;
  pthread_mutex_lock(&external->lock);
  bool equal = compare_content(external, find_or_add_content(external, key), hash);
  pthread_mutex_unlock(&external->lock);
  return equal;
}

// Replaces an asset's earlier result with the recorded result, which takes effect at its position in the recording.
// Does nothing if the asset has not been requested.
static void replace_asset(external_o *external, external_result_t *result) {
  for (uint32_t i = 0; i < external->current_frame.assets.count; ++i)
    if (matches_request(external->current_frame.assets.items[i], result->kind, result->key)) {
      external_result_release(external->current_frame.assets.items[i]);
      external->current_frame.assets.items[i] = external_result_retain(result);
    }
}

void external_queue_recorded(external_o *external, external_result_t *result) {
  shoal_assert(result, "result must not be NULL");
  replace_asset(external, result);
  store_recorded_content(external, result);
  entry_t entry = {.result = external_result_retain(result), .frame = external->replay_frame};
  array_push(external->allocator, &external->queue, entry);
}

// --- requests

static external_result_t *find_in_frame(external_o *external, external_kind_t kind, const char *key) {
  for (uint32_t i = 0; i < external->entries.count; ++i)
    if (external->entries.items[i].frame == external->current_frame.number &&
        matches_request(external->entries.items[i].result, kind, key))
      return external->entries.items[i].result;
  return NULL;
}

// Moves the recording's next record to the queue. Returns true on success, or false if the record is not a result or no
// recording is being replayed.
static bool queue_next_record(external_o *external) {
  external_result_t *result = external->replay ? recording_read_next_result(external->replay) : NULL;
  if (!result)
    return false;
  external_queue_recorded(external, result);
  external_result_release(result);
  return true;
}

static external_result_t *find_recorded(external_o *external, external_kind_t kind, const char *key) {
  if (!external->replay)
    return NULL;
  for (uint32_t i = 0; i < external->queue.count || queue_next_record(external); ++i) {
    entry_t *entry = &external->queue.items[i];
    if (!entry->consumed && matches_request(entry->result, kind, key)) {
      entry->consumed = true;
      return external_result_retain(entry->result);
    }
  }
  return NULL;
}

static const char *describe_kind(external_kind_t kind) {
  static const char *const NAMES[EXTERNAL_KIND_COUNT] = {
      "external input",
      "the result of --exec chunk",
      "the save of --load",
      "the save",
      "the scene",
      "the existence check of asset",
      "the input of plugin call",
      "the load progress of",
      "the result of console chunk",
      "the operator's event",
      "the answer to question",
      "the player's name",
  };
  return NAMES[kind < EXTERNAL_KIND_COUNT ? kind : EXTERNAL_NONE];
}

static external_result_t *create_error(external_kind_t kind, const char *key, const error_info_t *error) {
  return external_result_create(kind, key, false, error->text, strlen(error->text));
}

static external_result_t *report_missing(external_o *external, external_kind_t kind, const char *key) {
  error_info_t error = {0};
  error_set(&error, "the recording does not contain %s %.200s, which tick %llu requests", describe_kind(kind), key,
            (unsigned long long)external->current_frame.tick);
  if (!external->missing_error.text[0])
    external->missing_error = error;
  return create_error(kind, key, &error);
}

static external_result_t *read_result(external_o *external, external_kind_t kind, const char *key, external_read_t read,
                                      void *context) {
  error_info_t error = {0};
  void *bytes = NULL;
  size_t size = 0;
  if (!read(context, key, external->allocator, &bytes, &size, &error))
    return create_error(kind, key, &error);
  external_result_t *result = NULL;
  if (size <= EXTERNAL_RESULT_MAX_BYTES)
    result = external_result_create(kind, key, true, bytes, size);
  else
    error_set(&error, "cannot record %.200s: the result is too large (at most %u MB)", key,
              EXTERNAL_RESULT_MAX_BYTES >> 20);
  file_free(external->allocator, bytes, size);
  return result ? result : create_error(kind, key, &error);
}

// Looks up a result in this frame, the recording and the log of an earlier run, in this order, and stores it in this
// frame. Returns the result, or NULL if not found.
static external_result_t *find_stored(external_o *external, external_kind_t kind, const char *key) {
  external_result_t *result = find_in_frame(external, kind, key);
  if (result)
    return result;
  if (external->current_frame.source == EXTERNAL_LIVE)
    result = find_recorded(external, kind, key);
  if (!result && external->current_frame.log)
    result = input_log_find_result(external->current_frame.log, external->current_frame.tick, kind, key);
  if (result)
    add_entry(external, result);
  return result;
}

const external_result_t *external_find(external_o *external, external_kind_t kind, const char *key) {
  shoal_assert(kind > EXTERNAL_NONE && kind < EXTERNAL_KIND_COUNT, "kind %d is out of range", (int)kind);
  return find_stored(external, kind, key);
}

// Creates an error as the result of a request that a match cannot answer in this tick. On the host, the result is too
// large for the tick's record. On a peer, the result was too large for the host, or the peer predicts the tick.
static external_result_t *create_missed(external_kind_t kind, const char *key) {
  error_info_t error = {0};
  error_set(&error, "too large for a match: a tick can read at most %u results and %u bytes from outside",
            EXTERNAL_MATCH_RESULTS, EXTERNAL_MATCH_BYTES);
  return create_error(kind, key, &error);
}

// Reserves space for a result in the record of the match's tick. Returns true on success, or false if it does not fit.
static bool fit_into_record(frame_t *frame, const external_result_t *result) {
  size_t size = strlen(result->key) + result->size;
  if (frame->results_left == 0 || size > frame->bytes_left)
    return false;
  --frame->results_left;
  frame->bytes_left -= size;
  return true;
}

// Creates the result of a request in a match if the tick's record does not contain it. On the host, calls `read`; the
// result is an error if it does not fit into the record. On a peer, the result is an error.
static external_result_t *read_in_match(external_o *external, external_kind_t kind, const char *key,
                                        external_read_t read, void *context) {
  frame_t *frame = &external->current_frame;
  external_result_t *result = frame->source == EXTERNAL_HOST ? read_result(external, kind, key, read, context) : NULL;
  bool fits = result && fit_into_record(frame, result);
  if (!fits) {
    external_result_release(result);
    result = create_missed(kind, key);
    frame->has_missed = true;
  }
  add_entry(external, result);
  external->entries.items[external->entries.count - 1].is_of_record = fits;
  return result;
}

const external_result_t *external_request(external_o *external, external_kind_t kind, const char *key,
                                          external_read_t read, void *context) {
  external_result_t *result = find_stored(external, kind, key);
  shoal_assert(kind > EXTERNAL_NONE && kind < EXTERNAL_KIND_COUNT, "kind %d is out of range", (int)kind);
  shoal_assert(read, "read must not be NULL (%s)", key);
  if (result)
    return result;
  if (external->replay && external->strict && external->current_frame.source == EXTERNAL_LIVE)
    result = report_missing(external, kind, key);
  if (!result && external->isolated && kind == EXTERNAL_PLUGIN)
    result = external_result_create(kind, key, true, NULL, 0);
  if (!result && is_of_match(&external->current_frame))
    return read_in_match(external, kind, key, read, context);
  if (!result)
    result = read_result(external, kind, key, read, context);
  add_entry(external, result);
  return result;
}

void external_replace_with_error(external_o *external, external_kind_t kind, const char *key, const char *message) {
  for (uint32_t i = 0; i < external->entries.count; ++i) {
    entry_t *entry = &external->entries.items[i];
    if (entry->frame != external->current_frame.number || entry->consumed || !matches_request(entry->result, kind, key))
      continue;
    external_result_release(entry->result);
    entry->result = external_result_create(kind, key, false, message, strlen(message));
  }
}

void external_add_result(external_o *external, external_kind_t kind, const char *key, bool found, const void *bytes,
                         size_t size) {
  add_entry(external, external_result_create(kind, key, found, bytes, size));
}

const external_result_t *external_get_recorded(external_o *external, external_kind_t kind, uint32_t i) {
  while (queue_next_record(external)) {
  }
  for (uint32_t k = 0; k < external->queue.count; ++k)
    if (external->queue.items[k].result->kind == kind && i-- == 0)
      return external->queue.items[k].result;
  return NULL;
}

external_result_t *external_pop_recorded(external_o *external, external_kind_t kind) {
  for (uint32_t i = 0; i < external->queue.count; ++i) {
    entry_t *entry = &external->queue.items[i];
    if (entry->consumed || entry->result->kind != kind)
      continue;
    entry->consumed = true;
    return external_result_retain(entry->result);
  }
  return NULL;
}

// --- assets

static bool has_asset(const assets_t *assets, const char *name) {
  char path[1100];
  return assets && assets_find(assets, name, path, sizeof path);
}

static external_result_t *find_asset(external_o *external, const char *name, const assets_t *assets) {
  for (uint32_t i = 0; i < external->current_frame.assets.count; ++i)
    if (strcmp(external->current_frame.assets.items[i]->key, name) == 0)
      return external->current_frame.assets.items[i];
  external_result_t *result = find_recorded(external, EXTERNAL_ASSET, name);
  if (!result && external->replay && external->strict)
    result = report_missing(external, EXTERNAL_ASSET, name);
  if (!result)
    result = external_result_create(EXTERNAL_ASSET, name, has_asset(assets, name), NULL, 0);
  array_push(external->allocator, &external->current_frame.assets, result);
  add_entry(external, external_result_retain(result));
  return result;
}

typedef struct deferred_asset_t {
  char name[EXTERNAL_KEY_BYTES];
  bool found;
} deferred_asset_t;

static _Thread_local external_deferred_t *deferred; // deferred requests of this thread; NULL: its requests are recorded

static bool defer_asset(external_deferred_t *d, const char *name, const assets_t *assets) {
  if (d->count == d->capacity) {
    d->capacity = d->capacity ? d->capacity * 2 : 16;
    d->items = realloc(d->items, d->capacity * sizeof *d->items);
    if (!d->items)
      abort();
  }
  deferred_asset_t *asset = &d->items[d->count++];
  snprintf(asset->name, sizeof asset->name, "%s", name);
  asset->found = has_asset(assets, name);
  return asset->found;
}

void external_defer(external_deferred_t *list) {
  deferred = list;
}

bool external_request_deferred(external_o *external, const external_deferred_t *list, const assets_t *assets) {
  bool equal = true;
  for (uint32_t i = 0; i < list->count; ++i)
    equal &= external_asset_exists(external, list->items[i].name, assets) == list->items[i].found;
  return equal;
}

void external_free_deferred(external_deferred_t *list) {
  free(list->items);
  *list = (external_deferred_t){0};
}

bool external_asset_exists(external_o *external, const char *name, const assets_t *assets) {
  if (strlen(name) >= EXTERNAL_KEY_BYTES)
    return false; // names of assets are shorter than EXTERNAL_KEY_BYTES
  if (deferred)
    return defer_asset(deferred, name, assets);
  pthread_mutex_lock(&external->lock);
  bool found = find_asset(external, name, assets)->found;
  pthread_mutex_unlock(&external->lock);
  return found;
}

void external_clear_assets(external_o *external) {
  for (uint32_t i = 0; i < external->current_frame.assets.count; ++i)
    external_result_release(external->current_frame.assets.items[i]);
  external->current_frame.assets.count = 0;
}

uint32_t external_count_call(external_o *external, const char *channel) {
  shoal_assert(channel[0], "channel must not be empty");
  uint64_t hash = hash_bytes(channel, strlen(channel), 0);
  for (uint32_t i = 0; i < external->current_frame.counters.count; ++i)
    if (external->current_frame.counters.items[i].channel == hash)
      return ++external->current_frame.counters.items[i].calls;
  counter_t counter = {.channel = hash, .calls = 1};
  array_push(external->allocator, &external->current_frame.counters, counter);
  return 1;
}

// --- functions for recordings

external_result_t *external_next_unrecorded(external_o *external, uint64_t *tick) {
  for (uint32_t i = 0; i < external->entries.count; ++i) {
    entry_t *entry = &external->entries.items[i];
    if (entry->consumed)
      continue;
    entry->consumed = true;
    *tick = entry->tick;
    return entry->result;
  }
  return NULL;
}

bool external_pop_missing(external_o *external, error_info_t *out) {
  bool missing = external->missing_error.text[0] != '\0';
  if (missing)
    *out = external->missing_error;
  external->missing_error.text[0] = '\0';
  return missing;
}
