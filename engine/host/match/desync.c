// Traces of ticks that run again after a desync. Formats:
//
//   report   FLAG_RECURS (1), number of systems (varint), the lower 32 bits of the hash after each system; of a host:
//            component hashes after the first system whose hash differs (component_hashes.h)
//   finding  FLAG_RECURS of the peer (1); varints: number of the system or 0, kind, entity, row, kind of the value;
//            strings (length (1), bytes): component, instance, field, the peer's value
#include "migrate/state_migrate.h"
#include "match/desync.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "base/varint.h"
#include "game/game.h"
#include "game/system_watch.h"
#include "match/component_hashes.h"
#include "match/match_tick.h"
#include "match/match_state.h"
#include "snapshot/compare.h"
#include "time/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEPT_TICKS 4u    // number of ticks whose traces are kept
#define MAX_SYSTEMS 512u // maximum number of systems in a report; the hashes of further systems are not compared
#define MAX_ITEMS 256u   // maximum number of differences from which one is selected
#define FLAG_RECURS 1u
#define RECORDING_BYTES (256u << 20) // maximum memory of a recording's states

typedef struct system_name_t {
  char text[96];
} system_name_t;

// A tick that has run again: its report, and the states that desync_find and desync_describe need.
typedef struct trace_t {
  uint64_t tick; // number of the tick; 0: unused slot
  desync_start_t start;
  players_state_t start_players, players;
  snapshot_o *start_state, *end; // this machine's states before and after the tick
  snapshot_o *host;              // peer: the host's state after the tick
  uint64_t hash;
  bool recurs, host_recurs;
  bool is_first_end; // true if `end` is the state after the tick's first run
  ARRAY(system_name_t) names;
  uint64_t other_hash; // hash of the other machine's report; 0: no report
  uint8_t report[MATCH_MAX_REPORT_BYTES];
  size_t report_size;
} trace_t;

struct desync_o {
  allocator_t *allocator;
  trace_t traces[KEPT_TICKS];
  uint32_t next;
  // State of the run in progress
  trace_t *current;
  system_watch_t watch;
  system_hashes_t hashes, expected;
  uint8_t components[MATCH_MAX_HASHES_BYTES]; // component hashes after the first system whose hash differs
  size_t component_size;
  snapshot_o *middle; // state after the first system whose hash differs; empty if all hashes match
};

desync_o *desync_create(allocator_t *a) {
  desync_o *d = alloc_resize(a, NULL, 0, sizeof *d);
  memset(d, 0, sizeof *d);
  d->allocator = a;
  d->middle = snapshot_create(a);
  return d;
}

void desync_destroy(desync_o *d) {
  if (!d)
    return;
  for (uint32_t i = 0; i < KEPT_TICKS; ++i) {
    snapshot_release(d->traces[i].start_state);
    snapshot_release(d->traces[i].end);
    snapshot_release(d->traces[i].host);
    array_free(d->allocator, &d->traces[i].names);
  }
  snapshot_release(d->middle);
  array_free(d->allocator, &d->hashes);
  array_free(d->allocator, &d->expected);
  alloc_resize(d->allocator, d, sizeof *d, 0);
}

void desync_clear(desync_o *d) {
  for (uint32_t i = 0; i < KEPT_TICKS; ++i)
    d->traces[i].tick = 0;
}

static trace_t *find_trace(const desync_o *d, uint64_t tick) {
  for (uint32_t i = 0; i < KEPT_TICKS; ++i)
    if (tick > 0 && d->traces[i].tick == tick)
      return (trace_t *)(uintptr_t)&d->traces[i];
  return NULL;
}

// Returns the trace of a tick or, if the tick has not been traced, the oldest trace. Marks the trace as unused, and
// clears the host's state in it.
static trace_t *take_trace(desync_o *d, uint64_t tick) {
  trace_t *t = find_trace(d, tick);
  if (!t)
    t = &d->traces[d->next++ % KEPT_TICKS];
  if (!t->end) {
    t->start_state = snapshot_create(d->allocator);
    t->end = snapshot_create(d->allocator);
    t->host = snapshot_create(d->allocator);
  }
  t->tick = 0;
  snapshot_set_bytes(t->host, NULL, 0);
  return t;
}

