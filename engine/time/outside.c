// Questions to the outside and their answers: asked once, kept for the recording and for whoever lives the tick again.
#include "time/outside.h"

#include "base/assert.h"
#include "base/array.h"
#include "base/files.h"
#include "base/hash.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEPT_TURNS 2u // ticks, or frames of a pause, that an answer of a recording waits for whoever asks for it

typedef struct entry_t {
  outside_answer_t *answer;
  uint64_t tick, frame;
  bool taken;
} entry_t;

typedef struct counter_t {
  uint64_t channel; // hash of the name
  uint32_t calls;
} counter_t;

// What files hold that the simulation uses: here, and as the recording has them up to now.
typedef struct content_t {
  char key[OUTSIDE_KEY_BYTES];  // "=wall.dye"
  uint64_t now, recorded, told; // told: as it was recorded, and another one here
  bool has_now, has_recorded, has_told;
} content_t;

struct outside_o {
  allocator_t *allocator;
  ARRAY(entry_t) entries; // of this frame, and those not taken yet
  ARRAY(entry_t) queue;   // of the recording, by turn: `taken` when they were asked for
  ARRAY(outside_answer_t *) assets;
  ARRAY(content_t) contents;
  ARRAY(counter_t) counters;
  pthread_mutex_t lock; // assets are asked for by every worker
  recording_o *replay;
  const input_log_o *lived;
  uint64_t tick, frame, turn;
  bool strict, deaf;
  bool rehearsed;  // this frame: see outside_rehearse
  error_t missing; // "" for nothing
};

static bool is_about(const outside_answer_t *a, outside_kind_t kind, const char *key) {
  return a->kind == kind && strcmp(a->key, key) == 0;
}

// ---------------------------------------------------------------------------------------------------------- life cycle

outside_o *outside_create(allocator_t *a) {
  shoal_assert(a, "the outside needs an allocator");
  outside_o *o = alloc_resize(a, NULL, 0, sizeof *o);
  *o = (outside_o){.allocator = a};
  pthread_mutex_init(&o->lock, NULL);
  return o;
}

void outside_destroy(outside_o *o) {
  if (!o)
    return;
  for (uint32_t i = 0; i < o->entries.count; ++i)
    outside_release(o->entries.items[i].answer);
  for (uint32_t i = 0; i < o->queue.count; ++i)
    outside_release(o->queue.items[i].answer);
  outside_forget_assets(o);
  array_free(o->allocator, &o->entries);
  array_free(o->allocator, &o->queue);
  array_free(o->allocator, &o->assets);
  array_free(o->allocator, &o->contents);
  array_free(o->allocator, &o->counters);
  pthread_mutex_destroy(&o->lock);
  alloc_resize(o->allocator, o, sizeof *o, 0);
}

void outside_set_replay(outside_o *o, recording_o *replay) {
  o->replay = replay;
}

void outside_set_deaf(outside_o *o) {
  o->deaf = true;
}

void outside_set_strict(outside_o *o, bool strict) {
  o->strict = strict;
}

// Drops those of earlier frames, or turns.
static void drop_entries(entry_t *items, uint32_t *count, uint64_t before, bool only_taken) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < *count; ++i)
    if (items[i].frame < before && (items[i].taken || !only_taken))
      outside_release(items[i].answer);
    else
      items[kept++] = items[i];
  *count = kept;
}

void outside_begin_chunk(outside_o *o, uint64_t tick) {
  o->frame++;
  o->tick = tick;
  o->lived = NULL;
  o->rehearsed = false;
  o->counters.count = 0;
  drop_entries(o->entries.items, &o->entries.count, o->frame, true);
}

void outside_begin(outside_o *o, uint64_t tick, const input_log_o *lived) {
  outside_begin_chunk(o, tick);
  o->lived = lived;
  o->turn++;
  if (o->turn > KEPT_TURNS)
    drop_entries(o->queue.items, &o->queue.count, o->turn - KEPT_TURNS, false);
}

void outside_rehearse(outside_o *o, uint64_t tick, const input_log_o *lived) {
  outside_begin_chunk(o, tick);
  o->lived = lived;
  o->rehearsed = true;
}

void outside_again(outside_o *o) {
  o->counters.count = 0;
}

static void add_entry(outside_o *o, outside_answer_t *a) {
  shoal_assert(a && a->references > 0, "an answer that is kept is owned");
  entry_t x = {.answer = a, .tick = o->tick, .frame = o->frame, .taken = o->rehearsed};
  array_push(o->allocator, &o->entries, x);
}

// --- contents: an answer of the kind of assets whose key no asset has

static content_t *content_of(outside_o *o, const char *key) {
  for (uint32_t i = 0; i < o->contents.count; ++i)
    if (strcmp(o->contents.items[i].key, key) == 0)
      return &o->contents.items[i];
  content_t x = {.has_now = false};
  snprintf(x.key, sizeof x.key, "%s", key);
  array_push(o->allocator, &o->contents, x);
  return &o->contents.items[o->contents.count - 1];
}

