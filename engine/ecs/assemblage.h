// Assemblages: templates by state, children, and the plan that a spawn follows. Private to ecs and snapshot; others see
// world.h.
#ifndef SHOAL_ECS_ASSEMBLAGE_H
#define SHOAL_ECS_ASSEMBLAGE_H

#include "base/array.h"
#include "ecs/world.h"

typedef struct part_t {
  uint32_t manager, instance;
  uint32_t value_count;
  double *values;   // one per column
  uint8_t *named;   // one per column: is it the template that gives the value?
  uint32_t kept;    // STATE: the manager that holds its values while the state is left, 0 for none
  uint32_t kept_as; // the instance there
} part_t;

typedef struct template_t {
  uint32_t state; // string id; 0 for template 0
  ARRAY(part_t) parts;
} template_t;

typedef struct child_t {
  uint32_t name, assemblage;
} child_t;

typedef struct assemblage_t {
  uint32_t name;
  uint32_t born; // version of definitions that it came with; 0: the code's
  uint32_t gone; // and that took its name away; it is here for spawns that are queued. 0: none
  char *doc;     // NULL for none
  ARRAY(template_t) templates;
  ARRAY(child_t) children;
  // What a spawn does: every part of template 0 and of the initial state, once, and the queries that then match.
  // What the initial state names it gives.
  uint32_t plan_version; // of the world when the plan was made
  uint32_t tree_size;    // entities that a spawn makes, its own included
  bool repeats;          // a component by several instances: rows of many do not come as those of one after the other
  ARRAY(part_t) plan;    // values borrowed from the templates
  ARRAY(query_o *) queries;
} assemblage_t;

assemblage_t *assemblage_get(world_o *w, uint32_t number); // NULL for 0 and unknown ones
bool assemblage_has_children(world_o *w, uint32_t number);
template_t *assemblage_template(assemblage_t *a, uint32_t state_name);
part_t *template_find(template_t *t, uint32_t manager, uint32_t instance);
// Brings the plan up to date. False with a message when it is its own descendant.
bool assemblage_plan(world_o *w, uint32_t number, error_t *error);
void assemblage_reset_manager(world_o *w, const manager_o *m); // its layout has changed
void assemblage_fini(world_o *w, assemblage_t *a);
void assemblage_free_all(world_o *w);

bool assemblage_was(const assemblage_t *a,
                    uint32_t version);        // was it what its name meant at this version of definitions?
void assemblage_forget_redefined(world_o *w); // definitions that are over
// What a living entity was made by, if it is to follow a definition and has not yet; else `now`, what its name means.
assemblage_t *assemblage_made(world_o *w, shoal_entity e, assemblage_t *now);

#endif
