// List of a game's add-ons. Each save contains a list.
#ifndef SHOAL_STORE_ADDON_LIST_H
#define SHOAL_STORE_ADDON_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ADDON_LIST_MAX 32

typedef struct addon_entry_t {
  char name[64];    // name under which the game uses the add-on
  char version[32]; // version of the add-on; "" if unknown
} addon_entry_t;

// Add-ons, sorted by name. Empty when zero-initialized.
typedef struct addon_list_t {
  uint32_t count;
  addon_entry_t items[ADDON_LIST_MAX];
} addon_list_t;

// Inserts an add-on. Returns true on success, or false if its name or version is too long or the list is full.
bool addon_list_add(addon_list_t *list, const char *name, const char *version);
// Returns the add-on with the name, or NULL if the list lacks the add-on.
const addon_entry_t *addon_list_find(const addon_list_t *list, const char *name);
// Returns the add-on of the list that declared a component or an assemblage ("menu" for "menu.cursor"), or NULL if no
// add-on of the list declared it.
const addon_entry_t *addon_list_find_owner(const addon_list_t *list, const char *full_name);

#endif
