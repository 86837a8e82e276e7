// Profiling data for clients: frame times, memory, textures, native systems, parked systems. Frames are recorded only
// while a client subscribes to them.
#include "cockpit/profile.h"

#include "base/assert.h"
#include "base/now.h"
#include "base/parked.h"
#include "base/text_stream.h"
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
#define MIN_CREDIT_US 100.0
#define MAX_TEXTURES 4000u

// Records the systems that ran since the last call, with their start times. If `frame` is NULL, only updates the run
// counts. A system's index is its position in the schedule, as in describe_systems.
static void record_systems(const game_o *game, profile_frame_t *frame, profile_t *profile) {
  uint32_t index = 0;
  shoal_assert(!frame || frame->count == 0, "frame %llu already has %u systems", (unsigned long long)frame->number,
               frame->count);
  for (int phase = PHASE_INPUT; phase < PHASE_COUNT; ++phase)
    for (uint32_t i = 0; i < schedule_system_count(game->schedule, (phase_t)phase) && index < PROFILE_SYSTEMS;
         ++i, ++index) {
      schedule_run_t run;
      schedule_latest_run(game->schedule, (phase_t)phase, i, &run);
      if (frame && run.runs > profile->runs[index] && run.began_us >= frame->began_us && frame->count < PROFILE_SYSTEMS)
        frame->systems[frame->count++] =
            (profile_run_t){index, (float)(run.began_us - frame->began_us), (float)run.spent_us,
                            (uint32_t)(run.runs - profile->runs[index])};
      profile->runs[index] = run.runs;
    }
}

void profile_init(cockpit_o *cockpit) {
  cockpit->profile = alloc_object(sizeof *cockpit->profile);
}

void profile_fini(cockpit_o *cockpit) {
  free(cockpit->profile);
}

void profile_frame(cockpit_o *cockpit) {
  const game_o *game = host_game(cockpit->host);
  profile_t *profile = cockpit->profile;
  if (!has_subscriber(cockpit, SUBSCRIPTION_FRAMES) ||
      cockpit->credit_us < (profile->is_recording ? 0 : MIN_CREDIT_US)) {
    profile->is_recording = false;
    return;
  }
  double now = now_us(), began_us = budget_now_us();
  bool has_systems = game && game->schedule;
  uint64_t vm_id = game ? vm_number(game->vm) : 0;
  profile_frame_t *frame =
      has_systems && profile->is_recording ? &profile->frames[profile->count % PROFILE_FRAMES] : NULL;
  if (frame) {
    frame->number = ++profile->count;
    frame->tick = world_tick(game->world);
    frame->vm = vm_id;
    frame->began_us = profile->frame_end_us;
    frame->spent_us = now - profile->frame_end_us;
    frame->count = 0;
  }
  if (profile->vm != vm_id)
    memset(profile->runs, 0, sizeof profile->runs); // the counts belong to the systems of the previous VM
  profile->vm = vm_id;
  if (has_systems)
    record_systems(game, frame, profile); // discards the runs so far if `frame` is NULL
  profile->is_recording = has_systems;
  profile->frame_end_us = now;
  budget_spend(cockpit, began_us);
}

// Writes the frames after the first `sent_count` as [[number, tick, µs, [[system, began, µs, runs], …], vm], …].
// Returns the number of the last frame.
uint64_t profile_write(cockpit_o *cockpit, uint64_t sent_count, json_writer_t *out) {
  const profile_t *profile = cockpit->profile;
  shoal_assert(out->text.count > 0, "frames can be written only into a message, but the buffer is empty");
  json_write_begin(out, '[');
  for (uint64_t index = ring_find_first_unsent(sent_count, profile->count, PROFILE_FRAMES); index < profile->count;
       ++index) {
    const profile_frame_t *frame = &profile->frames[index % PROFILE_FRAMES];
    json_write_begin(out, '[');
    json_write_integer(out, (long long)frame->number);
    json_write_integer(out, (long long)frame->tick);
    json_write_integer(out, (long long)frame->spent_us);
    json_write_begin(out, '[');
    for (uint32_t i = 0; i < frame->count; ++i) {
      json_write_begin(out, '[');
      json_write_integer(out, frame->systems[i].system);
      json_write_integer(out, (long long)frame->systems[i].began_us);
      json_write_integer(out, (long long)(frame->systems[i].spent_us + 0.5f));
      json_write_integer(out, frame->systems[i].runs);
      json_write_end(out, ']');
    }
    json_write_end(out, ']');
    json_write_integer(out, (long long)frame->vm);
    json_write_end(out, ']');
  }
  json_write_end(out, ']');
  return profile->count;
}

// --- memory

// Writes the fields whose values were clamped to their ranges, and the number of these values: {"hp":12}.
static void write_clamped_fields(const manager_o *manager, json_writer_t *out) {
  json_write_begin(out, '{');
  for (uint32_t i = 0; i < manager->clamped_count; ++i)
    if (manager->clamped[i] > 0)
      json_write_integer_pair(out, manager->schema.fields[i].name, manager->clamped[i]);
  json_write_end(out, '}');
}

