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

#define KEPT_FRAMES 2u // number of ticks and paused frames for which an unused recorded result is kept

typedef struct entry_t {
  external_result_t *result;
  uint64_t tick, frame;
  bool taken;
} entry_t;

typedef struct counter_t {
  uint64_t channel; // hash of the channel's name
  uint32_t calls;
} counter_t;

// Content of a file that the simulation uses.
typedef struct content_t {
  char key[EXTERNAL_KEY_BYTES]; // "=" and the file name: "=wall.dye"
  // now: the file's hash in this run; recorded: the latest hash in the recording; reported: the recorded hash whose
  // difference was reported.
  uint64_t now, recorded, reported;
  bool has_now, has_recorded, has_reported;
} content_t;

// State on which the results of a frame's requests depend.
typedef struct frame_t {
  ARRAY(external_result_t *) assets;
  ARRAY(content_t) contents;
  ARRAY(counter_t) counters;
  const input_log_o *earlier;
  uint64_t tick, number;
  bool rehearsed; // true if the frame was begun by external_begin_rehearsal
} frame_t;

struct external_o {
  allocator_t *allocator;
  ARRAY(entry_t) entries; // results of this frame, and earlier ones not yet passed to the recording
  // results read from the recording: `frame` is the turn in which they were read; `taken` is set once requested
  ARRAY(entry_t) queue;
  frame_t now;
  frame_t interrupted;  // frame of the running game while another game is started
  pthread_mutex_t lock; // guards the `assets` and `contents` of `now`, which all workers may use
  recording_o *replay;
  uint64_t turn;
  bool strict, isolated;
  bool starting;        // between external_begin_start and external_end_start
  error_info_t missing; // error of the first request that the recording could not answer; "" if none
};

static bool matches_request(const external_result_t *a, external_kind_t kind, const char *key) {
  return a->kind == kind && strcmp(a->key, key) == 0;
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
  free_frame(o, &o->now);
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

// Releases the entries of frames or turns before `before`. With `only_taken`, keeps entries that have not been taken.
static void drop_entries(entry_t *items, uint32_t *count, uint64_t before, bool only_taken) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < *count; ++i)
    if (items[i].frame < before && (items[i].taken || !only_taken))
      external_result_release(items[i].result);
    else
      items[kept++] = items[i];
  *count = kept;
}

void external_begin_exec_frame(external_o *o, uint64_t tick) {
  o->now.number++;
  o->now.tick = tick;
  o->now.earlier = NULL;
  o->now.rehearsed = false;
  o->now.counters.count = 0;
  drop_entries(o->entries.items, &o->entries.count, o->now.number, true);
}

void external_begin_frame(external_o *o, uint64_t tick, const input_log_o *earlier) {
  external_begin_exec_frame(o, tick);
  o->now.earlier = earlier;
  o->turn++;
  if (o->turn > KEPT_FRAMES)
    drop_entries(o->queue.items, &o->queue.count, o->turn - KEPT_FRAMES, false);
}

void external_begin_rehearsal(external_o *o, uint64_t tick, const input_log_o *earlier) {
  external_begin_exec_frame(o, tick);
  o->now.earlier = earlier;
  o->now.rehearsed = true;
}

// The results of the interrupted frame stay in `entries`: requests find only results of the frame `now`.
void external_begin_start(external_o *o) {
  shoal_assert(!o->starting, "external_begin_start was called twice");
  o->starting = true;
  pthread_mutex_lock(&o->lock);
  o->interrupted = o->now;
  o->now = (frame_t){.number = o->now.number + 1};
  for (uint32_t i = 0; i < o->interrupted.contents.count; ++i)
    array_push(o->allocator, &o->now.contents, o->interrupted.contents.items[i]);
  pthread_mutex_unlock(&o->lock);
}

void external_end_start(external_o *o, bool keep) {
  shoal_assert(o->starting, "external_end_start without external_begin_start");
  o->starting = false;
  pthread_mutex_lock(&o->lock);
  frame_t dropped = keep ? o->interrupted : o->now;
  if (!keep) {
    while (o->entries.count > 0 && o->entries.items[o->entries.count - 1].frame == o->now.number)
      external_result_release(o->entries.items[--o->entries.count].result);
    o->now = o->interrupted;
  }
  o->interrupted = (frame_t){0};
  free_frame(o, &dropped);
  if (keep)
    drop_entries(o->entries.items, &o->entries.count, o->now.number, true);
  pthread_mutex_unlock(&o->lock);
}

void external_restart_frame(external_o *o) {
  o->now.counters.count = 0;
}

static void add_entry(external_o *o, external_result_t *a) {
  shoal_assert(a && a->references > 0, "result must not be NULL or released");
  entry_t x = {.result = a, .tick = o->now.tick, .frame = o->now.number, .taken = o->now.rehearsed};
  array_push(o->allocator, &o->entries, x);
}

// --- File contents, stored as EXTERNAL_ASSET results with a key "=NAME", which cannot be the name of an asset.

