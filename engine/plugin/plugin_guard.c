// Contexts as plugins have them. A plugin keeps a pointer for longer than it may, or hands it to a thread of its own:
// so it has never one to the host's stack, but to a place that lives as long as the plugin and says, while the call
// goes on, which context that is, and on which thread. Every function that a plugin calls looks there first: those of
// <shoal/plugin.h> here, services in service_may. Who may not is answered with nothing, and told when its call ends.
//
// A place is taken again after PLUGIN_LENT calls: until then, who uses the one before is found.
#include "plugin/plugins_internal.h"

#include "base/assert.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

static _Thread_local struct {
  char mark;    // its address is this thread
  lent_t *lent; // by the innermost call
} me;

_Static_assert(offsetof(lent_t, own) == offsetof(context_t, own), "both begin alike");

static const shoal_api *guard_of(const plugin_t *x);

shoal_context *plugin_lend(context_t *c) {
  plugin_t *x = c->plugin;
  shoal_assert(!c->own && !me.lent, "a context is lent once, for one call");
  for (uint32_t i = 0; i < PLUGIN_LENT; ++i) {
    lent_t *l = &x->lent[atomic_fetch_add(&x->next_lent, 1) % PLUGIN_LENT];
    context_t *nobody = NULL;
    if (!atomic_compare_exchange_strong(&l->of, &nobody, c))
      continue;
    l->shared.api = guard_of(x);
    l->plugin = x;
    atomic_store(&l->own, &me.mark);
    me.lent = l;
    return &l->shared;
  }
  return &c->shared; // as many calls go on
}

lent_t *plugin_lent_before(void) {
  lent_t *before = me.lent;
  me.lent = NULL;
  return before;
}

void plugin_take_lent_back(lent_t *before) {
  if (me.lent)
    atomic_store(&me.lent->of, NULL);
  me.lent = before;
}

void plugin_note_astray(plugin_t *x, const char *function, bool over) {
  atomic_store(&x->astray_over, over);
  atomic_store_explicit(&x->astray, function, memory_order_release);
}

// On another thread only while the call's parts run, which wait for each other. NULL: it may not.
static context_t *owned(lent_t *l, bool *over) {
  context_t *of = atomic_load(&l->of);
  *over = atomic_load(&l->own) == &me.mark;
  return of && (*over || l->plugin->all->sharing) ? of : NULL;
}

context_t *plugin_here(shoal_context *c, const char *function) {
  lent_t *l = (lent_t *)(void *)c;
  bool over;
  if (!l->own)
    return (context_t *)(void *)c;
  context_t *x = owned(l, &over);
  if (!x)
    plugin_note_astray(l->plugin, function, over);
  return x;
}

context_t *context_of(shoal_context *c) {
  lent_t *l = (lent_t *)(void *)c;
  bool over;
  if (!l->own)
    return (context_t *)(void *)c;
  context_t *x = owned(l, &over);
  if (!x)
    atomic_store(&l->plugin->astray_over, over);
  return x ? x : l->plugin->nowhere;
}

void plugin_tell_astray(plugin_t *x, error_t *error) {
  const char *function = atomic_exchange_explicit(&x->astray, NULL, memory_order_acquire);
  if (!function)
    return;
  if (x->astray_over)
    error_set(error, "it calls %s with the context of a call that is over: what a call is given is not kept", function);
  else
    error_set(error,
              "it calls %s from a thread of its own: threads leave what they find in memory of their own, and a system "
              "takes it from there",
              function);
}

// ----------------------------------------------------------------------------------------------------------- the table
// NULL is an empty text, and no list.

// clang-format off
#define GIVES(type_, otherwise_, name_, public_, parameters_, ...)                                                     \
  static type_ name_##_here parameters_ {                                                                              \
    context_t *now = plugin_here(c, public_);                                                                          \
    return now ? now->shared.api->name_(&now->shared, ##__VA_ARGS__) : (otherwise_);                                   \
  }
#define DOES(name_, public_, parameters_, ...)                                                                         \
  static void name_##_here parameters_ {                                                                               \
    context_t *now = plugin_here(c, public_);                                                                          \
    if (now)                                                                                                           \
      now->shared.api->name_(&now->shared, ##__VA_ARGS__);                                                             \
  }