static void hear_content(outside_o *o, const outside_answer_t *a) {
  if (a->kind != OUTSIDE_ASSET || a->key[0] != '=' || a->size != sizeof(uint64_t))
    return;
  content_t *x = content_of(o, a->key);
  memcpy(&x->recorded, a->bytes, sizeof x->recorded);
  x->has_recorded = true;
}

static bool compare_content(outside_o *o, content_t *x, uint64_t hash) {
  if (!x->has_now || x->now != hash)
    add_entry(o, outside_answer_make(OUTSIDE_ASSET, x->key, true, &hash, sizeof hash));
  x->now = hash;
  x->has_now = true;
  bool same = !x->has_recorded || x->recorded == hash;
  bool told = x->has_told && x->told == x->recorded;
  x->told = x->recorded;
  x->has_told = !same;
  return same || told;
}

bool outside_content(outside_o *o, const char *name, uint64_t hash) {
  char key[OUTSIDE_KEY_BYTES];
  if (snprintf(key, sizeof key, "=%s", name) >= (int)sizeof key || o->deaf)
    return true;
  pthread_mutex_lock(&o->lock);
  bool same = compare_content(o, content_of(o, key), hash);
  pthread_mutex_unlock(&o->lock);
  return same;
}

// What a later answer says of an asset holds from where the recording has it.
static void renew_asset(outside_o *o, outside_answer_t *a) {
  for (uint32_t i = 0; i < o->assets.count; ++i)
    if (is_about(o->assets.items[i], a->kind, a->key)) {
      outside_release(o->assets.items[i]);
      o->assets.items[i] = outside_retain(a);
    }
}

void outside_put(outside_o *o, outside_answer_t *a) {
  shoal_assert(a, "a recording puts answers, not the lack of one");
  renew_asset(o, a);
  hear_content(o, a);
  entry_t x = {.answer = outside_retain(a), .frame = o->turn};
  array_push(o->allocator, &o->queue, x);
}

// -------------------------------------------------------------------------------------------------------------- asking

static outside_answer_t *find_asked(outside_o *o, outside_kind_t kind, const char *key) {
  for (uint32_t i = 0; i < o->entries.count; ++i)
    if (o->entries.items[i].frame == o->frame && is_about(o->entries.items[i].answer, kind, key))
      return o->entries.items[i].answer;
  return NULL;
}

// What comes next in the recording, as far as it is answers.
static bool pull(outside_o *o) {
  outside_answer_t *a = o->replay ? recording_next_answer(o->replay) : NULL;
  if (!a)
    return false;
  outside_put(o, a);
  outside_release(a);
  return true;
}

static outside_answer_t *find_recorded(outside_o *o, outside_kind_t kind, const char *key) {
  if (!o->replay)
    return NULL;
  for (uint32_t i = 0; i < o->queue.count || pull(o); ++i) {
    entry_t *x = &o->queue.items[i];
    if (!x->taken && is_about(x->answer, kind, key)) {
      x->taken = true;
      return outside_retain(x->answer);
    }
  }
  return NULL;
}

static const char *kind_words(outside_kind_t kind) {
  static const char *const words[OUTSIDE_KIND_COUNT] = {"something",
                                                        "a chunk of --exec",
                                                        "the save of --load",
                                                        "the save",
                                                        "the scene",
                                                        "whether there is the asset",
                                                        "what came in",
                                                        "how far assets are loaded:",
                                                        "a chunk of the console"};
  return words[kind < OUTSIDE_KIND_COUNT ? kind : OUTSIDE_NONE];
}

static outside_answer_t *refuse(outside_kind_t kind, const char *key, const error_t *error) {
  return outside_answer_make(kind, key, false, error->text, strlen(error->text));
}

static outside_answer_t *miss(outside_o *o, outside_kind_t kind, const char *key) {
  error_t error = {0};
  error_set(&error, "the recording does not hold %s %.200s, which tick %llu asks for", kind_words(kind), key,
            (unsigned long long)o->tick);
  if (!o->missing.text[0])
    o->missing = error;
  return refuse(kind, key, &error);
}

static outside_answer_t *read_now(outside_o *o, outside_kind_t kind, const char *key, outside_read_t read,
                                  void *context) {
  error_t error = {0};
  void *bytes = NULL;
  size_t size = 0;
  if (!read(context, key, o->allocator, &bytes, &size, &error))
    return refuse(kind, key, &error);
  outside_answer_t *a = NULL;
  if (size <= OUTSIDE_MAX_BYTES)
    a = outside_answer_make(kind, key, true, bytes, size);
  else
    error_set(&error, "%.200s has more than %u MB: that is too large to be recorded", key, OUTSIDE_MAX_BYTES >> 20);
  file_free(o->allocator, bytes, size);
  return a ? a : refuse(kind, key, &error);
}