// --- running a tick

// Reads FLAG_RECURS and the system hashes of a report. Returns the offset after the hashes, or 0 if the report is
// malformed.
static size_t read_report(const desync_o *d, const uint8_t *report, size_t size, system_hashes_t *out, bool *recurs) {
  uint64_t count = 0;
  size_t at = 1, read = size > 1 ? varint_read(report + 1, size - 1, &count) : 0;
  if (read == 0 || count > MAX_SYSTEMS || size - at - read < count * sizeof(uint32_t))
    return 0;
  *recurs = (report[0] & FLAG_RECURS) != 0;
  at += read;
  out->count = 0;
  for (uint64_t i = 0; i < count; ++i, at += sizeof(uint32_t)) {
    uint32_t hash;
    memcpy(&hash, report + at, sizeof hash);
    array_push(d->allocator, out, hash);
  }
  return at;
}

static size_t write_report(const desync_o *d, bool recurs, uint8_t *out) {
  uint32_t count = d->hashes.count < MAX_SYSTEMS ? d->hashes.count : MAX_SYSTEMS;
  size_t at = 1;
  out[0] = recurs ? FLAG_RECURS : 0;
  at += varint_write(count, out + at);
  for (uint32_t i = 0; i < count; ++i, at += sizeof(uint32_t)) {
    uint32_t hash = (uint32_t)d->hashes.items[i];
    memcpy(out + at, &hash, sizeof hash);
  }
  memcpy(out + at, d->components, d->component_size);
  return at + d->component_size;
}

_Static_assert(1 + VARINT_BYTES + MAX_SYSTEMS * 4 + MATCH_MAX_HASHES_BYTES <= MATCH_MAX_REPORT_BYTES,
               "a report is too large");

static void after_system(void *context, world_o *w, const char *system) {
  desync_o *d = context;
  system_name_t name;
  snprintf(name.text, sizeof name.text, "%s", system);
  array_push(d->allocator, &d->current->names, name);
  bool is_first = d->watch.differs && d->watch.differing_index == d->watch.count && d->watch.count < MAX_SYSTEMS;
  if (!is_first)
    return;
  d->component_size = component_hashes_write(w, d->components, sizeof d->components);
  snapshot_take(d->middle, w, NULL);
}

static bool run_again(desync_o *d, game_o *g, const match_o *m, uint64_t tick, logged_input_t *item) {
  record_t record;
  if (!match_find_record(m, tick, &record))
    return false;
  match_tick_run_again(g, d->allocator, &record);
  *item = (logged_input_t){.previous_input = g->input_before, .input = g->input};
  return true;
}

// Runs a tick again, stores the hash after each system, and compares the hashes with `expected` unless it is NULL.
// Returns true on success, or false if the tick cannot run again.
static bool run_watched(desync_o *d, trace_t *t, game_o *g, const match_o *m, const system_hashes_t *expected,
                        logged_input_t *item) {
  d->current = t;
  d->hashes.count = t->names.count = 0;
  d->component_size = 0;
  snapshot_set_bytes(d->middle, NULL, 0);
  d->watch = (system_watch_t){.allocator = d->allocator,
                              .stored = &d->hashes,
                              .expected = expected,
                              .mask = UINT32_MAX,
                              .after_system = after_system,
                              .context = d};
  system_watch_begin(&d->watch, g);
  bool ok = run_again(d, g, m, t->tick, item);
  system_watch_end(g);
  return ok;
}

static uint64_t hash_world(const game_o *g) {
  return match_fold_hash(match_hash_world(g->world));
}

static bool restore_start(game_o *g, const desync_start_t *start) {
  players_set_state(g, start->players);
  return state_restore_with_kept(start->state, g->world, NULL);
}

