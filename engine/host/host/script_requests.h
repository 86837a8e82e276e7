// Applies requests from scripts: window, pause, change of game, reload, rewind, saves.
#ifndef SHOAL_HOST_SCRIPT_REQUESTS_H
#define SHOAL_HOST_SCRIPT_REQUESTS_H

#include "script/vm_desc.h"

typedef struct host_o host_o;

// Applies the requests from the running game, between two ticks.
void requests_apply(host_o *h);
// Applies requests for full screen, the pointer, scaling and vertical synchronization.
void requests_apply_to_window(host_o *h, const script_requests_t *requests);

#endif
