// Implements <shoal/world.h> for the world of a host. Changes are recorded as text (access/changes.h).
#include "library/library.h"

#include "access/changes.h"
#include "access/last_error.h"
#include "host/console.h"
#include "saves/game_saves.h"
#include "transform/transform.h"

// --- effects of calls on the world, from their `where` in shoal/functions.h

typedef enum host_access_t { HOST_NONE, HOST_READS, HOST_OPENS, HOST_CHANGES } host_access_t;

#define ACCESS(name_, contexts_, access_, description_) ACCESS_##name_ = HOST_##access_,
enum { SHOAL_CALL_CONTEXTS(ACCESS) };

static shoal_host *find_host(shoal_world *w) {
  return (shoal_host *)(void *)w;
}

static void begin_change(shoal_host *h) {
  if (!h->has_unrecorded_changes)
    console_begin_change(h->host);
  h->has_unrecorded_changes = true;
}

static bool begin_call(shoal_world *w, host_access_t access, const char *function) {
  shoal_host *h = find_host(w);
  host_state_t state;
  if (!(access == HOST_READS ? library_begin_call(h, function) : library_begin_call_while_running(h, function)))
    return false;
  if (!host_world(h->host))
    return library_end_call(access_fail("%s: the game could not start: fix the errors in the game's files", function));
  access_set_world(&h->access, host_world(h->host));
  host_get_state(h->host, &state);
  h->access.records = !state.replaying;
  h->access.writes_refused = state.replaying || host_is_recording(h->host);
  if (access != HOST_READS && state.replaying) // opening a query also changes the world's state
    return library_end_call(access_fail("%s: cannot change the world during a replay", function));
  if (access == HOST_READS)
    return true;
  if (h->access.open.count == 0)
    console_store_state(h->host);
  if (access == HOST_CHANGES)
    begin_change(h);
  return true;
}

static void end_call(shoal_world *w) {
  shoal_host *h = find_host(w);
  if (access_has_open_writer(&h->access) || changes_has_content(&h->access))
    begin_change(h);
  if (h->access.open.count == 0) {
    if (h->has_unrecorded_changes)
      console_end_change(h->host, changes_has_content(&h->access) ? h->access.changes.items : NULL);
    h->has_unrecorded_changes = false;
    changes_clear(&h->access);
  }
  library_end_call(true);
}

// --- world state

static bool world_access_restore(shoal_world *w, const void *bytes, size_t size) {
  shoal_host *h = find_host(w);
  if (h->finished)
    return access_fail("the last frame has already been run");
  if (h->access.writes_refused)
    return access_fail(h->access.records ? "cannot restore a snapshot while a recording is made"
                                         : "cannot restore a snapshot during a replay");
  host_announce_edit(h->host, true);
  bool ok = access_restore_snapshot(&h->access, bytes, size);
  host_announce_edit(h->host, false);
  return ok;
}

static bool call_with_file(shoal_world *w, const char *path,
                           bool (*use)(session_t *s, const char *path, error_info_t *error)) {
  error_info_t error = {0};
  shoal_host *h = find_host(w);
  if (!path || !access_check_queries_closed(&h->access))
    return path ? false : access_fail("path must not be NULL");
  bool ok = use(host_session(h->host), path, &error);
  access_clear_error();
  return ok || access_fail("%s", error.text);
}

static bool world_access_save(shoal_world *w, const char *path) {
  return call_with_file(w, path, game_saves_write);
}

static bool world_access_load(shoal_world *w, const char *path) {
  if (find_host(w)->finished)
    return access_fail("the last frame has already been run");
  return call_with_file(w, path, game_saves_load);
}

// --- function table of <shoal/world.h>

// clang-format off
#define GUARD(name_, result_, otherwise_, where_, parameters_, arguments_, words_)                                     \
  _Static_assert((int)ACCESS_##where_ != HOST_NONE, "hosts cannot call shoal_" #name_);                                \
  static result_ guard_##name_ parameters_ {                                                                           \
    if (offsetof(shoal_world_api, name_) == 0)                                                                         \
      return world_access_##name_ arguments_;                                                                          \
    if (!begin_call(w, (host_access_t)ACCESS_##where_, "shoal_" #name_))                                               \
      return otherwise_;                                                                                               \
    result_ result = world_access_##name_ arguments_;                                                                  \
    end_call(w);                                                                                                       \
    return result;                                                                                                     \
  }
SHOAL_WORLD_FUNCTIONS(GUARD)
SHOAL_STATE_FUNCTIONS(GUARD)

#define ENTRY(name_, result_, otherwise_, where_, parameters_, arguments_, words_) .name_ = guard_##name_,
static const shoal_world_api api = {SHOAL_WORLD_FUNCTIONS(ENTRY) SHOAL_STATE_FUNCTIONS(ENTRY)};
// clang-format on

static void report_missing_columns(const shoal_view *v, const shoal_component *component, const char *file, int line) {
  shoal_host *h = v->report_context;
  if (access_fail_column_lookup(v, component, file, line) && h->host)
    log_error(host_log(h->host), "%s", access_error_text());
}

void library_init_world(shoal_host *h) {
  access_init(&h->access,
              &(access_desc_t){.api = &api,
                               .inspects = true,
                               .exact = access_checks_columns(),
                               .children = transform_list_children,
                               .report_missing = report_missing_columns},
              NULL);
}

void library_close_world(shoal_host *h) {
  access_fini(&h->access);
}

shoal_world *shoal_host_world(shoal_host *h) {
  access_clear_error();
  return h ? &h->access.own.shared : (access_fail("shoal_host_world: host must not be NULL"), NULL);
}
