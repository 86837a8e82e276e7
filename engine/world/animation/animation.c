// Plays the clips of sprite sheets.
#include "animation/animation.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/nearest_name.h"
#include "components/name.h"
#include "components/data_components.h"

#include <math.h>
#include <string.h>

// Capacity of the clip cache, which is keyed by image and clip, and lasts for one update.
#define CACHE_SIZE 256u

typedef struct cached_clip_t {
  uint32_t image, clip;
  bool valid;
  const sheet_t *sheet;
  const sheet_clip_t *definition; // clip `clip` of the sheet; NULL if the sheet is missing or has no such clip
} cached_clip_t;

typedef struct animations_t {
  world_o *world;
  sheets_o *sheets;
  manager_o *manager, *sprite;
  animation_columns columns;
  sprite_columns sprites;
  cached_clip_t cache[CACHE_SIZE];
} animations_t;

// --- clips

static void resolve_clip(const animations_t *animations, cached_clip_t *cached, shoal_entity entity) {
  const char *image = strings_text(world_strings(animations->world), cached->image);
  const char *clip = strings_text(world_strings(animations->world), cached->clip);
  char hint[NEAREST_NAME_MAX_BYTES + 32], name[NAME_DESCRIPTION_MAX], problem[SHEETS_PROBLEM_BYTES];
  cached->sheet = animations->sheets ? sheets_find_or_load(animations->sheets, image) : NULL;
  cached->definition = cached->sheet ? sheet_find_clip(cached->sheet, clip, hint, sizeof hint) : NULL;
  if (animations->sheets && !cached->definition && sheets_find_clip_problem(animations->sheets, image, clip, problem))
    log_warn(world_log(animations->world), "%s: animation.clip: %s",
             name_describe(animations->world, entity, name, sizeof name), problem);
}

static const cached_clip_t *get_clip(animations_t *a, uint32_t image, uint32_t clip, shoal_entity entity) {
  cached_clip_t *cached = &a->cache[(image * 31u + clip) % CACHE_SIZE];
  if (!cached->valid || cached->image != image || cached->clip != clip) {
    *cached = (cached_clip_t){.image = image, .clip = clip, .valid = true};
    resolve_clip(a, cached, entity);
  }
  return cached;
}

// --- time

#define STRIP_FPS 10.0 // frame rate of a strip (an image without a sheet), in frames per second

typedef struct clip_length_t {
  double seconds; // duration of one pass of the clip
  uint32_t times; // number of passes; 0: loops endlessly
} clip_length_t;

static clip_length_t compute_length(const animations_t *a, const cached_clip_t *cached, uint32_t row,
                                    uint32_t sprite_row) {
  if (cached->definition)
    return (clip_length_t){sheet_clip_seconds(cached->sheet, cached->definition),
                           a->columns.times[row] > 0 ? a->columns.times[row] : cached->definition->times};
  int32_t frames = a->sprites.frames[sprite_row];
  return (clip_length_t){(frames > 1 ? frames : 1) / STRIP_FPS, a->columns.times[row]};
}

static uint32_t select_frame(const cached_clip_t *cached, double position_s, int32_t frames) {
  if (cached->definition)
    return sheet_frame_at(cached->sheet, cached->definition, position_s);
  uint32_t frame_count = frames > 1 ? (uint32_t)frames : 1, frame = 1 + (uint32_t)(position_s * STRIP_FPS + 1e-6);
  return frame < frame_count ? frame : frame_count;
}

static void emit_animation_ended(const animations_t *a, shoal_entity entity, uint32_t clip) {
  const event_o *ended = builtin_find_event(a->world, "animation_ended");
  if (!ended)
    return;
  uint32_t ticket = world_emit_event(a->world, ended->id);
  world_set_event_field(a->world, ticket, (uint32_t)schema_find_field(&ended->schema, "entity"), (double)entity);
  world_set_event_field(a->world, ticket, (uint32_t)schema_find_field(&ended->schema, "clip"), clip);
}

