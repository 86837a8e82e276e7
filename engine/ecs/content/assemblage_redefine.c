// Changes to assemblages at run time. Assemblages defined at run time are stored after the assemblages that files
// declare. A changed assemblage is appended again. Its previous version can no longer be found by name, and is kept as
// long as queued spawns or pending updates of entities need it. Finally, the assemblages defined at run time are sorted
// by name, so that their numbers do not depend on the history of definitions.
#include "content/assemblage_redefine.h"

#include "base/assert.h"
#include "content/content_internal.h"
#include "ecs/queued_adds.h"

#include <string.h>

void redefine_begin(world_o *w, uint32_t name, uint32_t json) {
  content_o *content = content_get(w);
  redefined_t redefined = {.depth = w->frames.count, .version = content->define_version, .name = name, .json = json};
  shoal_assert(content->world.added_version == 0, "definitions cannot be nested");
  if (name != 0)
    array_push(&w->allocator, &content->redefined, redefined);
  content->world.added_version = ++content->define_version;
  w->plan_version++;
}

void redefine_retire_assemblage(world_o *w, uint32_t name) {
  assemblage_t *a = assemblage_get(w, world_find_assemblage(w, name));
  shoal_assert(w->content && w->content->added_version != 0, "an assemblage can only be retired inside definitions");
  if (a && a->added_version != 0)
    a->retired_version = content_read(w)->define_version;
}

void redefine_end(world_o *w) {
  shoal_assert(w->content && w->content->added_version != 0, "redefine_end was called without redefine_begin");
  w->content->added_version = 0;
}

// --- end of deferral

static void roll_back_definitions(world_o *w, uint32_t version) {
  while (w->assemblages.count > 0 && w->assemblages.items[w->assemblages.count - 1].added_version > version)
    assemblage_fini(w, &w->assemblages.items[--w->assemblages.count]);
  for (uint32_t i = 0; i < w->assemblages.count; ++i)
    if (w->assemblages.items[i].retired_version > version)
      w->assemblages.items[i].retired_version = 0;
}

void redefine_drop_deeper(world_o *w, uint32_t depth) {
  content_o *content = content_get(w);
  uint32_t old_count = content->redefined.count;
  content->world.added_version = 0; // the previous definition may have been interrupted before its end
  while (content->redefined.count > 0 && content->redefined.items[content->redefined.count - 1].depth >= depth) {
    redefined_t *redefined = &content->redefined.items[--content->redefined.count];
    roll_back_definitions(w, redefined->version);
    array_free(&w->allocator, &redefined->entities);
  }
  if (old_count == content->redefined.count)
    return;
  w->plan_version++;
  strings_advance_epoch(w->strings);
}

void redefine_move_to_outer(world_o *w, uint32_t depth) {
  content_o *content = content_get(w);
  for (uint32_t i = 0; i < content->redefined.count; ++i)
    if (content->redefined.items[i].depth > depth)
      content->redefined.items[i].depth = depth;
}

void redefine_clear(world_o *w) {
  content_o *content = content_get(w);
  for (uint32_t i = 0; i < content->redefined.count; ++i)
    array_free(&w->allocator, &content->redefined.items[i].entities);
  content->redefined.count = 0;
}

// --- previous definitions

bool redefine_is_current_at_version(const assemblage_t *a, uint32_t version) {
  return a->added_version <= version && (a->retired_version == 0 || a->retired_version > version);
}

static bool is_awaiting_update(const redefined_t *redefined, shoal_entity e) {
  bool is_listed = false;
  for (uint32_t i = 0; i < redefined->entities.count && !is_listed; ++i)
    is_listed = redefined->entities.items[i] == e;
  return is_listed;
}

assemblage_t *redefine_find_assemblage(world_o *w, shoal_entity e, assemblage_t *current) {
  const content_o *content = content_read(w);
  uint32_t name = w->entities.assemblage[shoal_entity_index(e)];
  const redefined_t *redefined = NULL;
  for (uint32_t i = 0; i < content->redefined.count && !redefined; ++i)
    redefined = is_awaiting_update(&content->redefined.items[i], e) ? &content->redefined.items[i] : NULL;
  for (uint32_t i = 0; redefined && i < w->assemblages.count; ++i)
    if (w->assemblages.items[i].name == name &&
        redefine_is_current_at_version(&w->assemblages.items[i], redefined->version))
      return &w->assemblages.items[i];
  return current;
}

// --- numbers

