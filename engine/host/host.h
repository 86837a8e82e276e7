// The host owns everything and runs the frame. A tool that wants its own loop calls host_frame itself.
#ifndef SHOAL_HOST_HOST_H
#define SHOAL_HOST_HOST_H

#include "base/error.h"
#include "host/options.h"

#include <stdbool.h>

typedef struct host_o host_o;

// NULL with a message when there is nothing to run headless (unknown game) or no window can be opened. `options` is copied.
host_o *host_create(const options_t *options, error_t *error);
void host_destroy(host_o *h);

// One frame; false when it was the last one.
bool host_frame(host_o *h);
// Makes the next frame the last one: what is due at the end (hash, picture, stats) is still done.
void host_stop(host_o *h);
// 0 fine; 1 a script failed in a headless or strict run; 2 wrong use (unknown game).
int host_exit_code(const host_o *h);

#endif
