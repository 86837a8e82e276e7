// Errors about the members of a client's request.
#ifndef SHOAL_COCKPIT_REQUEST_H
#define SHOAL_COCKPIT_REQUEST_H

#include "base/error.h"

#include <jansson.h>

// Sets an error that states what the member `key` must be (`format`) and its actual value. Returns false.
bool request_reject_member(const json_t *request, const char *key, error_info_t *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
