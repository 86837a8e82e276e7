// Background jobs of plugins (shoal/job.h): one slot per name, with its input and a thread.
#ifndef SHOAL_PLUGIN_JOB_H
#define SHOAL_PLUGIN_JOB_H

#include "plugin/context.h"
#include "shoal/job.h"

typedef struct plugin_job_t plugin_job_t;

void plugin_start_jobs(plugin_t *plugin);
// Stops the plugin's jobs. Returns true on success, or false with a message if a job does not stop in time.
bool plugin_stop_jobs(plugin_t *plugin, error_info_t *error);
void plugin_free_jobs(plugins_o *plugins, plugin_t *plugin);
// Returns the job with this name, and creates it on the first request. If the function, the input or the size of the
// output has changed, discards the result. The next plugins_start_threads then starts the job again. Never waits: a
// thread with an outdated request is requested to stop, and ends in the background. Returns NULL with a message if the
// plugin has too many jobs.
plugin_job_t *plugin_request_job(plugin_t *plugin, const shoal_job *desc, error_info_t *error);
bool plugin_job_is_done(plugin_job_t *job);
// Waits for the job, and starts it if necessary. Returns true on success. Returns false with a message if the job's
// thread uses hardly any CPU time and does not end. Later calls for the same request then return false immediately.
bool plugin_finish_job(plugin_job_t *job, error_info_t *error);
// Returns the result of a job that is done, valid until the job is restarted. Returns NULL with a message if the job
// threw an exception or returned more bytes than its buffer holds.
const void *plugin_job_bytes(const plugin_job_t *job, size_t *size, error_info_t *error);

#endif
