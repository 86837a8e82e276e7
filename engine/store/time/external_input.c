// External input: obtains the result of each request once per frame, from the recording, the input log or the reader.
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
} entry_t;

typedef struct counter_t {
  uint64_t channel; // hash of the channel's name
  uint32_t calls;
} counter_t;

// Content of a file that the simulation uses.
typedef struct content_t {
  char key[EXTERNAL_KEY_BYTES]; // "=" and the file name: "=wall.dye"
  // current: the file's hash in this run; recorded: the latest hash in the recording; reported: the recorded hash
  // whose difference was reported.
  uint64_t current_hash, recorded_hash, reported_hash;
  bool has_current, has_recorded, has_reported;
} content_t;

// State on which the results of a frame's requests depend.
typedef struct frame_t {
  ARRAY(external_result_t *) assets;
  ARRAY(content_t) contents;
  ARRAY(counter_t) counters;
  const input_log_o *previous_log;
  uint64_t tick, number;
  bool is_rehearsal; // true if the frame was begun by external_begin_rehearsal
} frame_t;

struct external_o {
  allocator_t *allocator;
  ARRAY(entry_t) entries; // results of this frame, and earlier results that the recording has not received yet
  // results read from the recording: `frame` is the `replay_frame` in which they were read; `consumed` is set once
  // requested
  ARRAY(entry_t) queue;
  frame_t current_frame;
  frame_t interrupted_frame; // frame of the running game while another game is started
  pthread_mutex_t lock;      // guards the `assets` and `contents` of `current_frame`, which all workers may use
  recording_o *replay;
  uint64_t replay_frame; // number of frames begun by external_begin_frame
  bool strict, isolated;
  bool starting;              // between external_begin_start and external_end_start
  error_info_t missing_error; // error of the first request that the recording could not answer; "" if none
};

static bool matches_request(const external_result_t *result, external_kind_t kind, const char *key) {
  return result->kind == kind && strcmp(result->key, key) == 0;
}

// --- life cycle

external_o *external_create(allocator_t *a) {
  shoal_assert(a, "allocator must not be NULL");
  external_o *o = alloc_resize(a, NULL, 0, sizeof *o);
  *o = (external_o){.allocator = a};
  pthread_mutex_init(&o->lock, NULL);
  return o;
}

static void free_frame(external_o *o, frame_t *f) {
  for (uint32_t i = 0; i < f->assets.count; ++i)
    external_result_release(f->assets.items[i]);
  array_free(o->allocator, &f->assets);
  array_free(o->allocator, &f->contents);
  array_free(o->allocator, &f->counters);
  *f = (frame_t){0};
}

void external_destroy(external_o *o) {
  if (!o)
    return;
  shoal_assert(!o->starting, "external input is destroyed while a game starts");
  for (uint32_t i = 0; i < o->entries.count; ++i)
    external_result_release(o->entries.items[i].result);
  for (uint32_t i = 0; i < o->queue.count; ++i)
    external_result_release(o->queue.items[i].result);
  free_frame(o, &o->current_frame);
  array_free(o->allocator, &o->entries);
  array_free(o->allocator, &o->queue);
  pthread_mutex_destroy(&o->lock);
  alloc_resize(o->allocator, o, sizeof *o, 0);
}

void external_set_replay(external_o *o, recording_o *replay) {
  o->replay = replay;
}

void external_set_isolated(external_o *o) {
  o->isolated = true;
}

void external_set_strict(external_o *o, bool strict) {
  o->strict = strict;
}

// Releases the entries of frames before `first_frame`. With `only_consumed`, keeps entries that were not consumed.
static void drop_entries(entry_t *items, uint32_t *count, uint64_t first_frame, bool only_consumed) {
  uint32_t kept_count = 0;
  for (uint32_t i = 0; i < *count; ++i)
    if (items[i].frame < first_frame && (items[i].consumed || !only_consumed))
      external_result_release(items[i].result);
    else
      items[kept_count++] = items[i];
  *count = kept_count;
}

void external_begin_exec_frame(external_o *o, uint64_t tick) {
  o->current_frame.number++;
  o->current_frame.tick = tick;
  o->current_frame.previous_log = NULL;
  o->current_frame.is_rehearsal = false;
  o->current_frame.counters.count = 0;
  drop_entries(o->entries.items, &o->entries.count, o->current_frame.number, true);
}

