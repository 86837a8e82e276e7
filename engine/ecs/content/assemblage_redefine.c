// Changes to assemblages at run time. Assemblages defined at run time are stored after those declared by files. A
// changed assemblage is appended again; its previous version can no longer be found by name, and is kept as long as
// queued spawns or pending updates of entities need it. Finally, the assemblages defined at run time are sorted by
// name, so that their numbers do not depend on the history of definitions.
#include "content/assemblage_redefine.h"

#include "base/assert.h"
#include "content/content_internal.h"
#include "ecs/queued_adds.h"

#include <string.h>

void redefine_begin(world_o *w, uint32_t name, uint32_t json) {
  content_o *c = content_get(w);
  redefined_t made = {.depth = w->frames.count, .version = c->define_version, .name = name, .json = json};
  shoal_assert(c->world.added_version == 0, "definitions cannot be nested");
  if (name != 0)
    array_push(&w->allocator, &c->redefined, made);
  c->world.added_version = ++c->define_version;
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
  content_o *c = content_get(w);
  uint32_t before = c->redefined.count;
  c->world.added_version = 0; // the code inside the definition may have been interrupted
  while (c->redefined.count > 0 && c->redefined.items[c->redefined.count - 1].depth >= depth) {
    redefined_t *x = &c->redefined.items[--c->redefined.count];
    roll_back_definitions(w, x->version);
    array_free(&w->allocator, &x->entities);
  }
  if (before == c->redefined.count)
    return;
  w->plan_version++;
  strings_advance_epoch(w->strings);
}

void redefine_move_to_outer(world_o *w, uint32_t depth) {
  content_o *c = content_get(w);
  for (uint32_t i = 0; i < c->redefined.count; ++i)
    if (c->redefined.items[i].depth > depth)
      c->redefined.items[i].depth = depth;
}

void redefine_clear(world_o *w) {
  content_o *c = content_get(w);
  for (uint32_t i = 0; i < c->redefined.count; ++i)
    array_free(&w->allocator, &c->redefined.items[i].entities);
  c->redefined.count = 0;
}

// --- previous definitions

bool redefine_is_current_at_version(const assemblage_t *a, uint32_t version) {
  return a->added_version <= version && (a->retired_version == 0 || a->retired_version > version);
}

static bool is_awaiting_update(const redefined_t *x, shoal_entity e) {
  bool found = false;
  for (uint32_t i = 0; i < x->entities.count && !found; ++i)
    found = x->entities.items[i] == e;
  return found;
}

assemblage_t *redefine_find_assemblage(world_o *w, shoal_entity e, assemblage_t *now) {
  const content_o *c = content_read(w);
  uint32_t name = w->entities.assemblage[shoal_entity_index(e)];
  const redefined_t *x = NULL;
  for (uint32_t i = 0; i < c->redefined.count && !x; ++i)
    x = is_awaiting_update(&c->redefined.items[i], e) ? &c->redefined.items[i] : NULL;
  for (uint32_t i = 0; x && i < w->assemblages.count; ++i)
    if (w->assemblages.items[i].name == name && redefine_is_current_at_version(&w->assemblages.items[i], x->version))
      return &w->assemblages.items[i];
  return now;
}

// --- numbers

static void mark_used_assemblages(const commands_t *list, uint32_t *numbers) {
  for (uint32_t i = 0; i < list->count; ++i)
    if (list->items[i].kind == COMMAND_SPAWN)
      numbers[list->items[i].a] = 1;
}

static void renumber_spawns(commands_t *list, const uint32_t *numbers) {
  for (uint32_t i = 0; i < list->count; ++i)
    if (list->items[i].kind == COMMAND_SPAWN)
      list->items[i].a = numbers[list->items[i].a];
}

// Returns true if a queued spawn needs a replaced assemblage.
static bool uses_replaced_assemblage(world_o *w, uint32_t *scratch) {
  bool found = false;
  memset(scratch, 0, (w->assemblages.count + 1) * sizeof *scratch);
  mark_used_assemblages(&w->commands, scratch);
  for (uint32_t i = 0; i < w->blocks.count; ++i) {
    scratch[w->blocks.items[i]->assemblage] = 1;
    mark_used_assemblages(&w->blocks.items[i]->descendants, scratch);
  }
  for (uint32_t i = 0; i < w->assemblages.count; ++i)
    found |= w->assemblages.items[i].retired_version != 0 && scratch[i + 1];
  return found;
}

static bool is_sorted_after(const world_o *w, const assemblage_t *a, const assemblage_t *b) {
  return a->added_version != 0 &&
         (b->added_version == 0 || strcmp(strings_text(w->strings, a->name), strings_text(w->strings, b->name)) > 0);
}

// Lists the indices of current assemblages in sorted order. Insertion sort, because only the new assemblages, at the
// end, are unsorted.
static uint32_t list_sorted_order(const world_o *w, uint32_t *order) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < w->assemblages.count; ++i) {
    const assemblage_t *a = &w->assemblages.items[i];
    uint32_t at = count;
    if (a->retired_version != 0)
      continue;
    while (at > 0 && is_sorted_after(w, &w->assemblages.items[order[at - 1]], a)) {
      order[at] = order[at - 1];
      --at;
    }
    order[at] = i;
    ++count;
  }
  return count;
}

static void reorder_assemblages(world_o *w, const uint32_t *order, uint32_t kept, uint32_t *numbers) {
  uint32_t count = w->assemblages.count;
  size_t bytes = count * sizeof(assemblage_t);
  assemblage_t *old = alloc_resize(&w->allocator, NULL, 0, bytes);
  memcpy(old, w->assemblages.items, bytes);
  memset(numbers, 0, (count + 1) * sizeof *numbers);
  for (uint32_t i = 0; i < kept; ++i) {
    numbers[order[i] + 1] = i + 1;
    w->assemblages.items[i] = old[order[i]];
  }
  for (uint32_t i = 0; i < count; ++i)
    if (old[i].retired_version != 0)
      assemblage_fini(w, &old[i]);
  alloc_resize(&w->allocator, old, bytes, 0);
  w->assemblages.count = kept;
  for (uint32_t i = 0; i < kept; ++i)
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
