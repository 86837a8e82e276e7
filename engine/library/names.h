// Definitions that are generated when the library is linked (engine/start/install.sh): the engine's functions by name,
// as in abi.h, and the prefix of the installation.
#ifndef SHOAL_LIBRARY_NAMES_H
#define SHOAL_LIBRARY_NAMES_H

#include "watchdog/host_call.h"

extern const host_call_name_t library_names[];
extern const uint32_t library_name_count;

extern const char library_prefix[]; // prefix of the installation, such as /usr/local

void *library_dlsym(void *handle, const char *name); // calls dlsym of the C library

#endif
