// Reads, writes and checks the add-on list of a save. Private to store.
#ifndef SHOAL_STORE_SAVE_ADDONS_H
#define SHOAL_STORE_SAVE_ADDONS_H

#include "store/save_internal.h"

// Writes the list into the table `meta` of the open save. Returns true on success, or false with an error.
bool save_addons_write(sqlite3 *db, const addon_list_t *list, error_info_t *error);
// Reads the list from the open save. Saves of earlier versions of Shoal have no such list. Returns true on success, or
// false with an error if the list is damaged.
bool save_addons_read(sqlite3 *db, addon_list_t *out, error_info_t *error);
// Compares the open save with the add-ons of the game. Adds the add-ons to be dropped (save_bytes_t) to `dropped`,
// which must be empty. Returns true on success, or false with an error if the save contains parts of an add-on that the
// game lacks, and that may not be dropped.
bool save_addons_check(sqlite3 *db, const addon_list_t *game_addons, const save_bytes_t *save, log_o *log,
                       addon_list_t *dropped, error_info_t *error);
// Destroys all entities that were spawned from assemblages of dropped add-ons.
void save_addons_destroy_entities(world_o *w, const addon_list_t *dropped);

#endif
