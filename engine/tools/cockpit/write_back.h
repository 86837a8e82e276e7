// Writes a tuned value back into the source file that sets it.
#ifndef SHOAL_COCKPIT_WRITE_BACK_H
#define SHOAL_COCKPIT_WRITE_BACK_H

#include "base/error.h"
#include "base/json_writer.h"

#include <jansson.h>

typedef struct cockpit_o cockpit_o;

// Shows where a value would be written or, if `writes` is true, writes the value. Returns true on success, or false
// with an error if the value cannot be written.
bool write_back(cockpit_o *cockpit, const json_t *request, bool writes, json_writer_t *out, error_info_t *error);

#endif
