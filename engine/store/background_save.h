// Saves that do not hold up the game: the world's columns are copied between two ticks, and a thread does the rest.
#ifndef SHOAL_STORE_BACKGROUND_SAVE_H
#define SHOAL_STORE_BACKGROUND_SAVE_H

#include "store/save.h"

typedef struct background_save_o background_save_o;

// Copies what there is to save; nothing is borrowed afterwards. NULL with a message. End it, once, with
// background_save_end.
background_save_o *background_save_begin(world_o *w, const char *game, const char *path, const save_unknowns_o *attic,
                                         error_t *error);
// Has the thread come to its end? Does not wait.
bool background_save_is_done(background_save_o *s);
// Waits for it. False with a message when the save could not be written. NULL is fine.
bool background_save_end(background_save_o *s, error_t *error);

#endif