static void write_managers(world_o *w, json_writer_t *out) {
  json_write_key(out, "components");
  json_write_begin(out, '[');
  for (uint32_t id = 1; id <= world_manager_count(w); ++id) {
    const manager_o *manager = world_manager(w, id);
    size_t side_bytes =
        manager->row_capacity *
        (sizeof *manager->owner + (manager->instance ? sizeof *manager->instance + sizeof *manager->next : 0));
    json_write_begin(out, '[');
    json_write_string(out, manager->schema.name);
    json_write_integer(out, manager->count);
    json_write_integer(out, manager->columns.capacity);
    json_write_integer(out, (long long)(manager->columns.memory_bytes + side_bytes));
    write_clamped_fields(manager, out);
    json_write_end(out, ']');
  }
  json_write_end(out, ']');
}

// Writes the terms of a query: "transform, body, not dead, perhaps sprite".
static void write_terms(const query_o *query, json_writer_t *out) {
  static const char *const roles[] = {"", "not ", "any ", "perhaps "};
  char text[512];
  size_t used = 0;
  text[0] = '\0';
  for (uint32_t i = 0; i < query->term_count && used < sizeof text; ++i)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s", i > 0 ? ", " : "", roles[query->terms[i].role],
                             query->terms[i].manager->schema.name);
  json_write_string(out, text);
}

static void write_queries(world_o *w, json_writer_t *out) {
  json_write_key(out, "queries");
  json_write_begin(out, '[');
  for (uint32_t id = 1; id <= world_query_count(w); ++id) {
    const query_o *query = world_query_by_id(w, id);
    shoal_assert(query && query->id == id, "query %u is missing, or is stored under a different id", id);
    json_write_begin(out, '[');
    write_terms(query, out);
    json_write_integer(out, query->count);
    json_write_bool(out, query->grouped);
    json_write_end(out, ']');
  }
  json_write_end(out, ']');
}

void profile_write_memory(cockpit_o *cockpit, json_writer_t *out) {
  game_o *game = host_game(cockpit->host);
  host_state_t host_state;
  host_get_state(cockpit->host, &host_state);
  if (!game)
    return;
  json_write_integer_pair(out, "world", (long long)world_allocator(game->world)->bytes);
  json_write_integer_pair(out, "columns", (long long)world_column_bytes(game->world));
  json_write_integer_pair(out, "lua", (long long)(game->vm ? vm_memory_bytes(game->vm) : 0));
  json_write_integer_pair(out, "strings", (long long)strings_memory_bytes(world_strings(game->world)));
  json_write_integer_pair(out, "texts", strings_count(world_strings(game->world)));
  json_write_integer_pair(out, "cockpit_us", (long long)cockpit->spent_us); // CPU time of requests and subscriptions
  json_write_integer_pair(out, "history", (long long)host_state.history_bytes);
  write_managers(game->world, out);
  write_queries(game->world, out);
}

void profile_write_textures(cockpit_o *cockpit, json_writer_t *out) {
  render_texture_t texture;
  shoal_assert(host_render(cockpit->host), "the host has no renderer");
  json_write_key(out, "rows");
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < MAX_TEXTURES && render_get_texture(host_render(cockpit->host), i, &texture); ++i) {
    json_write_begin(out, '[');
    json_write_string(out, texture.name);
    json_write_string(out, texture.kind);
    json_write_integer(out, texture.width);
    json_write_integer(out, texture.height);
    json_write_integer(out, (long long)texture.bytes);
    json_write_end(out, ']');
  }
  json_write_end(out, ']');
  json_write_bool_pair(out, "window", !host_options(cockpit->host)->headless);
}

// --- native and parked systems

// Writes a line of native_set_print_explanations, "explain: move (systems/move.lua:12): native, …", as [system,
// position, is native, reason].
static void write_native_line(char *line, json_writer_t *out) {
  static const char prefix[] = "explain: ";
  char *position = strstr(line, " ("), *position_end = position ? strstr(position, "): ") : NULL;
  if (strncmp(line, prefix, sizeof prefix - 1) != 0 || !position_end)
    return;
  *position = *position_end = '\0';
  const char *reason = position_end + 3;
  json_write_begin(out, '[');
  json_write_string(out, line + sizeof prefix - 1);
  json_write_string(out, position + 2);
  json_write_bool(out, strncmp(reason, "native", 6) == 0);
  json_write_string(out, reason);
  json_write_end(out, ']');
}

void profile_write_native(cockpit_o *cockpit, json_writer_t *out) {
  const game_o *game = host_game(cockpit->host);
  text_stream_t stream;
  json_write_key(out, "rows");
  json_write_begin(out, '[');
  if (game && game->vm && text_stream_open(&stream)) {
    native_set_print_explanations(vm_native_set(game->vm), "all", stream.stream);
    char *text = text_stream_close(&stream), *next_line = NULL;
    for (char *line = text ? strtok_r(text, "\n", &next_line) : NULL; line; line = strtok_r(NULL, "\n", &next_line))
      write_native_line(line, out);
    free(text);
  }
  json_write_end(out, ']');
}

void profile_write_parked(cockpit_o *cockpit, json_writer_t *out) {
  const game_o *game = host_game(cockpit->host);
  json_write_key(out, "rows");
  json_write_begin(out, '[');
  for (uint32_t i = 0; game && i < game->parked.items.count; ++i) {
    const parked_t *parked = &game->parked.items.items[i];
    if (parked->is_recurring)
      continue;
    json_write_begin(out, '[');
    json_write_string(out, parked_kind_name(parked->kind));
    json_write_string(out, parked->name);
    json_write_string(out, parked->error.text);
    json_write_integer(out, (long long)parked->tick);
    json_write_end(out, ']');
  }
  json_write_end(out, ']');
}
