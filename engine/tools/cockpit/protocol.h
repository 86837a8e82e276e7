// Handles requests from clients and from the overlay. Requests and answers are JSON objects.
//
// engine/docs/cockpit.md explains the protocol, and lists the requests that most programs need. The remaining requests:
//
// | "do"              | parameters                             | answer                                               |
// |-------------------|----------------------------------------|------------------------------------------------------|
// | "hello"           |                                        | protocol (1), shoal, title, folder, tick_rate,       |
// |                   |                                        | width and height of the screen in logical pixels,    |
// |                   |                                        | read_only                                            |
// | "schema"          |                                        | components, events: their fields, with type, unit,   |
// |                   |                                        | range, doc, choices; assemblages: name, doc, alive,  |
// |                   |                                        | states, sprite and shape                             |
// | "systems"         |                                        | vm: a number that changes with each reload; columns  |
// |                   |                                        | and rows: as in SQL, with µs, file and line          |
// | "errors"          |                                        | the error card: kind ("" if there is no error),      |
// |                   |                                        | title, message, place, hint, about, total, lines,    |
// |                   |                                        | others                                               |
// | "revert"          | entity, component, instance, optional  | resets to the assemblage's values                    |
// |                   | field                                  |                                                      |
// | "duplicate"       | entity                                 |                                                      |
// | "move"            | places: [[entity, x, y], …], each with |                                                      |
// |                   | an optional angle                      |                                                      |
// | "ghosts"          | entity, entities or "entities":        | shows ghosts; count                                  |
// |                   | "picked"; ticks (0: removes them);     |                                                      |
// |                   | toggle                                 |                                                      |
// | "textures",       |                                        | the same as in the panels                            |
// | "memory",         |                                        |                                                      |
// | "native",         |                                        |                                                      |
// | "parked",         |                                        |                                                      |
// | "addons"          |                                        |                                                      |
// | "files", "file",  | file                                   | the loaded files and their size in bytes; a file's   |
// | "definitions"     |                                        | text; the functions of scripts                       |
// | "open"            | file, line                             | opens the file with the program of --editor          |
// | "watch",          | text, on                               | sets a data breakpoint: the game pauses when the     |
// | "watches"         |                                        | query returns a row; lists them                      |
// | "pick"            | entities; the first one is e           | selects them                                         |
// | "commands",       | name                                   | lists the commands of the palette; runs a command of |
// | "command"         |                                        | the game                                             |
// | "panels", "press" | panel; widget (its label); value       | panels: title, at, sql; presses the button or sets   |
// |                   |                                        | the slider                                           |
// | "literal"         | as for "set"; into: "assemblage", or   | where to write a value back: file, line, of, the     |
// |                   | "component" for its default            | line before and after the change (if it is long, the |
// |                   |                                        | part around the change), stamp                       |
// | "write"           | as for "literal", and its stamp        | writes the value; as for "literal"                   |
// | "save_scene"      | scene; all: every entity; replace:     | writes scenes/NAME.json; file, number of entities    |
// |                   | overwrites an existing file            |                                                      |
// | "propose"         | what: "component", "assemblage",       | a change of the game's files: title, problems (at,   |
// |                   | "behaviour" or "system", with the      | the path of an invalid member, and text), files      |
// |                   | members of its form in Kinds;          | (file, created, removed, diff), stamp, unsure (file, |
// |                   | "rename", with kind, name (of a field, | line and text of places that a rename leaves)        |
// |                   | its path: "bite.power") and to;        |                                                      |
// |                   | "map" (cockpit/level_map.h) or "scene" |                                                      |
// |                   | (cockpit/level_scene.h)                |                                                      |
// | "apply"           | as for "propose", and its stamp        | writes the files, unless one of them has changed; as |
// |                   |                                        | for "propose"; undo: the number of the undo step     |
// | "undo"            | step: the undo of "apply"              | undoes this step; files: the restored files          |
// | "templates"       |                                        | behaviours and systems: name and doc of templates    |
// | "over_time"       | texts: up to 8 SQL queries that return | rows of a tick and each query's number, in the       |
// |                   | a number; back, ahead: ticks           | history and in the predicted future; now             |
// | "match"           |                                        | is_active: a match is played; command: runs the game |
// |                   |                                        | over a simulated network; in a match also players,   |
// |                   |                                        | links, counts since its start, desync_lines,         |
// |                   |                                        | reloads, network: the simulated conditions or null   |
// | "net_sim"         | round_trip_ms (0 to 2,000), jitter_ms  | changes the network of --net-sim from now on         |
// |                   | (0 to the round trip), loss_percent    |                                                      |
// | "moderate"        | action: "remove", "ban", "give_away",  | applies the action to the player with this number    |
// |                   | "mute", "unmute", "lift_bans"; player  | (host/match_moderation.h)                            |
// | "timelines"       |                                        | now; first, last: kept ticks; left_first, left_last: |
// |                   |                                        | of the abandoned timeline; again: true while the     |
// |                   |                                        | abandoned timeline is replayed                       |
// | "compare"         | a, b: a tick, { "left": tick } of the  | total, and rows of kind, entity, label, component,   |
// |                   | abandoned timeline, or absent for now  | instance, field and both values                      |
// | "tiles"           | entity of a tilemap, or map, a .tmj    | map: images, tiles, layers with parallax, objects    |
// |                   | file of the game; the client's stamp   | and run-length encoded cells; of a file also file,   |
// |                   |                                        | infinite, things; stamp; same: the copy is current   |
// | "scene"           | scene: the name of a scene in Lua      | file, and entities: line, assemblage, name, state,   |
// |                   |                                        | parent, x, y, components; a value is { "value": … }, |
// |                   |                                        | or { "code": … } if code computes it                 |
#ifndef SHOAL_COCKPIT_PROTOCOL_H
#define SHOAL_COCKPIT_PROTOCOL_H

#include "base/error.h"
#include "base/json_writer.h"
#include "cockpit/connections.h"

#include <jansson.h>

#define PROTOCOL_VERSION 1

// Handles a message of a client, `bytes` bytes of JSON, and sends the answer unless a child process will send it.
void protocol_run_message(cockpit_o *cockpit, client_state_t *client, const char *text, size_t bytes);
// Runs a request from the overlay. The overlay is not a client: it has no subscriptions and cannot receive asynchronous
// answers. `out` must be empty and receives the answer object. Returns true on success, or false with an error.
bool protocol_run_request(cockpit_o *cockpit, const json_t *request, json_writer_t *out, error_info_t *error);

#endif
