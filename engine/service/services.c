// The list of services. A table of a version stands here for ever; what is added is a table of the next version.
#include "service/services_internal.h"

const plugin_service_t services_all[] = {
    {"asset", 1, &service_asset},     {"call", 1, &service_call},       {"draw", 1, &service_draw},
    {"input", 1, &service_input},     {"job", 1, &service_job},         {"observe", 1, &service_observe},
    {"outside", 1, &service_outside}, {"profile", 1, &service_profile}, {"sound", 1, &service_sound},
    {"table", 1, &service_table},     {"world", 1, &service_world},     {NULL, 0, NULL},
};
