// Saves without blocking the game: the columns are copied between two ticks, and a background thread writes the file.
#ifndef SHOAL_STORE_BACKGROUND_SAVE_H
#define SHOAL_STORE_BACKGROUND_SAVE_H

#include "store/save.h"

typedef struct background_save_o background_save_o;

// Copies all data to be saved and starts the thread. Does not borrow its arguments after the call. Returns the save, or
// NULL with an error on failure. Call background_save_end exactly once on the result.
background_save_o *background_save_begin(world_o *w, const char *game, const char *path,
                                         const unknown_components_o *unknown_components, error_info_t *error);
// Returns true if the thread has finished. Does not wait.
bool background_save_is_done(background_save_o *s);
// Waits for the thread, and frees the object. Returns true if the save was written, otherwise false with an error.
// Accepts NULL and then returns true.
bool background_save_end(background_save_o *s, error_info_t *error);

#endif