static content_t *find_or_add_content(external_o *o, const char *key) {
  for (uint32_t i = 0; i < o->now.contents.count; ++i)
    if (strcmp(o->now.contents.items[i].key, key) == 0)
      return &o->now.contents.items[i];
  content_t x = {.has_now = false};
  snprintf(x.key, sizeof x.key, "%s", key);
  array_push(o->allocator, &o->now.contents, x);
  return &o->now.contents.items[o->now.contents.count - 1];
}

static void store_recorded_content(external_o *o, const external_result_t *a) {
  if (a->kind != EXTERNAL_ASSET || a->key[0] != '=' || a->size != sizeof(uint64_t))
    return;
  content_t *x = find_or_add_content(o, a->key);
  memcpy(&x->recorded, a->bytes, sizeof x->recorded);
  x->has_recorded = true;
}

static bool compare_content(external_o *o, content_t *x, uint64_t hash) {
  if (!x->has_now || x->now != hash)
    add_entry(o, external_result_create(EXTERNAL_ASSET, x->key, true, &hash, sizeof hash));
  x->now = hash;
  x->has_now = true;
  bool same = !x->has_recorded || x->recorded == hash;
  bool reported = x->has_reported && x->reported == x->recorded;
  x->reported = x->recorded;
  x->has_reported = !same;
  return same || reported;
}

bool external_check_content(external_o *o, const char *name, uint64_t hash) {
  char key[EXTERNAL_KEY_BYTES];
  if (snprintf(key, sizeof key, "=%s", name) >= (int)sizeof key || o->isolated)
    return true;
  pthread_mutex_lock(&o->lock);
  bool same = compare_content(o, find_or_add_content(o, key), hash);
  pthread_mutex_unlock(&o->lock);
  return same;
}

// Replaces the earlier result about an asset by a recorded one, which applies from its position in the recording on.
// Does nothing if the asset was not requested before.
static void replace_asset(external_o *o, external_result_t *a) {
  for (uint32_t i = 0; i < o->now.assets.count; ++i)
    if (matches_request(o->now.assets.items[i], a->kind, a->key)) {
      external_result_release(o->now.assets.items[i]);
      o->now.assets.items[i] = external_result_retain(a);
    }
}

void external_queue_recorded(external_o *o, external_result_t *a) {
  shoal_assert(a, "result must not be NULL");
  replace_asset(o, a);
  store_recorded_content(o, a);
  entry_t x = {.result = external_result_retain(a), .frame = o->turn};
  array_push(o->allocator, &o->queue, x);
}

// --- requests

static external_result_t *find_in_frame(external_o *o, external_kind_t kind, const char *key) {
  for (uint32_t i = 0; i < o->entries.count; ++i)
    if (o->entries.items[i].frame == o->now.number && matches_request(o->entries.items[i].result, kind, key))
      return o->entries.items[i].result;
  return NULL;
}

// Moves the recording's next record to the queue. Returns false if it is not a result, or outside a replay.
static bool queue_next_record(external_o *o) {
  external_result_t *a = o->replay ? recording_read_next_result(o->replay) : NULL;
  if (!a)
    return false;
  external_queue_recorded(o, a);
  external_result_release(a);
  return true;
}

static external_result_t *find_recorded(external_o *o, external_kind_t kind, const char *key) {
  if (!o->replay)
    return NULL;
  for (uint32_t i = 0; i < o->queue.count || queue_next_record(o); ++i) {
    entry_t *x = &o->queue.items[i];
    if (!x->taken && matches_request(x->result, kind, key)) {
      x->taken = true;
      return external_result_retain(x->result);
    }
  }
  return NULL;
}

