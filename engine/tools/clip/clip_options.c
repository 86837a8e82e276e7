// Parses the options of clips. The options of the run are parsed by start/options.h.
#include "clip/clip_options.h"

#include "base/files.h"
#include "base/option_table.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RUN_ARGUMENTS 256

typedef struct parsing_t {
  clip_options_t clip;
  const char *run[MAX_RUN_ARGUMENTS]; // arguments of the run
  uint32_t run_count;
} parsing_t;

// --- values that need more than the table's rules

static bool parse_seconds(const char *name, const char *text, double *out, error_info_t *error) {
  char *end = NULL;
  *out = text[0] >= '0' && text[0] <= '9' ? strtod(text, &end) : 0;
  return (end && !*end && *out <= 86400.0) ||
         error_set(error, "%s must be a number of seconds from 0 to 86400, got “%s”", name, text);
}

static bool read_from(void *out, const char *name, const char *value, error_info_t *error) {
  return parse_seconds(name, value, &((parsing_t *)out)->clip.from_s, error);
}

static bool read_to(void *out, const char *name, const char *value, error_info_t *error) {
  return parse_seconds(name, value, &((parsing_t *)out)->clip.to_s, error);
}

static bool read_last(void *out, const char *name, const char *value, error_info_t *error) {
  clip_options_t *o = &((parsing_t *)out)->clip;
  return parse_seconds(name, value, &o->last_s, error) &&
         (o->last_s > 0 || error_set(error, "%s must be greater than 0", name));
}

static bool read_size(void *out, const char *name, const char *value, error_info_t *error) {
  char rest = 0;
  clip_options_t *o = &((parsing_t *)out)->clip;
  bool ok = sscanf(value, "%4dx%4d%c", &o->width, &o->height, &rest) == 2 && o->width >= 64 && o->width <= 3840 &&
            o->height >= 64 && o->height <= 3840;
  return ok || error_set(error, "%s must be WIDTHxHEIGHT with 64 to 3840 pixels each, such as 480x270, got “%s”", name,
                         value);
}

// Adds an option and its value, if any, to the arguments of the run. options_parse checks the value.
static bool pass_on(void *out, const char *name, const char *value, error_info_t *error) {
  parsing_t *p = out;
  if (p->run_count + 2 > MAX_RUN_ARGUMENTS)
    return error_set(error, "too many arguments");
  p->run[p->run_count++] = name;
  if (value)
    p->run[p->run_count++] = value;
  return true;
}

// --- the table

enum { CLIP = 1, RUN = 2 }; // CLIP: options described by --help; RUN: options of ./shoal play

#define MEMBER(member) .offset = offsetof(parsing_t, clip.member), .bytes = sizeof((parsing_t *)0)->clip.member
#define INTEGER(member, min_, max_) .kind = OPTION_INTEGER, MEMBER(member), .min = (min_), .max = (max_)
#define FLAG(member) .kind = OPTION_SET, MEMBER(member), .min = true

// clang-format off
static const option_t OPTIONS[] = {
  {"--from", "S", "first second of the clip, from the start of the recording (default: 0)", CLIP, .read = read_from},
  {"--to", "S", "last second of the clip (default: the end of the recording)", CLIP, .read = read_to,
   .given = offsetof(parsing_t, clip.has_to)},
  {"--last", "S", "the last S seconds of the recording, instead of --from and --to", CLIP, .read = read_last},
  {"--out", "FILE", "the clip: .webp and .gif have no sound; .mp4 and .gif need ffmpeg", CLIP, .kind = OPTION_TEXT,
   MEMBER(out)},
  {"--size", "WxH", "size in pixels (default: 480x270)", CLIP, .read = read_size},
  {"--fps", "N", "frames per second, 1 to 60 (default: 20)", CLIP, INTEGER(fps, 1, 60)},
  {"--quality", "N", "0 (smallest file) to 100, for .webp and .mp4 (default: 75)", CLIP, INTEGER(quality, 0, 100)},
  {"--lossless", NULL, "keep every pixel, for .webp", CLIP, FLAG(lossless)},
  {"--seed", "N", "seed of a run without --replay (default: 1)", CLIP, .read = pass_on},
  {"--help", NULL, "show this text", CLIP, FLAG(help)},
  {"--exec", "LUA", "", RUN, .read = pass_on},
  {"--log", "LEVEL", "", RUN, .read = pass_on},
  {"--memory", "MB", "", RUN, .read = pass_on},
  {"--plugin", "PATH", "", RUN, .read = pass_on},
  {"--replay", "FILE", "", RUN, .read = pass_on},
  {"--trust", NULL, "", RUN, .read = pass_on},
  {"--workers", "N", "", RUN, .read = pass_on},
};
// clang-format on

