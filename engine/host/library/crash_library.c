// options.crash_folder: crash reports in programs that embed Shoal. Crashes in the program's own code are not reported.
// In this case the program's handlers receive the signal as if the library did not exist.
#include "library/library.h"

#include "base/assert.h"
#include "base/file_status.h"
#include "process/foreign_call.h"
#include "crash/code_location.h"
#include "crash/signal_handler.h"
#include "crash_report/crash_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  char folder[512];
  const options_t *options; // options of the host that is being created
} library_crash;

static bool should_report(const crash_signal_t *signal) {
  code_location_t location;
  return library_is_in_call() || code_location_find_on_stack(signal->code, &location);
}

static crash_desc_t build_crash_desc(void) {
  shoal_host *host = library_current_host();
  return (crash_desc_t){.options = host && host->host ? host_options(host->host) : library_crash.options,
                        .session = host && host->host ? host_session(host->host) : NULL,
                        .folder = library_crash.folder,
                        .embedded = true};
}

static void on_crash(const crash_signal_t *signal) {
  if (!should_report(signal))
    return;
  crash_desc_t desc = build_crash_desc();
  desc.signal = signal->number;
  desc.address = signal->address;
  desc.code = signal->code;
  if (desc.options)
    crash_write_report(&desc);
}

static void on_lost_call(foreign_reason_t reason) {
  if (!crash_claim_first_thread())
    return;
  crash_desc_t desc = build_crash_desc();
  desc.reason = foreign_reason_text(reason);
  desc.brief = reason == FOREIGN_INTERRUPT;
  if (desc.options)
    crash_write_report(&desc);
  _Exit(1);
}

bool library_install_crash_handler(const char *folder, const options_t *options, error_info_t *error) {
  if (!folder)
    return true;
  if (!folder[0] || strlen(folder) >= sizeof library_crash.folder ||
      !file_status_permits(folder, FILE_USE_WRITE | FILE_USE_EXECUTE))
    return error_set(error, "options.crash_folder must be a writable folder, got %.400s", folder);
  snprintf(library_crash.folder, sizeof library_crash.folder, "%s", folder);
  library_crash.options = options;
  foreign_set_lost_callback(on_lost_call);
  crash_install_handler(on_crash);
  return true;
}

void library_clear_crash_options(void) {
  library_crash.options = NULL;
}

void library_remove_crash_handler(void) {
  if (!library_crash.folder[0])
    return;
  library_crash.folder[0] = '\0';
  foreign_set_lost_callback(NULL);
  crash_remove_handler();
}