GIVES(uint64_t, 0, tick, "shoal_tick", (shoal_context *c))
GIVES(uint32_t, 0, tick_rate, "shoal_tick_rate", (shoal_context *c))
GIVES(uint32_t, 0, random, "shoal_random", (shoal_context *c))
DOES(log, "shoal_log", (shoal_context *c, shoal_level level, const char *text), level, text ? text : "")
DOES(fail, "shoal_fail", (shoal_context *c, const char *text), text ? text : "it says no words")
GIVES(void *, NULL, state, "shoal_state", (shoal_context *c))
GIVES(void *, NULL, self, "shoal_self", (shoal_context *c, const shoal_component *component), component)
GIVES(const shoal_component *, NULL, find, "shoal_find", (shoal_context *c, const char *name), name)
GIVES(bool, false, alive, "shoal_alive", (shoal_context *c, shoal_entity e), e)
GIVES(uint32_t, 0, spawn, "shoal_spawn", (shoal_context *c, const char *assemblage, uint32_t count,
      shoal_entity *out), assemblage, count, out)
DOES(destroy, "shoal_destroy", (shoal_context *c, const shoal_entity *entities, uint32_t count), entities,
      entities ? count : 0)
GIVES(bool, false, add, "shoal_add", (shoal_context *c, shoal_entity e, const shoal_component *component,
      const char *instance), e, component, instance)
GIVES(bool, false, remove, "shoal_remove", (shoal_context *c, shoal_entity e, const shoal_component *component,
      const char *instance), e, component, instance)
GIVES(bool, false, set, "shoal_set", (shoal_context *c, shoal_entity e, const shoal_component *component,
      uint32_t column, double value), e, component, column, value)
GIVES(shoal_table, (shoal_table){0}, table, "shoal_rows_of", (shoal_context *c, const shoal_component *component),
      component)
GIVES(void *const *, NULL, emit_begin, "shoal_emit_begin", (shoal_context *c, const shoal_component *event,
      uint32_t count), event, count)
DOES(emit_end, "shoal_emit_end", (shoal_context *c, const shoal_component *event), event)
GIVES(shoal_table, (shoal_table){0}, read, "shoal_read", (shoal_context *c, const shoal_component *event), event)
GIVES(const char *, "", text, "shoal_text", (shoal_context *c, uint32_t id), id)
GIVES(uint32_t, 0, text_id, "shoal_text_id", (shoal_context *c, const char *text), text ? text : "")
GIVES(uint32_t, 1, workers, "shoal_workers", (shoal_context *c))
DOES(draw_space, "shoal_draw_space", (shoal_context *c, bool screen), screen)
DOES(draw_layer, "shoal_draw_layer", (shoal_context *c, int32_t layer), layer)
DOES(draw_colour, "shoal_draw_colour", (shoal_context *c, float r, float g, float b, float a), r, g, b, a)
DOES(draw_line, "shoal_draw_line", (shoal_context *c, float x1, float y1, float x2, float y2, float width), x1, y1,
      x2, y2, width)
DOES(draw_polygon, "shoal_draw_polygon", (shoal_context *c, const float *xy, uint32_t points, bool filled,
      float width), xy, xy ? points : 0, filled, width)
DOES(draw_solids, "shoal_draw_solids", (shoal_context *c, const float *corners, uint32_t triangles), corners,
      corners ? triangles : 0)
DOES(draw_text, "shoal_draw_text", (shoal_context *c, const char *text, float x, float y, float size),
      text ? text : "", x, y, size)
GIVES(bool, false, set_named, "shoal_set_named", (shoal_context *c, shoal_entity e, const shoal_component *component,
      const char *instance, uint32_t column, double value), e, component, instance, column, value)
DOES(draw_view, "shoal_draw_view", (shoal_context *c, shoal_entity camera), camera)
GIVES(bool, false, widget, "shoal_panel_…", (shoal_context *c, const shoal_widget *w), w)
GIVES(const void *, NULL, service, "shoal_service", (shoal_context *c, const char *name, uint32_t version), name,
      version)
// clang-format on

static void jobs_here(shoal_context *c, void (*part)(void *data, uint32_t part, uint32_t worker), void *data,
                      uint32_t parts) {
  context_t *now = plugin_here(c, "shoal_jobs");
  if (now && part)
    now->shared.api->jobs(&now->shared, part, data, parts);
}

static double *give_numbers_here(shoal_context *c, shoal_value *result, uint32_t count) {
  context_t *now = plugin_here(c, "shoal_give_numbers");
  return now && result ? now->shared.api->give_numbers(&now->shared, result, count) : NULL;
}

static shoal_entity *give_entities_here(shoal_context *c, shoal_value *result, uint32_t count) {
  context_t *now = plugin_here(c, "shoal_give_entities");
  return now && result ? now->shared.api->give_entities(&now->shared, result, count) : NULL;
}

