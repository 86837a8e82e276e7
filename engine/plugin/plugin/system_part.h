// Parts of systems that are parallel or have .concurrent. The queued changes are applied in the order of the parts.
#ifndef SHOAL_PLUGIN_SYSTEM_PART_H
#define SHOAL_PLUGIN_SYSTEM_PART_H

#include "plugin/system_binding.h"
#include "process/jobs.h"

void plugin_begin_parts(run_t *run);
void plugin_run_part(void *run, uint32_t part, uint32_t worker); // runs one part; a jobs_part_t
// Runs all parts: on the threads of `jobs`, or sequentially if `jobs` is NULL.
void plugin_run_parts(run_t *run, jobs_o *jobs);
// Applies the queued changes of all parts. Returns true on success. If a part failed, discards all changes and returns
// false with a message.
bool plugin_end_parts(run_t *run, error_info_t *error);
void plugin_free_chunks(plugins_o *plugins);

// Logs a warning after all parts have finished. Call only inside a part. `message` is borrowed.
void plugin_part_set_warning(const context_t *context, const char *message);

#endif