// --- recording

// Returns a history that begins with the current state, or NULL if `desc` has no recorder.
static history_o *begin_recording(desync_o *d, const desync_trace_desc_t *desc) {
  history_o *history = desc->recorder ? history_create(d->allocator, RECORDING_BYTES) : NULL;
  if (history)
    history_add_snapshot(history, desc->game->world);
  return history;
}

static void record_tick(history_o *history, const desync_trace_desc_t *desc, const logged_input_t *item) {
  if (!history)
    return;
  recorder_add_tick(desc->recorder, &item->previous_input, &item->input, desc->game->world);
  history_add_snapshot(history, desc->game->world);
}

static void end_recording(history_o *history, const desync_trace_desc_t *desc, bool is_complete) {
  error_info_t error = {0};
  log_o *log = desc->game->desc.log;
  if (history && is_complete && recorder_write_excerpt(desc->recorder, history, NULL, desc->path, &error))
    log_info(log, "match: recorded the ticks up to tick %llu: replay them with --replay %s",
             (unsigned long long)desc->tick, desc->path);
  else if (history && is_complete)
    log_warn(log, "match: the ticks up to tick %llu cannot be recorded: %s", (unsigned long long)desc->tick,
             error.text);
  history_destroy(history);
}

// --- tracing

static bool run_to_tick(desync_o *d, trace_t *t, const desync_trace_desc_t *desc, const system_hashes_t *expected) {
  game_o *g = desc->game;
  logged_input_t item;
  history_o *history = begin_recording(d, desc);
  bool ok = true;
  for (uint64_t tick = t->start.tick + 1; tick < desc->tick && ok; ++tick) {
    ok = run_again(d, g, desc->match, tick, &item);
    if (ok)
      record_tick(history, desc, &item);
  }
  // Start state from which desync_find runs the traced tick again.
  t->start = (desync_start_t){.tick = desc->tick - 1, .state = t->start_state, .players = &t->start_players};
  players_get_state(g, &t->start_players);
  ok = ok && snapshot_take(t->start_state, g->world, NULL) && run_watched(d, t, g, desc->match, expected, &item);
  if (ok)
    record_tick(history, desc, &item);
  end_recording(history, desc, ok);
  return ok;
}

static bool store_end(trace_t *t, const desync_trace_desc_t *desc) {
  t->hash = desc->hash;
  t->recurs = t->host_recurs = hash_world(desc->game) == desc->hash;
  players_get_state(desc->game, &t->players);
  if (desc->end)
    snapshot_copy(t->end, desc->end);
  t->is_first_end = desc->end || t->recurs;
  return desc->end || snapshot_take(t->end, desc->game->world, NULL);
}

size_t desync_trace(desync_o *d, const desync_start_t *start, const desync_trace_desc_t *desc, uint8_t *out) {
  bool other_recurs = false;
  uint64_t other_hash = desc->other_size > 0 ? hash_bytes(desc->other, desc->other_size, 1) : 0;
  bool compares = desc->other_size > 0 &&
                  read_report(d, desc->other, desc->other_size, &d->expected, &other_recurs) > 0 && other_recurs;
  trace_t *t = find_trace(d, desc->tick);
  if (t && t->other_hash == other_hash && t->hash == desc->hash) {
    memcpy(out, t->report, t->report_size);
    return t->report_size;
  }
  t = take_trace(d, desc->tick);
  t->start = *start;
  t->other_hash = other_hash;
  if (!restore_start(desc->game, start))
    return 0;
  t->tick = desc->tick;
  if (!run_to_tick(d, t, desc, compares ? &d->expected : NULL) || !store_end(t, desc)) {
    t->tick = 0;
    return 0;
  }
  t->report_size = write_report(d, t->recurs, t->report);
  memcpy(out, t->report, t->report_size);
  return t->report_size;
}

const snapshot_o *desync_get_state(const desync_o *d, uint64_t tick, const players_state_t **players) {
  const trace_t *t = find_trace(d, tick);
  if (!t || !t->is_first_end)
    return NULL;
  *players = &t->players;
  return t->end;
}

