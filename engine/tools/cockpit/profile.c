// Profiling data for clients: frame times, memory, textures, native systems, parked systems. Frames are recorded only
// while a client subscribes to them.
#include "cockpit/profile.h"

#include "base/assert.h"
#include "base/now.h"
#include "base/parked.h"
#include "cockpit/budget.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/connections.h"
#include "native/loop.h"
#include "script/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- frames

// Credit needed to start recording frames. A headless game runs thousands of frames a second and therefore records
// bursts of consecutive frames, as credit allows.
#define NOTE_CREDIT_US 100.0
#define MAX_TEXTURES 4000u

// Records the systems that ran since the last call, with their start times. If `f` is NULL, only updates the run
// counts. A system's index is its position in the schedule, as in describe_systems.
static void record_systems(const game_o *g, profile_frame_t *f, profile_t *p) {
  uint32_t number = 0;
  shoal_assert(!f || f->count == 0, "frame %llu already has %u systems", (unsigned long long)f->number, f->count);
  for (int phase = PHASE_INPUT; phase < PHASE_COUNT; ++phase)
    for (uint32_t i = 0; i < schedule_system_count(g->schedule, (phase_t)phase) && number < PROFILE_SYSTEMS;
         ++i, ++number) {
      schedule_run_t run;
      schedule_latest_run(g->schedule, (phase_t)phase, i, &run);
      if (f && run.runs > p->runs[number] && run.began_us >= f->began_us && f->count < PROFILE_SYSTEMS)
        f->systems[f->count++] = (profile_run_t){number, (float)(run.began_us - f->began_us), (float)run.spent_us,
                                                 (uint32_t)(run.runs - p->runs[number])};
      p->runs[number] = run.runs;
    }
}

void profile_init(cockpit_o *c) {
  c->profile = alloc_object(sizeof *c->profile);
}

void profile_fini(cockpit_o *c) {
  free(c->profile);
}

void profile_frame(cockpit_o *c) {
  const game_o *g = host_game(c->host);
  profile_t *p = c->profile;
  if (!has_subscriber(c, SUBSCRIPTION_FRAMES) || c->credit_us < (p->on ? 0 : NOTE_CREDIT_US)) {
    p->on = false;
    return;
  }
  double now = now_us(), began_us = budget_now_us();
  bool on = g && g->schedule;
  uint64_t vm = g ? vm_number(g->vm) : 0;
  profile_frame_t *f = on && p->on ? &p->frames[p->count % PROFILE_FRAMES] : NULL;
  if (f) {
    f->number = ++p->count;
    f->tick = world_tick(g->world);
    f->vm = vm;
    f->began_us = p->last_us;
    f->spent_us = now - p->last_us;
    f->count = 0;
  }
  if (p->vm != vm)
    memset(p->runs, 0, sizeof p->runs); // the counts belong to the systems of another VM
  p->vm = vm;
  if (on)
    record_systems(g, f, p); // if f is NULL, discards the runs so far
  p->on = on;
  p->last_us = now;
  budget_spend(c, began_us);
}

// Writes the frames after number `after` as [[number, tick, µs, [[system, began, µs, runs], …], vm], …]. Returns the
// number of the last frame.
uint64_t profile_write(cockpit_o *c, uint64_t after, json_writer_t *out) {
  const profile_t *p = c->profile;
  shoal_assert(out->text.count > 0, "frames can be written only into a message, but the buffer is empty");
  json_write_begin(out, '[');
  for (uint64_t n = ring_first_unsent(after, p->count, PROFILE_FRAMES); n < p->count; ++n) {
    const profile_frame_t *f = &p->frames[n % PROFILE_FRAMES];
    json_write_begin(out, '[');
    json_write_integer(out, (long long)f->number);
    json_write_integer(out, (long long)f->tick);
    json_write_integer(out, (long long)f->spent_us);
    json_write_begin(out, '[');
    for (uint32_t i = 0; i < f->count; ++i) {
      json_write_begin(out, '[');
      json_write_integer(out, f->systems[i].system);
      json_write_integer(out, (long long)f->systems[i].began_us);
      json_write_integer(out, (long long)(f->systems[i].spent_us + 0.5f));
      json_write_integer(out, f->systems[i].runs);
      json_write_end(out, ']');
    }
    json_write_end(out, ']');
    json_write_integer(out, (long long)f->vm);
    json_write_end(out, ']');
  }
  json_write_end(out, ']');
  return p->count;
}

// --- memory

// Writes the fields whose values were clamped to their ranges, and the number of these values: {"hp":12}.
static void write_clamped_fields(const manager_o *m, json_writer_t *out) {
  json_write_begin(out, '{');
  for (uint32_t i = 0; i < m->schema.field_count; ++i)
    if (m->clamped[i] > 0)
      json_write_integer_pair(out, m->schema.fields[i].name, m->clamped[i]);
  json_write_end(out, '}');
}

