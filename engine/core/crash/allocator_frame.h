// Detects crashes inside the C library's allocator, which mean that the heap is damaged.
#ifndef SHOAL_CRASH_ALLOCATOR_FRAME_H
#define SHOAL_CRASH_ALLOCATOR_FRAME_H

#include <stddef.h>

// Returns the name of the allocation function in which this thread crashed at `code`, such as "free", or NULL if the
// crash was elsewhere. Takes locks of the dynamic loader: call in a separate stage (crash/report_stage.h).
const char *allocator_frame_find(const void *code);

#endif