const outside_answer_t *outside_ask(outside_o *o, outside_kind_t kind, const char *key, outside_read_t read,
                                    void *context) {
  outside_answer_t *a = find_asked(o, kind, key);
  shoal_assert(kind > OUTSIDE_NONE && kind < OUTSIDE_KIND_COUNT, "a question of kind %d", (int)kind);
  shoal_assert(read, "who asks says how %s is read", key);
  if (a)
    return a;
  if (!o->rehearsed)
    a = find_recorded(o, kind, key);
  if (!a && o->lived)
    a = input_log_answer(o->lived, o->tick, kind, key);
  if (!a && o->replay && o->strict && !o->rehearsed)
    a = miss(o, kind, key);
  if (!a && o->deaf && kind == OUTSIDE_PLUGIN)
    a = outside_answer_make(kind, key, true, NULL, 0);
  if (!a)
    a = read_now(o, kind, key, read, context);
  add_entry(o, a);
  return a;
}

void outside_undo(outside_o *o, outside_kind_t kind, const char *key, const char *why) {
  for (uint32_t i = 0; i < o->entries.count; ++i) {
    entry_t *x = &o->entries.items[i];
    if (x->frame != o->frame || x->taken || !is_about(x->answer, kind, key))
      continue;
    outside_release(x->answer);
    x->answer = outside_answer_make(kind, key, false, why, strlen(why));
  }
}

void outside_note(outside_o *o, outside_kind_t kind, const char *key, bool found, const void *bytes, size_t size) {
  add_entry(o, outside_answer_make(kind, key, found, bytes, size));
}

const outside_answer_t *outside_recorded(outside_o *o, outside_kind_t kind, uint32_t i) {
  while (pull(o)) {
  }
  for (uint32_t k = 0; k < o->queue.count; ++k)
    if (o->queue.items[k].answer->kind == kind && i-- == 0)
      return o->queue.items[k].answer;
  return NULL;
}

outside_answer_t *outside_take_recorded(outside_o *o, outside_kind_t kind) {
  for (uint32_t i = 0; i < o->queue.count; ++i) {
    entry_t *x = &o->queue.items[i];
    if (x->taken || x->answer->kind != kind)
      continue;
    x->taken = true;
    return outside_retain(x->answer);
  }
  return NULL;
}

// -------------------------------------------------------------------------------------------------------------- assets

static bool has_asset(const assets_t *assets, const char *name) {
  char path[1100];
  return assets && assets_find(assets, name, path, sizeof path);
}

static outside_answer_t *ask_asset(outside_o *o, const char *name, const assets_t *assets) {
  for (uint32_t i = 0; i < o->assets.count; ++i)
    if (strcmp(o->assets.items[i]->key, name) == 0)
      return o->assets.items[i];
  outside_answer_t *a = find_recorded(o, OUTSIDE_ASSET, name);
  if (!a && o->replay && o->strict)
    a = miss(o, OUTSIDE_ASSET, name);
  if (!a)
    a = outside_answer_make(OUTSIDE_ASSET, name, has_asset(assets, name), NULL, 0);
  array_push(o->allocator, &o->assets, a);
  add_entry(o, outside_retain(a));
  return a;
}

bool outside_asset(outside_o *o, const char *name, const assets_t *assets) {
  if (strlen(name) >= OUTSIDE_KEY_BYTES)
    return false; // no file has such a name
  pthread_mutex_lock(&o->lock);
  bool found = ask_asset(o, name, assets)->found;
  pthread_mutex_unlock(&o->lock);
  return found;
}

void outside_forget_assets(outside_o *o) {
  for (uint32_t i = 0; i < o->assets.count; ++i)
    outside_release(o->assets.items[i]);
  o->assets.count = 0;
}

uint32_t outside_number(outside_o *o, const char *channel) {
  shoal_assert(channel[0], "a channel has a name");
  uint64_t hash = hash_bytes(channel, strlen(channel), 0);
  for (uint32_t i = 0; i < o->counters.count; ++i)
    if (o->counters.items[i].channel == hash)
      return ++o->counters.items[i].calls;
  counter_t x = {.channel = hash, .calls = 1};
  array_push(o->allocator, &o->counters, x);
  return 1;
}

// ------------------------------------------------------------------------------------------------------ for recordings

outside_answer_t *outside_take(outside_o *o, uint64_t *tick) {
  for (uint32_t i = 0; i < o->entries.count; ++i) {
    entry_t *x = &o->entries.items[i];
    if (x->taken)
      continue;
    x->taken = true;
    *tick = x->tick;
    return x->answer;
  }
  return NULL;
}

bool outside_take_missing(outside_o *o, error_t *out) {
  bool missing = o->missing.text[0] != '\0';
  if (missing)
    *out = o->missing;
  o->missing.text[0] = '\0';
  return missing;
}
