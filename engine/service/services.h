// The services that plugins find by name and version (shoal/service.h), for plugins_desc_t. The plugin room fetches and
// guards them; each is a file of this room.
#ifndef SHOAL_SERVICE_SERVICES_H
#define SHOAL_SERVICE_SERVICES_H

#include "plugin/plugins.h"

extern const plugin_service_t services_all[]; // up to one without a name

#endif
