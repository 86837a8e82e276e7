// Saves that do not hold up the game: the world's columns are copied between two ticks, and a thread does the rest.
#ifndef SHOAL_STORE_SAVE_LATER_H
#define SHOAL_STORE_SAVE_LATER_H

#include "store/save.h"

typedef struct save_later_o save_later_o;

// Copies what there is to save; nothing is borrowed afterwards. NULL with a message. End it, once, with save_later_end.
save_later_o *save_later_begin(world_o *w, const char *game, const char *path, const save_unknowns_o *attic,
                               error_t *error);
// Has the thread come to its end? Does not wait.
bool save_later_is_done(save_later_o *s);
// Waits for it. False with a message when the save could not be written. NULL is fine.
bool save_later_end(save_later_o *s, error_t *error);

#endif