void external_begin_frame(external_o *o, uint64_t tick, const input_log_o *previous_log) {
  external_begin_exec_frame(o, tick);
  o->current_frame.previous_log = previous_log;
  o->replay_frame++;
  if (o->replay_frame > MAX_UNUSED_FRAMES)
    drop_entries(o->queue.items, &o->queue.count, o->replay_frame - MAX_UNUSED_FRAMES, false);
}

void external_begin_rehearsal(external_o *o, uint64_t tick, const input_log_o *previous_log) {
  external_begin_exec_frame(o, tick);
  o->current_frame.previous_log = previous_log;
  o->current_frame.is_rehearsal = true;
}

// The results of the interrupted frame stay in `entries`: requests find only results of `current_frame`.
void external_begin_start(external_o *o) {
  shoal_assert(!o->starting, "external_begin_start was called twice");
  o->starting = true;
  pthread_mutex_lock(&o->lock);
  o->interrupted_frame = o->current_frame;
  o->current_frame = (frame_t){.number = o->current_frame.number + 1};
  for (uint32_t i = 0; i < o->interrupted_frame.contents.count; ++i)
    array_push(o->allocator, &o->current_frame.contents, o->interrupted_frame.contents.items[i]);
  pthread_mutex_unlock(&o->lock);
}

void external_end_start(external_o *o, bool keep) {
  shoal_assert(o->starting, "external_end_start without external_begin_start");
  o->starting = false;
  pthread_mutex_lock(&o->lock);
  frame_t unused_frame = keep ? o->interrupted_frame : o->current_frame;
  if (!keep) {
    while (o->entries.count > 0 && o->entries.items[o->entries.count - 1].frame == o->current_frame.number)
      external_result_release(o->entries.items[--o->entries.count].result);
    o->current_frame = o->interrupted_frame;
  }
  o->interrupted_frame = (frame_t){0};
  free_frame(o, &unused_frame);
  if (keep)
    drop_entries(o->entries.items, &o->entries.count, o->current_frame.number, true);
  pthread_mutex_unlock(&o->lock);
}

void external_restart_frame(external_o *o) {
  o->current_frame.counters.count = 0;
}

static void add_entry(external_o *o, external_result_t *result) {
  shoal_assert(result && result->references > 0, "result must not be NULL or released");
  entry_t entry = {.result = result,
                   .tick = o->current_frame.tick,
                   .frame = o->current_frame.number,
                   .consumed = o->current_frame.is_rehearsal};
  array_push(o->allocator, &o->entries, entry);
}

// --- File contents, stored as EXTERNAL_ASSET results with a key "=NAME", which cannot be the name of an asset.

static content_t *find_or_add_content(external_o *o, const char *key) {
  for (uint32_t i = 0; i < o->current_frame.contents.count; ++i)
    if (strcmp(o->current_frame.contents.items[i].key, key) == 0)
      return &o->current_frame.contents.items[i];
  content_t content = {.has_current = false};
  snprintf(content.key, sizeof content.key, "%s", key);
  array_push(o->allocator, &o->current_frame.contents, content);
  return &o->current_frame.contents.items[o->current_frame.contents.count - 1];
}

static void store_recorded_content(external_o *o, const external_result_t *result) {
  if (result->kind != EXTERNAL_ASSET || result->key[0] != '=' || result->size != sizeof(uint64_t))
    return;
  content_t *content = find_or_add_content(o, result->key);
  memcpy(&content->recorded_hash, result->bytes, sizeof content->recorded_hash);
  content->has_recorded = true;
}

static bool compare_content(external_o *o, content_t *content, uint64_t hash) {
  if (!content->has_current || content->current_hash != hash)
    add_entry(o, external_result_create(EXTERNAL_ASSET, content->key, true, &hash, sizeof hash));
  content->current_hash = hash;
  content->has_current = true;
  bool equal = !content->has_recorded || content->recorded_hash == hash;
  bool already_reported = content->has_reported && content->reported_hash == content->recorded_hash;
  content->reported_hash = content->recorded_hash;
  content->has_reported = !equal;
  return equal || already_reported;
}

bool external_check_content(external_o *o, const char *name, uint64_t hash) {
  char key[EXTERNAL_KEY_BYTES];
  if (snprintf(key, sizeof key, "=%s", name) >= (int)sizeof key || o->isolated)
    return true;
  pthread_mutex_lock(&o->lock);
  bool equal = compare_content(o, find_or_add_content(o, key), hash);
  pthread_mutex_unlock(&o->lock);
  return equal;
}

