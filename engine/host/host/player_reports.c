// Writes player reports in the folder specified by package_t: a text file for each failure, and recordings in the form
// that F12 writes.
#include "host/player_reports.h"

#include "base/assert.h"
#include "base/files.h"
#include "host/host_internal.h"
#include "start/package.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define NOTE_S 15.0            // seconds for which the note is shown
#define RECORDING_EVERY_S 60.0 // minimum seconds between recordings, because errors occur in bursts
#define MAX_REPORTS 50u        // maximum number of reports per run

// Writes the local time as "2026-03-01-181530", so that file names sort by time.
static void format_local_time(char *out, size_t bytes) {
  time_t now = time(NULL);
  struct tm wall;
  if (!localtime_r(&now, &wall) || !strftime(out, bytes, "%Y-%m-%d-%H%M%S", &wall))
    snprintf(out, bytes, "report");
}

static void write_recording(host_o *h, const char *path, FILE *file) {
  error_info_t error = {0};
  double now_s = platform_seconds(h->session.platform);
  if (!h->session.recording.recorder ||
      (h->player.last_recording_s > 0 && now_s - h->player.last_recording_s < RECORDING_EVERY_S))
    return;
  h->player.last_recording_s = now_s;
  if (recording_control_write(&h->session, path, &error))
    fprintf(file, "recording: %s\n", path);
  else
    fprintf(file, "recording: cannot be written: %s\n", error.text);
}

static void write_report(host_o *h, const script_report_t *report, const char *line) {
  const package_t *package = h->session.options.package;
  char timestamp[32], path[PATH_MAX_BYTES + 80];
  error_info_t error;
  if (!package->reports[0] || h->player.report_count++ >= MAX_REPORTS)
    return;
  format_local_time(timestamp, sizeof timestamp);
  snprintf(path, sizeof path, "%s/%s-%u.txt", package->reports, timestamp, h->player.report_count);
  FILE *file = file_open(path, false, &error);
  if (!file) {
    log_error(h->session.log, "cannot write a report: %s", error.text);
    return;
  }
  fprintf(file, "%s %s, with Shoal %s\n\n", package->title, package->version, package->shoal);
  fprintf(file, "%s%s%s\n", report->piece, report->piece[0] ? ": " : "", line);
  if (report->entity[0])
    fprintf(file, "current entity: %s\n", report->entity);
  if (report->about[0])
    fprintf(file, "%s\n", report->about);
  if (report->traceback[0])
    fprintf(file, "%s\n", report->traceback);
  if (h->session.game) {
    fprintf(file, "tick: %llu\nseed: %llu\n", (unsigned long long)world_tick(h->session.game->world),
            (unsigned long long)h->session.game->desc.seed);
    snprintf(path, sizeof path, "%s/%s-%u.replay", package->reports, timestamp, h->player.report_count);
    write_recording(h, path, file);
  }
  fclose(file);
}

static void show_notice(host_o *h, error_card_kind_t kind) {
  const package_t *package = h->session.options.package;
  error_card_t *card = &h->card;
  const bool at_start = kind == ERROR_CARD_START;
  *card = (error_card_t){.kind = kind, .total = 1};
  snprintf(card->title, sizeof card->title, "%.100s %s", package->title, at_start ? "cannot start" : "has a problem");
  size_t length =
      (size_t)snprintf(card->message, sizeof card->message, "%s",
                       at_start ? "Please unpack the game again, or download it again. Your saves are kept."
                                : "You can keep playing: the game retries the failed part periodically and in the next "
                                  "scene. If the problem persists, restart the game. Your saves are kept.");
  if (package->reports[0])
    snprintf(card->message + length, sizeof card->message - length,
             "\nA report was written to %.400s. Please send it to the developers.", package->reports);
  snprintf(card->hint, sizeof card->hint, "%s", at_start ? "Close the window to quit." : "");
  h->player.note_shown_s = platform_seconds(h->session.platform);
}

void player_report_failure(host_o *h, error_card_kind_t kind, const script_report_t *report, const char *line) {
  shoal_assert(h->session.options.package, "player reports require a package");
  write_report(h, report, line);
  h->player.failure_count++;
  if (h->session.platform)
    show_notice(h, kind); // no need to skip repetitions: each part of a game reports the same message only once
}

void player_hide_expired_notice(host_o *h) {
  bool is_transient = h->card.kind != ERROR_CARD_NONE && h->card.kind != ERROR_CARD_START;
  if (h->session.options.package && is_transient &&
      platform_seconds(h->session.platform) - h->player.note_shown_s > NOTE_S)
    h->card.hidden = true;
}
