// Opens and closes a game's plugins, in the order in which they use each other, and answers scripts' calls.
#include "plugin/plugins_internal.h"

#include "base/assert.h"
#include "base/files.h"
#include "base/similar.h"
#include "crash/catch.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- reports

void plugin_report(plugins_o *p, const char *piece, const char *format, ...) {
  shoal_assert(piece, "a report says which piece");
  va_list arguments;
  if (p->quiet || p->report_count == PLUGIN_MAX_REPORTS)
    return;
  script_report_t *r = &p->reports[p->report_count++];
  *r = (script_report_t){.tick = world_tick(p->world)};
  snprintf(r->piece, sizeof r->piece, "plugin %s", piece);
  va_start(arguments, format);
  vsnprintf(r->message, sizeof r->message, format, arguments);
  va_end(arguments);
}

uint32_t plugins_take_reports(plugins_o *p, script_report_t *out, uint32_t max) {
  shoal_assert(out || max == 0, "%u reports have no place", max);
  uint32_t count = p->report_count < max ? p->report_count : max;
  memcpy(out, p->reports, count * sizeof *out);
  memmove(p->reports, p->reports + count, (p->report_count - count) * sizeof *out);
  p->report_count -= count;
  return count;
}

uint32_t plugins_report_count(const plugins_o *p) {
  return p->report_count;
}

bool plugins_take_failure(plugins_o *p) {
  bool failed = p->failed;
  p->failed = false;
  return failed;
}

static void note_parked(plugins_o *p, parked_kind_t kind, const char *name, const char *words) {
  parked_t x = {.kind = kind, .tick = world_tick(p->world)};
  char piece[sizeof x.error.piece];
  snprintf(x.name, sizeof x.name, "%s", name);
  snprintf(piece, sizeof piece, "plugin %s", name);
  error_set(&x.error, "%s", words);
  error_in(&x.error, piece);
  if (p->desc.parked && !p->quiet)
    parked_add(p->desc.parked, &x);
}

void plugin_fail(plugin_t *x, const char *words) {
  plugin_report(x->all, x->name, "%s", words);
  for (uint32_t i = 0; i < x->run_count; ++i)
    x->runs[i].parked = true;
  note_parked(x->all, PARKED_PLUGIN, x->name, words);
}

void plugin_fail_run(run_t *r, const char *words) {
  r->parked = true;
  plugin_report(r->plugin->all, r->name, "%s", words);
  note_parked(r->plugin->all, PARKED_PLUGIN_SYSTEM, r->name, words);
}

static void park_crashing(plugins_o *p, run_t *r, const char *words) {
  r->parked = r->crashes = true;
  note_parked(p, PARKED_PLUGIN_SYSTEM, r->name, words);
}

bool plugins_park(plugins_o *p, const char *system, const char *words) {
  for (uint32_t i = 0; i < p->list.count; ++i)
    for (uint32_t k = 0; k < p->list.items[i]->run_count; ++k)
      if (strcmp(p->list.items[i]->runs[k].name, system) == 0 && !p->list.items[i]->runs[k].parked) {
        park_crashing(p, &p->list.items[i]->runs[k], words);
        return true;
      }
  return false;
}

bool plugins_are_open(const plugins_o *p) {
  return p->list.count > 0;
}

bool plugins_have_systems(const plugins_o *p) {
  for (uint32_t i = 0; i < p->list.count; ++i)
    for (uint32_t k = 0; k < p->list.items[i]->run_count; ++k)
      if (!p->list.items[i]->runs[k].parked)
        return true;
  return false;
}

context_t plugin_context(plugin_t *plugin, where_t where) {
  shoal_assert(plugin, "a context belongs to a plugin");
  return (context_t){
      .shared = {.api = plugin->api ? plugin->api : &plugin_api}, .all = plugin->all, .plugin = plugin, .where = where};
}

// --- life