// Replaces the earlier result about an asset by a recorded one, which applies from its position in the recording on.
// Does nothing if the asset was not requested before.
static void replace_asset(external_o *o, external_result_t *result) {
  for (uint32_t i = 0; i < o->current_frame.assets.count; ++i)
    if (matches_request(o->current_frame.assets.items[i], result->kind, result->key)) {
      external_result_release(o->current_frame.assets.items[i]);
      o->current_frame.assets.items[i] = external_result_retain(result);
    }
}

void external_queue_recorded(external_o *o, external_result_t *result) {
  shoal_assert(result, "result must not be NULL");
  replace_asset(o, result);
  store_recorded_content(o, result);
  entry_t entry = {.result = external_result_retain(result), .frame = o->replay_frame};
  array_push(o->allocator, &o->queue, entry);
}

// --- requests

static external_result_t *find_in_frame(external_o *o, external_kind_t kind, const char *key) {
  for (uint32_t i = 0; i < o->entries.count; ++i)
    if (o->entries.items[i].frame == o->current_frame.number && matches_request(o->entries.items[i].result, kind, key))
      return o->entries.items[i].result;
  return NULL;
}

// Moves the recording's next record to the queue. Returns false if it is not a result, or outside a replay.
static bool queue_next_record(external_o *o) {
  external_result_t *result = o->replay ? recording_read_next_result(o->replay) : NULL;
  if (!result)
    return false;
  external_queue_recorded(o, result);
  external_result_release(result);
  return true;
}

static external_result_t *find_recorded(external_o *o, external_kind_t kind, const char *key) {
  if (!o->replay)
    return NULL;
  for (uint32_t i = 0; i < o->queue.count || queue_next_record(o); ++i) {
    entry_t *entry = &o->queue.items[i];
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
  };
  return NAMES[kind < EXTERNAL_KIND_COUNT ? kind : EXTERNAL_NONE];
}

static external_result_t *create_error(external_kind_t kind, const char *key, const error_info_t *error) {
  return external_result_create(kind, key, false, error->text, strlen(error->text));
}

static external_result_t *report_missing(external_o *o, external_kind_t kind, const char *key) {
  error_info_t error = {0};
  error_set(&error, "the recording does not contain %s %.200s, which tick %llu requests", describe_kind(kind), key,
            (unsigned long long)o->current_frame.tick);
  if (!o->missing_error.text[0])
    o->missing_error = error;
  return create_error(kind, key, &error);
}

static external_result_t *read_result(external_o *o, external_kind_t kind, const char *key, external_read_t read,
                                      void *context) {
  error_info_t error = {0};
  void *bytes = NULL;
  size_t size = 0;
  if (!read(context, key, o->allocator, &bytes, &size, &error))
    return create_error(kind, key, &error);
  external_result_t *result = NULL;
  if (size <= EXTERNAL_RESULT_MAX_BYTES)
    result = external_result_create(kind, key, true, bytes, size);
  else
    error_set(&error, "cannot record %.200s: the result is too large (at most %u MB)", key,
              EXTERNAL_RESULT_MAX_BYTES >> 20);
  file_free(o->allocator, bytes, size);
  return result ? result : create_error(kind, key, &error);
}

// Looks up a result in this frame, the recording and the log of an earlier run, in this order, and stores it in this
// frame. Returns NULL if not found.
static external_result_t *find_stored(external_o *o, external_kind_t kind, const char *key) {
  external_result_t *result = find_in_frame(o, kind, key);
  if (result)
    return result;
  if (!o->current_frame.is_rehearsal)
    result = find_recorded(o, kind, key);
  if (!result && o->current_frame.previous_log)
    result = input_log_find_result(o->current_frame.previous_log, o->current_frame.tick, kind, key);
  if (result)
    add_entry(o, result);
  return result;
}

const external_result_t *external_find(external_o *o, external_kind_t kind, const char *key) {
  shoal_assert(kind > EXTERNAL_NONE && kind < EXTERNAL_KIND_COUNT, "kind %d is out of range", (int)kind);
  return find_stored(o, kind, key);
}

const external_result_t *external_request(external_o *o, external_kind_t kind, const char *key, external_read_t read,
                                          void *context) {
  external_result_t *result = find_stored(o, kind, key);
  shoal_assert(kind > EXTERNAL_NONE && kind < EXTERNAL_KIND_COUNT, "kind %d is out of range", (int)kind);
  shoal_assert(read, "read must not be NULL (%s)", key);
  if (result)
    return result;
  if (o->replay && o->strict && !o->current_frame.is_rehearsal)
    result = report_missing(o, kind, key);
  if (!result && o->isolated && kind == EXTERNAL_PLUGIN)
    result = external_result_create(kind, key, true, NULL, 0);
  if (!result)
    result = read_result(o, kind, key, read, context);
  add_entry(o, result);
  return result;
}