static void write_managers(world_o *w, json_writer_t *out) {
  json_write_key(out, "components");
  json_write_begin(out, '[');
  for (uint32_t id = 1; id <= world_manager_count(w); ++id) {
    const manager_o *m = world_manager(w, id);
    size_t side_bytes =
        m->side_capacity * (sizeof *m->owner + (m->instance ? sizeof *m->instance + sizeof *m->next : 0));
    json_write_begin(out, '[');
    json_write_string(out, m->schema.name);
    json_write_integer(out, m->count);
    json_write_integer(out, m->columns.capacity);
    json_write_integer(out, (long long)(m->columns.memory_bytes + side_bytes));
    write_clamped_fields(m, out);
    json_write_end(out, ']');
  }
  json_write_end(out, ']');
}

// Writes the terms of a query: "transform, body, not dead, perhaps sprite".
static void write_terms(const query_o *q, json_writer_t *out) {
  static const char *const roles[] = {"", "not ", "any ", "perhaps "};
  char text[512];
  size_t used = 0;
  text[0] = '\0';
  for (uint32_t i = 0; i < q->term_count && used < sizeof text; ++i)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s", i > 0 ? ", " : "", roles[q->terms[i].role],
                             q->terms[i].manager->schema.name);
  json_write_string(out, text);
}

static void write_queries(world_o *w, json_writer_t *out) {
  json_write_key(out, "queries");
  json_write_begin(out, '[');
  for (uint32_t id = 1; id <= world_query_count(w); ++id) {
    const query_o *q = world_query_by_id(w, id);
    shoal_assert(q && q->id == id, "query %u is missing, or is stored under another id", id);
    json_write_begin(out, '[');
    write_terms(q, out);
    json_write_integer(out, q->count);
    json_write_bool(out, q->grouped);
    json_write_end(out, ']');
  }
  json_write_end(out, ']');
}

void profile_write_memory(cockpit_o *c, json_writer_t *out) {
  game_o *g = host_game(c->host);
  host_state_t host_state;
  host_get_state(c->host, &host_state);
  if (!g)
    return;
  json_write_integer_pair(out, "world", (long long)world_allocator(g->world)->bytes);
  json_write_integer_pair(out, "columns", (long long)world_column_bytes(g->world));
  json_write_integer_pair(out, "lua", (long long)(g->vm ? vm_memory_bytes(g->vm) : 0));
  json_write_integer_pair(out, "strings", (long long)strings_memory_bytes(world_strings(g->world)));
  json_write_integer_pair(out, "texts", strings_count(world_strings(g->world)));
  json_write_integer_pair(out, "cockpit_us", (long long)c->spent_us); // main-thread CPU time of all requests
  json_write_integer_pair(out, "history", (long long)host_state.history_bytes);
  write_managers(g->world, out);
  write_queries(g->world, out);
}

// Writes all textures as [[name, kind, width, height, bytes], …].
void profile_write_textures(cockpit_o *c, json_writer_t *out) {
  render_texture_t x;
  shoal_assert(host_render(c->host), "the host has no renderer");
  json_write_key(out, "rows");
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < MAX_TEXTURES && render_get_texture(host_render(c->host), i, &x); ++i) {
    json_write_begin(out, '[');
    json_write_string(out, x.name);
    json_write_string(out, x.kind);
    json_write_integer(out, x.width);
    json_write_integer(out, x.height);
    json_write_integer(out, (long long)x.bytes);
    json_write_end(out, ']');
  }
  json_write_end(out, ']');
  json_write_bool_pair(out, "window", !host_options(c->host)->headless);
}

// --- native and parked systems

// Writes a line of native_set_print_explanations, "explain: move (systems/move.lua:12): native, …", as [system,
// position, is native, reason].
static void write_native_line(char *line, json_writer_t *out) {
  static const char begins[] = "explain: ";
  char *open = strstr(line, " ("), *close = open ? strstr(open, "): ") : NULL;
  if (strncmp(line, begins, sizeof begins - 1) != 0 || !close)
    return;
  *open = *close = '\0';
  const char *text = close + 3;
  json_write_begin(out, '[');
  json_write_string(out, line + sizeof begins - 1);
  json_write_string(out, open + 2);
  json_write_bool(out, strncmp(text, "native", 6) == 0);
  json_write_string(out, text);
  json_write_end(out, ']');
}

void profile_write_native(cockpit_o *c, json_writer_t *out) {
  const game_o *g = host_game(c->host);
  char *text = NULL, *rest = NULL;
  size_t bytes = 0;
  json_write_key(out, "rows");
  json_write_begin(out, '[');
  FILE *into = g && g->vm ? open_memstream(&text, &bytes) : NULL;
  if (into) {
    native_set_print_explanations(vm_native_set(g->vm), "all", into);
    fclose(into);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
      write_native_line(line, out);
    free(text);
  }
  json_write_end(out, ']');
}

void profile_write_parked(cockpit_o *c, json_writer_t *out) {
  const game_o *g = host_game(c->host);
  json_write_key(out, "rows");
  json_write_begin(out, '[');
  for (uint32_t i = 0; g && i < g->parked.items.count; ++i) {
    const parked_t *x = &g->parked.items.items[i];
    if (x->again)
      continue;
    json_write_begin(out, '[');
    json_write_string(out, parked_kind_name(x->kind));
    json_write_string(out, x->name);
    json_write_string(out, x->error.text);
    json_write_integer(out, (long long)x->tick);
    json_write_end(out, ']');
  }
  json_write_end(out, ']');
}