static void give_text_here(shoal_context *c, shoal_value *result, const char *text) {
  context_t *now = plugin_here(c, "shoal_give_text");
  if (now && result)
    now->shared.api->give_text(&now->shared, result, text ? text : "");
}

// A thread that gets no memory crashes: it has it, and is told.
static void *resize_here(shoal_context *c, void *old, size_t old_bytes, size_t new_bytes) {
  context_t *now = plugin_here(c, "shoal_resize");
  now = now ? now : ((lent_t *)(void *)c)->plugin->nowhere;
  return now->shared.api->resize(&now->shared, old, old_bytes, new_bytes);
}

static void rows_here(shoal_context *c, const shoal_component *component, const shoal_entity *entities, uint32_t count,
                      uint32_t *rows) {
  context_t *now = plugin_here(c, "shoal_rows");
  count = rows ? count : 0;
  if (now && entities)
    now->shared.api->rows(&now->shared, component, entities, count, rows);
  for (uint32_t i = 0; !(now && entities) && i < count; ++i)
    rows[i] = SHOAL_NO_ROW;
}

static void *asset_here(shoal_context *c, const char *name, size_t *size) {
  context_t *now = plugin_here(c, "shoal_asset");
  *size = 0;
  return now ? now->shared.api->asset(&now->shared, name, size) : NULL;
}

static void screen_here(shoal_context *c, float *width, float *height) {
  context_t *now = plugin_here(c, "shoal_screen");
  *width = *height = 0;
  if (now)
    now->shared.api->screen(&now->shared, width, height);
}

static const void *external_here(shoal_context *c, const char *channel, shoal_read_external *read, void *data,
                                 size_t room, size_t *size) {
  static const max_align_t nothing;
  context_t *now = plugin_here(c, "shoal_external");
  *size = 0;
  return now ? now->shared.api->external(&now->shared, channel, read, data, room, size) : &nothing;
}

// clang-format off
#define TABLE(version_)                                                                                                \
  {                                                                                                                    \
    .size = sizeof(shoal_api),                                                                                         \
    .version = version_,                                                                                               \
    .tick = tick_here,                                                                                                 \
    .tick_rate = tick_rate_here,                                                                                       \
    .random = random_here,                                                                                             \
    .log = log_here,                                                                                                   \
    .fail = fail_here,                                                                                                 \
    .resize = resize_here,                                                                                             \
    .state = state_here,                                                                                               \
    .self = self_here,                                                                                                 \
    .find = find_here,                                                                                                 \
    .alive = alive_here,                                                                                               \
    .spawn = spawn_here,                                                                                               \
    .destroy = destroy_here,                                                                                           \
    .add = add_here,                                                                                                   \
    .remove = remove_here,                                                                                             \
    .set = set_here,                                                                                                   \
    .table = table_here,                                                                                               \
    .rows = rows_here,                                                                                                 \
    .emit_begin = emit_begin_here,                                                                                     \
    .emit_end = emit_end_here,                                                                                         \
    .read = read_here,                                                                                                 \
    .text = text_here,                                                                                                 \
    .text_id = text_id_here,                                                                                           \
    .workers = workers_here,                                                                                           \
    .jobs = jobs_here,                                                                                                 \
    .give_numbers = give_numbers_here,                                                                                 \
    .give_entities = give_entities_here,                                                                               \
    .give_text = give_text_here,                                                                                       \
    .asset = asset_here,                                                                                               \
    .screen = screen_here,                                                                                             \
    .draw_space = draw_space_here,                                                                                     \
    .draw_layer = draw_layer_here,                                                                                     \
    .draw_colour = draw_colour_here,                                                                                   \
    .draw_line = draw_line_here,                                                                                       \
    .draw_polygon = draw_polygon_here,                                                                                 \
    .draw_solids = draw_solids_here,                                                                                   \
    .draw_text = draw_text_here,                                                                                       \
    .external = external_here,                                                                                         \
    .set_named = set_named_here,                                                                                       \
    .draw_view = draw_view_here,                                                                                       \
    .widget = widget_here,                                                                                             \
    .service = service_here,                                                                                           \
  }
// clang-format on

static const shoal_api guard = TABLE(SHOAL_API_VERSION);
static const shoal_api guard_1 = TABLE(1u);

static const shoal_api *guard_of(const plugin_t *x) {
  return x->api && x->api->version == 1 ? &guard_1 : &guard;
}
