// The list of a game's failures, and the properties of each kind of piece.
#include "base/parked.h"

#include "base/assert.h"

#include <string.h>

static const struct {
  const char *text;
  bool findable; // true if vm_park_piece can find pieces of this kind by name in a different run
  bool retried;  // true if pieces of this kind are retried
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

void parked_list_fini(parked_list_t *list) {
  array_free(&list->memory, &list->items);
}

void parked_list_add(parked_list_t *list, const parked_t *failure) {
  shoal_assert(failure->kind > PARKED_NONE && failure->kind < PARKED_KINDS, "invalid kind %d of a parked piece",
               (int)failure->kind);
  bool is_recurring = parked_find(list, failure->name) != NULL;
  array_push(&list->memory, &list->items, *failure);
  list->items.items[list->items.count - 1].is_recurring = is_recurring;
}

const parked_t *parked_find(const parked_list_t *list, const char *name) {
  for (uint32_t i = list->items.count; i > 0; --i)
    if (strcmp(list->items.items[i - 1].name, name) == 0)
      return &list->items.items[i - 1];
  return NULL;
}

bool parked_is_repeated(const parked_list_t *list, const char *name, const char *message) {
  for (uint32_t i = 0; i < list->items.count; ++i)
    if (strcmp(list->items.items[i].name, name) == 0 && strcmp(list->items.items[i].error.text, message) == 0)
      return true;
  return false;
}

bool parked_is_retried(parked_kind_t kind) {
  shoal_assert(kind < PARKED_KINDS, "kind %d of a parked piece is out of range", (int)kind);
  return kinds[kind].retried;
}

const parked_t *parked_find_piece(const parked_list_t *list, const char *piece) {
  for (uint32_t i = list->items.count; i > 0; --i)
    if (strcmp(list->items.items[i - 1].error.piece, piece) == 0)
      return &list->items.items[i - 1];
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

bool parked_is_recorded(const parked_t *failure, bool undo_enabled) {
  return kinds[failure->kind].findable && (undo_enabled || failure->stopped || failure->undone);
}