static void add_folder(plugins_o *p, const char *folder) {
  if (p->folder_count < PLUGINS_MAX_FOLDERS && strlen(folder) < PLUGIN_PATH_MAX)
    snprintf(p->folders[p->folder_count++], PLUGIN_PATH_MAX, "%s", folder);
}

// Where a library given as PATH lies.
static void add_folder_of(plugins_o *p, const char *path) {
  char folder[PLUGIN_PATH_MAX];
  const char *slash = strrchr(path, '/');
  if (!slash)
    snprintf(folder, sizeof folder, ".");
  else
    snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
  add_folder(p, folder);
}

static const shoal_plugin *port_get(void *context, uint32_t i);
static const char *port_missing(void *context, uint32_t i);
#define OWN_MEMORY                                                                                                     \
  "its results are in memory of its own: lists and texts go through shoal_give_numbers, shoal_give_entities and "      \
  "shoal_give_text"

static bool port_call(void *context, uint32_t plugin, uint32_t function, const shoal_value *arguments,
                      shoal_value *results, error_t *error);
static void port_open(void *context, const char *const *names, uint32_t count) {
  plugins_open(context, names, count);
}

plugins_o *plugins_create(const plugins_desc_t *desc) {
  shoal_assert(desc->world && desc->game_folder, "plugins are of a game and its world");
  shoal_assert(desc->before || !desc->as_before, "plugins as of a game before, which is not there");
  allocator_t memory = {0};
  plugins_o *p = alloc_resize(&memory, NULL, 0, sizeof *p);
  memset(p, 0, sizeof *p);
  p->memory = memory;
  p->desc = *desc;
  p->world = desc->world;
  p->thread = pthread_self();
  p->process = getpid();
  plugins_join(p);
  p->generation = desc->before ? desc->before->generation + 1 : 0;
  p->port = (plugin_port_t){.context = p,
                            .open = port_open,
                            .get = port_get,
                            .missing = port_missing,
                            .call = port_call,
                            .panels = plugin_port_panels,
                            .panel = plugin_port_panel};
  for (uint32_t i = 0; i < desc->extra_count; ++i) {
    if (file_is_folder(desc->extra[i]))
      add_folder(p, desc->extra[i]);
    else
      add_folder_of(p, desc->extra[i]);
  }
  path_join(p->game_folder, sizeof p->game_folder, desc->game_folder, "plugins");
  add_folder(p, p->game_folder);
  if (desc->shipped)
    add_folder(p, desc->shipped);
  return p;
}

static void free_plugin(plugins_o *p, plugin_t *x) {
  if (x->stuck) { // what it holds of the host's is lost with it
    p->forsaken = true;
    return;
  }
  plugin_unload(x);
  file_free(&p->memory, (char *)x->bytes, x->size);
  alloc_resize(&p->memory, x->nowhere, sizeof *x->nowhere, 0);
  alloc_resize(&p->memory, x, sizeof *x, 0);
}

static void close_all(plugins_o *p) {
  shoal_assert(!p->sharing, "plugins are closed while their parts run");
  shoal_assert(p->opening.count == 0, "plugins are closed while one is opened");
  while (p->list.count > 0) {
    plugin_t *x = p->list.items[--p->list.count];
    plugin_end(p, x);
    free_plugin(p, x);
  }
  for (uint32_t i = 0; i < p->missing.count; ++i)
    alloc_resize(&p->memory, p->missing.items[i], strlen(p->missing.items[i]) + 1, 0);
  p->missing.count = 0;
}

void plugins_destroy(plugins_o *p) {
  if (!p)
    return;
  for (uint32_t i = 0; i < p->report_count; ++i) // of a game that never ran
    log_error(p->desc.log, "%s: %s", p->reports[i].piece, p->reports[i].message);
  close_all(p);
  plugins_leave(p);
  plugin_free_chunks(p);
  array_free(&p->memory, &p->list);
  array_free(&p->memory, &p->missing);
  array_free(&p->memory, &p->refused);
  if (p->forsaken) // a thread goes on in it
    return;
  allocator_t memory = p->memory;
  alloc_resize(&memory, p, sizeof *p, 0);
  shoal_assert(memory.blocks == 0, "the plugins kept %zu bytes in %llu blocks", memory.bytes,
               (unsigned long long)memory.blocks);
}

