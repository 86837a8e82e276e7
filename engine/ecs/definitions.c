// Kept as what a reader "define:NAME\n{…}" has read of an event that is never emitted, as switches are (switches.c):
// there is nothing of it in worlds that define nothing, and no format knows of it.
#include "ecs/definitions.h"

#include "base/assert.h"
#include "ecs/assemblage_merge.h"
#include "ecs/world_internal.h"

#include <string.h>

static const char PREFIX[] = "define:";
enum { PREFIX_BYTES = sizeof PREFIX - 1, READ = 1 };

// How long the name is of what this defines; 0: it defines nothing. The text may be one of a damaged state.
static size_t name_bytes(const char *words, size_t length) {
  bool defines = length > PREFIX_BYTES && memcmp(words, PREFIX, PREFIX_BYTES) == 0;
  const char *end = defines ? memchr(words, '\n', length) : NULL;
  return end ? (size_t)(end - words) - PREFIX_BYTES : 0;
}

static bool is_same_name(const world_o *w, uint32_t a, uint32_t b) {
  const char *x = strings_text(w->strings, a), *y = strings_text(w->strings, b);
  size_t bytes = name_bytes(x, strings_length(w->strings, a));
  return bytes > 0 && bytes == name_bytes(y, strings_length(w->strings, b)) && memcmp(x, y, PREFIX_BYTES + bytes) == 0;
}

static void add(world_o *w, const char *words, size_t length) {
  if (name_bytes(words, length) == 0)
    return;
  for (size_t i = PREFIX_BYTES; i < length; ++i)
    array_push(&w->allocator, &w->wanted_words, words[i]);
  array_push(&w->allocator, &w->wanted_words, '\n');
}

static void add_text(world_o *w, const strings_o *s, uint32_t id) {
  add(w, strings_text(s, id), strings_length(s, id));
}

static const char *finish(world_o *w) {
  array_push(&w->allocator, &w->wanted_words, '\0');
  return w->wanted_words.items;
}

// The text that a definition which is not over yet gives to the name of `words`; `words` when there is none.
static uint32_t latest(const world_o *w, uint32_t words) {
  for (uint32_t i = 0; i < w->redefined.count; ++i)
    if (is_same_name(w, words, w->redefined.items[i].words))
      words = w->redefined.items[i].words;
  return words;
}

static reader_t *find_kept(const world_o *w, uint32_t words) {
  for (uint32_t i = 0; i < w->readers.count; ++i)
    if (is_same_name(w, w->readers.items[i].reader, words))
      return &w->readers.items[i];
  return NULL;
}

static bool is_first(const world_o *w, uint32_t number) {
  uint32_t words = w->redefined.items[number].words;
  for (uint32_t i = 0; i < number; ++i)
    if (is_same_name(w, words, w->redefined.items[i].words))
      return false;
  return !find_kept(w, words);
}

const char *definitions_list(world_o *w) {
  w->wanted_words.count = 0;
  for (uint32_t i = 0; i < w->readers.count; ++i)
    add_text(w, w->strings, latest(w, w->readers.items[i].reader));
  for (uint32_t i = 0; i < w->redefined.count; ++i)
    if (is_first(w, i))
      add_text(w, w->strings, latest(w, w->redefined.items[i].words));
  return finish(w);
}

const char *definitions_declared(const world_o *w) {
  return w->declared_words.count > 0 ? w->declared_words.items : "";
}

void definitions_list_begin(world_o *w) {
  w->wanted_words.count = 0;
}

void definitions_list_add(world_o *w, const char *words, size_t length) {
  add(w, words, length);
}

const char *definitions_list_end(world_o *w) {
  return finish(w);
}

void definitions_require(world_o *w, const char *list) {
  if (w->definer.run && strcmp(list, definitions_declared(w)) != 0)
    w->definer.run(w->definer.context, w, list);
}

// --- a change