static const char *describe_kind(external_kind_t kind) {
  static const char *const names[EXTERNAL_KIND_COUNT] = {
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
  return names[kind < EXTERNAL_KIND_COUNT ? kind : EXTERNAL_NONE];
}

static external_result_t *create_error(external_kind_t kind, const char *key, const error_info_t *error) {
  return external_result_create(kind, key, false, error->text, strlen(error->text));
}

static external_result_t *report_missing(external_o *o, external_kind_t kind, const char *key) {
  error_info_t error = {0};
  error_set(&error, "the recording does not contain %s %.200s, which tick %llu requests", describe_kind(kind), key,
            (unsigned long long)o->now.tick);
  if (!o->missing.text[0])
    o->missing = error;
  return create_error(kind, key, &error);
}

static external_result_t *read_result(external_o *o, external_kind_t kind, const char *key, external_read_t read,
                                      void *context) {
  error_info_t error = {0};
  void *bytes = NULL;
  size_t size = 0;
  if (!read(context, key, o->allocator, &bytes, &size, &error))
    return create_error(kind, key, &error);
  external_result_t *a = NULL;
  if (size <= EXTERNAL_RESULT_MAX_BYTES)
    a = external_result_create(kind, key, true, bytes, size);
  else
    error_set(&error, "cannot record %.200s: the result is too large (at most %u MB)", key,
              EXTERNAL_RESULT_MAX_BYTES >> 20);
  file_free(o->allocator, bytes, size);
  return a ? a : create_error(kind, key, &error);
}

// Looks up a result in this frame, the recording and the log of an earlier run, in this order, and stores it in this
// frame. Returns NULL if not found.
static external_result_t *find_stored(external_o *o, external_kind_t kind, const char *key) {
  external_result_t *a = find_in_frame(o, kind, key);
  if (a)
    return a;
  if (!o->now.rehearsed)
    a = find_recorded(o, kind, key);
  if (!a && o->now.earlier)
    a = input_log_find_result(o->now.earlier, o->now.tick, kind, key);
  if (a)
    add_entry(o, a);
  return a;
}

const external_result_t *external_find(external_o *o, external_kind_t kind, const char *key) {
  shoal_assert(kind > EXTERNAL_NONE && kind < EXTERNAL_KIND_COUNT, "kind %d is out of range", (int)kind);
  return find_stored(o, kind, key);
}

const external_result_t *external_request(external_o *o, external_kind_t kind, const char *key, external_read_t read,
                                          void *context) {
  external_result_t *a = find_stored(o, kind, key);
  shoal_assert(kind > EXTERNAL_NONE && kind < EXTERNAL_KIND_COUNT, "kind %d is out of range", (int)kind);
  shoal_assert(read, "read must not be NULL (%s)", key);
  if (a)
    return a;
  if (o->replay && o->strict && !o->now.rehearsed)
    a = report_missing(o, kind, key);
  if (!a && o->isolated && kind == EXTERNAL_PLUGIN)
    a = external_result_create(kind, key, true, NULL, 0);
  if (!a)
    a = read_result(o, kind, key, read, context);
  add_entry(o, a);
  return a;
}

void external_replace_with_error(external_o *o, external_kind_t kind, const char *key, const char *why) {
  for (uint32_t i = 0; i < o->entries.count; ++i) {
    entry_t *x = &o->entries.items[i];
    if (x->frame != o->now.number || x->taken || !matches_request(x->result, kind, key))
      continue;
    external_result_release(x->result);
    x->result = external_result_create(kind, key, false, why, strlen(why));
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
    entry_t *x = &o->queue.items[i];
    if (x->taken || x->result->kind != kind)
      continue;
    x->taken = true;
    return external_result_retain(x->result);
  }
  return NULL;
}

// --- assets

static bool has_asset(const assets_t *assets, const char *name) {
  char path[1100];
  return assets && assets_find(assets, name, path, sizeof path);
}

static external_result_t *find_asset(external_o *o, const char *name, const assets_t *assets) {
  for (uint32_t i = 0; i < o->now.assets.count; ++i)
    if (strcmp(o->now.assets.items[i]->key, name) == 0)
      return o->now.assets.items[i];
  external_result_t *a = find_recorded(o, EXTERNAL_ASSET, name);
  if (!a && o->replay && o->strict)
    a = report_missing(o, EXTERNAL_ASSET, name);
  if (!a)
    a = external_result_create(EXTERNAL_ASSET, name, has_asset(assets, name), NULL, 0);
  array_push(o->allocator, &o->now.assets, a);
  add_entry(o, external_result_retain(a));
  return a;
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
  deferred_asset_t *x = &d->items[d->count++];
  snprintf(x->name, sizeof x->name, "%s", name);
  x->found = has_asset(assets, name);
  return x->found;
}

void external_defer(external_deferred_t *list) {
  deferred = list;
}

bool external_request_deferred(external_o *o, const external_deferred_t *list, const assets_t *assets) {
  bool same = true;
  for (uint32_t i = 0; i < list->count; ++i)
    same &= external_asset_exists(o, list->items[i].name, assets) == list->items[i].found;
  return same;
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
  for (uint32_t i = 0; i < o->now.assets.count; ++i)
    external_result_release(o->now.assets.items[i]);
  o->now.assets.count = 0;
}

uint32_t external_count_call(external_o *o, const char *channel) {
  shoal_assert(channel[0], "channel must not be empty");
  uint64_t hash = hash_bytes(channel, strlen(channel), 0);
  for (uint32_t i = 0; i < o->now.counters.count; ++i)
    if (o->now.counters.items[i].channel == hash)
      return ++o->now.counters.items[i].calls;
  counter_t x = {.channel = hash, .calls = 1};
  array_push(o->allocator, &o->now.counters, x);
  return 1;
}

// --- for recordings

external_result_t *external_next_unrecorded(external_o *o, uint64_t *tick) {
  for (uint32_t i = 0; i < o->entries.count; ++i) {
    entry_t *x = &o->entries.items[i];
    if (x->taken)
      continue;
    x->taken = true;
    *tick = x->tick;
    return x->result;
  }
  return NULL;
}

bool external_pop_missing(external_o *o, error_info_t *out) {
  bool missing = o->missing.text[0] != '\0';
  if (missing)
    *out = o->missing;
  o->missing.text[0] = '\0';
  return missing;
}
