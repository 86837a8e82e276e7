// What linking the library adds (engine/start/install.sh): the engine's functions by name, as abi.h lists them, and how
// they are bound.
#ifndef SHOAL_LIBRARY_NAMES_H
#define SHOAL_LIBRARY_NAMES_H

#include "watchdog/host_call.h"

#include <stdbool.h>

extern const host_call_name_t library_names[];
extern const uint32_t library_name_count;

// Is LuaJIT a part of it (the static library), and bound by the linker?
extern const bool library_is_whole;
extern const char library_prefix[]; // where it was installed

void *library_dlsym(void *handle, const char *name); // the C library's own

#endif