// --- finding

static bool is_same_item(const compare_item_t *a, const compare_item_t *b) {
  return a->kind == b->kind && a->entity == b->entity && a->row == b->row && strcmp(a->component, b->component) == 0 &&
         strcmp(a->instance, b->instance) == 0 && strcmp(a->field, b->field) == 0;
}

typedef struct selection_t {
  // The host's component hashes after the first system whose hash differs. desync_o contains this machine's hashes.
  const uint8_t *host;
  size_t host_size;
  compare_item_t *items, *later; // differences of the states, and changes made by later systems
  uint64_t count, later_count;
} selection_t;

// Returns true if the hashes of the item's component differ after the first system whose hash differs. For an item
// without a component, compares the hashes of the existing entities.
static bool differs_after_system(const desync_o *d, const selection_t *s, const compare_item_t *item) {
  bool has_name = item->component[0] || item->kind == COMPARE_ENTITY || item->kind == COMPARE_FIELD;
  return has_name && item->kind != COMPARE_EVENT &&
         component_hashes_differ(s->host, s->host_size, d->components, d->component_size, item->component);
}

static bool is_changed_later(const selection_t *s, const compare_item_t *item) {
  for (uint64_t i = 0; i < s->later_count && i < MAX_ITEMS; ++i)
    if (is_same_item(&s->later[i], item))
      return true;
  return false;
}

// Returns the index of the difference that describes the desync best. Ideally, its component differs after the system,
// and no later system has changed its value.
static uint64_t select_item(const desync_o *d, const selection_t *s) {
  uint64_t best = 0;
  uint32_t best_score = 0;
  for (uint64_t i = 0; i < s->count && i < MAX_ITEMS; ++i) {
    uint32_t score = differs_after_system(d, s, &s->items[i]) ? 2 : 0;
    score += score > 0 && !is_changed_later(s, &s->items[i]);
    if (score > best_score) {
      best = i;
      best_score = score;
    }
  }
  return best;
}

// Writes the differences between two states to `out`. Returns their number, at most MAX_ITEMS, or 0 if the states
// cannot be compared.
static uint64_t compare(const snapshot_o *a, const snapshot_o *b, world_o *w, compare_item_t *out) {
  uint64_t count = snapshot_compare(a, b, w, out, MAX_ITEMS, NULL);
  return count == UINT64_MAX ? 0 : count < MAX_ITEMS ? count : MAX_ITEMS;
}

// Finds the difference between the host's and this machine's state that describes the desync best, stores it in `out`,
// and returns true. Returns false if the states have no difference that can be named.
static bool find_item(desync_o *d, const trace_t *t, world_o *w, const uint8_t *host, size_t host_size,
                      compare_item_t *out) {
  size_t size = MAX_ITEMS * sizeof(compare_item_t);
  selection_t s = {.host = host,
                   .host_size = host_size,
                   .items = alloc_resize(d->allocator, NULL, 0, size),
                   .later = alloc_resize(d->allocator, NULL, 0, size)};
  s.count = compare(t->host, t->end, w, s.items);
  if (d->watch.differs && snapshot_size(d->middle) > 0)
    s.later_count = compare(d->middle, t->end, w, s.later);
  if (s.count > 0)
    *out = s.items[select_item(d, &s)];
  alloc_resize(d->allocator, s.items, size, 0);
  alloc_resize(d->allocator, s.later, size, 0);
  return s.count > 0;
}

// Reads the item's value from a state into `out`. Returns true on success, or false if the state is malformed, or a
// comparison cannot yield such an item.
static bool read_value(const desync_o *d, const snapshot_o *state, world_o *w, const compare_item_t *item,
                       compare_value_t *out) {
  state_view_t *view = state_open(state, d->allocator, NULL);
  bool ok = view && state_read_value(view, w, item, out);
  state_close(view);
  return ok;
}