void external_replace_with_error(external_o *o, external_kind_t kind, const char *key, const char *message) {
  for (uint32_t i = 0; i < o->entries.count; ++i) {
    entry_t *entry = &o->entries.items[i];
    if (entry->frame != o->current_frame.number || entry->consumed || !matches_request(entry->result, kind, key))
      continue;
    external_result_release(entry->result);
    entry->result = external_result_create(kind, key, false, message, strlen(message));
  }
}

void external_add_result(external_o *o, external_kind_t kind, const char *key, bool found, const void *bytes,
                         size_t size) {
  add_entry(o, external_result_create(kind, key, found, bytes, size));
}

const external_result_t *external_get_recorded(external_o *o, external_kind_t kind, uint32_t i) {
  while (queue_next_record(o)) {
  }
  for (uint32_t k = 0; k < o->queue.count; ++k)
    if (o->queue.items[k].result->kind == kind && i-- == 0)
      return o->queue.items[k].result;
  return NULL;
}

external_result_t *external_pop_recorded(external_o *o, external_kind_t kind) {
  for (uint32_t i = 0; i < o->queue.count; ++i) {
    entry_t *entry = &o->queue.items[i];
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

static external_result_t *find_asset(external_o *o, const char *name, const assets_t *assets) {
  for (uint32_t i = 0; i < o->current_frame.assets.count; ++i)
    if (strcmp(o->current_frame.assets.items[i]->key, name) == 0)
      return o->current_frame.assets.items[i];
  external_result_t *result = find_recorded(o, EXTERNAL_ASSET, name);
  if (!result && o->replay && o->strict)
    result = report_missing(o, EXTERNAL_ASSET, name);
  if (!result)
    result = external_result_create(EXTERNAL_ASSET, name, has_asset(assets, name), NULL, 0);
  array_push(o->allocator, &o->current_frame.assets, result);
  add_entry(o, external_result_retain(result));
  return result;
}

typedef struct deferred_asset_t {
  char name[EXTERNAL_KEY_BYTES];
  bool found;
} deferred_asset_t;

static _Thread_local external_deferred_t *deferred; // NULL: this thread's requests are recorded

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

bool external_request_deferred(external_o *o, const external_deferred_t *list, const assets_t *assets) {
  bool equal = true;
  for (uint32_t i = 0; i < list->count; ++i)
    equal &= external_asset_exists(o, list->items[i].name, assets) == list->items[i].found;
  return equal;
}

void external_free_deferred(external_deferred_t *list) {
  free(list->items);
  *list = (external_deferred_t){0};
}

bool external_asset_exists(external_o *o, const char *name, const assets_t *assets) {
  if (strlen(name) >= EXTERNAL_KEY_BYTES)
    return false; // asset names are shorter
  if (deferred)
    return defer_asset(deferred, name, assets);
  pthread_mutex_lock(&o->lock);
  bool found = find_asset(o, name, assets)->found;
  pthread_mutex_unlock(&o->lock);
  return found;
}

void external_clear_assets(external_o *o) {
  for (uint32_t i = 0; i < o->current_frame.assets.count; ++i)
    external_result_release(o->current_frame.assets.items[i]);
  o->current_frame.assets.count = 0;
}

uint32_t external_count_call(external_o *o, const char *channel) {
  shoal_assert(channel[0], "channel must not be empty");
  uint64_t hash = hash_bytes(channel, strlen(channel), 0);
  for (uint32_t i = 0; i < o->current_frame.counters.count; ++i)
    if (o->current_frame.counters.items[i].channel == hash)
      return ++o->current_frame.counters.items[i].calls;
  counter_t counter = {.channel = hash, .calls = 1};
  array_push(o->allocator, &o->current_frame.counters, counter);
  return 1;
}

// --- for recordings

external_result_t *external_next_unrecorded(external_o *o, uint64_t *tick) {
  for (uint32_t i = 0; i < o->entries.count; ++i) {
    entry_t *entry = &o->entries.items[i];
    if (entry->consumed)
      continue;
    entry->consumed = true;
    *tick = entry->tick;
    return entry->result;
  }
  return NULL;
}

bool external_pop_missing(external_o *o, error_info_t *out) {
  bool missing = o->missing_error.text[0] != '\0';
  if (missing)
    *out = o->missing_error;
  o->missing_error.text[0] = '\0';
  return missing;
}