static void mark_used_assemblages(const commands_t *commands, uint32_t *numbers) {
  for (uint32_t i = 0; i < commands->count; ++i)
    if (commands->items[i].kind == COMMAND_SPAWN)
      numbers[commands->items[i].a] = 1;
}

static void renumber_spawns(commands_t *commands, const uint32_t *numbers) {
  for (uint32_t i = 0; i < commands->count; ++i)
    if (commands->items[i].kind == COMMAND_SPAWN)
      commands->items[i].a = numbers[commands->items[i].a];
}

// Returns true if a queued spawn uses a replaced assemblage. Sets used_numbers[n] to 1 if a queued spawn uses
// assemblage n.
static bool uses_replaced_assemblage(world_o *w, uint32_t *used_numbers) {
  bool is_used = false;
  memset(used_numbers, 0, (w->assemblages.count + 1) * sizeof *used_numbers);
  mark_used_assemblages(&w->commands, used_numbers);
  for (uint32_t i = 0; i < w->blocks.count; ++i) {
    used_numbers[w->blocks.items[i]->assemblage] = 1;
    mark_used_assemblages(&w->blocks.items[i]->descendants, used_numbers);
  }
  for (uint32_t i = 0; i < w->assemblages.count; ++i)
    is_used |= w->assemblages.items[i].retired_version != 0 && used_numbers[i + 1];
  return is_used;
}

static bool is_sorted_after(const world_o *w, const assemblage_t *a, const assemblage_t *b) {
  return a->added_version != 0 &&
         (b->added_version == 0 || strcmp(strings_text(w->strings, a->name), strings_text(w->strings, b->name)) > 0);
}

// Lists the indices of current assemblages in sorted order, and returns their number. Insertion sort, because only the
// new assemblages, at the end, are unsorted.
static uint32_t list_sorted_order(const world_o *w, uint32_t *order) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < w->assemblages.count; ++i) {
    const assemblage_t *assemblage = &w->assemblages.items[i];
    uint32_t position = count;
    if (assemblage->retired_version != 0)
      continue;
    while (position > 0 && is_sorted_after(w, &w->assemblages.items[order[position - 1]], assemblage)) {
      order[position] = order[position - 1];
      --position;
    }
    order[position] = i;
    ++count;
  }
  return count;
}

static void reorder_assemblages(world_o *w, const uint32_t *order, uint32_t kept_count, uint32_t *numbers) {
  uint32_t count = w->assemblages.count;
  size_t bytes = count * sizeof(assemblage_t);
  assemblage_t *old = alloc_resize(&w->allocator, NULL, 0, bytes);
  memcpy(old, w->assemblages.items, bytes);
  memset(numbers, 0, (count + 1) * sizeof *numbers);
  for (uint32_t i = 0; i < kept_count; ++i) {
    numbers[order[i] + 1] = i + 1;
    w->assemblages.items[i] = old[order[i]];
  }
  for (uint32_t i = 0; i < count; ++i)
    if (old[i].retired_version != 0)
      assemblage_fini(w, &old[i]);
  alloc_resize(&w->allocator, old, bytes, 0);
  w->assemblages.count = kept_count;
  for (uint32_t i = 0; i < kept_count; ++i)
    for (uint32_t k = 0; k < w->assemblages.items[i].children.count; ++k) {
      uint32_t *child = &w->assemblages.items[i].children.items[k].assemblage;
      *child = numbers[*child];
    }
}

void redefine_clean_up(world_o *w) {
  uint32_t count = w->assemblages.count, newest = 0;
  for (uint32_t i = 0; i < count; ++i)
    newest = w->assemblages.items[i].added_version > newest ? w->assemblages.items[i].added_version : newest;
  if (newest == 0)
    return; // no assemblage was defined at run time
  size_t bytes = (count + 1) * sizeof(uint32_t);
  uint32_t *numbers = alloc_resize(&w->allocator, NULL, 0, bytes);
  uint32_t *order = alloc_resize(&w->allocator, NULL, 0, bytes);
  if (!uses_replaced_assemblage(w, numbers)) {
    reorder_assemblages(w, order, list_sorted_order(w, order), numbers);
    renumber_spawns(&w->commands, numbers);
    queued_adds_clear(w); // rebuilt on the next lookup
    for (uint32_t i = 0; i < w->blocks.count; ++i) {
      w->blocks.items[i]->assemblage = numbers[w->blocks.items[i]->assemblage];
      renumber_spawns(&w->blocks.items[i]->descendants, numbers);
    }
    w->plan_version++;
  }
  alloc_resize(&w->allocator, numbers, bytes, 0);
  alloc_resize(&w->allocator, order, bytes, 0);
}
