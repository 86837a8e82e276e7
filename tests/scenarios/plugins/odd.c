// A plugin with one component and one system, whose names, declarations and code are defined by macros (-D…).
#define _GNU_SOURCE
#include <shoal/plugin.h>

#include <stdlib.h>
#ifdef INCLUDE
#include INCLUDE
#endif

#ifndef COMPONENT
#define COMPONENT badge
#endif
#ifndef FIELD
#define FIELD value
#endif
#ifndef DECLARE
#define DECLARE SHOAL_COMPONENT
#endif
#ifndef BODY
#define BODY
#endif
#ifndef SYSTEM
#define SYSTEM .name = "work"
#endif

#define CALLED(F, name_) F(f32, name_, 1)
#define FIELDS(F) CALLED(F, FIELD)
#define DECLARED(kind_, name_) kind_(name_, FIELDS)
#define ADDRESS(name_) &name_##_component
#define ADDRESS_OF(name_) ADDRESS(name_)
DECLARED(DECLARE, COMPONENT)
#define NOTE_FIELDS(F) F(f32, value, 1)
SHOAL_MANY(note, NOTE_FIELDS)

#ifdef HELPERS
HELPERS
#endif

#ifdef USES_MARK
#define MARK_FIELDS(F) F(f32, value, 1)
SHOAL_COMPONENT(mark, MARK_FIELDS)
static const shoal_component *const uses[] = {&mark_component, NULL};
#else
static const shoal_component *const uses[] = {NULL};
#endif

// BODY may use `e`, the first marked entity.
static void work(shoal_context *c, const shoal_view *v, float dt_s) {
  shoal_entity e = v->count > 0 ? v->entities[0] : 0;
  (void)c, (void)e, (void)dt_s;
  BODY;
}

static void *open_it(shoal_context *c) {
  (void)c;
#ifdef OPEN
  OPEN;
#endif
  return NULL;
}

static const shoal_component *const components[] = {ADDRESS_OF(COMPONENT), &note_component, NULL};
SHOAL_PLUGIN(.name = "odd", .version = 1, .components = components, .uses = uses,
             .systems = SHOAL_SYSTEMS({SYSTEM, .query = {"mark"}, .run = work}), .open = open_it)
