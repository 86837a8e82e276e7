// Help texts of the program and its commands.
#include "start/options.h"

#include "base/limits.h"
#include "platform/host_keys.h"

static const char PACKAGE_HELP[] =
    "  --fullscreen          start in fullscreen\n"
    "  --width N, --height N window size\n"
    "  --portable            keep saves and settings in saved/, next to the program\n"
    "  --load FILE           load a saved game\n"
    "  --drop-addon NAME     load saved games without the parts of this add-on, which the game no longer uses\n"
    "  --host                let friends join over the network; --join ADDRESS joins a friend's game\n"
    "\n"
    "to report problems to the developers:\n"
    "  --record FILE         record the input; --replay FILE replays it\n"
    "  --screenshot FILE     write a PNG at the end, or --at TICK\n"
    "  --headless            run without a window or sound, at full speed; --ticks N, --seed N, --hash [every=K]\n"
    "  --every-tick, --save FILE, --workers N, --stats, --log LEVEL, --log-file FILE, --temporary-saves\n";

// Limits and keys shown in the help text.
#define WATCHED_MS LIMITS_TEXT(BUDGET_SYSTEM_DEVELOPMENT_MS)
#define ALONE_MS LIMITS_TEXT(BUDGET_SYSTEM_MS)
#define START_MS LIMITS_TEXT(BUDGET_START_MS)
#define MEMORY_MB LIMITS_TEXT(SCRIPT_MEMORY_MB)
#define WORKERS LIMITS_TEXT(WORKERS_DEFAULT)
#define KEY_HELP(action, key, scancode, modifier, help) "  " key ": " help "\n"
#define KEYS HOST_KEYS(KEY_HELP)

