// The list of failures that parked pieces, and the properties of each kind.
#include "base/parked.h"

#include "base/assert.h"

#include <string.h>

static const struct {
  const char *text;
  bool by_name; // true if vm_park_piece can find pieces of this kind by name in another run
  bool retried; // true if pieces of this kind are retried
} kinds[PARKED_KINDS] = {
    [PARKED_NONE] = {"nothing", false, false},
    [PARKED_SYSTEM] = {"system", true, true},
    [PARKED_HANDLER] = {"handler", true, true},
    [PARKED_BEHAVIOUR] = {"behaviour", true, true},
    [PARKED_SCENE] = {"scene", true, true},
    [PARKED_SCRIPTS] = {"scripts", false, false},
    [PARKED_PLUGIN_SYSTEM] = {"plugin system", false, true},
    [PARKED_PLUGIN] = {"plugin", false, false},
};

void parked_list_fini(parked_list_t *l) {
  array_free(&l->memory, &l->items);
}

void parked_list_add(parked_list_t *l, const parked_t *x) {
  shoal_assert(x->kind > PARKED_NONE && x->kind < PARKED_KINDS, "invalid kind %d of a parked piece", (int)x->kind);
  bool again = parked_find(l, x->name) != NULL;
  array_push(&l->memory, &l->items, *x);
  l->items.items[l->items.count - 1].again = again;
}

const parked_t *parked_find(const parked_list_t *l, const char *name) {
  for (uint32_t i = l->items.count; i > 0; --i)
    if (strcmp(l->items.items[i - 1].name, name) == 0)
      return &l->items.items[i - 1];
  return NULL;
}

bool parked_is_repeated(const parked_list_t *l, const char *name, const char *message) {
  for (uint32_t i = 0; i < l->items.count; ++i)
    if (strcmp(l->items.items[i].name, name) == 0 && strcmp(l->items.items[i].error.text, message) == 0)
      return true;
  return false;
}

bool parked_is_retried(parked_kind_t kind) {
  shoal_assert(kind < PARKED_KINDS, "kind %d of a parked piece is out of range", (int)kind);
  return kinds[kind].retried;
}

const parked_t *parked_find_piece(const parked_list_t *l, const char *piece) {
  for (uint32_t i = l->items.count; i > 0; --i)
    if (strcmp(l->items.items[i - 1].error.piece, piece) == 0)
      return &l->items.items[i - 1];
  return NULL;
}

const char *parked_kind_name(parked_kind_t kind) {
  shoal_assert(kind < PARKED_KINDS, "kind %d of a parked piece is out of range", (int)kind);
  return kinds[kind].text;
}

parked_kind_t parked_kind_parse(const char *text) {
  for (parked_kind_t kind = PARKED_SYSTEM; kind < PARKED_KINDS; ++kind)
    if (text && strcmp(kinds[kind].text, text) == 0)
      return kind;
  return PARKED_SYSTEM;
}

bool parked_is_recorded(const parked_t *x, bool undoes) {
  return kinds[x->kind].by_name && (undoes || x->stopped || x->undone);
}