static const option_table_t TABLE = {OPTIONS, sizeof OPTIONS / sizeof *OPTIONS, CLIP | RUN, "clip --help"};

void clip_options_print_help(FILE *out) {
  fputs("usage: shoal clip GAME [--replay FILE] [--from S] [--to S] --out FILE.webp|.mp4|.gif [options]\n"
        "  writes a part of a replay as a clip; GAME is a name or a folder. Without --replay, the game runs without "
        "input.\n\n",
        out);
  option_table_print(&TABLE, CLIP, out);
  fputs("  --exec, --plugin, --trust, --memory, --workers, --log: as for ./shoal play\n", out);
}

// --- arguments

static bool check_options(clip_options_t *o, error_info_t *error) {
  if (!o->run.target[0])
    return error_set(error, "clip requires a game: clip GAME --replay FILE --out FILE.webp");
  if (!o->out)
    return error_set(error, "clip requires an output file: --out FILE.webp, .mp4 or .gif");
  o->format = path_ends_with(o->out, ".webp")  ? CLIP_WEBP
              : path_ends_with(o->out, ".mp4") ? CLIP_MP4
              : path_ends_with(o->out, ".gif") ? CLIP_GIF
                                               : CLIP_NONE;
  if (o->format == CLIP_NONE)
    return error_set(error, "--out must end with .webp, .mp4 or .gif, got “%s”", o->out);
  if (o->lossless && o->format != CLIP_WEBP)
    return error_set(error, "--lossless requires .webp, got “%s”", o->out);
  if (o->format == CLIP_MP4 && (o->width % 2 || o->height % 2))
    return error_set(error, "--size must have an even width and height for .mp4, got %dx%d", o->width, o->height);
  if (o->last_s > 0 && (o->from_s > 0 || o->has_to))
    return error_set(error, "--last cannot be used with --from and --to: remove one of them");
  if (!o->run.replay && (o->last_s > 0 || !o->has_to))
    return error_set(error, "a clip without --replay requires --to");
  return true;
}

static void set_run_options(clip_options_t *o) {
  o->run.command = OPTIONS_RUN;
  o->run.watch = FILE_WATCH_OFF;
  o->run.cockpit = OPTIONS_COCKPIT_OFF;
  o->run.width = o->width;
  o->run.height = o->height;
  o->run.every_tick = o->run.captured = o->run.temporary_saves = true;
  if (!o->run.has_seed && !o->run.replay) {
    o->run.has_seed = true;
    o->run.seed = 1;
  }
}

bool clip_options_parse(int argc, const char *const *argv, const package_t *package, clip_options_t *out,
                        error_info_t *error) {
  parsing_t p = {.clip = {.width = 480, .height = 270, .fps = 20, .quality = 75},
                 .run = {argv[0], package ? "--temporary-saves" : "play", "--log", "warn"}, // packages have no commands
                 .run_count = 4};
  for (int i = 2; i < argc; ++i) {
    bool is_option = argv[i][0] == '-';
    if (!(is_option ? option_table_parse(&TABLE, &p, argc, argv, &i, error) : pass_on(&p, argv[i], NULL, error)))
      return false;
    if (p.clip.help)
      return out->help = true;
  }
  if (!(package ? options_parse_package((int)p.run_count, p.run, package, &p.clip.run, error)
                : options_parse((int)p.run_count, p.run, &p.clip.run, error)))
    return false;
  *out = p.clip;
  set_run_options(out);
  return check_options(out, error);
}