// --- opening

static plugin_t *find_open(const plugins_o *p, const char *name) {
  for (uint32_t i = 0; p && i < p->list.count; ++i)
    if (strcmp(p->list.items[i]->name, name) == 0)
      return p->list.items[i];
  return NULL;
}

plugin_t *plugin_before(const plugin_t *x) {
  plugin_t *older = find_open(x->all->desc.before, x->name);
  return older != x ? older : NULL;
}

static bool is_missing(const plugins_o *p, const char *name) {
  for (uint32_t i = 0; i < p->missing.count; ++i)
    if (strcmp(p->missing.items[i], name) == 0)
      return true;
  return false;
}

static void note_missing(plugins_o *p, const char *name) {
  size_t bytes = strlen(name) + 1;
  char *copy = memcpy(alloc_resize(&p->memory, NULL, 0, bytes), name, bytes);
  array_push(&p->memory, &p->missing, copy);
}

static const refused_t *find_refused(const plugins_o *p, uint64_t hash) {
  for (uint32_t i = 0; i < p->refused.count; ++i)
    if (p->refused.items[i].hash == hash)
      return &p->refused.items[i];
  return NULL;
}

static bool open_needs(plugins_o *p, plugin_t *x, error_t *error);

// The same code would crash again.
static void park_what_crashes(plugins_o *p, plugin_t *x) {
  const plugin_t *older = find_open(p->desc.before, x->name);
  for (uint32_t i = 0; older && older->hash == x->hash && i < x->run_count; ++i)
    if (older->runs[i].crashes)
      park_crashing(p, &x->runs[i], "it crashed before");
}

// Everything that can fail, of a library whose bytes are there.
static bool open_bytes(plugins_o *p, plugin_t *x, error_t *error) {
  const refused_t *refused = find_refused(p, x->hash);
  if (refused)
    return error_set(error, "%s", refused->why);
  plugin_say_begun(p, x);
  if (!plugin_load(p, x, error))
    return false;
  bool fine = plugin_check(p, x, error) && open_needs(p, x, error);
  plugin_say_begun(p, x);
  if (fine) {
    fine = plugin_begin(p, x, error);
    if (fine)
      park_what_crashes(p, x);
    else
      plugin_end(p, x);
    if (!fine)
      plugin_say_refused(p, x, error);
  }
  if (!fine)
    plugin_unload(x);
  return fine;
}

static void forget_bytes(plugins_o *p, plugin_t *x) {
  file_free(&p->memory, (char *)x->bytes, x->size);
  x->bytes = NULL;
  x->size = 0;
}

// The library of the game that this one takes over from, when it is another one.
static bool open_older(plugins_o *p, plugin_t *x, const char *why) {
  const plugin_t *older = find_open(p->desc.before, x->name);
  error_t error;
  if (!older || (x->bytes && older->hash == x->hash))
    return false;
  forget_bytes(p, x);
  x->bytes = memcpy(alloc_resize(&p->memory, NULL, 0, older->size + 1), older->bytes, older->size);
  x->bytes[older->size] = 0;
  x->size = older->size;
  x->hash = older->hash;
  if (!open_bytes(p, x, &error))
    return false;
  if (!p->desc.as_before)
    plugin_report(p, x->name, "%s: %s; the library that ran before goes on", x->path, why);
  return true;
}

