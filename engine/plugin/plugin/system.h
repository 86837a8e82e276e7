// Systems and observers of plugins as entries of the schedule.
#ifndef SHOAL_PLUGIN_SYSTEM_H
#define SHOAL_PLUGIN_SYSTEM_H

#include "plugin/system_binding.h"

void plugin_create_runs(plugins_o *p, plugin_t *x);
// Declares to the schedule what a system reads and writes, and how it can run in parallel with other systems.
void plugin_declare_parallel(const run_t *r, schedule_o *s);
void plugin_run_system(void *context, world_o *w, uint32_t number, float dt_s); // callback `run` of system_desc_t

#endif
