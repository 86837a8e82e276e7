// Assemblages: one template per state, children, and the spawn plan. Private to ecs, snapshot and content; other
// modules use world.h.
#ifndef SHOAL_ECS_ASSEMBLAGE_H
#define SHOAL_ECS_ASSEMBLAGE_H

#include "base/array.h"
#include "ecs/world.h"

typedef struct part_t {
  uint32_t manager, instance;
  uint32_t value_count;
  double *values; // indexed by column
  uint8_t *named; // indexed by column: 1 if the template sets the value
  // for a part of a state: the manager that stores the values while the entity is in another state, or 0
  uint32_t kept;
  // instance name in `kept`
  uint32_t kept_as;
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
  uint32_t born; // version of the definitions that added the assemblage; 0 if a file of the game declares it
  uint32_t gone; // version that replaced the assemblage, which queued spawns may still use; 0 if current
  char *doc;     // description for users; may be NULL
  ARRAY(template_t) templates;
  ARRAY(child_t) children;
  // Spawn plan: the parts of template 0 and of the initial state, merged (the initial state's values take precedence),
  // and the queries that a new entity matches.
  uint32_t plan_version; // world's plan version when the plan was built
  uint32_t tree_size;    // number of entities per spawn, including children
  // true if the plan contains several instances of a component: single spawns are then not merged into blocks, because
  // that would change the order of rows
  bool repeats;
  ARRAY(part_t) plan; // `values` are borrowed from the templates
  ARRAY(query_o *) queries;
} assemblage_t;

assemblage_t *assemblage_get(world_o *w, uint32_t number); // returns NULL if `number` is 0 or unknown
bool assemblage_has_children(world_o *w, uint32_t number);
template_t *assemblage_find_template(assemblage_t *a, uint32_t state_name);
part_t *template_find_part(template_t *t, uint32_t manager, uint32_t instance);
// Rebuilds the spawn plans of an assemblage and its descendants if they are out of date. Returns false with an error if
// the children are nested too deeply, for example because the assemblage is its own descendant.
bool assemblage_update_plan(world_o *w, uint32_t number, error_info_t *error);
// Resets the component's values in all templates to its defaults. Call after the component's layout has changed.
void assemblage_reset_manager(world_o *w, const manager_o *m);
void assemblage_fini(world_o *w, assemblage_t *a);
void assemblage_free_all(world_o *w);

#endif