static bool open_plugin(plugins_o *p, const char *name, const char *path) {
  shoal_assert(!find_open(p, name), "plugin %s is opened twice", name);
  error_t error = {0};
  plugin_t *x = alloc_resize(&p->memory, NULL, 0, sizeof *x);
  *x = (plugin_t){.all = p};
  snprintf(x->name, sizeof x->name, "%s", name);
  snprintf(x->path, sizeof x->path, "%s", path);
  x->nowhere = alloc_resize(&p->memory, NULL, 0, sizeof *x->nowhere);
  *x->nowhere = plugin_context(x, WHERE_NOWHERE);
  array_push(&p->memory, &p->opening, x);
  bool fine = !p->desc.as_before && plugin_read(p, x, &error) && open_bytes(p, x, &error);
  fine = fine || open_older(p, x, error.text);
  shoal_assert(p->opening.items[p->opening.count - 1] == x, "plugin %s is not the last that was begun", x->name);
  p->opening.count--;
  if (fine) {
    array_push(&p->memory, &p->list, x);
    return true;
  }
  plugin_report(p, name, "%s: %s", path, error.text);
  note_missing(p, name);
  free_plugin(p, x);
  return false;
}

// "a → b → a"
static bool refuse_circle(plugins_o *p, const char *name, error_t *error) {
  char circle[600] = "";
  size_t used = 0;
  bool inside = false;
  for (uint32_t i = 0; i < p->opening.count; ++i) {
    inside |= strcmp(p->opening.items[i]->name, name) == 0;
    if (inside && used < sizeof circle - 80)
      used += (size_t)snprintf(circle + used, sizeof circle - used, "%s → ", p->opening.items[i]->name);
  }
  return inside && !error_set(error, "plugins need each other in a circle: %s%s", circle, name);
}

static const char *plugin_hint(plugins_o *p, const char *name, char *out, uint32_t out_bytes) {
  similar_t meant;
  similar_begin(&meant, name);
  for (uint32_t i = 0; i < p->folder_count; ++i) {
    file_list_t list = {0};
    if (!file_list(&p->memory, p->folders[i], ".so", &list, NULL))
      continue;
    for (uint32_t k = 0; k < list.count; ++k) {
      char known[SIMILAR_MOST];
      const char *slash = strrchr(list.paths[k], '/'), *base = slash ? slash + 1 : list.paths[k];
      snprintf(known, sizeof known, "%.*s", (int)(strlen(base) - strlen(".so")), base);
      similar_offer(&meant, known);
    }
    file_list_free(&p->memory, &list);
  }
  return similar_hint(&meant, out, out_bytes);
}

static bool open_named(plugins_o *p, const char *name, error_t *error) {
  char path[PLUGIN_PATH_MAX], looked[700] = "";
  size_t used = 0;
  if (find_open(p, name))
    return true;
  if (refuse_circle(p, name, error))
    return false;
  if (is_missing(p, name))
    return error_set(error, "the plugin %s cannot be had", name);
  if (plugin_find(p, name, path) || find_open(p->desc.before, name)) {
    if (!path[0])
      snprintf(path, sizeof path, "%s", find_open(p->desc.before, name)->path);
    return open_plugin(p, name, path) || error_set(error, "the plugin %s cannot be had", name);
  }
  for (uint32_t i = 0; i < p->folder_count && used < sizeof looked; ++i)
    used += (size_t)snprintf(looked + used, sizeof looked - used, "%s%s", i ? ", " : "", p->folders[i]);
  char hint[SIMILAR_MOST + 32];
  plugin_report(p, name, "there is no %s.so (looked in %s)%s", name, looked, plugin_hint(p, name, hint, sizeof hint));
  note_missing(p, name);
  return error_set(error, "there is no plugin %s", name);
}

static bool open_needs(plugins_o *p, plugin_t *x, error_t *error) {
  error_t why;
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && x->def->needs[i]; ++i)
    if (!open_named(p, x->def->needs[i], &why))
      return error_set(error, "it needs the plugin %s: %.800s", x->def->needs[i], why.text);
  return true;
}

