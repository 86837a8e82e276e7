// The reason why the last call of a function of <shoal/world.h> failed on this thread.
#ifndef SHOAL_ACCESS_LAST_ERROR_H
#define SHOAL_ACCESS_LAST_ERROR_H

#include "base/error.h"

// Stores the reason and returns false.
__attribute__((format(printf, 1, 2))) bool access_fail(const char *format, ...);
void access_clear(void);       // called at the start of each function
const char *access_text(void); // returns the reason, "" if the last call succeeded
error_t *access_error(void);   // returns the storage of the reason

#endif
