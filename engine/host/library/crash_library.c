// options.crash_folder: crash reports in programs that embed Shoal. Crashes in the program's own code are not reported:
// the program's handlers receive the signal as if the library did not exist.
#include "library/library.h"

#include "base/assert.h"
#include "process/foreign_call.h"
#include "crash/code_location.h"
#include "crash/signal_handler.h"
#include "crash_report/crash_report.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
  char folder[512];
  const options_t *options; // options of the host that is being created
} me;

static bool should_report(const crash_signal_t *s) {
  code_location_t place;
  return library_is_in_call() || code_location_find_on_stack(s->code, &place);
}

static crash_desc_t build_crash_desc(void) {
  shoal_host *h = library_current_host();
  return (crash_desc_t){.options = h && h->host ? host_options(h->host) : me.options,
                        .session = h && h->host ? host_session(h->host) : NULL,
                        .folder = me.folder,
                        .embedded = true};
}

static void on_crash(const crash_signal_t *s) {
  if (!should_report(s))
    return;
  crash_desc_t d = build_crash_desc();
  d.signal = s->number;
  d.address = s->address;
  d.code = s->code;
  if (d.options)
    crash_write_report(&d);
}

static void on_lost_call(foreign_reason_t reason) {
  if (!crash_claim_first_thread())
    return;
  crash_desc_t d = build_crash_desc();
  d.reason = foreign_reason_text(reason);
  d.brief = reason == FOREIGN_INTERRUPT;
  if (d.options)
    crash_write_report(&d);
  _exit(1);
}

bool library_install_crash_handler(const char *folder, const options_t *options, error_info_t *error) {
  if (!folder)
    return true;
  if (!folder[0] || strlen(folder) >= sizeof me.folder || access(folder, W_OK | X_OK) != 0)
    return error_set(error, "options.crash_folder must be a writable folder, got %.400s", folder);
  snprintf(me.folder, sizeof me.folder, "%s", folder);
  me.options = options;
  foreign_set_lost_callback(on_lost_call);
  crash_install_handler(on_crash);
  return true;
}

void library_clear_crash_options(void) {
  me.options = NULL;
}

void library_remove_crash_handler(void) {
  if (!me.folder[0])
    return;
  me.folder[0] = '\0';
  foreign_set_lost_callback(NULL);
  crash_remove_handler();
}