static size_t write_string(const char *text, uint8_t *out) {
  size_t length = strlen(text);
  shoal_assert(length <= UINT8_MAX, "a string of %zu bytes", length);
  out[0] = (uint8_t)length;
  memcpy(out + 1, text, length);
  return 1 + length;
}

static size_t write_finding(bool recurs, uint32_t system, const compare_item_t *item, uint8_t *out) {
  uint64_t numbers[] = {system, item->kind, item->entity, item->row, item->b.kind};
  size_t at = 1;
  out[0] = recurs ? FLAG_RECURS : 0;
  for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    at += varint_write(numbers[i], out + at);
  at += write_string(item->component, out + at);
  at += write_string(item->instance, out + at);
  at += write_string(item->field, out + at);
  return at + write_string(item->b.text, out + at);
}

_Static_assert(1 + 5 * VARINT_BYTES + 4 + COMPONENT_NAME_MAX + FIELD_NAME_MAX + 2 * COMPARE_TEXT_MAX <=
                   MATCH_MAX_FINDING_BYTES,
               "a finding is too large");

size_t desync_find(desync_o *d, game_o *g, const match_o *m, uint64_t tick, const uint8_t *report, size_t report_size,
                   const snapshot_o *host, uint8_t *out) {
  trace_t *t = find_trace(d, tick);
  logged_input_t input;
  compare_item_t item = {0};
  size_t end = t ? read_report(d, report, report_size, &d->expected, &t->host_recurs) : 0;
  if (end == 0 || !restore_start(g, &t->start) || !run_watched(d, t, g, m, &d->expected, &input))
    return 0;
  t->recurs = t->recurs && hash_world(g) == t->hash;
  bool names_system = t->recurs && t->host_recurs && d->watch.differs && d->watch.differing_index < d->expected.count;
  uint32_t system = names_system ? d->watch.differing_index + 1 : 0;
  snapshot_set_bytes(t->host, NULL, 0);
  if (host)
    snapshot_copy(t->host, host);
  if (host && find_item(d, t, g->world, report + end, report_size - end, &item) &&
      !read_value(d, t->end, g->world, &item, &item.b))
    item = (compare_item_t){0};
  return write_finding(t->recurs, system, &item, out);
}

// --- describing

static bool read_number(const uint8_t *bytes, size_t size, size_t *at, uint64_t max, uint64_t *out) {
  size_t read = varint_read(bytes + *at, size - *at, out);
  *at += read;
  return read > 0 && *out <= max;
}

static bool read_string(const uint8_t *bytes, size_t size, size_t *at, char *out, size_t capacity) {
  size_t length = *at < size ? bytes[*at] : SIZE_MAX;
  if (length >= capacity || size - *at < 1 + length)
    return false;
  memcpy(out, bytes + *at + 1, length);
  out[length] = '\0';
  *at += 1 + length;
  return strlen(out) == length;
}

// Replaces control characters and invalid UTF-8 with '?', because the line is shown in terminals and read by programs.
static void make_printable(char *text) {
  error_strip_controls(text);
  for (size_t length; *text; text += length) {
    length = utf8_character_length(text);
    if (length == 0 || *text == '\n' || *text == '\t')
      *text = '?';
    length = length ? length : 1;
  }
}

static bool read_finding(const uint8_t *finding, size_t size, uint32_t *system, compare_item_t *item) {
  uint64_t number, kind, entity, row, value;
  size_t at = 1;
  *item = (compare_item_t){0};
  if (size == 0 || !read_number(finding, size, &at, MAX_SYSTEMS, &number) ||
      !read_number(finding, size, &at, COMPARE_OTHER, &kind) || !read_number(finding, size, &at, UINT32_MAX, &entity) ||
      !read_number(finding, size, &at, UINT32_MAX, &row) || !read_number(finding, size, &at, COMPARE_TEXT, &value) ||
      !read_string(finding, size, &at, item->component, sizeof item->component) ||
      !read_string(finding, size, &at, item->instance, sizeof item->instance) ||
      !read_string(finding, size, &at, item->field, sizeof item->field) ||
      !read_string(finding, size, &at, item->b.text, sizeof item->b.text) || at != size)
    return false;
  *system = (uint32_t)number;
  item->kind = (uint32_t)kind;
  item->entity = (shoal_entity)entity;
  item->row = (uint32_t)row;
  item->b.kind = (uint32_t)value;
  return true;
}

