// Plays the clips of sprite sheets.
#include "animation/animation.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/nearest_name.h"
#include "components/name.h"
#include "components/data_components.h"

#include <math.h>
#include <string.h>

// Number of entries in the cache of sheets and clips, which is keyed by image and clip and lasts for one update.
#define MEMOS 256u

typedef struct memo_t {
  uint32_t image, clip;
  bool valid;
  const sheet_t *sheet;
  const sheet_clip_t *playing; // the clip `clip` of the sheet; NULL if the sheet has no such clip
} memo_t;

typedef struct animations_t {
  world_o *w;
  sheets_o *sheets;
  manager_o *m, *sprite;
  animation_columns c;
  sprite_columns sprites;
  memo_t memos[MEMOS];
} animations_t;

// --- clips

static void resolve_clip(const animations_t *a, memo_t *memo, shoal_entity e) {
  const char *image = strings_text(world_strings(a->w), memo->image);
  const char *clip = strings_text(world_strings(a->w), memo->clip);
  char hint[SIMILAR_MAX + 32], name[NAME_DESCRIPTION_MAX], clips[400];
  memo->sheet = a->sheets ? sheets_find_or_load(a->sheets, image) : NULL;
  memo->playing = memo->sheet ? sheet_find_clip(memo->sheet, clip, hint, sizeof hint) : NULL;
  bool strip = !memo->sheet && clip[0] == '\0';
  if (memo->playing || strip || !a->sheets || image[0] == '\0' || sheets_is_invalid(a->sheets, image) ||
      !sheets_record_warning(a->sheets, hash_bytes(clip, strlen(clip), hash_text(image))))
    return;
  name_describe(a->w, e, name, sizeof name);
  if (memo->sheet)
    log_warn(world_log(a->w), "%s: animation.clip: the sheet of %s (%s) has no clip %s%s", name, image,
             sheet_list_clips(memo->sheet, clips, sizeof clips), clip, hint);
  else
    log_warn(world_log(a->w),
             "%s: animation.clip: cannot play clip %s, because %s has no valid sheet: add a sheet with the image's "
             "name and the extension .json",
             name, clip, image);
}

static const memo_t *get_clip(animations_t *a, uint32_t image, uint32_t clip, shoal_entity e) {
  memo_t *memo = &a->memos[(image * 31u + clip) % MEMOS];
  if (!memo->valid || memo->image != image || memo->clip != clip) {
    *memo = (memo_t){.image = image, .clip = clip, .valid = true};
    resolve_clip(a, memo, e);
  }
  return memo;
}

// --- time

#define STRIP_FPS 10.0 // frames per second of a strip, an image without a sheet

typedef struct length_t {
  double seconds; // duration of one pass of the clip
  uint32_t times; // number of passes; 0: loops endlessly
} length_t;

static length_t compute_length(const animations_t *a, const memo_t *memo, uint32_t row, uint32_t sprite_row) {
  if (memo->playing)
    return (length_t){sheet_clip_seconds(memo->sheet, memo->playing),
                      a->c.times[row] > 0 ? a->c.times[row] : memo->playing->times};
  int32_t frames = a->sprites.frames[sprite_row];
  return (length_t){(frames > 1 ? frames : 1) / STRIP_FPS, a->c.times[row]};
}

static uint32_t select_frame(const memo_t *memo, double into_s, int32_t frames) {
  if (memo->playing)
    return sheet_frame_at(memo->sheet, memo->playing, into_s);
  uint32_t last = frames > 1 ? (uint32_t)frames : 1, frame = 1 + (uint32_t)(into_s * STRIP_FPS + 1e-6);
  return frame < last ? frame : last;
}

static void emit_animation_ended(const animations_t *a, shoal_entity e, uint32_t clip) {
  const event_o *ended = builtin_find_event(a->w, "animation_ended");
  if (!ended)
    return;
  uint32_t ticket = world_emit_event(a->w, ended->id);
  world_set_event_field(a->w, ticket, (uint32_t)schema_find_field(&ended->schema, "entity"), (double)e);
  world_set_event_field(a->w, ticket, (uint32_t)schema_find_field(&ended->schema, "clip"), clip);
}

// Advances `elapsed` by `step_s`, which may be negative. Sets *over to whether this step ended the clip. Returns the
// position in the current pass of the clip, in seconds.
static double advance_clip(const animations_t *a, uint32_t row, const length_t *length, double step_s, bool *over) {
  double elapsed = a->c.elapsed[row], end = length->seconds * length->times;
  elapsed = isfinite(elapsed) ? elapsed + step_s : 0;
  *over = false;
  if (length->times == 0) { // wrap around to preserve precision
    elapsed = fmod(elapsed, length->seconds);
    elapsed += elapsed < 0 ? length->seconds : 0;
  } else if (step_s >= 0 ? elapsed >= end : elapsed <= 0) {
    *over = step_s != 0;
    elapsed = step_s >= 0 ? end : 0;
  }
  a->c.elapsed[row] = elapsed;
  return elapsed > 0 && elapsed == end ? length->seconds : fmod(elapsed, length->seconds);
}

static void update_row(animations_t *a, uint32_t row, double dt_s) {
  shoal_entity e = a->m->owner[row];
  uint32_t at = manager_row(a->sprite, e), clip = a->c.clip[row];
  bool begins = a->c.shown[row] != clip || a->c.elapsed[row] < 0, over = false;
  if (at == ROW_NONE || (!a->c.playing[row] && !begins))
    return;
  const memo_t *memo = get_clip(a, a->sprites.image[at], clip, e);
  if (!memo->playing && (memo->sheet || clip != 0))
    return;
  length_t length = compute_length(a, memo, row, at);
  double speed = isfinite(a->c.speed[row]) ? a->c.speed[row] : 0;
  if (begins) {
    a->c.shown[row] = clip;
    a->c.elapsed[row] = speed < 0 ? length.seconds * fmax(length.times, 1) : 0;
  }
  double into = advance_clip(a, row, &length, begins ? 0 : dt_s * speed, &over);
  a->sprites.frame[at] = (int32_t)select_frame(memo, into, a->sprites.frames[at]);
  columns_mark_touched(&a->sprite->columns, SHOAL_COLUMN_INDEX(sprite, frame), at, 1);
  if (over) {
    a->c.playing[row] = 0;
    emit_animation_ended(a, e, clip);
  }
}

void animation_update(world_o *w, sheets_o *sheets, double dt_s) {
  animations_t a = {
      .w = w, .sheets = sheets, .m = builtin_find(w, "animation"), .sprite = world_find_manager(w, "sprite")};
  shoal_assert(!world_is_deferring(w), "animations cannot be updated while commands are deferred");
  if (a.m->count == 0)
    return;
  a.c = animation_columns_of(a.m);
  a.sprites = sprite_columns_of(a.sprite);
  world_defer_begin(w, strings_intern(world_strings(w), ANIMATION_NAME));
  for (uint32_t row = 0; row < a.m->count; ++row)
    if (!world_is_disabled(w, a.m->owner[row], a.m->id))
      update_row(&a, row, dt_s);
  columns_mark_touched(&a.m->columns, SHOAL_COLUMN_INDEX(animation, playing), 0, a.m->count);
  columns_mark_touched(&a.m->columns, SHOAL_COLUMN_INDEX(animation, elapsed), 0, a.m->count);
  columns_mark_touched(&a.m->columns, SHOAL_COLUMN_INDEX(animation, shown), 0, a.m->count);
  world_defer_end(w, false);
}
