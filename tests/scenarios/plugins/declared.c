// A plugin whose declarations are set by macros (-D…) and written without the header's macros, which would reject
// invalid ones.
#include <shoal/plugin.h>

#ifndef FIELDS
#define FIELDS                                                                                                         \
  { .name = "value", .type = SHOAL_TYPE_f32 }
#endif
#ifndef FIELD_COUNT
#define FIELD_COUNT (sizeof fields / sizeof *fields)
#endif
#ifndef COMPONENT
#define COMPONENT "badge"
#endif
#ifndef LISTED
#define LISTED &badge
#endif
#ifndef KIND
#define KIND SHOAL_KIND_COMPONENT
#endif
#ifndef SYSTEM
#define SYSTEM .query = {"mark"}
#endif
#ifndef FUNCTION
#define FUNCTION .name = "ask"
#endif

static const shoal_field fields[] = {FIELDS};
static const shoal_component badge = {COMPONENT, KIND, fields, FIELD_COUNT, FIELD_COUNT, NULL};
static const shoal_component *const components[] = {LISTED, NULL};

static void work(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)c, (void)v, (void)dt_s;
}

static void ask(shoal_context *c, const shoal_value *arguments, shoal_value *results) {
  (void)c, (void)arguments, (void)results;
}

SHOAL_PLUGIN(.name = "declared", .version = 1, .components = components,
             .systems = SHOAL_SYSTEMS({.name = "work", .run = work, SYSTEM}),
             .functions = SHOAL_FUNCTIONS({.call = ask, FUNCTION}))