// Advances `elapsed` by `step_s`, which may be negative. Sets *ended to whether this step ended the clip. Returns the
// position in the current pass of the clip, in seconds.
static double advance_clip(const animations_t *animations, uint32_t row, const clip_length_t *length, double step_s,
                           bool *ended) {
  double elapsed = animations->columns.elapsed[row], end = length->seconds * length->times;
  elapsed = isfinite(elapsed) ? elapsed + step_s : 0;
  *ended = false;
  if (length->times == 0) { // wraps around, so that `elapsed` stays precise
    elapsed = fmod(elapsed, length->seconds);
    elapsed += elapsed < 0 ? length->seconds : 0;
  } else if (step_s >= 0 ? elapsed >= end : elapsed <= 0) {
    *ended = step_s != 0;
    elapsed = step_s >= 0 ? end : 0;
  }
  animations->columns.elapsed[row] = elapsed;
  return elapsed > 0 && elapsed == end ? length->seconds : fmod(elapsed, length->seconds);
}

static void update_row(animations_t *animations, uint32_t row, double dt_s) {
  shoal_entity entity = animations->manager->owner[row];
  uint32_t sprite_row = manager_row(animations->sprite, entity), clip = animations->columns.clip[row];
  bool is_start = animations->columns.shown[row] != clip || animations->columns.elapsed[row] < 0, ended = false;
  if (sprite_row == ROW_NONE || (!animations->columns.playing[row] && !is_start))
    return;
  const cached_clip_t *cached = get_clip(animations, animations->sprites.image[sprite_row], clip, entity);
  if (!cached->definition && (cached->sheet || clip != 0))
    return;
  clip_length_t length = compute_length(animations, cached, row, sprite_row);
  double speed = isfinite(animations->columns.speed[row]) ? animations->columns.speed[row] : 0;
  if (is_start) {
    animations->columns.shown[row] = clip;
    animations->columns.elapsed[row] = speed < 0 ? length.seconds * fmax(length.times, 1) : 0;
  }
  double position_s = advance_clip(animations, row, &length, is_start ? 0 : dt_s * speed, &ended);
  animations->sprites.frame[sprite_row] =
      (int32_t)select_frame(cached, position_s, animations->sprites.frames[sprite_row]);
  columns_mark_touched(&animations->sprite->columns, SHOAL_COLUMN_INDEX(sprite, frame), sprite_row, 1);
  if (ended) {
    animations->columns.playing[row] = 0;
    emit_animation_ended(animations, entity, clip);
  }
}

void animation_update(world_o *w, sheets_o *sheets, double dt_s) {
  animations_t animations = {
      .world = w, .sheets = sheets, .manager = builtin_find(w, "animation"), .sprite = world_find_manager(w, "sprite")};
  shoal_assert(!world_is_deferring(w), "animations cannot be updated while commands are deferred");
  if (animations.manager->count == 0)
    return;
  animations.columns = animation_columns_of(animations.manager);
  animations.sprites = sprite_columns_of(animations.sprite);
  world_defer_begin(w, strings_intern(world_strings(w), ANIMATION_NAME));
  for (uint32_t row = 0; row < animations.manager->count; ++row)
    if (!world_is_disabled(w, animations.manager->owner[row], animations.manager->id))
      update_row(&animations, row, dt_s);
  columns_mark_touched(&animations.manager->columns, SHOAL_COLUMN_INDEX(animation, playing), 0,
                       animations.manager->count);
  columns_mark_touched(&animations.manager->columns, SHOAL_COLUMN_INDEX(animation, elapsed), 0,
                       animations.manager->count);
  columns_mark_touched(&animations.manager->columns, SHOAL_COLUMN_INDEX(animation, shown), 0,
                       animations.manager->count);
  world_defer_end(w, false);
}