static bool is_same_file(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

// …/NAME.so
static void open_file(plugins_o *p, const char *path) {
  char name[COMPONENT_NAME_MAX];
  const char *slash = strrchr(path, '/');
  const char *base = slash ? slash + 1 : path;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(base, "."), base);
  const plugin_t *there = find_open(p, name);
  if (there && !is_same_file(there->path, path))
    plugin_report(p, name, "%s: there are two plugins called %s: the other one is %s", path, name, there->path);
  if (!there && !is_missing(p, name))
    open_plugin(p, name, path);
}

static void open_extra(plugins_o *p, const char *path) {
  file_list_t list = {0};
  char file[PLUGIN_PATH_MAX];
  error_t error;
  if (!file_is_folder(path)) {
    open_file(p, path);
    return;
  }
  if (!file_list(&p->memory, path, ".so", &list, &error)) {
    plugin_report(p, path, "%s", error.text);
    return;
  }
  for (uint32_t i = 0; i < list.count; ++i)
    open_file(p, path_join(file, sizeof file, path, list.paths[i]));
  file_list_free(&p->memory, &list);
}

void plugin_open_all(plugins_o *p, const char *const *names, uint32_t count) {
  error_t error;
  for (uint32_t i = 0; i < count; ++i)
    open_named(p, names[i], &error);
  for (uint32_t i = 0; i < p->desc.extra_count; ++i)
    open_extra(p, p->desc.extra[i]);
  array_free(&p->memory, &p->opening);
}

// Are the files those that run already? Then nothing has to be tried.
static bool is_known(plugins_o *p, const char *const *names, uint32_t count) {
  const plugins_o *before = p->desc.before;
  bool known = before != NULL && before->missing.count == 0;
  for (uint32_t i = 0; i < count && known; ++i)
    known = find_open(before, names[i]) != NULL;
  for (uint32_t i = 0; before && i < before->list.count && known; ++i) {
    const plugin_t *older = before->list.items[i];
    plugin_t now = {0};
    snprintf(now.path, sizeof now.path, "%s", older->path);
    known = plugin_read(p, &now, NULL) && now.hash == older->hash;
    forget_bytes(p, &now);
  }
  return known;
}

void plugins_open(plugins_o *p, const char *const *names, uint32_t count) {
  if (p->is_open)
    return;
  p->is_open = true;
  crash_tell_in_copies();
  error_t error;
  if (!plugins_stop_threads(&error))
    log_error(p->desc.log, "%s", error.text);
  if (count == 0 && p->desc.extra_count == 0)
    return;
  while (!p->desc.as_before && !is_known(p, names, count) && plugin_probe(p, names, count))
    ;
  plugin_open_all(p, names, count);
  for (uint32_t i = 0; i < p->list.count && !p->desc.as_before; ++i)
    log_info(p->desc.log, "plugin %s, version %u: %s", p->list.items[i]->name, p->list.items[i]->def->version,
             p->list.items[i]->path);
}

void plugins_set_screen(plugins_o *p, int width, int height) {
  shoal_assert(width > 0 && height > 0, "a logical screen of %d × %d", width, height);
  p->desc.width = width;
  p->desc.height = height;
}

// --- the schedule

// Names of this plugin's own systems as the schedule knows them; others as they are.
static void full_names(plugin_t *x, const char *const *names, const char **out) {
  uint32_t count = 0;
  for (; count < SHOAL_MAX_NAMES && names[count]; ++count) {
    out[count] = names[count];
    for (uint32_t i = 0; i < x->run_count; ++i)
      if (strcmp(x->runs[i].def->name, names[count]) == 0)
        out[count] = x->runs[i].name;
  }
  out[count] = NULL;
}

