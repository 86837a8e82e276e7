// Components, singletons and events that a plugin declares and uses.
#include "plugin/binding.h"

#include "plugin/plugin.h"
#include "transform/transform.h"

#include <string.h>

static void add_bindings(plugin_t *x, const shoal_component *const *list, bool own) {
  for (const shoal_component *const *c = list; c && *c; ++c, ++x->bound_count) {
    component_binding_t *b = (component_binding_t *)(void *)access_add_binding(&x->access, *c);
    b->plugin = x;
    b->own = own;
  }
}

void plugin_create_bindings(plugins_o *p, plugin_t *x) {
  access_init(&x->access,
              &(access_desc_t){.api = p->desc.world_api,
                               .name = x->name,
                               .closed = true,
                               .exact = x->checks,
                               .bound_bytes = sizeof(component_binding_t),
                               .children = transform_list_children},
              p->world);
  add_bindings(x, x->def->components, true);
  add_bindings(x, x->def->uses, false);
  x->uses_bodies = false;
  for (const shoal_component *const *c = x->def->uses; c && *c; ++c)
    x->uses_bodies |= strcmp((*c)->name, "body") == 0;
}

component_binding_t *plugin_binding_at(const plugin_t *x, uint32_t i) {
  return i < x->bound_count ? (component_binding_t *)(void *)x->access.bound.items[i] : NULL;
}

void plugin_free_bindings(plugins_o *p, plugin_t *x) {
  for (uint32_t i = 0; i < x->bound_count; ++i)
    scratch_free(&p->memory, &plugin_binding_at(x, i)->saved);
  x->bound_count = 0;
  access_fini(&x->access);
}
