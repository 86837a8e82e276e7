// The changes that a reload has made, and the verdict of a background trial. Plain data, which a child process can
// send.
#ifndef SHOAL_RELOAD_RELOAD_VERDICT_H
#define SHOAL_RELOAD_RELOAD_VERDICT_H

#include "migrate/world_migrate.h"
#include "script/report.h"

#define RELOAD_NAMES_BYTES 512
#define RELOAD_DETAILS_BYTES 4096

// Results of a reload, for the log, the on-screen message and the event `shoal.reload`.
typedef struct reload_news_t {
  uint32_t file_count;            // number of Lua, scene and data files and plugins that were changed, added or removed
  char names[RELOAD_NAMES_BYTES]; // names of these files, such as "systems/a.lua, components.lua"; truncated
  uint32_t systems_changed;       // number of systems whose own file changed
  uint32_t systems_added, systems_removed;
  bool needs_restart;       // true if `start` or `scene` has changed, which takes effect only after a restart
  uint32_t still_parked;    // number of parked functions that failed again in the trial tick
  uint32_t unparked;        // number of parked functions that did not fail in the trial tick
  uint32_t objects_spawned; // number of map objects that could not be spawned before
  bool is_stale;            // true if the files have changed since the background trial
  world_migrate_counts_t migration;
  char delayed[512]; // changes that take effect later or were not tested, each preceded by "; "; truncated
  char kept[256];    // first component that no file declares any more (schema_is_kept); "" if all are declared
  char details[RELOAD_DETAILS_BYTES]; // conversions and lost values, one per line; truncated
} reload_news_t;

typedef struct reload_verdict_t {
  bool passed;
  script_report_t report; // reason for the failure; set unless `passed`
  reload_news_t news;     // changes; set if `passed`
  uint64_t sources_hash;  // hash of the files that were read; set if `passed`
  uint32_t spent_ms;      // CPU time of loading and migrating
} reload_verdict_t;

#endif
