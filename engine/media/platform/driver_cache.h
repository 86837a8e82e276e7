// The shader cache of the graphics driver. Mesa maps the cache's index into memory without reserving disk space, so a
// write to the cache terminates the process with SIGBUS if the disk is full.
#ifndef SHOAL_PLATFORM_DRIVER_CACHE_H
#define SHOAL_PLATFORM_DRIVER_CACHE_H

#include <stdbool.h>

// Disables Mesa's shader cache if the file system of its folder has too little space left. Call before the first OpenGL
// context is created. Returns true if the cache was disabled.
bool driver_cache_check_space(void);

#endif
