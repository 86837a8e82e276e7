// The reason why the last call to a <shoal/world.h> function on this thread failed.
#ifndef SHOAL_ACCESS_LAST_ERROR_H
#define SHOAL_ACCESS_LAST_ERROR_H

#include "base/error.h"

extern _Thread_local error_info_t access_thread_error; // private; use the functions below

// Stores the reason for the failure and returns false.
__attribute__((format(printf, 1, 2))) bool access_fail(const char *format, ...);
// Clears the reason for the last failure. Inline, because each function calls it first.
static inline void access_clear_error(void) {
  access_thread_error.text[0] = '\0';
}
const char *access_error_text(void);   // returns the reason, or "" if the last call succeeded
error_info_t *access_last_error(void); // returns the error_info_t in which the reason is stored

#endif
