// Limits and budgets of the whole program, with units, reasons, and the options that override them. Limits of a single
// file format, algorithm or message are defined in its own file.
#ifndef SHOAL_BASE_LIMITS_H
#define SHOAL_BASE_LIMITS_H

#define LIMITS_TEXT_OF(x) #x
#define LIMITS_TEXT(x) LIMITS_TEXT_OF(x) // converts a number to a string literal, for messages

// --- The frame

#define FRAME_MIN_S (1.0 / 240.0) // minimum frame time without vertical sync, so that drawing does not occupy a core
// Minimum frame time with vertical sync, as a share of the time between two refreshes of the display. Below 1, because
// the sleep may take a millisecond longer, and the display would then show a frame twice.
#define FRAME_MIN_REFRESHES 0.9
#define FRAME_LOWEST_HZ 24  // minimum valid refresh rate; displays that report a lower rate count as FRAME_DEFAULT_HZ
#define FRAME_DEFAULT_HZ 60 // assumed refresh rate of displays that report no rate
// minimum frame time of a match or --real-time without a window, where only ticks count
#define FRAME_HEADLESS_S (1.0 / 125.0)
// Seconds after which a paused run without window or cockpit exits, because no key can resume it.
#define PAUSED_HEADLESS_S 10u
// Closing the window twice within this time overrides a game that refuses to close.
#define CLOSE_CONFIRM_S 5.0
#define COCKPIT_FRAME_US 300       // time per frame for cockpit requests; a longer request reduces later budgets
#define COCKPIT_HELD_FRAME_US 4000 // replaces COCKPIT_FRAME_US while the game is paused or held
#define GHOSTS_RUNNING_S 0.003     // time per frame for simulating predicted trails
#define GHOSTS_HELD_S 0.008        // replaces GHOSTS_RUNNING_S while the game is paused or held
#define GHOSTS_HEADLESS_S 0.05     // replaces GHOSTS_HELD_S in runs without a window

// --- Scripts: CPU time of a function until the watchdog stops it (budgets in game.lua; --budget MS)

#define BUDGET_SYSTEM_MS 1000            // default budget in packages, matches, and headless runs without --watch
#define MATCH_MAX_SYSTEM_MS 10000u       // maximum --budget in matches: a machine refuses a host with a longer budget
#define BUDGET_SYSTEM_DEVELOPMENT_MS 100 // default budget in all remaining runs: reveals slow systems early
#define BUDGET_START_MS 30000            // default budget of `start`: leaves time for level generation
#define BUDGET_LOAD_MS 30000
#define BUDGET_START_FACTOR 30u // budget of `start`, as a multiple of --budget
#define BUDGET_LOAD_FACTOR 10u  // budget of loading, as a multiple of --budget

#define WATCHDOG_PERIOD_MS 5u       // interval between the watchdog's checks; shorter for budgets below 50 ms
#define WATCHDOG_INTERRUPTED_MS 50u // budget that remains for a running script when the program must exit

// --- Reload: CPU time of the child process that runs a trial tick

#define RELOAD_TRIAL_MS 5000u
#define RELOAD_LONG_TRIAL_MS 60000u // replaces RELOAD_TRIAL_MS if --budget is 0

// --- Memory

#define SCRIPT_MEMORY_MB 1024 // default limit of scripts and history (--memory MB); the history gets at most half
#define TICK_UNDO_MAX_BYTES (64u << 20)    // maximum size of a world that is copied each tick to undo failures
#define RECORDING_STATES_BYTES (16u << 20) // memory for recent states of a recording, if no history is kept
// maximum size of a world that is recorded with states, unless --history is set
#define RECORDING_IMPLICIT_SNAPSHOT_BYTES (1u << 20)

// --- History and recordings

#define HISTORY_STATES 8u // number of states that the budget of a growing history should hold (maximum: --history MB)
// The history of a world with larger snapshots keeps only every Nth tick, so that the history copies at most this many
// bytes per tick on average.
#define HISTORY_TICK_BYTES (384u << 10)
#define JOURNAL_BLOCK_RECORDS 60u // number of records in a complete block: 1 s at 60 ticks per second
#define RECORDING_RECENT_S 30u    // number of seconds that F12 and crash reports save, unless the recording is shorter
// Number of complete blocks kept in memory for F12 and crash reports: ten minutes at 60 ticks per second. A recording
// with rewinds may begin earlier, before the earliest tick to which one of its rewinds leads.
#define RECORDING_MAX_BLOCKS 600u
#define ROLLBACK_MAX_TICKS 1024u // maximum N of --check-rollback N
#define GHOSTS_MAX_ENTITIES 256u
#define GHOSTS_MAX_TICKS 3600u // maximum length of predicted trails: 1 minute at 60 ticks per second

// --- Threads

// Maximum number of workers if --workers is not given. The default is one per core, but games rarely benefit from more
// workers than this.
#define WORKERS_DEFAULT 8
#define JOBS_MAX_WORKERS 64u

// --- Calls to plugins

#define FOREIGN_PERIOD_MS 100u      // interval between checks of a running call
#define FOREIGN_INTERRUPTED_MS 500u // wall-clock time that remains for a running call when the program must exit

// --- SQL: limits in steps and bytes instead of time, so that statements stop at the same point on every machine

// Maximum number of steps of a script's statement, unless game.lua sets a different limit. This number of steps takes
// 20 to 100 ms.
#define SQL_SCRIPT_STEPS 2000000u
// Maximum number of steps of a watched query. Its CPU-time limit usually stops the query earlier. A watch only pauses
// the game, so a limit that depends on the machine cannot affect the simulation.
#define SQL_WATCH_STEPS 50000000u
#define SQL_MEMORY_BYTES_PREPARING (4u << 20) // memory limit while a statement is parsed
#define SQL_MEMORY_BYTES (64u << 20)          // memory limit of a script's statement
#define SQL_MEMORY_BYTES_WRITING (512u << 20) // memory limit of a developer's statement that may write
#define COCKPIT_QUERY_STEPS 20000u // limit of a cockpit query within a frame; longer queries run in a child process
#define COCKPIT_HELD_QUERY_STEPS 2000000u // replaces COCKPIT_QUERY_STEPS while the game is paused or held
#define COCKPIT_CHILD_MS 1000             // maximum CPU time of a child process that runs a cockpit query

#endif