static const char HELP[] =
    "usage: shoal                         open the menu of games\n"
    "       shoal play [GAME] [options]   play a game from scripts/games; without GAME, open the menu\n"
    "       shoal run DIR [options]       run a game from any folder\n"
    "       shoal sql GAME \"SELECT …\"    query a game's world after --ticks N (default: 0); GAME is a name or a "
    "folder\n"
    "       shoal sql FILE \"SELECT …\"    query a save; with --write, statements may change it\n"
    "       shoal sql FILE --accept-edits --write   apply edits of other programs to a save\n"
    "       shoal ask PORT \"SELECT …\"    query a running game (--cockpit), --all: without a limit of rows;\n"
    "                                  attach PORT: interactive SQL and Lua\n"
    "       shoal add PATH [--to GAME]    copy an add-on into a game; --replace overwrites an edited copy\n"
    "       shoal clip GAME --replay FILE --from S --to S --out FILE.webp   write a clip; see shoal clip --help\n"
    "       shoal --help | --version\n\n"
    "  --headless            run without a window or sound, at full speed\n"
    "    --real-time         run at the game's tick rate instead of full speed\n"
    "  --debug-draw          overlay bodies, solid tiles, lights, paths and names, as F3 does\n"
    "  --every-tick          draw every tick, at full speed instead of real time: for videos and "
    "benchmarks\n"
    "  --ticks N             stop at tick N\n"
    "  --seed N              seed of the world's random numbers (default: 1 if headless, else from the clock)\n"
    "  --players N           number of players on this machine, in games that declare players (default: the minimum)\n"
    "  --host                be the host of a match over a network, in games that declare players; it begins in a\n"
    "                        lobby or, with --players N, when N players have joined; prints “listening: ADDRESS:PORT”\n"
    "                        and a key\n"
    "    --port P            UDP port of the host (default: " LIMITS_TEXT(
        MATCH_PORT) "; 0: any free one)\n"
                    "  --join ADDRESS[:PORT] join the match of a host; --join lan: of one in the local network\n"
                    "    --key CODE          require the key that the host has printed\n"
                    "    --continue          if the host is lost, continue the match as the host\n"
                    "  --accept              as the host, let every machine join without a question\n"
                    "  --name NAME           name of this machine's player in a match (default: as in the last match)\n"
                    "  --share-code          in a match, reload changed code on all machines; all must have this "
                    "option\n"
                    "  --local N             players on this machine in a match (default: 1)\n"
                    "  --net-sim RTT,JITTER,LOSS   simulate a network, such as 120ms,40ms,5%; without --host and "
                    "--join, host and "
                    "peer\n"
                    "                        run in this process\n"
                    "  --hash [every=K]      print “tick T hash H” every K ticks, or once at the end\n"
                    "  --screenshot FILE     write a PNG at the end\n"
                    "    --at TICK           write the PNG at this tick instead; without --ticks, also stop there\n"
                    "  --save FILE           save the world at the end\n"
                    "  --load FILE           load a saved world\n"
                    "  --drop-addon NAME     load saves without the parts of this add-on, which the game no longer "
                    "uses; may be "
                    "repeated\n"
                    "  --temporary-saves     write saves and settings to a temporary folder instead of the user's "
                    "(always with\n"
                    "                        --replay, --check-rollback and sql, and headless with --export or "
                    "--types)\n"
                    "  --export FILE         write the entities as JSON at the end (the format of scenes/*.json)\n"
                    "  --exec LUA            run Lua code after the start and print its result; may be repeated\n"
                    "  --plugin PATH         load a plugin, or all plugins of a folder; may be repeated\n"
                    "  --cockpit [PORT]      serve the cockpit to browsers on this machine, and to shoal ask and "
                    "attach "
                    "(default: in\n"
                    "                        a window with --watch); --cockpit-read-only: clients cannot change "
                    "anything\n"
                    "  --no-cockpit          do not serve the cockpit\n  --editor COMMAND      command with which the "
                    "cockpit "
                    "opens files, such as \"code -g "
                    "%f:%l\"\n"
                    "  --types FILE          write type definitions of the game and its plugins, for editors\n"
                    "  --watch, --no-watch   reload when a file is saved (default: on in a window)\n"
                    "  --width N, --height N window size in pixels (default: from game.lua)\n  --fullscreen          "
                    "start in "
                    "fullscreen\n"
                    "  --trust               allow “native = true” in a game outside scripts/games\n"
                    "  --check-rollback N    after every tick, rewind N ticks and simulate them again; if the results "
                    "differ,\n"
                    "                        report entities, fields and systems, and exit with code 1\n"
                    "  --no-jit              interpret scripts: same results, many times slower\n"
                    "  --metadata            load components declared with t.metadata\n"
                    "  --strict              exit with code 1 on any script error\n"
                    "  --budget MS           time limit of a script function (overrides game.lua); 30 times as long "
                    "for\n"
                    "                        `start`, 10 times for loading; 0: no limit (default: game.lua's, else\n"
                    "                        " WATCHED_MS ", or " ALONE_MS " without a window or --watch; " START_MS
                    " for `start` and for loading)\n"
                    "  --memory MB           memory limit for scripts (default: " MEMORY_MB ")\n"
                    "  --log LEVEL           log this level and above: error, warn, info, debug or none (default: "
                    "info)\n"
                    "  --log-file FILE       also write the log to this file\n"
                    "  --workers N           number of threads, including the main thread; results do not depend on "
                    "it\n"
                    "                        (default: one per core, at most " WORKERS ")\n"
                    "  --record FILE         record the input, including external input, for --replay\n"
                    "  --replay FILE         replay a recording; exit with code 1 at the first tick that differs\n"
                    "  --resume FILE         continue the game of this crash report from its last state, without the "
                    "plugin that "
                    "crashed\n"
                    "  --history MB          memory for the history (rewinding); 0: none (default: game.lua's in a "
                    "window, else "
                    "0)\n"
                    "  --explain SYSTEM      print at the end whether the system runs as native code, or why not; all: "
                    "every "
                    "system\n"
                    "  --native MODE         on, off, now (wait for compilation), or sse2, avx2, avx512 (at most these "
                    "instructions)\n"
                    "  --stats               print ticks per second, time per system and allocations at the end\n\n"
                    "keys in a window:\n" KEYS
                    "exit status: 0 success, 1 a script failed (headless or --strict), 2 usage error\n";

const char *options_help(void) {
  return HELP;
}

const char *options_package_help(void) {
  return PACKAGE_HELP;
}
