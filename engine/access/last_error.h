// Why the last call of a function of <shoal/world.h> on this thread failed.
#ifndef SHOAL_ACCESS_LAST_ERROR_H
#define SHOAL_ACCESS_LAST_ERROR_H

#include "base/error.h"

// Stores the reason and returns false.
__attribute__((format(printf, 1, 2))) bool access_fail(const char *format, ...);
void access_clear(void);       // the next call begins
const char *access_text(void); // "" if it did not fail
error_t *access_error(void);   // where the reason is stored

#endif
