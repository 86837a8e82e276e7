// Failures of plugins: reports for the host, parked systems, warnings in the log.
#ifndef SHOAL_PLUGIN_REPORT_H
#define SHOAL_PLUGIN_REPORT_H

#include "plugin/plugin.h"

__attribute__((format(printf, 3, 4))) void plugin_report(plugins_o *plugins, const char *piece, const char *format,
                                                         ...);
// plugin_fail reports a failure and parks all systems of the plugin. plugin_fail_run parks only the system `run`, and
// reports the failure unless the system has already failed with this message.
void plugin_fail(plugin_t *plugin, const char *message);
void plugin_fail_run(run_t *run, const char *message);
// Records and logs that a parked system has succeeded when it was retried. Call after a run without failure that had
// rows or events to process.
void plugin_report_recovery(run_t *run);
// Parks a crashing system until its library changes.
void plugin_park_crashing_system(plugins_o *plugins, run_t *run, const char *message);
void plugin_warn_once(plugin_t *plugin, const char *message); // logs one warning per plugin; ignores later warnings

#endif
