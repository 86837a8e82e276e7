// Runs the actions of the host's own keys, such as F1 to F12. platform/host_keys.h lists them.
#ifndef SHOAL_HOST_KEYS_H
#define SHOAL_HOST_KEYS_H

#include "platform/platform.h"

typedef struct host_o host_o;

void keys_run_actions(host_o *h, const platform_events_t *events);

#endif
