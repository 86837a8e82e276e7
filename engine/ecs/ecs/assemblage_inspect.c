// Reads templates and children of assemblages for tools.
#include "ecs/assemblage_inspect.h"

#include "ecs/assemblage.h"
#include "ecs/world_internal.h"

static const assemblage_t *find_assemblage(const world_o *w, uint32_t number) {
  return number != 0 && number <= w->assemblages.count ? &w->assemblages.items[number - 1] : NULL;
}

uint32_t world_assemblage_count(const world_o *w) {
  return w->assemblages.count;
}

bool world_assemblage_is_retired(const world_o *w, uint32_t assemblage) {
  const assemblage_t *a = find_assemblage(w, assemblage);
  return a && a->retired_version != 0;
}

uint32_t world_assemblage_name(const world_o *w, uint32_t assemblage) {
  const assemblage_t *a = find_assemblage(w, assemblage);
  return a ? a->name : 0;
}

const char *world_assemblage_doc(const world_o *w, uint32_t assemblage) {
  const assemblage_t *a = find_assemblage(w, assemblage);
  return a ? a->doc : NULL;
}

bool world_assemblage_get_part(const world_o *w, uint32_t assemblage, uint32_t i, assemblage_part_t *out) {
  const assemblage_t *a = find_assemblage(w, assemblage);
  for (uint32_t k = 0; a && k < a->templates.count; ++k) {
    const template_t *t = &a->templates.items[k];
    if (i < t->parts.count) {
      const part_t *p = &t->parts.items[i];
      *out =
          (assemblage_part_t){.state = t->state, .manager = p->manager, .instance = p->instance, .values = p->values};
      return true;
    }
    i -= t->parts.count;
  }
  return false;
}

uint32_t world_assemblage_tree_size(world_o *w, uint32_t assemblage, error_info_t *error) {
  if (!find_assemblage(w, assemblage)) {
    error_set(error, "unknown assemblage number %u", assemblage);
    return 0;
  }
  return assemblage_update_plan(w, assemblage, error) ? find_assemblage(w, assemblage)->tree_size : 0;
}

uint32_t world_assemblage_state_name(const world_o *w, uint32_t assemblage, uint32_t i) {
  const assemblage_t *a = find_assemblage(w, assemblage);
  return a && i + 1 < a->templates.count ? a->templates.items[i + 1].state : 0;
}

uint32_t world_assemblage_child_name(const world_o *w, uint32_t assemblage, uint32_t i) {
  const assemblage_t *a = find_assemblage(w, assemblage);
  return a && i < a->children.count ? a->children.items[i].name : 0;
}

uint32_t world_assemblage_child_number(const world_o *w, uint32_t assemblage, uint32_t i) {
  const assemblage_t *a = find_assemblage(w, assemblage);
  return a && i < a->children.count ? a->children.items[i].assemblage : 0;
}
