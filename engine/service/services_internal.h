// What the files of this room share: a table each, and how a sentence gets to who asked.
#ifndef SHOAL_SERVICE_SERVICES_INTERNAL_H
#define SHOAL_SERVICE_SERVICES_INTERNAL_H

#include "plugin/plugins_internal.h"
#include "service/services.h"

extern const struct shoal_call_1 service_call;
extern const struct shoal_draw_1 service_draw;
extern const struct shoal_input_1 service_input;
extern const struct shoal_observe_1 service_observe;
extern const struct shoal_job_1 service_job;
extern const struct shoal_profile_1 service_profile;
extern const struct shoal_sound_1 service_sound;
extern const struct shoal_table_1 service_table;
extern const struct shoal_world_1 service_world;

// --- world.c
bool service_may_change(context_t *x, const char *function); // false: the call has failed with a sentence

// --- query.c
struct shoal_wanted;
bool service_query(shoal_context *c, const struct shoal_wanted *wanted, shoal_view *out);
void service_query_end(shoal_context *c, const shoal_view *v);
uint32_t service_instance(shoal_context *c, const shoal_view *v, const shoal_component *component, uint32_t row);
uint32_t service_row_named(shoal_context *c, const shoal_component *component, shoal_entity e, const char *instance);

#endif