static void keep(world_o *w, uint32_t words) {
  const event_o *started = world_find_event(w, "shoal.started");
  reader_t *known = find_kept(w, words);
  shoal_assert(started, "something is defined in a world without code");
  reader_t made = {.reader = words, .event = started->id, .next = READ};
  if (known)
    known->reader = words;
  else
    array_push(&w->allocator, &w->readers, made);
}

// Everything that is queued has been applied.
void definitions_follow(world_o *w) {
  assemblage_merge_counts_t counts = {0};
  error_t error = {0};
  w->follows = false;
  for (uint32_t i = 0; i < w->redefined.count; ++i) {
    keep(w, w->redefined.items[i].words);
    if (w->redefined.items[i].entities.count > 0 &&
        !assemblage_merge_redefined(w, &w->redefined.items[i], &counts, &error))
      log_error(w->log, "world.define: not all entities could follow: %s", error.text);
  }
  assemblage_forget_redefined(w);
  redefine_settle(w);
  strings_changed(w->strings); // so that workers hear of it
}

// Of ids of names: those whose assemblage has changed and that somebody alive has. NULL when there is none.
static uint8_t *list_names(world_o *w) {
  uint32_t texts = strings_count(w->strings);
  uint8_t *names = NULL;
  for (uint32_t i = 0; i < w->assemblages.count; ++i) {
    const assemblage_t *a = &w->assemblages.items[i];
    if (a->gone != w->define_version || world_assemblage_alive(w, a->name) == 0)
      continue;
    if (!names)
      names = memset(alloc_resize(&w->allocator, NULL, 0, texts), 0, texts);
    names[a->name] = 1;
  }
  return names;
}

// By entity index: it waits for an earlier definition already.
static uint8_t *list_waiting(world_o *w) {
  uint8_t *waiting = alloc_resize(&w->allocator, NULL, 0, w->entities.used);
  memset(waiting, 0, w->entities.used);
  for (uint32_t i = 0; i < w->redefined.count; ++i) {
    const redefined_t *x = &w->redefined.items[i];
    for (uint32_t k = 0; k < x->entities.count; ++k)
      if (is_living(w, x->entities.items[k]))
        waiting[shoal_entity_index(x->entities.items[k])] = 1;
  }
  return waiting;
}

// Who is alive and comes from what has changed.
static void list_entities(world_o *w, redefined_t *x) {
  const entities_t *s = &w->entities;
  uint32_t texts = strings_count(w->strings), used = s->used;
  uint8_t *names = list_names(w), *waiting = names ? list_waiting(w) : NULL;
  for (uint32_t i = 1; names && i < used; ++i)
    if (s->alive[i] && names[s->assemblage[i]] && !waiting[i])
      array_push(&w->allocator, &x->entities, (shoal_entity)((uint32_t)s->generation[i] << 22 | i));
  alloc_resize(&w->allocator, names, names ? texts : 0, 0);
  alloc_resize(&w->allocator, waiting, waiting ? used : 0, 0);
}

void definitions_begin(world_o *w, uint32_t words) {
  shoal_assert(words == 0 || is_same_name(w, words, words), "text %u defines nothing", words);
  redefine_begin(w, words);
  w->define_follows = words != 0;
  w->follows = true;
}

void definitions_retire(world_o *w, uint32_t name) {
  redefine_retire(w, name);
}

void definitions_end(world_o *w, const char *list) {
  uint32_t bytes = (uint32_t)strlen(list) + 1;
  shoal_assert(list != w->declared_words.items, "what is declared is what was declared");
  redefine_end(w);
  if (w->define_follows)
    list_entities(w, &w->redefined.items[w->redefined.count - 1]);
  w->declared_words.count = 0;
  array_reserve(&w->allocator, &w->declared_words, bytes);
  memcpy(w->declared_words.items, list, bytes);
  w->declared_words.count = bytes;
  if (!world_is_deferring(w))
    definitions_follow(w);
}