bool plugins_schedule(plugins_o *p, schedule_o *s, error_t *error) {
  const char *after[SHOAL_MAX_NAMES + 1], *before[SHOAL_MAX_NAMES + 1];
  for (uint32_t i = 0; i < p->list.count; ++i) {
    plugin_t *x = p->list.items[i];
    for (uint32_t k = 0; k < x->run_count; ++k) {
      run_t *r = &x->runs[k];
      full_names(x, r->def->after, after);
      full_names(x, r->def->before, before);
      system_desc_t desc = {.name = r->name,
                            .phase = r->phase,
                            .priority = r->def->priority,
                            .after = after,
                            .before = before,
                            .every = r->def->every,
                            .run = plugin_run_system,
                            .context = r};
      if (!schedule_add(s, &desc, error))
        return false;
    }
  }
  return true;
}

static void bind_used(plugins_o *p, plugin_t *x) {
  error_t error;
  for (uint32_t i = 0; i < x->bound_count; ++i)
    if (!x->bound[i].own && !plugin_bind(p, &x->bound[i], &error))
      plugin_report(p, x->name, "%s", error.text);
}

static void keep_missing(plugins_o *p) {
  world_o *older = p->desc.before ? p->desc.before->world : NULL;
  for (uint32_t i = 1; older && i <= world_manager_count(older); ++i) {
    const manager_o *m = world_manager(older, i);
    bool kept = strncmp(m->schema.origin, "kept, ", 6) == 0;
    if ((!kept && strncmp(m->schema.origin, "plugin ", 7) != 0) || world_find_manager(p->world, m->schema.name))
      continue;
    schema_t copy = m->schema; // borrows its texts
    if (!kept)
      snprintf(copy.origin, sizeof copy.origin, "kept, of %.100s", m->schema.origin);
    if (world_declare(p->world, &copy, NULL) != 0)
      log_warn(p->desc.log, "no plugin provides %s (%s) now: its %u rows are kept", m->schema.name, m->schema.origin,
               m->count);
  }
}

void plugins_bind(plugins_o *p, bool reloaded) {
  error_t error;
  if (p->is_bound)
    return;
  p->is_bound = true;
  for (uint32_t i = 0; i < p->list.count; ++i) {
    plugin_t *x = p->list.items[i];
    bind_used(p, x);
    for (uint32_t k = 0; k < x->run_count; ++k)
      if (!plugin_bind_run(p, &x->runs[k], &error))
        plugin_fail_run(&x->runs[k], error.text);
  }
  if (reloaded)
    keep_missing(p);
  p->desc.before = NULL;
}

void plugins_declare_beside(const plugins_o *p, schedule_o *s) {
  for (uint32_t i = 0; i < p->list.count; ++i)
    for (uint32_t k = 0; k < p->list.items[i]->run_count; ++k)
      plugin_declare_beside(&p->list.items[i]->runs[k], s);
}

// --- for scripts, and for the file watch

const plugin_port_t *plugins_port(plugins_o *p) {
  return &p->port;
}

static const shoal_plugin *port_get(void *context, uint32_t i) {
  const plugins_o *p = context;
  return i < p->list.count ? p->list.items[i]->def : NULL;
}

static const char *port_missing(void *context, uint32_t i) {
  const plugins_o *p = context;
  return i < p->missing.count ? p->missing.items[i] : NULL;
}

static bool port_call(void *context, uint32_t plugin, uint32_t function, const shoal_value *arguments,
                      shoal_value *results, error_t *error) {
  plugins_o *p = context;
  if (plugin >= p->list.count || function >= p->list.items[plugin]->function_count)
    return error_set(error, "there is no such function");
  plugin_t *x = p->list.items[plugin];
  if (plugin_rests(x)) {
    p->asked_outside = true;
    return error_set(error, "plugin %s reaches outside, and this is a copy of the game: it is not called", x->name);
  }
  context_t c = plugin_context(x, WHERE_FUNCTION);
  memset(results, 0, PLUGIN_MAX_VALUES * sizeof *results);
  c.function = function;
  c.results = results;
  for (uint32_t i = 0; i < PLUGIN_MAX_VALUES; ++i) // what a call that failed has begun
    x->built[function * PLUGIN_MAX_VALUES + i].depth = 0;
  if (!plugin_call_function(&c, &x->def->functions[function], arguments, results))
    *error = c.problem;
  return !c.failed && (plugin_results_are_given(&c) || error_set(error, "%s", OWN_MEMORY));
}

