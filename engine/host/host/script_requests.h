// Applies requests from scripts: window, pause, another game, reload, rewind, saves.
#ifndef SHOAL_HOST_SCRIPT_REQUESTS_H
#define SHOAL_HOST_SCRIPT_REQUESTS_H

typedef struct host_o host_o;

// Applies the requests from the running game, between two ticks.
void requests_apply(host_o *h);

#endif