static void format_value(const compare_value_t *v, bool is_field, char *out, size_t bytes) {
  const char *quote = is_field && v->kind == COMPARE_TEXT ? "\"" : "";
  snprintf(out, bytes, "%s%s%s", quote, v->kind == COMPARE_ABSENT ? "absent" : v->text, quote);
}

static void format_item(const compare_item_t *item, char *out, size_t bytes) {
  char entity[32] = "", a[COMPARE_TEXT_MAX + 2], b[COMPARE_TEXT_MAX + 2];
  bool is_field = item->field[0] && (item->kind == COMPARE_FIELD || item->kind == COMPARE_EVENT);
  bool has_rows = item->component[0] != '\0';
  format_value(&item->a, is_field, a, sizeof a);
  format_value(&item->b, is_field, b, sizeof b);
  if (item->kind == COMPARE_EVENT)
    snprintf(entity, sizeof entity, "event %u ", item->row + 1);
  else if (item->entity)
    snprintf(entity, sizeof entity, "entity(%u)%s", shoal_entity_index(item->entity),
             item->field[0] || has_rows ? " " : "");
  int length =
      snprintf(out, bytes, "%s%s%s%s%s%s", entity, item->component, item->instance[0] ? "." : "", item->instance,
               !item->field[0] || !has_rows ? ""
               : is_field                   ? "."
                                            : ": ",
               item->field);
  if (length < 0 || (size_t)length >= bytes)
    return;
  if (is_field || !item->field[0])
    snprintf(out + length, bytes - (size_t)length, " %s and %s", a, b);
  else
    snprintf(out + length, bytes - (size_t)length, " differs");
}

static void format_cause(const trace_t *t, bool peer_recurs, uint32_t system, game_o *g, char *out, size_t bytes) {
  char location[256];
  if (!t->host_recurs || !peer_recurs) {
    const char *machine = t->host_recurs ? "the joined machine" : peer_recurs ? "the host" : "both machines";
    snprintf(out, bytes, ", state outside the world: does not recur on %s: run with --check-rollback 8", machine);
    return;
  }
  const char *name = system > 0 ? t->names.items[system - 1].text : "";
  if (system == 0)
    snprintf(out, bytes, ", at the end of the tick");
  else if (vm_system_location(g->vm, name, location, sizeof location))
    snprintf(out, bytes, ", after system %s (%s)", name, location);
  else
    snprintf(out, bytes, ", after system %s", name);
}

bool desync_describe(const desync_o *d, game_o *g, uint64_t tick, const uint8_t *finding, size_t size, char *out) {
  const trace_t *t = find_trace(d, tick);
  compare_item_t item;
  uint32_t system = 0;
  char text[MATCH_LINE_BYTES / 2], cause[MATCH_LINE_BYTES / 2];
  out[0] = '\0';
  if (!read_finding(finding, size, &system, &item))
    return false;
  if (!t)
    return true;
  const snapshot_o *host = snapshot_size(t->host) > 0 ? t->host : t->end;
  if (system > t->names.count || (item.kind != COMPARE_NONE && !read_value(d, host, g->world, &item, &item.a)))
    return false;
  if (item.kind != COMPARE_NONE)
    format_item(&item, text, sizeof text);
  else
    snprintf(text, sizeof text, "%s", t->host_recurs ? "data other than fields differs" : "the world differs");
  format_cause(t, (finding[0] & FLAG_RECURS) != 0, system, g, cause, sizeof cause);
  snprintf(out, MATCH_LINE_BYTES, "%s%s", text, cause);
  make_printable(out);
  return true;
}