void plugins_be_copy(plugins_o *p) {
  p->desc.copied = true;
  for (uint32_t i = 0; i < p->list.count; ++i) {
    plugin_t *x = p->list.items[i];
    for (uint32_t k = 0; k < x->bound_count && plugin_rests(x); ++k)
      x->bound[k].unreliable = true; // its manager is not asked
  }
}

bool plugins_asked_outside(const plugins_o *p) {
  return p->asked_outside;
}

bool plugins_have_changed(plugins_o *p, char *out, size_t out_bytes) {
  for (uint32_t i = 0; i < p->list.count; ++i) {
    const plugin_t *x = p->list.items[i];
    plugin_t now = {0};
    snprintf(now.path, sizeof now.path, "%s", x->path);
    bool same = !plugin_read(p, &now, NULL) || now.hash == x->hash;
    forget_bytes(p, &now);
    snprintf(out, out_bytes, "%s.so", x->name);
    if (!same)
      return true;
  }
  for (uint32_t i = 1; i <= world_manager_count(p->world); ++i) {
    const manager_o *m = world_manager(p->world, i);
    snprintf(out, out_bytes, "the plugin of %s", m->schema.name);
    if (m->kept.size > 0)
      return true;
  }
  return false;
}

void plugins_exercise(plugins_o *p) {
  for (uint32_t i = 0; i < p->list.count; ++i)
    plugin_exercise(p->list.items[i]);
}

bool plugins_are_honest(const plugins_o *p, const plugins_o *before, error_t *error) {
  for (uint32_t i = 0; i < p->list.count; ++i) {
    const plugin_t *x = p->list.items[i], *older = find_open(before, x->name);
    bool known = older && older->hash == x->hash && older->lie.text[0];
    if (x->lie.text[0] && !known)
      return error_set(error, "plugin %s: %s", x->name, x->lie.text);
  }
  return true;
}

bool plugins_difference(const plugins_o *now, const plugins_o *before, uint32_t i, char *out, size_t out_bytes) {
  for (uint32_t k = 0; k < now->list.count + before->list.count; ++k) {
    bool mine = k < now->list.count;
    const plugin_t *x = mine ? now->list.items[k] : before->list.items[k - now->list.count];
    const plugin_t *other = find_open(mine ? before : now, x->name);
    bool differs = mine ? !other || other->hash != x->hash : !other;
    if (!differs || i-- > 0)
      continue;
    snprintf(out, out_bytes, "%s.so", x->name);
    return true;
  }
  return false;
}

static int by_time(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

const plugin_scope_t *plugins_scope(const plugins_o *p, uint32_t i, double *median_us) {
  float sorted[PLUGIN_SCOPE_RECENT];
  for (uint32_t k = 0; p && k < p->list.count; ++k) {
    const plugin_t *x = p->list.items[k];
    if (i >= x->scopes.count) {
      i -= x->scopes.count;
      continue;
    }
    const plugin_scope_t *s = &x->scopes.items[i];
    uint32_t count = s->runs < PLUGIN_SCOPE_RECENT ? (uint32_t)s->runs : PLUGIN_SCOPE_RECENT;
    memcpy(sorted, s->recent_us, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_time);
    if (median_us)
      *median_us = count > 0 ? (double)sorted[count / 2] : 0;
    return s;
  }
  return NULL;
}

const char *plugins_path(const plugins_o *p, uint32_t i) {
  return i < p->list.count ? p->list.items[i]->path : NULL;
}

const char *plugins_folder(const plugins_o *p, uint32_t i) {
  return i < p->folder_count ? p->folders[i] : NULL;
}
